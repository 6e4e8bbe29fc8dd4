"""Says what NumPy reads in files. Each request is a line of JSON with a file in base64. The reply has the error of opening it, and for
each array its name (of an archive's member: its bytes as Latin-1), type, shape and the CRC-32 of its elements in memory order, or its
error. Files are real ones, because NumPy reads others another way. Started by numpy_files_test.go.
"""
import base64
import json
import sys
import tempfile
import warnings
import zlib

import numpy as np

warnings.simplefilter("ignore")
print("numpy", np.__version__, flush=True)


def said(name, load):
    try:
        array = load()
        if isinstance(array, np.ndarray):
            crc = zlib.crc32(array.tobytes("A"))
            return {"name": name, "dtype": array.dtype.str, "shape": list(array.shape), "crc": crc}
        if not name.endswith(".npy"):
            return None  # a member that is no array, and does not claim to be one
        return {"name": name, "error": "bytes, no array"}
    except Exception as e:
        return {"name": name, "error": text(e)}


def text(e):
    return f"{type(e).__name__}: {e}"[:200]


def load(file):
    loaded = np.load(file, allow_pickle=False)
    if isinstance(loaded, np.ndarray):
        return [said("", lambda: loaded)]
    arrays = []
    for info, name in zip(loaded.zip.infolist(), loaded.zip.namelist()):
        raw = info.orig_filename.encode("utf-8" if info.flag_bits & 0x800 else "cp437").decode("latin-1")
        arrays.append(said(raw, lambda: loaded[name]))
    return [a for a in arrays if a]


with tempfile.TemporaryFile() as file:
    for line in sys.stdin:
        file.seek(0)
        file.truncate()
        file.write(base64.b64decode(json.loads(line)["file"]))
        file.flush()
        file.seek(0)
        try:
            with open(file.fileno(), "rb", closefd=False) as reader:
                reply = {"arrays": load(reader)}
        except Exception as e:
            reply = {"error": text(e)}
        print(json.dumps(reply), flush=True)
