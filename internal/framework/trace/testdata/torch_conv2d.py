"""Convolves in PyTorch with one thread and with two: one line of JSON out for each line in. convolution_test.go runs it.

A line is a list of cases, {"dtype", "shape", "strides", "weight", "weight_strides", "given"}; given are the other arguments in Python. The
answer to each is the strides with one thread and with two, or the error.
"""
import json
import sys
import warnings

import torch
import torch.nn.functional as F

warnings.simplefilter("ignore")


def zeros(dtype, shape, strides):
    reach = 1 + sum((n - 1) * s for n, s in zip(shape, strides))
    return torch.zeros(reach, dtype=dtype).as_strided(shape, strides)


def convolve(case):
    dtype = getattr(torch, case["dtype"])
    x, w = zeros(dtype, case["shape"], case["strides"]), zeros(dtype, case["weight"], case["weight_strides"])
    try:
        return {"strides": list(eval("F.conv2d(x, w" + case["given"] + ")").stride())}
    except (RuntimeError, ValueError) as error:
        return {"error": str(error).splitlines()[0]}


print("torch", torch.__version__, flush=True)
for line in sys.stdin:
    cases, answers = json.loads(line), []
    for threads in 1, 2:
        torch.set_num_threads(threads)
        answers.append([convolve(case) for case in cases])
    print(json.dumps(list(zip(*answers))), flush=True)
