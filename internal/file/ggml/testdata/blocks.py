"""Writes blocks.txt: of each type, the SHA-256 of the values of BLOCKS blocks, each from a witness.

  python3 blocks.py > blocks.txt              by the package gguf of PyPI
  python3 blocks.py ./blocks >> blocks.txt    by ggml: the program that blocks.c describes

The bytes of the blocks of a type are SHA-256 of "q4_0 0", "q4_0 1", …, one after the other. A NaN counts as 7fc00000.
"""
import hashlib
import subprocess
import sys

import numpy as np

BLOCKS = 2000
TYPES = """q1_0 128 18, q2_0 64 18, q4_0 32 18, q4_1 32 20, q5_0 32 22, q5_1 32 24, q8_0 32 34, q2_K 256 84, q3_K 256 110, q4_K 256 144,
q5_K 256 176, q6_K 256 210, q8_K 256 292, tq1_0 256 54, tq2_0 256 66, iq4_nl 32 18, iq4_xs 256 136, mxfp4 32 17, nvfp4 64 36,
iq1_s 256 50, iq1_m 256 56, iq2_xxs 256 66, iq2_xs 256 74, iq2_s 256 82, iq3_xxs 256 98, iq3_s 256 110"""


def blocks(name, size):
    count = -(-BLOCKS * size // 32)
    return b"".join(hashlib.sha256(f"{name} {i}".encode()).digest() for i in range(count))[: BLOCKS * size]


def by_gguf(name, raw, size):
    if not hasattr(gguf.GGMLQuantizationType, name.upper()):
        return None
    kind = gguf.GGMLQuantizationType[name.upper()]
    if kind not in gguf.quants._type_traits:
        return None
    with np.errstate(all="ignore"):
        return gguf.quants.dequantize(np.frombuffer(raw, "u1").reshape(-1, size), kind)


if len(sys.argv) > 1:
    witness = "ggml"
    values = lambda name, raw, size: np.frombuffer(subprocess.run([sys.argv[1], name], input=raw, stdout=subprocess.PIPE, check=True).stdout, "<f4")
else:
    import importlib.metadata
    import gguf
    witness, values = "gguf-py-" + importlib.metadata.version("gguf"), by_gguf

for line in TYPES.split(","):
    name, count, size = line.split()
    found = values(name, blocks(name, int(size)), int(size))
    if found is None:
        continue
    found = found.ravel().astype("<f4")
    assert len(found) == BLOCKS * int(count), name
    found[np.isnan(found)] = np.array([0x7FC00000], "<u4").view("<f4")[0]
    print(witness, name, BLOCKS, hashlib.sha256(found.tobytes()).hexdigest())
