"""Draws calls of einops on strided tensors of PyTorch and NumPy: prints the library's version, and a line of JSON for each
call with what einops returns, and the calls of the framework that it makes. `einops_cases.py 400 40 > einops.jsonl` recorded the file; einops_test.go also runs it live,
with some values of each result.
"""
import json
import math
import random
import re
import sys
import warnings

import einops
import numpy
import torch

warnings.simplefilter("ignore")
NAMES = "a b c d e f g i j k m n o p h1 w_2 time B C D E".split()
DTYPES = ["float32"] * 6 + ["float64", "float16", "int32", "uint8", "int64", "bool", "bfloat16"]
OPERATIONS = ["min", "max", "sum", "mean", "prod", "any", "all"]

# Rare ones, which begin the recorded file: is it NumPy, dtype, shape, call
RARE = [
    (False, "float32", [4, 1, 16, 16, 8], "rearrange(x, 'n c (h ph) (w pw) (d pd) -> n h w d (ph pw pd c)', ph=4, pw=4, pd=2)"),
    (False, "float32", [8, 6, 6, 3], "rearrange(x, 'b h w c -> b c h w')"),
    (False, "float32", [336, 2], "rearrange(x, 'b (complex c) -> b c complex', complex=2)"),
    (False, "float32", [2, 8, 4, 4], "rearrange(x, 'b (c k) h w -> b c h w k', k=4)"),
    (False, "float32", [2, 3], "repeat(x, ' 2 a -> 2 a')"),
    (False, "float32", [3, 2], "rearrange(x, 'a b -> (a b_')"),
    (False, "float32", [3, 2], "rearrange(x, 'a b_ -> b_ a')"),
    (False, "float32", [3, 2], "rearrange(x, 'a (b -> b a')"),
    (False, "float32", [3, 2], "rearrange(x, 'a b -> (b) (a')"),
    (False, "float32", [3, 2], "rearrange(x, 'a b -> ((b) a)')"),
    (False, "float32", [3, 2], "rearrange(x, 'a b -> a b b')"),
    (False, "float32", [3, 2], "rearrange(x, 'a (...) -> a (...)')"),
    (False, "float32", [3, 2], "rearrange(x, 'a b -> a b ...')"),
    (False, "float32", [3, 2], "rearrange(x, 'a b c ... -> a b c ...')"),
    (False, "float32", [3, 2], "rearrange(x, 'a b -> a b ... ...')"),
    (False, "float32", [3, 6], "rearrange(x, 'a (b c d) -> a b c d', b=2)"),
    (False, "float32", [3, 0], "reduce(x, 'a b -> a', 'max')"),
    (False, "float32", [3, 0], "reduce(x, 'a b -> b', 'max')"),
    (False, "float32", [3, 0, 2], "reduce(x, 'a b c -> b', 'min')"),
    (True, "float32", [3, 0], "reduce(x, 'a b -> a', 'max')"),
    (True, "float32", [3, 0], "reduce(x, 'a b -> b', 'min')"),
    (True, "float32", [0, 2, 0], "reduce(x, 'a b c -> c', 'min')"),
    (True, "float32", [3, 2, 0], "reduce(x, 'a b c -> a b', 'sum')"),
    (True, "float32", [3, 2, 0], "reduce(x, 'a b c -> b c', 'sum')"),
    (True, "float32", [3, 0], "repeat(x, 'a b -> a b 3')"),
    (True, "float32", [3, 2], "repeat(x, 'a b -> b c a', c=1)"),
    (True, ">f4", [3, 2], "reduce(x, 'a b -> a', 'mean')"),
    (True, "float128", [3, 2], "reduce(x, 'a b -> a', 'mean')"),
    (True, "uint8", [3, 2], "reduce(x, 'a b -> a', 'sum')"),
    (False, "uint8", [3, 2], "reduce(x, 'a b -> a', 'sum')"),
    (False, "uint8", [3, 2], "reduce(x, 'a b -> a', 'any')"),
    (True, "uint8", [3, 2], "reduce(x, 'a b -> a', 'any')"),
    (False, "complex64", [3, 2], "reduce(x, 'a b -> a', 'sum')"),
    (False, "complex64", [3, 2], "reduce(x, 'a b -> a', 'mean')"),
]


def draw_tensor(r, is_numpy):
    shape = [r.choice([1, 1, 2, 2, 3, 4, 6, 8]) for _ in range(r.choice([0, 1, 2, 2, 3, 3, 3, 4, 4, 5]))]
    if shape and r.random() < 0.04:
        shape[r.randrange(len(shape))] = 0
    order = list(range(len(shape)))
    if r.random() < 0.5:
        r.shuffle(order)
    strides, run = [0] * len(shape), 1
    for d in reversed(order):
        strides[d] = run
        if r.random() < 0.1:
            strides[d] = r.choice([0, run + 1, 2 * run])
        run = max(run, strides[d] * max(shape[d], 1))
    if is_numpy and r.random() < 0.2:
        strides = [-s if r.random() < 0.4 else s for s in strides]
    low = sum(min(0, (n - 1) * s) for n, s in zip(shape, strides)) if 0 not in shape else 0
    high = sum(max(0, (n - 1) * s) for n, s in zip(shape, strides)) if 0 not in shape else 0
    offset = r.choice([0, 0, 3]) - low
    return shape, strides, offset, offset + high + 1


def factors(r, n):
    parts = []
    while n > 1 and len(parts) < 2:
        k = r.choice([k for k in range(1, n + 1) if n % k == 0])
        parts.append(k)
        n //= k
    return parts + [n] if r.random() < 0.8 or n > 1 else parts


def bracket(words, r):
    return words[0] if len(words) == 1 and r.random() < 0.8 else "(" + " ".join(words) + ")"


def group(words, r):
    """Writes words as dims: alone, in brackets, with 1 and () between."""
    dims = []
    while words:
        n = r.choice([1, 1, 1, 2, 3])
        dims.append(bracket(words[:n], r))
        words = words[n:]
        if r.random() < 0.06:
            dims.append(r.choice(["1", "()"]))
    return " ".join(dims)


def draw_call(r, shape):
    operation = r.choice(["rearrange", "rearrange", "repeat", "reduce"])
    names = r.sample(NAMES, len(NAMES))
    left, axes, lengths = [], [], {}
    first = r.randrange(len(shape) + 1) if r.random() < 0.25 else None
    last = r.randrange(first, len(shape) + 1) if first is not None else None
    for d, n in enumerate(shape + [0]):
        if first == d:
            left.append("...")
            axes.append("...")
        if d == len(shape) or first is not None and first <= d < last:
            continue
        if n == 1 and r.random() < 0.3:
            left.append(r.choice(["1", "()"]))
        elif r.random() < 0.4 and n and len(names) > 4:
            words, sizes = [], factors(r, n)
            free = r.randrange(len(sizes)) if sizes and r.random() < 0.8 else None
            for k, size in enumerate(sizes):
                if operation == "reduce" and size > 1 and k != free and r.random() < 0.3:
                    words.append(str(size))
                    continue
                words.append(names.pop())
                axes.append(words[-1])
                if k != free:
                    lengths[words[-1]] = size
            left.append("(" + " ".join(words) + ")")
        else:
            left.append(names.pop())
            axes.append(left[-1])
            if r.random() < 0.05:
                lengths[left[-1]] = max(n, 1)
    right = axes[:]
    if r.random() < 0.8:
        r.shuffle(right)
    if operation == "reduce":
        right = [x for x in right if r.random() < 0.6]
    if operation == "repeat":
        for _ in range(r.choice([0, 1, 1, 2])):
            n, word = r.choice([1, 2, 3]), names.pop()
            if n > 1 and r.random() < 0.5:
                word = str(n)
            else:
                lengths[word] = n
            right.insert(r.randrange(len(right) + 1), word)
    pattern = " ".join(left) + " -> " + group(right, r)
    if r.random() < 0.12:
        k = r.randrange(len(pattern) + 1)
        cut = r.choice([0, 0, 1])
        pattern = pattern[:k] + r.choice(["", "(", ")", " ", "1", "2", "a", "_", "$", ".", "...", " x ", "0"]) + pattern[k + cut:]
    if r.random() < 0.04:
        lengths[r.choice(NAMES + ["x_", "zz"])] = r.choice([1, 2, 3])
    if lengths and r.random() < 0.06:
        lengths[r.choice(list(lengths))] += r.choice([1, 2])
    if lengths and r.random() < 0.03:
        del lengths[r.choice(list(lengths))]
    arguments = ["x", "'" + pattern + "'"]
    if operation == "reduce":
        arguments.append("'" + r.choice(OPERATIONS) + "'")
    return operation + "(" + ", ".join(arguments + [f"{k}={v}" for k, v in lengths.items()]) + ")"


def make(is_numpy, dtype, shape, strides, offset, elems):
    if is_numpy:
        x = numpy.arange(elems).astype(dtype)
        size = x.itemsize
        return numpy.ndarray(shape, x.dtype, x, offset * size, [s * size for s in strides])
    return torch.arange(elems).to(getattr(torch, dtype)).as_strided(shape, strides, offset)


def message(error):
    text = str(error)
    if isinstance(error, einops.EinopsError) and text.startswith(" Error while processing"):
        text = text.split("\n ", 2)[2]
    text = text.splitlines()[0]
    return re.sub(r"\{(.*)\}", lambda m: "{" + ", ".join(sorted(m[1].split(", "))) + "}", text)


def answer(x, call, is_numpy, has_values):
    try:
        y = eval("einops." + call)
    except Exception as error:
        return {"error": message(error), "type": type(error).__name__}
    if is_numpy:
        y = numpy.asarray(y)
        strides, shared, dtype = [s // y.itemsize for s in y.strides], numpy.may_share_memory(x, y), y.dtype.name
    else:
        strides, dtype = list(y.stride()), str(y.dtype)[len("torch."):]
        storage = torch.Tensor.untyped_storage if hasattr(torch.Tensor, "untyped_storage") else torch.Tensor.storage
        shared = storage(x).data_ptr() == storage(y).data_ptr()
    flat = y.reshape(-1)
    values = {"values": [int(v) for v in flat[:: max(1, len(flat) // 24)]]} if has_values else {}
    return {"to": list(y.shape), "by": strides, "shared": shared, "self": y is x, "result": dtype} | values


# The calls of the framework that einops makes, with the name of their numbers
MADE = {"reshape": "shape", "permute": "dims", "transpose": "axes", "unsqueeze": "dim", "expand": "size", "expand_dims": "axis", "tile": "reps",
        "amin": "dim", "amax": "dim", "min": "axis", "max": "axis", "sum": "axis", "mean": "axis", "prod": "axis", "any": "axis", "all": "axis"}


def written(name, args, kwargs):
    numbers = args[0] if args else kwargs.get(MADE[name], kwargs.get("dim"))
    numbers = [numbers] if isinstance(numbers, int) else list(numbers)
    return name + "(" + (",".join(str(n) for n in numbers) or "()") + ")"


class TorchCalls(torch.overrides.TorchFunctionMode):
    def __init__(self):
        super().__init__()
        self.calls = []

    def __torch_function__(self, func, types, args=(), kwargs=None):
        if func.__name__ in MADE:
            self.calls.append(written(func.__name__, args[1:], kwargs or {}))
        return func(*args, **(kwargs or {}))


class NumPyCalls(numpy.ndarray):
    """An array that records its methods and functions in calls, but not what these call themselves."""
    calls, inside = [], False

    def __array_function__(self, func, types, args, kwargs):
        return self.record(func.__name__, lambda: func(*map(numpy.asarray, args[:1]), *args[1:], **kwargs), args[1:], kwargs)

    def record(self, name, call, args, kwargs):
        if NumPyCalls.inside or name not in MADE:
            return call()
        NumPyCalls.calls.append(written(name, args, kwargs))
        NumPyCalls.inside = True
        try:
            return numpy.asarray(call()).view(NumPyCalls)
        finally:
            NumPyCalls.inside = False


def recorded(name):
    method = getattr(numpy.ndarray, name)
    return lambda self, *args, **kwargs: self.record(name, lambda: method(self, *args, **kwargs), args, kwargs)


for name in MADE:
    if hasattr(numpy.ndarray, name):
        setattr(NumPyCalls, name, recorded(name))


def calls(x, call, is_numpy):
    """The calls of the framework, written as steps."""
    if not is_numpy:
        with TorchCalls() as mode:
            eval("einops." + call)
        return mode.calls
    x, NumPyCalls.calls = x.view(NumPyCalls), []
    eval("einops." + call)
    return NumPyCalls.calls


def contiguous(shape):
    return [math.prod(max(n, 1) for n in shape[d + 1:]) for d in range(len(shape))]


def case(r, live):
    is_numpy = r.random() < 0.5
    shape, strides, offset, elems = draw_tensor(r, is_numpy)
    dtype = r.choice([d for d in DTYPES if d != "bfloat16" or not is_numpy])
    call = draw_call(r, shape if r.random() < 0.97 else shape[1:])
    return asked(is_numpy, dtype, shape, strides, offset, elems, call, live)


def asked(is_numpy, dtype, shape, strides, offset, elems, call, live):
    x = make(is_numpy, dtype, shape, strides, offset, elems)
    has_values = live and dtype in ("float32", "float64", "int32", "int64") and not call.startswith("reduce")
    tensor = {"call": call, "numpy": is_numpy, "dtype": dtype, "shape": shape, "strides": strides, "offset": offset, "elems": elems}
    answered = answer(x, call, is_numpy, has_values)
    return tensor | answered | ({} if "error" in answered else {"calls": calls(x, call, is_numpy)})


if __name__ == "__main__":
    n, seed = int(sys.argv[1]), int(sys.argv[2])
    print(f"einops {einops.__version__}, torch {torch.__version__}, NumPy {numpy.__version__}", flush=True)
    r, live = random.Random(seed), "live" in sys.argv
    cases = [asked(*x[:3], contiguous(x[2]), 0, max(1, math.prod(x[2])), x[3], live) for x in RARE if not live]
    for k in range(n):
        print(json.dumps(cases[k] if k < len(cases) else case(r, live), separators=(",", ":")), flush=live)
