"""Writes .npy files into the folder argv[1], lists them and what to convert each to on standard output, one JSON
document a line and an empty line at the end; waits for a line; then compares the outputs with its own transpose, pad and
reshape and prints one line for each difference, and the number of comparisons last."""
import io
import json
import os
import sys

import numpy as np

print("numpy", np.__version__, flush=True)

DTYPES = ["?", "i1", "<u2", ">i4", "<u8", "<f2", ">f4", "<f8", "<g", "<c8", "<G", "S3", "<U2", ">U1", "<M8[ns]", "<m8[s]", "V3",
          [("a", "<i4"), ("b", ">f8", (2,))], np.dtype([("a", "i1"), ("b", "<f8")], align=True)]
SHAPES = [(), (5,), (0,), (2, 3), (1, 4), (2, 5, 3), (2, 3, 4, 5), (1, 5, 2, 3), (2, 0, 3, 4), (2, 3, 2, 4, 3), (1, 2, 1, 3, 2, 2)]
# (the axes of the file, the target, its axes; a digit and a letter are a block)
TARGETS = {
    2: [("hw", "wh", "wh")],
    3: [("chw", "hwc", "hwc"), ("hwc", "chw", "chw"), ("chw", "CHW4c", "chw4c")],
    4: [("nchw", "nhwc", "nhwc"), ("nhwc", "nchw", "nchw"), ("nchw", "chwn", "chwn"), ("oihw", "hwio", "hwio"),
        ("nchw", "nchw4", "nchw4c"), ("nhwc", "nChw16c", "nchw16c"), ("oihw", "OIHW2i3o", "oihw2i3o"),
        ("nchw", "CHWN4", "chwn4c"), ("nchw", "channels_last", "nhwc")],
    5: [("ncdhw", "ndhwc", "ndhwc"), ("ndhwc", "nCdhw4c", "ncdhw4c")],
}


def make(dtype, shape, order):
    dtype = np.dtype(dtype)
    n = int(np.prod(shape, dtype=int))
    if dtype.kind == "U":  # code points
        a = np.array(["%s%s" % (chr(0x61 + i % 26), chr(0x4E00 + i)) for i in range(n)], dtype=dtype)
    else:
        code = (np.arange(n * dtype.itemsize) % 251).astype("u1")
        if dtype.kind == "b":
            code %= 2
        a = np.zeros(n, dtype)
        raw(a)[...] = code.view("V%d" % dtype.itemsize)
    return np.array(raw(a).reshape(shape), order=order, copy=True).view(dtype)


def axes(name):
    """nchw4c -> [("n", 0), ("c", 0), ("h", 0), ("w", 0), ("c", 4)]"""
    found, number = [], ""
    for ch in name:
        if ch.isdigit():
            number += ch
        else:
            found.append((ch, int(number or 0)))
            number = ""
    return found


def relaid(a, source, target):
    """a's axes are source's; the result's are target's, blocked dims padded with zeros."""
    want = axes(target)
    order = [d for d, block in want if not block]
    a = a.transpose([source.index(d) for d in order])
    blocks = {d: [b for e, b in want if e == d and b] for d in order}
    padded = np.zeros([-(-n // (p := int(np.prod(blocks[d])))) * p for d, n in zip(order, a.shape)], a.dtype)
    padded[tuple(slice(n) for n in a.shape)] = a
    split, place = [], {}
    for d, n in zip(order, padded.shape):
        sizes = [n // int(np.prod(blocks[d]))] + blocks[d]
        for k, size in enumerate(sizes):
            place[d, k] = len(split)
            split.append(size)
    seen, permutation = {}, []
    for d, block in want:
        k = 0 if not block else seen.setdefault(d, 0) + 1
        seen[d] = k if block else seen.get(d, 0)
        permutation.append(place[d, k])
    return np.array(padded.reshape(split).transpose(permutation), order="C", copy=True)


def raw(a):
    """a's items as bytes: NumPy's copies leave out what lies between the fields of a struct."""
    return a.view("V%d" % a.dtype.itemsize)


def saved(a):
    out = io.BytesIO()
    np.save(out, a)
    return out.getvalue()


folder = sys.argv[1]
work = []
for dtype in DTYPES:
    for shape in SHAPES:
        for order in "CF" if len(shape) > 1 else "C":
            a = make(dtype, shape, order)
            path = os.path.join(folder, "%d.npy" % len(work))
            np.save(path, a)
            a = np.load(path)
            jobs = [{"to": "c", "from": ""}, {"to": "fortran", "from": ""}]
            jobs += [{"to": to, "from": source, "axes": target} for source, to, target in TARGETS.get(len(shape), [])]
            for k, job in enumerate(jobs):
                job["out"] = os.path.join(folder, "%d_%d.npy" % (len(work), k))
            descr = np.lib.format.dtype_to_descr(a.dtype)
            work.append((a, path, jobs))
            print(json.dumps({"path": path, "jobs": jobs, "shape": a.shape, "itemsize": a.dtype.itemsize,
                              "c": a.flags.c_contiguous, "f": a.flags.f_contiguous, "descr": descr if isinstance(descr, str) else "",
                              "strides": a.strides if a.size else [], "fortran": np.isfortran(a)}))
print(flush=True)
sys.stdin.readline()

compared = 0
for a, path, jobs in work:
    for job in jobs:
        compared += 1
        name = "%s %s%s, %s to %s" % (a.dtype, a.shape, " F" if np.isfortran(a) else "", job["from"], job["to"])
        if job["from"]:
            want = relaid(raw(a), job["from"], job["axes"])
        else:
            want = np.array(raw(a), order="F" if job["to"] == "fortran" else "C", copy=True)
        want = want.view(a.dtype)
        got = np.load(job["out"])
        if got.dtype != want.dtype or got.shape != want.shape or raw(got).tobytes() != raw(want).tobytes():
            print("%s: other elements" % name)
        elif open(job["out"], "rb").read() != saved(want):
            print("%s: np.save writes another file" % name)
print(compared)
