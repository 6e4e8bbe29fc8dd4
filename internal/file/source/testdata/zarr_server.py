"""Writes Zarr arrays and groups with zarr-python, of random types, sizes, chunks, shards and codecs, and answers their elements as it reads them.

Reads one JSON request a line from standard input, writes one JSON reply a line to standard output. Needs zarr 3 and numpy.
"""
import json
import random
import shutil
import sys
import warnings

import numpy as np
import zarr
from zarr.codecs import BytesCodec, Crc32cCodec, GzipCodec, ShardingCodec, TransposeCodec, ZstdCodec

warnings.filterwarnings("ignore")
print("zarr", zarr.__version__, flush=True)
KINDS = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "c16"]


def compressors(rng):
    return rng.choice([[], [GzipCodec()], [ZstdCodec(level=3, checksum=rng.random() < 0.5)], [Crc32cCodec()], [ZstdCodec(), Crc32cCodec()]])


def shape_of(rng):
    rank = rng.choice([0, 1, 1, 2, 2, 3, 4])
    shape = tuple(rng.randrange(1, 9) for _ in range(rank))
    chunks = tuple(rng.randrange(1, n + 3) for n in shape)
    return shape, chunks


def filled(rng, z, shape, dtype):
    """Writes elements of any bits into a part of the array, so that some chunks are missing, and returns what reading gives."""
    n = int(np.prod(shape, dtype=int))
    d = np.dtype(dtype)
    a = np.frombuffer(rng.randbytes(n * d.itemsize), d) if d.kind != "b" else np.array([rng.random() < 0.5 for _ in range(n)])
    a = a.reshape(shape)
    if rng.random() < 0.3 and shape:
        part = tuple(slice(0, rng.randrange(0, m + 1)) for m in shape)
        z[part] = a[part]
    elif rng.random() < 0.95:
        z[...] = a
    return np.asarray(z[...])


def fill_value(rng, dtype):
    k = np.dtype(dtype).kind
    if k == "b":
        return rng.random() < 0.5
    if k in "iu":
        return rng.choice([0, 1, 7, int(np.iinfo(dtype).max), int(np.iinfo(dtype).min)])
    if k == "f":
        return rng.choice([0.0, 1.5, float("nan"), float("inf"), -float("inf"), -0.25])
    return rng.choice([0j, 1.5 - 2j])


def version2(rng, path):
    import numcodecs
    shape, chunks = shape_of(rng)
    dtype = rng.choice(["<", ">"]) + rng.choice(KINDS)
    c = rng.choice([None, numcodecs.GZip(), numcodecs.Zstd(), numcodecs.Zlib()])
    z = zarr.create(shape=shape, chunks=chunks, dtype=dtype, order=rng.choice("CF"), zarr_format=2, compressor=c, store=path,
                    fill_value=rng.choice([None, fill_value(rng, dtype)]), dimension_separator=rng.choice("./"), filters=None)
    return filled(rng, z, shape, dtype)


def version3(rng, path):
    shape, chunks = shape_of(rng)
    dtype = rng.choice(KINDS)
    endian = rng.choice(["little", "big"])

    def transpose():
        order = list(range(len(shape)))
        rng.shuffle(order)
        return [TransposeCodec(order=tuple(order))] if shape and rng.random() < 0.5 else []

    outer = transpose()
    inner = [*outer, BytesCodec(endian=endian), *compressors(rng)]
    if shape and rng.random() < 0.5:
        small = chunks
        turned = tuple(small[i] for i in outer[0].order) if outer else small
        # zarr-python 3.1 wants the chunks of a shard to divide it before and after a transpose
        chunks = tuple(int(np.lcm(c, d)) * rng.randrange(1, 3) for c, d in zip(small, turned))
        index = [BytesCodec(), Crc32cCodec()] if rng.random() < 0.7 else [BytesCodec()]
        if rng.random() < 0.5:
            inner = [ShardingCodec(chunk_shape=small, codecs=[*transpose(), BytesCodec(endian=endian), *compressors(rng)],
                                   index_codecs=index, index_location=rng.choice(["start", "end"]))]
        else:
            inner = [*outer, ShardingCodec(chunk_shape=turned, codecs=[*transpose(), BytesCodec(endian=endian), *compressors(rng)],
                                           index_codecs=index, index_location=rng.choice(["start", "end"]))]
    z = zarr.create(shape=shape, chunks=chunks, dtype=dtype, zarr_format=3, codecs=inner, store=path, fill_value=fill_value(rng, dtype),
                    chunk_key_encoding=rng.choice([("default", "/"), ("default", "."), ("v2", "."), ("v2", "/")]))
    return filled(rng, z, shape, dtype)


for line in sys.stdin:
    request = json.loads(line)
    rng = random.Random(request["seed"])
    path = request["path"]
    shutil.rmtree(path, ignore_errors=True)
    reply = []
    write = rng.choice([version2, version3])
    if rng.random() < 0.7:
        arrays = {"": write(rng, path)}
    else:
        zarr.create_group(path, zarr_format=2 if write is version2 else 3)
        arrays = {name: write(rng, path + "/" + name) for name in ["a", "b"]}
    for name, a in arrays.items():
        a = a.astype(a.dtype.newbyteorder("<"))
        reply.append({"name": name, "dtype": a.dtype.name, "shape": list(a.shape), "bytes": np.ascontiguousarray(a).tobytes().hex()})
    print(json.dumps(reply), flush=True)
