"""Says what NumPy reads in files. Each request is a line of JSON with a file in base64; the reply has, for each array, its name, type,
shape and the CRC-32 of its elements in memory order, or the error. Started by numpy_files_test.go.
"""
import base64
import io
import json
import sys
import warnings
import zlib

import numpy as np

warnings.simplefilter("ignore")
print("numpy", np.__version__, flush=True)


def said(name, array):
    return {"name": name, "dtype": array.dtype.str, "shape": list(array.shape), "crc": zlib.crc32(array.tobytes("A"))}


def load(content):
    loaded = np.load(io.BytesIO(content), allow_pickle=False)
    if isinstance(loaded, np.ndarray):
        return [said("", loaded)]
    return [said(name, loaded[name]) for name in loaded.files]


for line in sys.stdin:
    request = json.loads(line)
    try:
        reply = {"arrays": load(base64.b64decode(request["file"])), "error": ""}
    except Exception as e:
        reply = {"arrays": [], "error": f"{type(e).__name__}: {e}"[:200] or "error"}
    print(json.dumps(reply))
sys.stdout.flush()
