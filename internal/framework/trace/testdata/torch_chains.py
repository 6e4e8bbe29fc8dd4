"""Runs chains of view operations in PyTorch: one line of JSON out for each line in. oracle_test.go runs it.

A line is a list of chains, {"shape", "strides", "offset", "elems", "item_size", "steps"}; steps are Python expressions
of x. The answer to each step is what it returned, and some of its values; at the start, the storage holds
its own offsets. A chain ends with the first error. A refusal costs PyTorch much more than an answer (it records a C++
backtrace), so most chains should have none.
"""
import json
import sys
import warnings

import torch
import torch.nn.functional as F

warnings.simplefilter("ignore")
DTYPES = {2: torch.int16, 4: torch.float32, 8: torch.float64}


def storage(x):
    return x.untyped_storage() if hasattr(x, "untyped_storage") else x.storage()


def values(y):
    flat = y.reshape(-1)
    if y.dtype == torch.bool:
        return []
    flat = flat[:: max(1, flat.numel() // 24)].double()  # 0 for what an int cannot hold
    return torch.where(flat.abs() < 1e15, flat, torch.zeros_like(flat)).long().tolist()


def operand(x, shape, strides, dtype=None):
    """A tensor beside x, of its dtype."""
    if 0 in shape:
        return torch.empty_strided(shape, strides, dtype=dtype or x.dtype)
    reach = 1 + sum((n - 1) * s for n, s in zip(shape, strides))
    return torch.ones(reach, dtype=dtype or x.dtype).as_strided(shape, strides)


def where(condition, x, number):
    """torch.where with a number, which PyTorch 1.13 does not promote."""
    to = torch.result_type(x, number)
    if torch.__version__ < "2":
        return torch.where(condition, x.to(to), torch.tensor(number, dtype=to))
    return torch.where(condition, x, number)


def step(x, expression):
    try:
        y = eval(expression)
    except (RuntimeError, IndexError, ValueError) as error:
        lines = str(error).splitlines()
        return None, {"error": " ".join(lines[:2]) if lines[0].endswith(":") else lines[0]}
    return y, {
        "shape": list(y.shape),
        "strides": list(y.stride()),
        "offset": y.storage_offset(),
        "self": y is x,
        "dtype": str(y.dtype)[6:],
        "shared": storage(y).data_ptr() == storage(x).data_ptr(),
        "values": values(y),
    }


def run(chain):
    x = torch.arange(chain["elems"], dtype=DTYPES[chain["item_size"]])
    x = x.as_strided(chain["shape"], chain["strides"], chain["offset"])
    answers = []
    for expression in chain["steps"]:
        x, answer = step(x, expression)
        answers.append(answer)
        if x is None:
            break
    return answers


print("torch", torch.__version__, flush=True)
for line in sys.stdin:
    print(json.dumps([run(chain) for chain in json.loads(line)]), flush=True)
