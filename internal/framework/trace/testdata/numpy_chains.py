"""Runs chains of view operations in NumPy: one line of JSON out for each line in. oracle_test.go runs it.

The lines are those of torch_chains.py. NumPy does not say which storage an array views, so it is found by address; an
empty array has none.
"""
import json
import sys
import warnings

import numpy as np
from numpy.lib.stride_tricks import as_strided, sliding_window_view

warnings.simplefilter("ignore")
DTYPES = {2: np.int16, 4: np.int32, 8: np.int64}


def address(x):
    return x.__array_interface__["data"][0]


class Chain:
    def __init__(self, chain):
        self.item = chain["item_size"]
        self.alive = [np.arange(chain["elems"], dtype=DTYPES[self.item])]
        self.base, self.bytes = address(self.alive[0]), self.alive[0].nbytes
        strides = [s * self.item for s in chain["strides"]]
        self.x = as_strided(self.alive[0][chain["offset"]:], chain["shape"], strides)

    def step(self, expression):
        x = self.x
        try:
            y = eval(expression)
        except (ValueError, IndexError, TypeError, ArithmeticError) as error:
            return {"error": str(error).splitlines()[0]}
        itself = y is x
        self.x = y = np.asarray(y)
        self.alive.append(y)
        shared = self.base <= address(y) < self.base + self.bytes
        if not shared and y.size:
            self.base, self.bytes = address(y), y.nbytes
        flat = y.flatten()
        return {
            "shape": list(y.shape),
            "strides": [s // self.item for s in y.strides],
            "offset": (address(y) - self.base) // self.item if y.size else 0,
            "self": itself,
            "shared": shared,
            "values": flat[:: max(1, flat.size // 24)].tolist(),
        }


def run(case):
    chain, answers = Chain(case), []
    for expression in case["steps"]:
        answers.append(chain.step(expression))
        if "error" in answers[-1]:
            break
    return answers


print("numpy", np.__version__, flush=True)
for line in sys.stdin:
    print(json.dumps([run(case) for case in json.loads(line)]), flush=True)
