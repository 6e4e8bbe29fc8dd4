"""Runs the code of package snippet for the framework argv[1], numpy or torch. Standard input has one JSON document a
line: the code, a logical shape, and where memory is to have each element, in logical order. Prints a line for each
difference, and the number of comparisons last; the framework's version first."""
import json
import sys

import numpy as np

framework = sys.argv[1]
if framework == "torch":
    import torch
    import torch.nn.functional as F
print(framework, (torch if framework == "torch" else np).__version__, flush=True)


def memory(y, elems, offset):
    """The storage under y, of which y begins at an offset."""
    if framework == "torch":
        return torch.as_strided(y, (elems,), (1,), 0).numpy()
    return np.lib.stride_tricks.as_strided(y.reshape(-1)[:0] if y.size == 0 else y, (elems - offset,), (y.itemsize,))


compared = 0
for line in sys.stdin:
    case = json.loads(line)
    n = len(case["addresses"])
    x = np.arange(1, n + 1, dtype=np.float32).reshape(case["shape"])
    want = np.zeros(case["elems"], np.float32)
    want[case["addresses"]] = x.reshape(-1)
    names = {"np": np, "x": x}
    if framework == "torch":
        names = {"torch": torch, "F": F, "x": torch.from_numpy(x)}
    exec("\n".join(case["make"]), names)
    got = memory(names["y"], case["elems"], case["offset"])
    if not np.array_equal(got, want if framework == "torch" else want[case["offset"]:]):
        print(f"{case['name']}: memory is {got}, expected {want}")
    del names["x"]
    exec("\n".join(case["back"]), names)
    if not np.array_equal(np.asarray(names["x"]), x):
        print(f"{case['name']}: back is {names['x']}, expected {x}")
    compared += 1
print(compared)
