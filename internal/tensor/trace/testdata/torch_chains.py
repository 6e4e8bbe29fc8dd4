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

warnings.simplefilter("ignore")
DTYPES = {2: torch.int16, 4: torch.int32, 8: torch.int64}


def storage(x):
    return x.untyped_storage() if hasattr(x, "untyped_storage") else x.storage()


def values(y):
    flat = y.reshape(-1)
    return flat[:: max(1, flat.numel() // 24)].tolist()


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
