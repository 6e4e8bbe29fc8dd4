"""Loads checkpoints with PyTorch, with weights_only and without, and says what is in each.

A line of input is {"file": base64} or {"path"}. A line of output is a list of two, each {"error"} or {"keys", "tensors": [{"dtype", "shape",
"stride", "offset", "group", "nbytes", "data"}]}: the elements contiguous, in base64; group is the same number for tensors of one
storage, which has nbytes bytes, -1 if that is 0.

The line {"allowed": true} asks for the names of globals that weights_only accepts: a list. The line {"stand_ins": true} replaces what a PyTorch before 2.1 has not: _rebuild_tensor_v3 by what its arguments mean, types by others of
their size. The answer is [].
"""
import base64, io, json, sys, warnings

warnings.filterwarnings("ignore")
import torch

print("torch", torch.__version__, flush=True)
torch.set_num_threads(1)
SIZES = {"uint16": torch.int16, "uint32": torch.int32, "uint64": torch.int64, "float8_e4m3fn": torch.int8, "float8_e4m3fnuz": torch.int8,
         "float8_e5m2": torch.int8, "float8_e5m2fnuz": torch.int8, "float8_e8m0fnu": torch.int8, "complex32": None}


def rebuild(storage, storage_offset, size, stride, requires_grad, backward_hooks, dtype):
    assert storage.dtype == torch.uint8 and requires_grad is False and len(backward_hooks) == 0
    return torch.empty((0,), dtype=dtype).set_(storage.untyped(), storage_offset, size, stride)


def stand_ins():
    if hasattr(torch._utils, "_rebuild_tensor_v3"):
        return
    from torch._weights_only_unpickler import _get_allowed_globals

    torch._utils._rebuild_tensor_v3, torch.storage.UntypedStorage = rebuild, torch.UntypedStorage
    allowed = {"torch._utils._rebuild_tensor_v3": rebuild, "torch.storage.UntypedStorage": torch.UntypedStorage}
    for name, same in SIZES.items():
        if not hasattr(torch, name):
            setattr(torch, name, same)
        allowed["torch." + name] = getattr(torch, name)
    _get_allowed_globals().update(allowed)


def content(t):
    t = t.detach()
    if t.dtype == torch.complex32:  # 1.13 does not copy them
        t = t.reshape(1).view(torch.int32) if t.dim() == 0 else t.view(torch.int32)
    return t.clone(memory_format=torch.contiguous_format).reshape(-1).view(torch.uint8).numpy().tobytes() if t.numel() else b""


def load(file, only):
    try:
        loaded = torch.load(file, weights_only=only)
    except Exception as e:
        return {"error": type(e).__name__ + ": " + str(e)}
    if isinstance(loaded, torch.Tensor):
        keys, values = None, [loaded]
    else:
        assert type(loaded).__name__ == "OrderedDict", type(loaded)
        keys, values = list(loaded.keys()), loaded.values()
    groups, tensors = {}, []
    for t in values:
        s = t.untyped_storage() if hasattr(t, "untyped_storage") else t.storage().untyped()
        group = groups.setdefault(s.data_ptr(), len(groups)) if s.nbytes() else -1
        tensors.append({"dtype": str(t.dtype)[6:], "shape": list(t.shape), "stride": list(t.stride()), "offset": t.storage_offset(),
                        "group": group, "nbytes": s.nbytes(), "data": base64.b64encode(content(t)).decode()})
    return {"keys": keys, "tensors": tensors}


for line in sys.stdin:
    q = json.loads(line)
    if "stand_ins" in q:
        stand_ins()
        answer = []
    elif "allowed" in q:
        answer = sorted(torch._weights_only_unpickler._get_allowed_globals())
    else:
        answer = [load(q["path"] if "path" in q else io.BytesIO(base64.b64decode(q["file"])), only) for only in (True, False)]
    print(json.dumps(answer), flush=True)
