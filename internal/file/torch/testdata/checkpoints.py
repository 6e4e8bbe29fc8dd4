"""Saves random checkpoints with PyTorch and says what PyTorch reads of each.

A line of input is a seed. A line of output is {"kind", "file", "weights_only", "why", "tensors": [{"name", "dtype", "shape", "stride", "offset",
"group", "nbytes", "data"}]}: the file and the elements in base64, the elements contiguous; group is the same number for tensors of
one storage, which has nbytes bytes.
"""
import base64, collections, io, json, random, sys, warnings

warnings.filterwarnings("ignore")
import numpy as np
import torch
import torch.nn as nn

print("torch", torch.__version__, flush=True)
torch.set_num_threads(1)

DTYPES = [torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64,
          torch.bool, torch.complex64, torch.complex128]
# Of PyTorch since 2.1 to 2.7; their elements are made and read as bytes.
LATER = [getattr(torch, name) for name in ("uint16", "uint32", "uint64", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz",
                                           "float8_e8m0fnu") if hasattr(torch, name)]
LATER += [torch.complex32] if LATER else []


def fresh(r):
    rank = r.choice([0, 1, 1, 2, 2, 3, 4, 4, 5])
    shape = [r.choice([0, 1, 2, 3, 4, 5]) if r.random() < .9 else 0 for _ in range(rank)]
    dtype = r.choice(types)
    n = 1
    for s in shape:
        n *= s
    bits = torch.randint(0, 100, (n,))
    if dtype in LATER:
        return torch.randint(0, 100, (n * dtype.itemsize,), dtype=torch.uint8).view(dtype).reshape(shape)
    if dtype.is_complex:
        t = torch.complex(bits.double(), (bits * 3).double()).to(dtype)
    else:
        t = (bits % 2 if dtype == torch.bool else bits).to(dtype)
    return t.reshape(shape)


def view(r, t):
    """Random view operations."""
    for _ in range(r.randrange(4)):
        op = r.randrange(9)
        if op == 0 and t.dim() > 1:
            t = t.permute(r.sample(range(t.dim()), t.dim()))
        elif op == 1 and t.dim():
            d = r.randrange(t.dim())
            a = r.randint(0, t.shape[d])
            t = t.narrow(d, a, r.randint(0, t.shape[d] - a))
        elif op == 2 and t.dim():
            t = t[::r.randint(1, 3)]
        elif op == 3 and t.dim() < 5:
            t = t.unsqueeze(r.randint(0, t.dim()))
        elif op == 4:
            t = t.expand([r.choice([1, 2, 3]) if s == 1 else s for s in t.shape])
        elif op == 5 and t.dim() == 4:
            t = t.contiguous(memory_format=torch.channels_last)
        elif op == 6 and t.dim() == 5:
            t = t.contiguous(memory_format=torch.channels_last_3d)
        elif op == 7 and t.dim() and t.shape[0]:
            t = t[r.randrange(t.shape[0])]
        elif op == 8 and t.dim() > 1 and t.shape[0] and t.shape[1]:
            t = t.diagonal()
    return t


def tensor(r, pool):
    if pool and r.random() < .4:
        t = r.choice(pool)  # shares a storage
        t = t if r.random() < .3 else view(r, t.detach())
    else:
        t = view(r, fresh(r))
    if t.dtype.is_floating_point and r.random() < .2 and not isinstance(t, nn.Parameter):
        t = nn.Parameter(t, requires_grad=r.random() < .5)
    pool.append(t)
    return t


def array(r):
    """An array of NumPy, of numbers in either order of bytes and of axes, or a view that is not contiguous: of small numbers, or of any bytes."""
    dtype, n = np.dtype(r.choice(["?", "u1", "<i2", ">i2", "<u4", "<i8", "<f2", "<f4", ">f4", "<f8", "<c8"])), r.choice([24, 24, 24, 2400])
    a = (np.arange(n) * r.choice([1, 10])).astype(dtype)
    if dtype != "?" and r.random() < .5:
        a = np.frombuffer(r.choice([r.randbytes(a.nbytes), b"\xff" * a.nbytes]), dtype)
    a = a.reshape(r.choice([(n,), (2, 3, n // 6), (1, n), (4, 1, n // 4)]))
    return r.choice([a, np.asfortranarray(a), a[::2], a[:0], a.T, a[-1:]])


def nested(r, pool, depth=0):
    """A state_dict, or dicts and lists in each other."""
    kind = r.randrange(6) if depth else 0
    if depth > 3 or kind == 5:
        return array(r) if r.random() < .2 else tensor(r, pool)
    n = r.randrange(1, 5)
    if kind == 1:
        return [nested(r, pool, depth + 1) for _ in range(n)]
    if kind == 2:
        return tuple(nested(r, pool, depth + 1) for _ in range(n))
    made = {0: collections.OrderedDict, 3: dict, 4: lambda: collections.defaultdict(list)}[kind]()
    for i in range(n):
        key = r.choice([i, "w%d" % i, "layer.%d.weight" % i, "ü%d" % i])
        made[key] = nested(r, pool, depth + 1) if r.random() < .8 else r.choice([None, True, 1, 2 ** 70, -2 ** 40, 1.5, "text", b"bytes", 3j])
    return made


def module(r):
    layers = [nn.Conv2d(2, 3, 3), nn.BatchNorm2d(3), nn.Linear(4, 2), nn.Embedding(3, 2), nn.LayerNorm(2), nn.GRU(2, 2), nn.ReLU()]
    m = nn.Sequential(*r.choices(layers, k=r.randrange(1, 5)))
    if r.random() < .5:
        m = nn.ModuleDict({"a": m, "b": nn.ModuleList([m, nn.Linear(2, 2)])})
    if r.random() < .5:
        m = m.to(memory_format=torch.channels_last)
    return m


def optimizer(r):
    m = nn.Sequential(nn.Linear(3, 2), nn.Linear(2, 1))
    o = r.choice([torch.optim.Adam, torch.optim.AdamW, lambda p: torch.optim.SGD(p, lr=.1, momentum=.9)])(m.parameters())
    m(torch.ones(2, 3)).sum().backward()
    o.step()
    return {"model": m.state_dict(), "optimizer": o.state_dict(), "epoch": 3, "names": ["a", "b"]}


class Traced(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.ones(2, 3).t())
        self.register_buffer("b", torch.arange(6.)[2:4])

    def forward(self, x):
        return x + self.w.sum() + self.b.sum()


def save(r):
    """What is saved, and how: the kind, the file, and the file that torch.load reads: it refuses the persistent ids of protocol 0."""
    f = io.BytesIO()
    kind = r.choice(["nested"] * 7 + ["legacy"] * 2 + ["module", "module legacy", "optimizer", "script", "tensor"])
    protocol = r.choice([2, 2, 2, 0, 1, 3, 4, 5])
    old = "legacy" in kind
    if kind == "module legacy":
        protocol = max(protocol, 1)  # its ids have sources, which protocol 0 writes as ASCII only
    global types
    types = DTYPES if old else DTYPES + LATER  # PyTorch 2.15 saves these in legacy files, and cannot load them
    if kind == "script":
        m = torch.jit.script(nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2))) if r.random() < .5 else torch.jit.trace(Traced(), torch.ones(2))
        torch.jit.save(m, f)
        return kind, f.getvalue(), f.getvalue()
    obj = {"nested": lambda: nested(r, []), "module": lambda: {"m": module(r), "n": 1} if r.random() < .5 else module(r),
           "optimizer": lambda: optimizer(r), "tensor": lambda: tensor(r, [])}[kind.split()[0] if kind != "legacy" else "nested"]()
    order, big = sys.byteorder, bool(LATER) and not old and r.random() < .1
    sys.byteorder = "big" if big else order  # what torch.save says of the bytes, and torch.load swaps
    torch.save(obj, f, pickle_protocol=protocol, _use_new_zipfile_serialization=not old)
    read = io.BytesIO()
    torch.save(obj, read, pickle_protocol=protocol or 1, _use_new_zipfile_serialization=not old)
    sys.byteorder = order
    return kind + " %d" % protocol + " big" * big, f.getvalue(), read.getvalue()


def leaves(o, path=()):
    if isinstance(o, (torch.Tensor, np.ndarray)):
        yield ".".join(path), o
    elif isinstance(o, nn.Module):
        for k, v in o.state_dict(keep_vars=True).items():
            yield ".".join(path + (k,)), v
    elif isinstance(o, dict):
        for k, v in o.items():
            yield from leaves(v, path + (str(k),))
    elif isinstance(o, (list, tuple)):
        for i, v in enumerate(o):
            yield from leaves(v, path + (str(i),))


def content(t):
    t = t.detach().contiguous()
    if t.numel() == 0:
        return b""
    if t.dtype in LATER:
        return t.clone(memory_format=torch.contiguous_format).reshape(-1).view(torch.uint8).numpy().tobytes()
    if t.dtype.is_complex:
        t = torch.view_as_real(t).contiguous()
    if t.dtype == torch.bfloat16:
        t = t.view(torch.int16)
    return t.numpy().tobytes()


for line in sys.stdin:
    seed = int(line)
    r = random.Random(seed)
    torch.manual_seed(seed)
    kind, file, read = save(r)
    if kind == "script":
        loaded, only, why = torch.jit.load(io.BytesIO(file)), None, ""
    else:
        loaded = torch.load(io.BytesIO(read), weights_only=False)
        try:
            torch.load(io.BytesIO(file), weights_only=True)
            only, why = True, ""
        except Exception as e:
            only, why = False, str(e)
    groups, tensors = {}, []
    for name, t in leaves(loaded):
        if isinstance(t, np.ndarray):
            tensors.append({"name": name, "dtype": t.dtype.name, "shape": t.shape, "stride": [n // t.itemsize for n in t.strides], "offset": 0,
                            "group": -1, "nbytes": t.nbytes, "data": base64.b64encode(t.astype(t.dtype.newbyteorder("<")).tobytes()).decode()})
            continue
        s = t.storage().untyped() if hasattr(t.storage(), "untyped") else t.storage()
        group = groups.setdefault(s.data_ptr(), len(groups)) if s.nbytes() else -1
        tensors.append({"name": name, "dtype": str(t.dtype)[6:], "shape": list(t.shape), "stride": list(t.stride()),
                        "offset": t.storage_offset(), "group": group, "nbytes": s.nbytes(), "data": base64.b64encode(content(t)).decode()})
    print(json.dumps({"kind": kind, "file": base64.b64encode(file).decode(), "weights_only": only, "why": why, "tensors": tensors}), flush=True)
