"""Writes mlir.txt: random memref types as MLIR prints them, with sizes:strides@offset by MLIR's own reader.

pip install jaxlib==0.10.2; python mlir.py > mlir.txt
"""
import random

from jaxlib.mlir import ir
from jaxlib.mlir.dialects import memref  # noqa: F401, registers the dialect

rng = random.Random(40)
types = ["f32", "f16", "bf16", "f64", "i1", "i8", "si8", "ui8", "i16", "i32", "i64", "f8E4M3FN", "f8E5M2", "complex<f32>", "complex<f64>"]
with ir.Context():
    seen = set()
    while len(seen) < 400:
        shape = [rng.randint(1, 40) for _ in range(rng.randint(0, 6))]
        layout = ""
        if shape and rng.random() < 0.8:
            strides = [rng.choice([0, 1, rng.randint(-9, 300)]) for _ in shape]
            least = sum(min(0, t * (n - 1)) for t, n in zip(strides, shape))
            offset = rng.choice([0, rng.randint(0, 500)]) - least
            layout = ", strided<[" + ", ".join(map(str, strides)) + "]" + (f", offset: {offset}" if offset else "") + ">"
        if rng.random() < 0.3:
            layout += ", " + rng.choice(["1", "3", "1 : i32"])
        typ = ir.Type.parse("memref<" + "".join(f"{n}x" for n in shape) + rng.choice(types) + layout + ">")
        strides, offset = ir.MemRefType(typ).get_strides_and_offset()
        line = f"{typ}\t{','.join(map(str, shape))}:{','.join(map(str, strides))}@{offset}"
        if line not in seen:
            seen.add(line)
            print(line)
