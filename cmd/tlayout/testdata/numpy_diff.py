"""Writes argv[2] pairs of .npy files into the folder argv[1], by the seed argv[3], and lists what NumPy says of each on
standard output, one JSON document a line: how many elements differ under numpy.array_equal(equal_nan=True), or
numpy.isclose in extended precision, the first of them, and the largest finite distance,
of the elements that differ, else of all."""
import json
import os
import sys

import numpy as np

print("numpy", np.__version__, flush=True)

TYPES = ["?", "i1", "<u2", ">i4", "<i8", ">u8", "<f2", ">f2", "<f4", ">f4", "<f8", ">f8", "<g", "<c8", ">c16"]
FEW = [0, 1, 2, 3, 100, 127]
MANY = FEW + [-0.0, -1, -2.5, 0.1, 1 / 3, 1.0000001, 1e-7, np.nan, np.inf, -np.inf]


def draw(rng, dtype, shape):
    dtype = np.dtype(dtype)
    many = dtype.kind in "fc"
    a = rng.choice(MANY if many else FEW, size=shape)
    if dtype.kind == "c":
        a = rng.choice(MANY[:-2], size=shape) + 1j * rng.choice(MANY[:-2], size=shape)
    return np.array(a).astype(dtype)


def pair(rng):
    shape = tuple(rng.integers(1, 5, size=rng.integers(0, 5)))
    a = draw(rng, rng.choice(TYPES), shape)
    # The other type holds the same values, but for a few that are drawn anew or moved a little.
    to = np.dtype(rng.choice(TYPES))
    fits = a.dtype.kind in "?bui" or to.kind in "fc"
    if a.dtype.kind == "c" and to.kind != "c" or not fits:
        to = a.dtype
    if to.kind == "c":  # isclose takes complex infinities for NaN
        a = np.where(np.isinf(a), 1, a).astype(a.dtype)
    b = np.array(a.astype(to))
    other = draw(rng, to, shape)
    where = rng.random(shape) < rng.choice([0, 0.05, 0.5])
    b = np.where(where, other, b).astype(to)
    if to.kind in "fc" and rng.random() < 0.5:
        b = (b * to.type(1 + rng.choice([1e-9, 1e-6, 1e-3]))).astype(to)
    return a, b


def wide(a):
    return a.astype("G" if a.dtype.kind == "c" else "g")


def answer(a, b, rtol, atol):
    x, y = wide(a), wide(b)
    if rtol is None:
        same = (a == b) | (np.isnan(x) & np.isnan(y))
    else:
        same = np.isclose(x, y, rtol=rtol, atol=atol, equal_nan=True)
        assert np.allclose(x, y, rtol=rtol, atol=atol, equal_nan=True) == bool(np.all(same))
    first = np.argwhere(~np.asarray(same))
    apart = np.abs(x.astype("G") - y.astype("G")) if x.dtype.kind == "c" or y.dtype.kind == "c" else np.abs(x - y)
    if not np.all(same):
        apart = apart[~np.asarray(same)]
    apart = apart[np.isfinite(apart)]
    if rtol is None:
        assert np.array_equal(x, y, equal_nan=True) == (len(first) == 0)
    return {"differing": len(first), "first": first[0].tolist() if len(first) else None, "apart": float(apart.max()) if apart.size else 0.0}


def main():
    folder, count, rng = sys.argv[1], int(sys.argv[2]), np.random.default_rng(int(sys.argv[3]))
    np.seterr(all="ignore")
    for k in range(count):
        a, b = pair(rng)
        rtol, atol = (None, None) if rng.random() < 0.4 else (float(rng.choice([0, 1e-5, 1e-2])), float(rng.choice([1e-8, 1e-3, 0.5])))
        out = answer(a, b, rtol, atol)
        out["args"] = [] if rtol is None else ["--rtol", repr(rtol), "--atol", repr(atol)]
        for name, x in ("a", a), ("b", b):
            out[name] = os.path.join(folder, "%d%s.npy" % (k, name))
            if x.ndim == 4 and rng.random() < 0.5:
                out["args"] += ["--from-" + name, "nhwc"]
                np.save(out[name], np.ascontiguousarray(x.transpose(0, 2, 3, 1)))
            else:
                np.save(out[name], np.array(x, order=rng.choice(["C", "F"])))
        print(json.dumps(out))


main()
