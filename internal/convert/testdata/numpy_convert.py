"""Makes the conversions of numpy_test.go by reshape, transpose and padding, and compares the bytes.

Standard input holds batches, each a 64-bit length and as many bytes of cases. A case is a 64-bit number of words, the
words, the padding's item, the source and the result to compare:

    item size, rank, sizes…, source, destination, bytes of the source, bytes of the result

Source and destination are a number of axes, from the outermost, each dim, div, extent: it counts (i // div) % extent of
the dim's index, or i // div where the extent is 0; then, for each dim, what a step over the whole of it is rounded up to.
A source may be -1, a stride for each dim and an offset instead. All are in items.

The answer to a batch is a line: its number of cases, how many of them differ, and which is the first of these, or 0.
"""

import itertools
import math
import sys

import numpy as np

DTYPES = {1: "u1", 2: "u2", 4: "u4", 8: "u8"}


def dtype_of(item_size):
    return np.dtype(DTYPES.get(item_size, "V%d" % item_size))


def filled(shape, item):
    array = np.empty(shape, item.dtype)
    array[...] = item
    return array


class Axes:
    """A packed or padded order of axes."""

    def __init__(self, words, sizes):
        axes = [(next(words), next(words), next(words)) for _ in range(next(words))]
        aligns = [next(words) for _ in sizes]
        self.sizes = sizes
        self.extents = [extent or -(-sizes[dim] // div) for dim, div, extent in axes]
        # The axes of each dim side by side, the most significant first: reshaped, they are the dim with its padding.
        self.order = sorted(range(len(axes)), key=lambda k: (axes[k][0], -axes[k][1], axes[k][2]))
        self.padded = [1] * len(sizes)
        for (dim, _, _), extent in zip(axes, self.extents):
            self.padded[dim] *= extent
        self.steps, run = [], 1
        for (dim, _, open_end), extent in reversed(list(zip(axes, self.extents))):
            self.steps.insert(0, run)
            run *= extent
            if open_end == 0:
                run += -run % aligns[dim]
        self.items = run
        self.is_packed = run == math.prod(self.extents)

    def read(self, storage):
        if self.is_packed:
            array = storage.reshape(self.extents)
        else:
            array = np.ndarray(self.extents, storage.dtype, storage, 0, [s * storage.itemsize for s in self.steps])
        padded = array.transpose(self.order).reshape(self.padded)
        return padded[tuple(map(slice, self.sizes))]

    def write(self, array, pad):
        padded = array
        if self.padded != self.sizes:
            padded = filled(self.padded, pad)
            padded[tuple(map(slice, self.sizes))] = array
        in_axes = padded.reshape([self.extents[k] for k in self.order])
        out = in_axes.transpose([self.order.index(k) for k in range(len(self.order))])
        if not self.is_packed:
            storage = filled(self.items, pad)
            np.ndarray(self.extents, array.dtype, storage, 0, [s * array.itemsize for s in self.steps])[...] = out
            out = storage
        return out.tobytes()


def source(words, sizes, storage):
    axes = next(words)
    if axes >= 0:
        return Axes(itertools.chain([axes], words), sizes).read(storage)
    strides, offset = [next(words) * storage.itemsize for _ in sizes], next(words) * storage.itemsize
    if 0 in sizes:
        return np.empty(sizes, storage.dtype)
    return np.ndarray(sizes, storage.dtype, storage, offset, strides)


def is_same(words, payload):
    """Whether the result is what NumPy makes of the source."""
    source_bytes, result_bytes = words[-2:]
    words = iter(words)
    item_size, rank = next(words), next(words)
    sizes = [next(words) for _ in range(rank)]
    dtype = dtype_of(item_size)
    pad = np.frombuffer(payload, dtype, 1).reshape(())
    storage = np.frombuffer(payload, dtype, source_bytes // item_size, item_size)
    array = source(words, sizes, storage)
    result = payload[item_size + source_bytes:]
    return Axes(words, sizes).write(array, pad) == result


def cases(batch):
    at = 0
    while at < len(batch):
        count = int.from_bytes(batch[at:at + 8], "little")
        words = np.frombuffer(batch, "<i8", count, at + 8).tolist()
        at += 8 + 8 * count
        size = words[0] + words[-2] + words[-1]
        yield words, batch[at:at + size]
        at += size


def main():
    print("numpy", np.__version__, flush=True)
    stdin = sys.stdin.buffer
    while True:
        length = stdin.read(8)
        if not length:
            return
        batch = list(cases(stdin.read(int.from_bytes(length, "little"))))
        wrong = [k for k, (words, payload) in enumerate(batch) if not is_same(words, payload)]
        print(len(batch), len(wrong), wrong[0] if wrong else 0, flush=True)


if __name__ == "__main__":
    main()
