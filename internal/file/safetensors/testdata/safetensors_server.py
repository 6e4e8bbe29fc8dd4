"""Writes and reads safetensors files with struct, json and NumPy, by the format's README. Where the library safetensors is installed, it
writes half of the files, and must read in all of them the same.

Reads one JSON request a line from standard input, writes one JSON reply a line to standard output.
"""
import json
import random
import struct
import sys

import numpy as np

try:
    import safetensors
    print("safetensors", safetensors.__version__, flush=True)
except ImportError:
    safetensors = None
    print("numpy", np.__version__, flush=True)

DTYPES = {
    "BOOL": "?", "U8": "u1", "I8": "i1", "U16": "<u2", "I16": "<i2", "U32": "<u4", "I32": "<i4", "U64": "<u8", "I64": "<i8",
    "F16": "<f2", "F32": "<f4", "F64": "<f8", "C64": "<c8",
    # NumPy has no such types; their bytes are as many
    "BF16": "<u2", "F8_E4M3": "u1", "F8_E5M2": "u1", "F8_E8M0": "u1", "F8_E4M3FNUZ": "u1", "F8_E5M2FNUZ": "u1",
}

FOREIGN = {"BF16": "bfloat16", "F8_E4M3": "float8_e4m3fn", "F8_E5M2": "float8_e5m2", "F8_E8M0": "float8_e8m0fnu",
           "F8_E4M3FNUZ": "float8_e4m3fnuz", "F8_E5M2FNUZ": "float8_e5m2fnuz"}


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
    metadata = {k: rng.choice(["pt", "", "\u00e9\n", "1"]) for k in rng.sample(["format", "b", "数"], rng.randrange(4))}
    if safetensors and rng.random() < 0.5:
        return by_library(req, {name: (word, np.asarray(a, order="C")) for name, (word, a) in arrays.items()}, metadata)
    data, entries = b"", {}
    for name, (word, a) in arrays.items():
        fields = [("dtype", word), ("shape", a.shape), ("data_offsets", [len(data), len(data) + a.nbytes])]
        rng.shuffle(fields)
        entries[name] = dict(fields)
        data += a.tobytes("C")
    items = list(entries.items())
    if metadata:
        items.append(("__metadata__", metadata))
    rng.shuffle(items)
    text = json.dumps(dict(items), ensure_ascii=rng.random() < 0.5, indent=rng.choice([None, None, 1]))
    text = text.encode() + b" " * rng.randrange(20)
    with open(req["path"], "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text + data)
    read(req)
    return {
        "metadata": [[k, v] for k, v in metadata.items()],
        "tensors": [
            {"name": n, "dtype": arrays[n][0], "shape": list(arrays[n][1].shape), "hex": arrays[n][1].tobytes("C").hex()}
            for n, _ in items if n != "__metadata__"
        ],
    }


def by_library(req, arrays, metadata):
    """The same, written by the library, which chooses the order and leaves out no metadata."""
    specs = {n: safetensors.TensorSpec(dtype=FOREIGN.get(word) or a.dtype.name, shape=a.shape, data_ptr=a.ctypes.data, data_len=a.nbytes)
             for n, (word, a) in arrays.items()}
    with open(req["path"], "wb") as f:
        f.write(safetensors.serialize(specs, metadata or None))
    answer = read(req)
    del answer["begin"]
    assert dict(answer["metadata"]) == metadata
    assert {t["name"]: (t["dtype"], t["shape"], t["hex"]) for t in answer["tensors"]} == {
        n: (word, list(a.shape), a.tobytes().hex()) for n, (word, a) in arrays.items()}
    return answer


def read(req):
    """What a reader of ten lines finds in a file, and the library too."""
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
    if safetensors:
        found = {name: (t["dtype"], t["shape"], bytes(t["data"]).hex()) for name, t in safetensors.deserialize(raw)}
        assert found == {t["name"]: (t["dtype"], t["shape"], t["hex"]) for t in tensors}, found
        with safetensors.safe_open(req["path"], "np") as f:
            assert (f.metadata() or {}) == metadata, f.metadata()
    return {"metadata": [[k, v] for k, v in metadata.items()], "tensors": tensors, "begin": 8 + n}


for line in sys.stdin:
    req = json.loads(line)
    print(json.dumps({"write": write, "read": read}[req["op"]](req)), flush=True)
