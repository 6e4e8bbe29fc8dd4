"""Writes and reads safetensors files with struct, json and NumPy alone, by the format's README.

Reads one JSON request a line from standard input, writes one JSON reply a line to standard output.
"""
import json
import random
import struct
import sys

import numpy as np

print("numpy", np.__version__, flush=True)

DTYPES = {
    "BOOL": "?", "U8": "u1", "I8": "i1", "U16": "<u2", "I16": "<i2", "U32": "<u4", "I32": "<i4", "U64": "<u8", "I64": "<i8",
    "F16": "<f2", "F32": "<f4", "F64": "<f8", "C64": "<c8",
    # NumPy has no such types; their bytes are as many
    "BF16": "<u2", "F8_E4M3": "u1", "F8_E5M2": "u1", "F8_E8M0": "u1", "F8_E4M3FNUZ": "u1", "F8_E5M2FNUZ": "u1",
}


def write(req):
    """A file of random arrays. The reply lists them in the header's order, which need not be that of the data."""
    rng = random.Random(req["seed"])
    arrays = {}
    for i in range(rng.randrange(9)):
        name = rng.choice(["", "é", "数", "\U0001f600", "a\"b\\c", "\t", "</>&", "\u2028", "x.y"]) + str(i)
        word = rng.choice(list(DTYPES))
        shape = [rng.choice([0, 1, 1, 2, 3, 5]) for _ in range(rng.randrange(6))]
        a = np.frombuffer(rng.randbytes(int(np.prod(shape)) * np.dtype(DTYPES[word]).itemsize), DTYPES[word]).reshape(shape)
        arrays[name] = word, np.asarray(a, order=rng.choice("CF"))
    data, entries = b"", {}
    for name, (word, a) in arrays.items():
        fields = [("dtype", word), ("shape", a.shape), ("data_offsets", [len(data), len(data) + a.nbytes])]
        rng.shuffle(fields)
        entries[name] = dict(fields)
        data += a.tobytes("C")
    items = list(entries.items())
    metadata = {k: rng.choice(["pt", "", "\u00e9\n", "1"]) for k in rng.sample(["format", "b", "数"], rng.randrange(4))}
    if metadata:
        items.append(("__metadata__", metadata))
    rng.shuffle(items)
    text = json.dumps(dict(items), ensure_ascii=rng.random() < 0.5, indent=rng.choice([None, None, 1]))
    text = text.encode() + b" " * rng.randrange(20)
    with open(req["path"], "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text + data)
    return {
        "metadata": [[k, v] for k, v in metadata.items()],
        "tensors": [
            {"name": n, "dtype": arrays[n][0], "shape": list(arrays[n][1].shape), "hex": arrays[n][1].tobytes("C").hex()}
            for n, _ in items if n != "__metadata__"
        ],
    }


def read(req):
    """What a reader of ten lines finds in a file."""
    with open(req["path"], "rb") as f:
        raw = f.read()
    n, = struct.unpack("<Q", raw[:8])
    header = json.loads(raw[8:8 + n])
    metadata = header.pop("__metadata__", {})
    tensors = []
    for name, t in header.items():
        begin, end = t["data_offsets"]
        a = np.frombuffer(raw[8 + n + begin:8 + n + end], DTYPES[t["dtype"]]).reshape(t["shape"])
        tensors.append({"name": name, "dtype": t["dtype"], "shape": t["shape"], "hex": a.tobytes().hex()})
    ends = [t["data_offsets"][1] for t in header.values()]
    assert max(ends, default=0) == len(raw) - 8 - n
    return {"metadata": [[k, v] for k, v in metadata.items()], "tensors": tensors, "begin": 8 + n}


for line in sys.stdin:
    req = json.loads(line)
    print(json.dumps({"write": write, "read": read}[req["op"]](req)), flush=True)
