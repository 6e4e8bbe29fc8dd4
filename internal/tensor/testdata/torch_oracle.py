"""Says what PyTorch answers about strided tensors: a line of JSON out for each line in. torch_test.go runs it.

Tensors are made by as_strided on one large storage per item size, so that any strides of at least 0 can be asked.
A refusal costs PyTorch thousands of times as much as an answer (it records a C++ backtrace), so each case says in
"ask" which questions to put.
"""
import json
import sys

import torch

DTYPES = {1: torch.uint8, 2: torch.int16, 4: torch.float32, 8: torch.float64, 16: torch.complex128}
FORMATS = {
    "contiguous": torch.contiguous_format,
    "channels_last": torch.channels_last,
    "channels_last_3d": torch.channels_last_3d,
}
STORAGE = {size: torch.zeros(1 << 17, dtype=dtype) for size, dtype in DTYPES.items()}


def metadata(y, **more):
    return {"shape": list(y.shape), "strides": list(y.stride()), "offset": y.storage_offset(), **more}


def storage(x):
    return x.untyped_storage() if hasattr(x, "untyped_storage") else x.storage()


def same_object(x, y):
    return metadata(y, self=y is x)


def same_storage(x, y):
    return metadata(y, shared=storage(y).data_ptr() == storage(x).data_ptr() or x.numel() == 0)


def bounded(x, storage, shape, strides, offset):
    return torch.zeros(storage, dtype=x.dtype).as_strided(shape, strides, offset)


QUESTIONS = {
    "clone": lambda x, case: metadata(x.clone()),
    "empty_like": lambda x, case: metadata(torch.empty_like(x)),
    "view": lambda x, case: metadata(x.view(case["view"])),
    "reshape": lambda x, case: same_storage(x, x.reshape(case["view"])),
    "expand": lambda x, case: metadata(x.expand(case["expand"])),
    "as_strided": lambda x, case: metadata(bounded(x, **case["as_strided"])),
}
for name, f in FORMATS.items():
    QUESTIONS["contiguous " + name] = lambda x, case, f=f: same_object(x, x.contiguous(memory_format=f))
    QUESTIONS["to " + name] = lambda x, case, f=f: same_object(x, x.to(memory_format=f))


def ask(question, x, case):
    """The answer, or the first line of the error."""
    try:
        return QUESTIONS[question](x, case)
    except RuntimeError as error:
        return {"error": str(error).splitlines()[0]}


def answer(case):
    x = STORAGE[case["item_size"]].as_strided(case["shape"], case["strides"], case["offset"])
    return {
        "is_contiguous": {name: x.is_contiguous(memory_format=f) for name, f in FORMATS.items()},
        "dense": torch.ops.aten.is_non_overlapping_and_dense.default(x),
        "answers": {question: ask(question, x, case) for question in case["ask"]},
    }


print("torch", torch.__version__, flush=True)
for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)
