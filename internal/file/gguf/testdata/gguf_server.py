"""Writes GGUF files with struct and NumPy, by ggml's docs/gguf.md. Where the library gguf is installed, it writes a third of the files,
and must read in all of them the same.

Reads one JSON request a line from standard input, writes one JSON reply a line to standard output.
"""
import json
import random
import struct
import sys

import numpy as np

try:
    import gguf
    import importlib.metadata
    print("gguf", importlib.metadata.version("gguf"), flush=True)
except ImportError:
    gguf = None
    print("numpy", np.__version__, flush=True)

# number: name, values in a block, bytes of a block, NumPy's type of a value. A few types of each family.
TYPES = {
    0: ("f32", 1, 4, "f4"), 1: ("f16", 1, 2, "f2"), 24: ("i8", 1, 1, "i1"), 25: ("i16", 1, 2, "i2"), 26: ("i32", 1, 4, "i4"),
    27: ("i64", 1, 8, "i8"), 28: ("f64", 1, 8, "f8"), 30: ("bf16", 1, 2, None), 2: ("q4_0", 32, 18, None), 8: ("q8_0", 32, 34, None),
    12: ("q4_K", 256, 144, None), 14: ("q6_K", 256, 210, None), 16: ("iq2_xxs", 256, 66, None), 39: ("mxfp4", 32, 17, None),
}
FORMATS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "B", 10: "Q", 11: "q", 12: "d"}
KINDS = ["uint8", "int8", "uint16", "int16", "uint32", "int32", "float32", "bool", "text", "array", "uint64", "int64", "float64"]


def scalar(rng, kind):
    """A value and how it is printed; a float is printed by the reader, so it is a number here."""
    if kind == 7:
        v = rng.randrange(2)
        return v, "true" if v else "false"
    if kind in (6, 12):
        v = struct.unpack("<" + FORMATS[kind], struct.pack("<" + FORMATS[kind], rng.uniform(-1e9, 1e9)))[0]
        return v, v
    bits = 8 * struct.calcsize("<" + FORMATS[kind])
    low = -2 ** (bits - 1) if FORMATS[kind].islower() else 0
    v = rng.choice([low, low + 2**bits - 1, rng.randrange(low, low + 2**bits)])
    return v, str(v)


simple = False  # without what @huggingface/gguf cannot write: arrays of uint8 and of arrays


def text(rng):
    return rng.choice(["", "a", "数é", "x" * 300, "\x00\n"]).encode()


class Writer:
    def __init__(self, order):
        self.order, self.raw = order, b""

    def pack(self, form, *values):
        self.raw += struct.pack(self.order + form, *values)

    def text(self, b):
        self.pack("Q", len(b))
        self.raw += b

    def array(self, rng, depth):
        kind = rng.choice([k for k in range(13) if (k != 9 or depth < 3) and not (simple and k in (0, 9))])
        n = rng.choice([0, 1, 3, 16, 17, 40])
        self.pack("IQ", kind, n)
        printed = []
        for _ in range(n):
            if kind == 8:
                self.text(text(rng))
            elif kind == 9:
                self.array(rng, depth + 1)
            else:
                v, p = scalar(rng, kind)
                self.pack(FORMATS[kind], v)
                printed.append(p)
        if n > 16 or kind in (8, 9):
            return f"array of {n} {KINDS[kind]}"
        return printed

    def value(self, rng, kind):
        if kind == 8:
            b = text(rng)
            self.text(b)
            return b.decode()
        if kind == 9:
            return self.array(rng, 1)
        v, p = scalar(rng, kind)
        self.pack(FORMATS[kind], v)
        return p


def write(req):
    global simple
    simple = req["simple"]
    rng = random.Random(req["seed"])
    if gguf and not simple and rng.random() < 0.33:
        return by_library(req, rng)
    big = rng.random() < 0.2
    w = Writer(">" if big else "<")
    version = 3 if big else rng.choice([2, 3])
    alignment = rng.choice([None, 8, 16, 32, 64, 256])
    n_tensors, n_pairs = rng.randrange(7), rng.randrange(7)
    w.raw = b"GGUF"
    w.pack("IQQ", version, n_tensors, n_pairs + (alignment is not None))
    pairs = []
    for i in range(n_pairs):
        key = f"test.key_{i}"
        kind = rng.randrange(13)
        w.text(key.encode())
        w.pack("I", kind)
        pairs.append({"key": key, "value": w.value(rng, kind), "bits": 32 if kind == 6 else 64})
    if alignment is not None:
        w.text(b"general.alignment")
        w.pack("II", 4, alignment)
        pairs.append({"key": "general.alignment", "value": str(alignment), "bits": 64})
    alignment = alignment or 32
    tensors, data = [], b""
    for i in range(n_tensors):
        number = rng.choice(list(TYPES))
        name, values, size, numpy = TYPES[number]
        shape = [rng.choice([0, 1, 2, 3, 5]) for _ in range(rng.randrange(values > 1, 5))]
        if numpy:
            a = np.frombuffer(rng.randbytes(int(np.prod(shape)) * size), w.order + numpy).reshape(shape)
            bytes_, ne = a.tobytes("C"), a.shape[::-1]
        else:  # rows of whole blocks
            bytes_, ne = rng.randbytes(int(np.prod(shape)) * size), [n * (values if k == 0 else 1) for k, n in enumerate(shape[::-1])]
        tensors.append({"name": f"blk.{i}.é", "type": name, "number": number, "shape": shape, "ne": list(ne), "hex": bytes_.hex(),
                        "encoding": f"{name}: {values} values in {size} bytes" if values > 1 else ""})
    for t in rng.sample(tensors, len(tensors)):
        t["offset"] = len(data)
        data += bytes.fromhex(t["hex"])
        data += b"\0" * (-len(data) % alignment + alignment * rng.randrange(2))
    for t in tensors:
        w.text(t["name"].encode())
        w.pack("I%dQIQ" % len(t["ne"]), len(t["ne"]), *t["ne"], t["number"], t["offset"])
    if tensors:
        w.raw += b"\0" * (-len(w.raw) % alignment)
    begin = len(w.raw)
    with open(req["path"], "wb") as f:
        f.write(w.raw + data)
    if gguf and all(t["ne"] for t in tensors):  # it cannot read a scalar of a type with blocks
        found(req["path"], tensors, pairs)
    return {"tensors": tensors, "pairs": pairs, "big": big, "begin": begin}


def found(path, tensors, pairs):
    """Asserts that the library reads these tensors, and the values that are numbers or texts; returns where data begin."""
    r = gguf.GGUFReader(path)
    assert [(t["name"], t["ne"], t["number"], t["hex"]) for t in tensors] == [
        (t.name, t.shape.tolist(), t.tensor_type.value, t.data.tobytes().hex()) for t in r.tensors]
    for p in pairs:
        if r.fields[p["key"]].types[0] != gguf.GGUFValueType.ARRAY:
            value = r.fields[p["key"]].contents()
            printed = str(value).lower() if isinstance(value, bool) else str(value) if isinstance(p["value"], str) else value
            assert printed == p["value"], (p, value)
    return r.data_offset


def by_library(req, rng):
    """The same as write, by the library."""
    big = rng.random() < 0.2
    w = gguf.GGUFWriter(req["path"], "test", endianess=gguf.GGUFEndian.BIG if big else gguf.GGUFEndian.LITTLE)
    pairs = [{"key": "general.architecture", "value": "test", "bits": 64}]
    for i in range(rng.randrange(7)):
        kind = rng.choice([k for k in FORMATS if k != 7] + [8])
        value, printed = (text(rng).decode(),) * 2 if kind == 8 else scalar(rng, kind)
        w.add_key_value(f"test.key_{i}", value, gguf.GGUFValueType(kind))
        pairs.append({"key": f"test.key_{i}", "value": printed, "bits": 32 if kind == 6 else 64})
    tensors = []
    for i in range(rng.randrange(7)):
        number = rng.choice(list(TYPES))
        name, values, size, numpy = TYPES[number]
        shape = [rng.choice([1, 2, 3, 5]) for _ in range(rng.randrange(1, 5))]
        ne = [n * (values if k == 0 else 1) for k, n in enumerate(shape[::-1])]
        a = np.frombuffer(rng.randbytes(int(np.prod(shape)) * size), numpy and "<" + numpy or "u1").reshape(shape if numpy else shape[:-1] + [-1])
        kept = a.byteswap() if big else a
        w.add_tensor(f"blk.{i}.é", a, raw_dtype=gguf.GGMLQuantizationType(number))
        tensors.append({"name": f"blk.{i}.é", "type": name, "number": number, "shape": ne[::-1] if numpy else shape, "ne": ne,
                        "hex": kept.tobytes().hex(), "encoding": f"{name}: {values} values in {size} bytes" if values > 1 else ""})
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.write_tensors_to_file()
    w.close()
    return {"tensors": tensors, "pairs": pairs, "big": big, "begin": found(req["path"], tensors, pairs)}


for line in sys.stdin:
    print(json.dumps(write(json.loads(line))), flush=True)
