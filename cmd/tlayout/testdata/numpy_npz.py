"""Writes archives with np.savez and np.savez_compressed into the folder argv[1], and prints a line of JSON for each
array. Then it reads lines of JSON: the file that tlayout made of an array, and the call that it says maps the array in
place. It compares both, element for element, with the array, and prints what differs, and in the end how many it
compared."""
import json, os, sys
import numpy as np

print("numpy", np.__version__, flush=True)

rng = np.random.default_rng(7)
os.chdir(sys.argv[1])
types = ["<f4", ">f4", "<f2", ">f8", "|u1", "|b1", "<i8", "<c16", "|S3", "<U2", "<M8[ns]", "|V2", [("a", "<i2"), ("b", ">f4", (2,))]]
shapes = [(), (0, 3), (1,), (7,), (2, 3), (2, 3, 4), (3, 2, 5, 4), (2, 1, 3, 2, 2)]


def fill(dtype, shape, order):
    dtype = np.dtype(dtype)
    size = int(np.prod(shape))
    raw = rng.integers(0, 128, size * dtype.itemsize, dtype="u1")
    if dtype == bool:
        raw &= 1
    if dtype.kind == "U":
        raw = raw.reshape(-1, 4) * np.array([1, 0, 0, 0], "u1")
    a = np.frombuffer(raw.tobytes(), dtype, size).reshape(shape)
    return np.array(a, order=order)


arrays = {}
for i, t in enumerate(types):
    for k, s in enumerate(shapes):
        arrays["t%d.%s/%d" % (i, "it's é" if k == 2 else "w", k)] = fill(t, s, "CF"[(i + k) % 2])
for name, save, keys in [("it's \\ stored.npz", np.savez, list(arrays)), ("packed.npz", np.savez_compressed, list(arrays)[::3])]:
    save(name, **arrays)
    for key in keys:
        print(json.dumps({"path": os.path.abspath(name), "key": key, "stored": save is np.savez}))
print(flush=True)

compared = 0
for line in sys.stdin:
    job = json.loads(line)
    want = arrays[job["key"]]
    got = {"the file": np.load(job["out"])}
    if job["mmap"]:
        got["the map"] = eval(job["mmap"], {"np": np})
    elif job["stored"] and want.size:
        print(job, "is not mapped")
    for what, a in got.items():
        compared += 1
        if a.shape != want.shape or a.dtype != want.dtype or a.tobytes() != want.tobytes():
            print(job, what, "differs")
print(compared)
