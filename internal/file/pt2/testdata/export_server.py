"""Writes programs of torch.export, of random parameters, buffers and constants of many types, layouts and shared storages, and answers the tensors that
torch.export.load reads: names, types, sizes, strides, offsets and elements.

Reads one JSON request a line from standard input, writes one JSON reply a line to standard output. Needs torch 2.9 or later.
"""
import json
import logging
import random
import sys
import warnings

import torch
import torch.export  # 1.13 has none

warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)
print("torch", torch.__version__, flush=True)

FLOATS = [torch.float32, torch.float16, torch.bfloat16, torch.float64, torch.complex64, torch.float8_e4m3fn, torch.float8_e5m2]
OTHERS = [torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64, torch.bool, torch.uint16, torch.uint32, torch.uint64, torch.float8_e4m3fnuz,
          torch.float8_e5m2fnuz, torch.float8_e8m0fnu, torch.complex128]


def dense(rng, dtype):
    shape = [rng.choice([1, 2, 2, 3, 4]) for _ in range(rng.randrange(5))] if rng.random() < 0.9 else [2, 0, 3]
    size = torch.empty(0, dtype=dtype).element_size()
    n = 1
    for s in shape:
        n *= s
    raw = bytes(rng.randrange(2) for _ in range(n)) if dtype == torch.bool else rng.randbytes(n * size)
    x = torch.frombuffer(bytearray(raw), dtype=torch.uint8) if raw else torch.empty(0, dtype=torch.uint8)
    return x.view(dtype).reshape(shape)


def view(rng, x):
    """The tensor in another memory order, or a part of it."""
    way = rng.randrange(5)
    if way == 1:
        return x.permute(rng.sample(range(x.dim()), x.dim()))
    if way == 2 and x.dim() == 4:
        return x.clone(memory_format=torch.channels_last)
    if way == 3 and x.dim() > 0 and x.shape[-1] > 1:
        return x[..., 1:]
    return x


class Net(torch.nn.Module):
    def __init__(self, rng):
        super().__init__()
        for i in range(rng.randrange(1, 6)):
            x = view(rng, dense(rng, rng.choice(FLOATS)))
            setattr(self, f"p{i}", torch.nn.Parameter(x, requires_grad=rng.random() < 0.5))
        for i in range(rng.randrange(4)):
            self.register_buffer(f"b{i}", view(rng, dense(rng, rng.choice(OTHERS + FLOATS))), persistent=rng.random() < 0.7)
        if rng.random() < 0.5:
            base = torch.randn(4, 6)
            self.register_buffer("base", base)
            self.register_buffer("row", base[1:3, ::2])
            self.tied = self.p0

    def forward(self, x):
        used = [b.reshape(-1).view(torch.uint8).to(torch.int64).sum() if b.is_contiguous() and b.numel() and b.dtype != torch.bool else x.sum() for b in self.buffers()]
        return (x + 1, *used) if used else x + 1


def described(x):
    x = x.detach()
    raw = x.contiguous().reshape(-1).view(torch.uint8).numpy().tobytes() if x.numel() else b""
    return {"dtype": str(x.dtype).removeprefix("torch."), "shape": list(x.shape), "strides": list(x.stride()), "offset": x.storage_offset(), "bytes": raw.hex()}


for line in sys.stdin:
    q = json.loads(line)
    rng = random.Random(q["seed"])
    torch.manual_seed(q["seed"])
    with torch.no_grad():
        program = torch.export.export(Net(rng), (torch.zeros(2),))
    torch.export.save(program, q["path"])
    back = torch.export.load(q["path"])
    tensors = dict(back.state_dict)
    tensors.update({name: x for name, x in back.constants.items() if isinstance(x, torch.Tensor)})
    print(json.dumps({name: described(x) for name, x in tensors.items()}), flush=True)
