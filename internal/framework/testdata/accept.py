"""Asks PyTorch and NumPy what they accept. Standard input has one JSON document a line, standard output one answer a line;
torch's version first.

{"dtype", "typestr"}: does from_numpy accept an array of the type, and does np.save write what np.load reads? With "as" and
  "name": does from_numpy(x.view(as)) accept it, and does torch have a type of that name that views it?
{"shape", "fortran", "expr"}: the shape and the strides of an expression of x, which is from_numpy of such an array; whether
  it shares x's memory; whether it is channels_last."""
import io
import json
import sys

import numpy as np
import torch

print("torch", torch.__version__, flush=True)


def takes(make):
    try:
        return make() is not None
    except (TypeError, ValueError, AttributeError, RuntimeError):
        return False


def types(q):
    x = np.zeros((2, 3), np.dtype(q["typestr"]))
    f = io.BytesIO()
    np.save(f, x)
    f.seek(0)
    answer = {"torch": takes(lambda: torch.from_numpy(x)), "numpy": takes(lambda: np.load(f))}
    if q["as"]:
        answer["bits"] = takes(lambda: torch.from_numpy(x.view(q["as"])))
        answer["viewed"] = takes(lambda: torch.from_numpy(x.view(q["as"])).view(getattr(torch, q["name"])))
    return answer


def view(q):
    a = np.zeros(q["shape"], np.float32, order="F" if q["fortran"] else "C")
    x = torch.from_numpy(a)
    y = eval(q["expr"], {"x": x})
    return {
        "shape": list(y.shape),
        "strides": list(y.stride()),
        "shares": y.data_ptr() == a.ctypes.data,
        "last": y.dim() == 4 and y.is_contiguous(memory_format=torch.channels_last),
    }


for line in sys.stdin:
    q = json.loads(line)
    print(json.dumps(types(q) if "typestr" in q else view(q)), flush=True)
