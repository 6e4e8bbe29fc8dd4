"""Times layout conversions by NumPy or torch on one thread: arrays.py numpy | torch.

README.md says what a line of input asks and what the answer means.
"""

import sys
import time

import numpy as np

SHORT_RUN = 20e-3  # seconds; a shorter run is repeated
REPEATED_FOR = 40e-3  # seconds that the repetitions fill, about

# The axes from the slowest to the fastest, and the block of channels; where it is more than 1, c counts blocks and the
# offset in the block is the fastest axis of all.
LAYOUTS = {
    "nchw": ("nchw", 1), "nhwc": ("nhwc", 1), "chwn": ("chwn", 1), "chwn4": ("chwn", 4),
    "nchw4": ("nchw", 4), "nchw8": ("nchw", 8), "nchw16": ("nchw", 16), "nchw32": ("nchw", 32),
}


class NumPy:
    dtypes = {1: np.uint8, 2: np.uint16, 4: np.float32, 8: np.float64, 16: np.complex128}
    version = "NumPy " + np.__version__

    def empty(self, count, item_size):
        return np.empty(count, self.dtypes[item_size])

    def as_numpy(self, array):
        return array

    def permute(self, array, order):
        return array.transpose(order)

    def copy(self, out, x):
        out[...] = x


class Torch:
    def __init__(self):
        import torch
        torch.set_num_threads(1)
        self.torch = torch
        self.dtypes = {1: torch.uint8, 2: torch.float16, 4: torch.float32, 8: torch.float64, 16: torch.complex128}
        self.version = "torch " + torch.__version__

    def empty(self, count, item_size):
        return self.torch.empty(count, dtype=self.dtypes[item_size])

    def as_numpy(self, array):
        return array.numpy()

    def permute(self, array, order):
        return array.permute(order)

    def copy(self, out, x):
        out.copy_(x)


def round_up(n, multiple):
    return -(-n // multiple) * multiple


def split_shape(layout, sizes, blocks):
    """The axes and shape of a layout's buffer with C split into as many axes as both layouts need.

    blocks is the descending list of both layouts' blocks that are more than 1. The axes of C are, from the slowest,
    "0" (the index of the largest block), "1" (of the next in it), and so on; the last is the offset in the smallest.
    """
    axes, block = LAYOUTS[layout]
    channels = round_up(sizes["c"], block)
    c_shape = [channels // blocks[0]]
    c_shape += [a // b for a, b in zip(blocks, blocks[1:] + [1])]
    outer = sum(b >= block for b in blocks) if block > 1 else len(c_shape)
    names, shape = "", []
    for axis in axes:
        if axis == "c":
            names += "".join(map(str, range(outer)))
            shape += c_shape[:outer]
        else:
            names += axis
            shape.append(sizes[axis])
    names += "".join(map(str, range(outer, len(c_shape))))
    return names, shape + c_shape[outer:]


def whole_copy(lib, src, dst, frm, to, sizes):
    """The one assignment that converts where every block is full: reshape, transpose, copy."""
    blocks = sorted({LAYOUTS[frm][1], LAYOUTS[to][1]} - {1}, reverse=True)
    if not blocks:
        x = src.reshape([sizes[a] for a in frm])
        out = dst.reshape([sizes[a] for a in to])
        from_axes, to_axes = frm, to
    else:
        from_axes, shape = split_shape(frm, sizes, blocks)
        x = src.reshape(shape)
        to_axes, shape = split_shape(to, sizes, blocks)
        out = dst.reshape(shape)
    x = lib.permute(x, [from_axes.index(a) for a in to_axes])
    return lambda: lib.copy(out, x)


def channel_slice(lib, buffer, layout, sizes, start, stop):
    """The channels from start to stop, inside one block, as a view with axes n, h, w, c."""
    axes, block = LAYOUTS[layout]
    if block == 1:
        view = lib.permute(buffer.reshape([sizes[a] for a in axes]), [axes.index(a) for a in "nhwc"])
        return view[..., start:stop]
    counts = dict(sizes, c=round_up(sizes["c"], block) // block)
    view = buffer.reshape([counts[a] for a in axes] + [block])
    view = lib.permute(view, [axes.index(a) for a in "nhwc"] + [4])
    return view[..., start // block, start % block:(stop - 1) % block + 1]


def runs_of_channels(channels, block_a, block_b):
    """The longest runs of channels that cross the border of a block on neither side."""
    borders = {0, channels}
    for block in (block_a, block_b):
        if block > 1:
            borders.update(range(0, channels, block))
    borders = sorted(borders)
    return list(zip(borders, borders[1:]))


def padded_copy(lib, src, dst, frm, to, sizes):
    """Converts where the last block is not full: block by block, then zeroes the output's padding."""
    channels, block = sizes["c"], LAYOUTS[to][1]
    views = [(channel_slice(lib, dst, to, sizes, *run), channel_slice(lib, src, frm, sizes, *run))
             for run in runs_of_channels(channels, LAYOUTS[frm][1], block)]
    padding = None
    if channels % block:
        padding = channel_slice(lib, dst, to, sizes, channels, round_up(channels, block))

    def run():
        for out, x in views:
            lib.copy(out, x)
        if padding is not None:
            padding[...] = 0
    return run


def conversion(lib, src, dst, frm, to, sizes):
    if any(sizes["c"] % LAYOUTS[name][1] for name in (frm, to)):
        return padded_copy(lib, src, dst, frm, to, sizes)
    return whole_copy(lib, src, dst, frm, to, sizes)


def offsets(layout, sizes, n, channels):
    """Offsets, by index arithmetic, of image n's elements in these channels; axes c, h, w."""
    axes, block = LAYOUTS[layout]
    counts = dict(sizes, c=round_up(sizes["c"], block) // block)
    stride, strides = block, {}
    for axis in reversed(axes):
        strides[axis] = stride
        stride *= counts[axis]
    c = np.asarray(channels)[:, None, None]
    h = np.arange(sizes["h"])[:, None]
    w = np.arange(sizes["w"])
    return n * strides["n"] + c // block * strides["c"] + c % block + h * strides["h"] + w * strides["w"]


def items_at(sizes, n, words):
    """What image n's elements hold, axes c, h, w: a hash of the position in each word of an item."""
    count = sizes["c"] * sizes["h"] * sizes["w"]
    position = np.arange(n * count, (n + 1) * count, dtype=np.uint64)
    hashed = position[:, None] * np.uint64(0x9E3779B97F4A7C15) + np.arange(words.shape[1], dtype=np.uint64)
    size = words.dtype.itemsize * 8
    top_bits = (hashed >> np.uint64(64 - size)).astype(words.dtype) | words.dtype.type(1)
    return top_bits.reshape(sizes["c"], sizes["h"], sizes["w"], -1)


def words_of(lib, buffer, item_size):
    """The buffer's bits: one row of unsigned words for each item."""
    word = min(item_size, 8)
    return lib.as_numpy(buffer).view("u%d" % word).reshape(-1, item_size // word)


def fill_source(words, layout, sizes):
    words[...] = 0
    for n in range(sizes["n"]):
        words[offsets(layout, sizes, n, range(sizes["c"]))] = items_at(sizes, n, words)


def is_converted(words, layout, sizes):
    """Whether every element is where the layout puts it, and the padding is zero."""
    channels = sizes["c"]
    padding = range(channels, round_up(channels, LAYOUTS[layout][1]))
    for n in range(sizes["n"]):
        if (words[offsets(layout, sizes, n, range(channels))] != items_at(sizes, n, words)).any():
            return False
        if len(padding) and words[offsets(layout, sizes, n, padding)].any():
            return False
    return True


class Row:
    """A conversion with its buffers, touched, run once and checked."""

    def __init__(self, lib, text):
        self.text = text
        *numbers, frm, to = text.split()
        *lengths, item_size = map(int, numbers)
        sizes = dict(zip("nchw", lengths, strict=True))
        if min(lengths) < 1 or item_size not in lib.dtypes:
            raise ValueError("not a row")
        src, dst = (self.buffer(lib, name, sizes, item_size) for name in (frm, to))
        fill_source(words_of(lib, src, item_size), frm, sizes)
        words = words_of(lib, dst, item_size)
        words[...] = np.iinfo(words.dtype).max
        self.run = conversion(lib, src, dst, frm, to, sizes)
        self.run()
        self.correct = is_converted(words, to, sizes)

    @staticmethod
    def buffer(lib, layout, sizes, item_size):
        channels = round_up(sizes["c"], LAYOUTS[layout][1])
        return lib.empty(sizes["n"] * channels * sizes["h"] * sizes["w"], item_size)


def seconds_of(run, times):
    start = time.perf_counter()
    for _ in range(times):
        run()
    return time.perf_counter() - start


def seconds_per_run(run):
    once = seconds_of(run, 1)
    if once >= SHORT_RUN:
        return once
    times = int(REPEATED_FOR / max(once, 1e-7)) + 1
    return seconds_of(run, times) / times


def main():
    lib = {"numpy": NumPy, "torch": Torch}[sys.argv[1]]()
    row = None
    for line in sys.stdin:
        name, _, text = line.strip().partition(" ")
        if name == "version":
            print("version", lib.version, flush=True)
            continue
        if not name:
            continue
        if text.endswith(" memcpy memcpy"):
            print(name, "-", flush=True)
            continue
        try:
            if row is None or row.text != text:
                row = None  # frees the buffers of the last row first
                row = Row(lib, text)
            print(name, "%.6g" % seconds_per_run(row.run) if row.correct else "! mismatch", flush=True)
        except (KeyError, ValueError):
            print(name, "! not a row", flush=True)


if __name__ == "__main__":
    main()
