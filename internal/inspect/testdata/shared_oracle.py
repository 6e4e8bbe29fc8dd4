"""What writers make of tensors whose elements share memory: a line of JSON out for each line in. shared_test.go runs it.

Element i of the storage holds i. "raw" is what a writer that ignores strides writes: numel elements from the tensor's first
one on, found by its pointer. "saved" is what np.save writes after its header, "contiguous" and "ascontiguous" are the
elements that PyTorch's and NumPy's copies hold, in memory order.
"""
import ctypes
import io
import json
import sys

import numpy as np
import torch

STORAGE = torch.arange(1 << 16, dtype=torch.int32)
ARRAY = STORAGE.numpy()


def raw(pointer, n):
    return list((ctypes.c_int32 * n).from_address(pointer))


def saved(a):
    out = io.BytesIO()
    np.save(out, a)
    out.seek(0)
    np.lib.format.read_magic(out)
    shape, fortran, dtype = np.lib.format.read_array_header_1_0(out)
    return {"fortran": fortran, "elements": np.frombuffer(out.read(), dtype).tolist()}


def answer(shape, strides, offset):
    x = STORAGE.as_strided(shape, strides, offset)
    a = np.lib.stride_tricks.as_strided(ARRAY[offset:], shape, [s * 4 for s in strides])
    copy = x.contiguous()
    return {
        "raw": raw(x.data_ptr(), x.numel()),
        "saved": saved(a),
        "contiguous": raw(copy.data_ptr(), copy.numel()),
        "ascontiguous": np.ascontiguousarray(a).ravel().tolist(),
        "is_contiguous": x.is_contiguous(),
    }


print("torch", torch.__version__, "numpy", np.__version__, flush=True)
for line in sys.stdin:
    print(json.dumps(answer(**json.loads(line))), flush=True)
