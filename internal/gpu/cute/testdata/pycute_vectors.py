#!/usr/bin/env python3
"""Writes pycute.txt.gz, what CUTLASS's pycute answers about random layouts.

    git clone https://github.com/NVIDIA/cutlass
    pycute_vectors.py cutlass/python $(git -C cutlass rev-parse HEAD)

One line per case, fields separated by blanks:

    A B T n k i    layouts A and B, a tiler T for A by mode, a bound n, the rank k of a profile, a coordinate i
    results        in the order of the header's last line; ! where pycute asserts, ? where it fails otherwise

Layouts are written as CuTe prints them, without blanks.
"""
import gzip
import io
import random
import sys

sys.path.insert(0, sys.argv[1])
from pycute import *  # noqa: E402,F403
from pycute import Layout  # noqa: E402

random.seed(20240521)
CASES = 5200


def text(t):
    if t is None:
        return "_"
    if isinstance(t, Layout):
        return text(t.shape) + ":" + text(t.stride)
    if isinstance(t, tuple):
        return "(" + ",".join(map(text, t)) + ")"
    return str(t)


def tiler_text(t):
    if isinstance(t, tuple):
        return "<" + ",".join(map(tiler_text, t)) + ">"
    return text(t)


def nested(leaves, depth=0):
    """Nests a list of leaves at random."""
    if len(leaves) == 1 and random.random() < 0.95:
        return leaves[0]
    out, rest = [], list(leaves)
    while rest:
        n = random.choice([1, 1, 1, 2, 3])
        part, rest = rest[:n], rest[n:]
        out.append(part[0] if len(part) == 1 and random.random() < 0.95 or depth == 2 else nested(part, depth + 1))
        if depth == 2:
            out.extend(part[1:])
    return tuple(out)


def pick(tree, which):
    if isinstance(tree, tuple) and len(tree) == 2 and tree[0] == "leaf":
        return tree[1][which]
    return tuple(pick(t, which) for t in tree)


def layout_of(sizes, strides):
    tree = nested([("leaf", (s, d)) for s, d in zip(sizes, strides)])
    return Layout(pick(tree, 0), pick(tree, 1))


SIZES = [1, 2, 2, 2, 2, 3, 3, 4, 4, 5, 6, 8]


def compact(sizes):
    """Dense strides in a random order of modes, sometimes padded, repeated or reversed."""
    order = list(range(len(sizes)))
    if random.random() < 0.6:
        random.shuffle(order)
    strides, run = [0] * len(sizes), random.choice([1, 1, 1, 1, 2, 3])
    for k in order:
        strides[k] = run
        run *= sizes[k]
        if random.random() < 0.25:
            run *= random.choice([2, 2, 3, 4])
        if random.random() < 0.05:
            run += random.choice([1, 2])
    for k in order:
        if random.random() < 0.04:
            strides[k] = 0
        if random.random() < 0.03:
            strides[k] = -strides[k]
    return strides


def random_layout(most=4):
    sizes = [random.choice(SIZES) for _ in range(random.choice([1, 2, 2, 3, 3, 4][: most + 2]))]
    if random.random() < 0.15:
        strides = [random.randint(-3, 20) if random.random() < 0.2 else random.randint(0, 20) for _ in sizes]
    else:
        strides = compact(sizes)
    return layout_of(sizes, strides)


def divisor(n):
    return random.choice([d for d in range(1, n + 1) if n % d == 0])


def tile_for(a):
    """A layout whose composition with a often exists: strides and sizes from the sizes of a."""
    if random.random() < 0.25:
        return random_layout(2)
    a = coalesce(a)
    shape = flatten(a.shape)
    sizes, strides = [], []
    for _ in range(random.choice([1, 1, 1, 2, 2, 3])):
        k = random.randrange(len(shape))
        run = product(shape[:k])
        d = run * divisor(shape[k])
        left = product(shape) // d
        strides.append(d)
        sizes.append(divisor(left) if random.random() < 0.9 else random.choice(SIZES))
        if random.random() < 0.03:
            strides[-1] *= -1
    return layout_of(sizes, strides)


def tiler_for(a):
    modes = [a[k] for k in range(random.randint(1, len(a)))]
    parts = []
    for m in modes:
        r = random.random()
        if r < 0.1:
            parts.append(None)
        elif r < 0.4:
            parts.append(divisor(size(m)))
        elif r < 0.35 and isinstance(m.shape, tuple):
            parts.append(tiler_for(m))
        else:
            parts.append(tile_for(m))
    return tuple(parts)


def layouts(t):
    """A tiler whose numbers are layouts: pycute's products divide by a number."""
    if isinstance(t, tuple):
        return tuple(map(layouts, t))
    return Layout(t) if isinstance(t, int) else t


OPERATIONS = {
    "coalesce": lambda a, b, t, n, k, i: coalesce(a),
    "coalesce_by": lambda a, b, t, n, k, i: coalesce(a, (1,) * k),
    "composition": lambda a, b, t, n, k, i: composition(a, b),
    "composition_by": lambda a, b, t, n, k, i: composition(a, t),
    "complement": lambda a, b, t, n, k, i: complement(a, n),
    "logical_divide": lambda a, b, t, n, k, i: logical_divide(a, b),
    "logical_divide_by": lambda a, b, t, n, k, i: logical_divide(a, t),
    "zipped_divide": lambda a, b, t, n, k, i: zipped_divide(a, t),
    "tiled_divide": lambda a, b, t, n, k, i: tiled_divide(a, t),
    "logical_product": lambda a, b, t, n, k, i: logical_product(a, b),
    "logical_product_by": lambda a, b, t, n, k, i: logical_product(a, layouts(t)),
    "zipped_product": lambda a, b, t, n, k, i: zipped_product(a, layouts(t)),
    "right_inverse": lambda a, b, t, n, k, i: right_inverse(a),
    "left_inverse": lambda a, b, t, n, k, i: left_inverse(a),
    "size": lambda a, b, t, n, k, i: size(a),
    "cosize": lambda a, b, t, n, k, i: cosize(a),
    "at": lambda a, b, t, n, k, i: a(i),
}


def answer(op, case):
    try:
        return text(op(*case))
    except AssertionError:
        return "!"
    except Exception:
        return "?"


def main():
    out = io.StringIO()
    out.write("# CUTLASS %s, python/pycute\n" % sys.argv[2])
    out.write("# %s\n" % " ".join(OPERATIONS))
    for _ in range(CASES):
        a = random_layout()
        n = size(a) * random.choice([1, 1, 2, 3, 5]) if random.random() < 0.7 else random.randint(1, 100)
        case = (a, tile_for(a), tiler_for(a), n, random.randint(1, len(a)), random.randrange(size(a)))
        given = [text(case[0]), text(case[1]), tiler_text(case[2])] + [str(x) for x in case[3:]]
        out.write(" ".join(given + [answer(op, case) for op in OPERATIONS.values()]) + "\n")
    with open(__file__.replace("pycute_vectors.py", "pycute.txt.gz"), "wb") as raw:
        with gzip.GzipFile("", "wb", 9, raw, 0) as f:
            f.write(out.getvalue().encode())


main()
