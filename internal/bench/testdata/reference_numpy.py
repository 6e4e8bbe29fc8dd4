"""Computes the operations of reference_test.go with NumPy.

Every line of standard input is a pattern and the dims with their sizes, outermost first: depthwise N=2 C=3 H=5 W=4. The
answer to each is a line of all results, row by row. Elements and weights are functions of their index, as in data.go
and op.go.
"""

import sys

import numpy as np

def values(count):
    return (np.arange(count, dtype=np.uint32) * np.uint32(2654435761) >> np.uint32(28)).astype(np.float64)


def weights(*shape):
    return (2 * (values(np.prod(shape)) % 8) - 7).reshape(shape)


def tensor(dims):
    """The values in those dims, with axes N C D H W; one that is missing has size 1."""
    x = values(np.prod([size for _, size in dims])).reshape([size for _, size in dims])
    names = [name for name, _ in dims]
    for name in "NCDHW":
        if name not in names:
            x, names = x[..., np.newaxis], names + [name]
    return x.transpose([names.index(name) for name in "NCDHW"])


def depthwise(x):
    """The sum of nine shifted copies, each times its weight of the channel."""
    h, w = x.shape[3:]
    padded = np.pad(x, [(0, 0)] * 3 + [(1, 1)] * 2)
    weight = weights(x.shape[1], 3, 3)[:, :, :, None, None, None]
    return sum(weight[:, i, j] * padded[..., i : i + h, j : j + w] for i in range(3) for j in range(3))


PATTERNS = {
    "sum": lambda x: x.sum(axis=1),
    "depthwise": depthwise,
}


def main():
    print("numpy", np.__version__, flush=True)
    for line in sys.stdin:
        pattern, *dims = line.split()
        dims = [(name, int(size)) for name, size in (dim.split("=") for dim in dims)]
        print(*map(repr, PATTERNS[pattern](tensor(dims)).ravel().tolist()), flush=True)


if __name__ == "__main__":
    main()
