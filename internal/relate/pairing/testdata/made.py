"""NumPy makes tensors of rows of others, as converters of weights do: python3 made.py SEED

The first line of output is NumPy's version, the second a list of the rows of the table. A line of input asks for cases of a row, by default from
the first one on: {"row": "by head", "cases": 3, "first": 0}. Each case is a line that describes its tensors, and their bytes. "explained" is the
side all of whose tensors are made of the other side's.
"""

import json
import sys
import zlib

import numpy as np

MAX_ELEMENTS = 1 << 16
DTYPES = {"F32": 4, "F16": 2, "BF16": 2, "I64": 8, "U8": 1}


class Draw:
    """The numbers of one case."""

    def __init__(self, seed, row, case):
        self.random = np.random.default_rng([seed, zlib.crc32(row.encode()), case])
        self.dtype = self.one_of(list(DTYPES))

    def size(self, low=4, high=48):
        return int(self.random.integers(low, high + 1))

    def one_of(self, values):
        return values[self.size(0, len(values) - 1)]

    def coin(self):
        return self.size(0, 1) == 1

    def weight(self, *shape):
        """Elements of many values. bfloat16, which NumPy does not have, is its bits."""
        if self.dtype == "U8":
            return self.random.integers(0, 256, shape, dtype=np.uint8)
        if self.dtype == "I64":
            return self.random.integers(-(2**40), 2**40, shape, dtype=np.int64)
        numbers = self.random.standard_normal(shape).astype(np.float32)
        if self.dtype == "BF16":
            return (numbers.view(np.uint32) >> 16).astype(np.uint16)
        return numbers.astype(np.float16 if self.dtype == "F16" else np.float32)

    def name(self):
        """A name that says nothing."""
        words = []
        for _ in range(self.size(1, 3)):
            letters = [chr(ord("a") + self.size(0, 25)) for _ in range(self.size(2, 6))]
            words.append("".join(letters))
        return ".".join(words)


# Each row of the table returns the parts and the wholes: either is made of the other. A row that returns a third value, True, has wholes of which the
# parts are not all.


def concatenated(draw, axis):
    other = draw.size()
    parts = []
    for _ in "qkv":
        own = draw.size()
        parts.append(draw.weight(own, other) if axis == 0 else draw.weight(other, own))
    return parts, [np.concatenate(parts, axis)]


def concatenated_rows(draw):
    return concatenated(draw, 0)


def concatenated_columns(draw):
    return concatenated(draw, 1)


def by_head(draw):
    heads, size, width = draw.size(4, 16), draw.size(), draw.size()
    parts = [draw.weight(heads * size, width) for _ in "qkv"]
    by_part = np.stack(parts).reshape(3, heads, size, width)
    return parts, [by_part.swapaxes(0, 1).reshape(-1, width)]


def by_group(draw):
    groups = draw.size(2, 5)
    queries = draw.size(2, 16 // groups)
    size, width = draw.size(), draw.size()
    q = draw.weight(groups * queries * size, width)
    k = draw.weight(groups * size, width)
    v = draw.weight(groups * size, width)
    grouped = [x.reshape(groups, -1, width) for x in (q, k, v)]
    return [q, k, v], [np.concatenate(grouped, 1).reshape(-1, width)]


def in_turn(draw):
    rows, width = draw.size(), draw.size()
    parts = [draw.weight(rows, width) for _ in range(draw.size(2, 3))]
    return parts, [np.stack(parts, 1).reshape(-1, width)]


def stacked(draw):
    experts, rows, width = draw.size(4, 16), draw.size(), draw.size()
    parts = [draw.weight(rows, width) for _ in range(experts)]
    return parts, [np.stack(parts)]


def stacked_and_joined(draw):
    experts, rows, width = draw.size(4, 16), draw.size(), draw.size()
    gates = [draw.weight(rows, width) for _ in range(experts)]
    ups = [draw.weight(rows, width) for _ in range(experts)]
    return gates + ups, [np.concatenate([np.stack(gates), np.stack(ups)], 1)]


def stacked_and_transposed(draw):
    parts, [whole] = stacked_and_joined(draw)
    return parts, [whole.swapaxes(1, 2)]


def slice_of_rows(draw):
    rows, width = draw.size(5), draw.size()
    whole = draw.weight(rows, width)
    n = draw.size(4, rows - 1)
    start = draw.size(0, rows - n)
    return [whole[start : start + n]], [whole], True


def slice_of_columns(draw):
    [part], [whole], partial = slice_of_rows(draw)
    return [part.T], [whole.T], partial


def shards(draw):
    """Of q, k and v in one, each rank has its part of each."""
    ranks = draw.one_of([2, 4])
    width = draw.size()
    cut = [draw.weight(ranks, draw.size(4, 24), width) for _ in "qkv"]
    whole = np.concatenate([x.reshape(-1, width) for x in cut])
    return [np.concatenate([x[rank] for x in cut]) for rank in range(ranks)], [whole]


def blocks(draw):
    """i f g o of PyTorch as i o f c of ONNX, and back; of TensorFlow 1; and a GRU's r z n as z r h."""
    order = draw.one_of([[0, 3, 1, 2], [0, 2, 3, 1], [0, 2, 1, 3], [1, 0, 2]])
    gates = draw.weight(len(order), draw.size(), draw.size())
    width = gates.shape[2]
    return [gates.reshape(-1, width)], [gates[order].reshape(-1, width)]


def rotary(draw):
    heads, half, width = draw.size(4, 16), draw.size(2, 24), draw.size()
    if draw.coin():
        draw.dtype = "BF16"
    halves = draw.weight(heads, 2, half, width)
    return [halves.reshape(-1, width)], [halves.swapaxes(1, 2).reshape(-1, width)]


def transposed_parts(draw):
    axis = draw.one_of([0, 1])
    parts, _ = concatenated(draw, 1 - axis)
    return parts, [np.concatenate([x.T for x in parts], axis)]


TABLE = {
    "concatenated along dim 0": concatenated_rows,
    "concatenated along the last dim": concatenated_columns,
    "by head": by_head,
    "by group": by_group,
    "rows in turn": in_turn,
    "stacked experts": stacked,
    "stacked and joined experts": stacked_and_joined,
    "stacked, joined and transposed": stacked_and_transposed,
    "slice of rows": slice_of_rows,
    "slice of columns": slice_of_columns,
    "shards of a fused tensor": shards,
    "blocks of rows": blocks,
    "rotary halves and pairs": rotary,
    "transposed parts": transposed_parts,
}


def made(seed, row, case):
    """Returns the description of a case, and its arrays."""
    draw = Draw(seed, row, case)
    parts, wholes, *partial = TABLE[row](draw)
    sources, results = (parts, wholes) if draw.coin() and not partial else (wholes, parts)
    # What is made is in b; of a part of a whole, in either. Among its sources there may be one that has nothing to do with it.
    if draw.coin():
        sources = sources + [draw.weight(draw.size(), draw.size())]
    result_side = "a" if partial and draw.coin() else "b"
    source_side = "ab".replace(result_side, "")
    tensors = []
    arrays = []
    names = set()
    for side, group in ((source_side, sources), (result_side, results)):
        for k in draw.random.permutation(len(group)):
            name = draw.name()
            while name in names:
                name = draw.name()
            names.add(name)
            array = np.ascontiguousarray(group[k])
            tensors.append({"side": side, "name": name, "dtype": draw.dtype, "shape": array.shape, "bytes": array.nbytes})
            arrays.append(array)
    return {"explained": result_side, "tensors": tensors}, arrays


def main():
    seed = int(sys.argv[1])
    print("NumPy", np.__version__)
    print(json.dumps(list(TABLE)), flush=True)
    for line in sys.stdin:
        question = json.loads(line)
        case = question.get("first", 0)
        for _ in range(question["cases"]):
            description, arrays = made(seed, question["row"], case)
            case += 1
            while sum(x.size for x in arrays) > MAX_ELEMENTS:
                description, arrays = made(seed, question["row"], case)
                case += 1
            sys.stdout.buffer.write(json.dumps(description).encode() + b"\n")
            for array in arrays:
                sys.stdout.buffer.write(array.tobytes())
        sys.stdout.buffer.flush()


main()
