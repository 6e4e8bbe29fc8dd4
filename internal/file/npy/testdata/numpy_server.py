"""Answers questions about .npy headers and dtypes with what NumPy says.

Reads one JSON request a line from standard input, writes one JSON reply a line to standard output.
Written for NumPy 1.24 and 2 (it uses private functions of numpy.lib.format); started by numpy_test.go.
"""
import ast
import base64
import io
import json
import sys
import tokenize
import warnings

import numpy as np

try:
    from numpy.lib import _format_impl as npformat  # since NumPy 2.3
except ImportError:
    from numpy.lib import format as npformat

warnings.simplefilter("ignore")
print("numpy", np.__version__, flush=True)


def header(req):
    """What reading this file's header gives; a sub-array dtype is moved into the shape, as arrays do."""
    fp = io.BytesIO(base64.b64decode(req["file"]))
    version = npformat.read_magic(fp)
    npformat._check_version(version)
    shape, fortran, dtype = npformat._read_array_header(fp, version)
    if dtype.hasobject:
        raise ValueError("object array")
    while dtype.subdtype is not None:
        shape, dtype = shape + dtype.shape, dtype.base
    text = fp.getvalue()[12 - 2 * (version[0] == 1) : fp.tell()].decode("utf8" if version[0] == 3 else "latin1")
    return {
        "shape": [str(int(n)) for n in shape],
        "fortran": fortran,
        "offset": fp.tell(),
        "joined": joins_strings(text),
        **describe(dtype),
    }


def joins_strings(text):
    """Whether two string literals stand side by side, which Python joins."""
    skip = (tokenize.NL, tokenize.NEWLINE, tokenize.COMMENT)
    kinds = [t.type for t in tokenize.generate_tokens(io.StringIO(text).readline) if t.type not in skip]
    triple = '""\"' in text or "'''" in text
    return triple or any(a == b == tokenize.STRING for a, b in zip(kinds, kinds[1:]))


def describe(dtype):
    return {
        "str": dtype.str,
        "name": dtype.name,
        "itemsize": dtype.itemsize,
        "descr": repr(npformat.dtype_to_descr(dtype)),
    }


def dtype(req):
    d = np.dtype(req["name"])
    if d.hasobject:
        raise ValueError("object array")
    return describe(d)


def write(req):
    """The header np.save writes for such an array."""
    fp = io.BytesIO()
    d = {
        "descr": npformat.dtype_to_descr(npformat.descr_to_dtype(ast.literal_eval(req["descr"]))),
        "fortran_order": req["fortran"],
        "shape": tuple(req["shape"]),
    }
    npformat._write_array_header(fp, d)
    return {"file": base64.b64encode(fp.getvalue()).decode()}


def values(req):
    """str() of each item of an array with these bytes."""
    a = np.frombuffer(base64.b64decode(req["file"]), dtype=np.dtype(req["name"]))
    return {"values": [str(x) for x in a]}


def floats(req):
    """The numbers that ml_dtypes has for these bytes."""
    import ml_dtypes

    a = np.frombuffer(base64.b64decode(req["file"]), getattr(ml_dtypes, req["name"]))
    return {"values": [str(float(x)) for x in a]}


def names(req):
    """All words for dtypes, without those for Python objects."""
    return {"values": sorted(k for k, v in np.sctypeDict.items() if isinstance(k, str) and v is not np.object_)}


for line in sys.stdin:
    req = json.loads(line)
    try:
        reply = {"ok": True, **globals()[req["op"]](req)}
    except Exception as e:
        reply = {"ok": False, "error": f"{type(e).__name__}: {e}"[:300]}
    print(json.dumps(reply), flush=False)
sys.stdout.flush()
