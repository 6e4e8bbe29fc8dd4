"""Writes random NIfTI, NRRD and IDX files with nibabel, pynrrd and NumPy, some of them as a header beside its data, some compressed, and answers their
stored elements as nibabel and pynrrd read them.

Reads one JSON request a line from standard input, writes one JSON reply a line to standard output. Needs nibabel, pynrrd and numpy.
"""
import gzip
import json
import os
import random
import struct
import sys
import warnings

import nibabel
import nrrd
import numpy as np

warnings.filterwarnings("ignore")
print("nibabel", nibabel.__version__, flush=True)


def elements(rng, shape, kind):
    d = np.dtype(kind)
    return np.frombuffer(rng.randbytes(int(np.prod(shape, dtype=int)) * d.itemsize), d).reshape(shape, order=rng.choice("CF"))


def nifti(rng, stem):
    endian = rng.choice("<>")
    shape = [rng.randrange(1, 5) for _ in range(rng.randrange(1, 8))]
    a = elements(rng, shape, endian + rng.choice(["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8", "c8", "c16"]))
    image, header, endings = rng.choice([
        (nibabel.Nifti1Image, nibabel.nifti1.Nifti1Header, [".nii", ".nii.gz"]), (nibabel.Nifti2Image, nibabel.nifti2.Nifti2Header, [".nii", ".nii.gz"]),
        (nibabel.Nifti1Pair, nibabel.nifti1.Nifti1PairHeader, [".hdr"]), (nibabel.Nifti2Pair, nibabel.nifti2.Nifti2PairHeader, [".hdr"])])
    h = header(endianness=endian)
    h.set_data_dtype(a.dtype)
    h.set_data_shape(shape)
    if rng.random() < 0.3:
        h.set_slope_inter(2, -1)
    if endings != [".hdr"] and rng.random() < 0.3:
        h.extensions.append(nibabel.nifti1.Nifti1Extension(4, b"x" * rng.randrange(1, 50)))
    path = stem + rng.choice(endings)
    x = image(a, None, h)
    if h.get_slope_inter()[0] is not None:  # nibabel stores the elements themselves of an image without a slope only
        raw = write_raw(image, h, a)
        (gzip.open if path.endswith(".gz") else open)(path, "wb").write(raw[0])
        if path.endswith(".hdr"):
            open(stem + ".img", "wb").write(raw[1])
    else:
        nibabel.save(x, path)
    return path, a.astype(a.dtype.newbyteorder("<")), nibabel.load(path).dataobj.get_unscaled()


def write_raw(image, h, a):
    """The bytes of a header and of elements with a slope."""
    h = h.copy()
    h.extensions.clear()
    if h.is_single:
        h["vox_offset"] = 352 if len(h.binaryblock) == 348 else 544
        return [h.binaryblock + b"\0\0\0\0" + a.tobytes(order="F")]
    return [h.binaryblock, a.tobytes(order="F")]


def nrrd_file(rng, stem):
    shape = [rng.randrange(1, 5) for _ in range(rng.randrange(1, 6))]
    a = elements(rng, shape, rng.choice("<>") + rng.choice(["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"]))
    path = stem + rng.choice([".nrrd", ".nhdr"])
    nrrd.write(path, a, {"encoding": rng.choice(["raw", "gzip"]), "kinds": ["domain"] * len(shape)})
    return path, a, nrrd.read(path)[0]


IDX = {"u1": 0x08, "i1": 0x09, ">i2": 0x0b, ">i4": 0x0c, ">f4": 0x0d, ">f8": 0x0e}


def idx(rng, stem):
    kind = rng.choice(list(IDX))
    shape = [rng.randrange(1, 6) for _ in range(rng.randrange(1, 5))]
    a = elements(rng, shape, kind)
    raw = struct.pack(f">BBBB{len(shape)}I", 0, 0, IDX[kind], len(shape), *shape) + a.tobytes()
    path = stem + "-idx-ubyte" + rng.choice(["", ".gz"])
    (gzip.open if path.endswith(".gz") else open)(path, "wb").write(raw)
    return path, a, a


for line in sys.stdin:
    request = json.loads(line)
    rng = random.Random(request["seed"])
    for file in os.listdir(request["folder"]):
        os.remove(os.path.join(request["folder"], file))
    path, a, back = rng.choice([nifti, nrrd_file, idx])(rng, os.path.join(request["folder"], "x"))
    a = a.astype(a.dtype.newbyteorder("<"))
    back = np.asarray(back)
    back = np.ascontiguousarray(back.astype(back.dtype.newbyteorder("<")))
    assert back.tobytes() == np.ascontiguousarray(a).tobytes(), path
    print(json.dumps([{"name": os.path.basename(path), "dtype": a.dtype.name, "shape": list(a.shape), "bytes": back.tobytes().hex()}]), flush=True)
