"""Writes pycute.txt.gz: random swizzled layouts and addresses of their elements, by the Python of CUTLASS.

python3 pycute.py CUTLASS/python > pycute.txt && gzip -9n pycute.txt

where CUTLASS is a checkout of github.com/NVIDIA/cutlass; pycute.txt.gz is by version 4.7.0. Its swizzles cannot
shift by 0: pycute does not return.
"""
import math
import random
import sys

sys.path.insert(0, sys.argv[1])
from pycute import ComposedLayout, Layout, Swizzle  # noqa: E402

random.seed(20240607)
for _ in range(3000):
    bits = random.choice([0, 1, 1, 2, 2, 3, 3, 4])
    shift = random.choice([1, 1, -1]) * random.randint(max(1, bits), bits + 3)
    base = random.randint(0, 5)
    offset = random.choice([0, 0, random.randint(0, 600)])
    shape, stride = [], []
    for _ in range(random.randint(1, 3)):
        modes = random.randint(1, 2)
        shape.append(tuple(random.choice([1, 2, 3, 4, 7, 8, 16, 64]) for _ in range(modes)))
        stride.append(tuple(random.choice([0, 1, 1, 2, 8, 16, 64, 65, 512, random.randint(0, 999)]) for _ in range(modes)))
    layout = ComposedLayout(Swizzle(bits, base, shift), offset, Layout(tuple(shape), tuple(stride)))
    dims = ",".join("+".join(f"{n}:{s}" for n, s in zip(a, b)) for a, b in zip(shape, stride))
    found = []
    for _ in range(4):
        coord = [random.randrange(n) for n in map(math.prod, shape)]
        found.append(f"{','.join(map(str, coord))}={layout(*coord)}")
    print("layout", bits, base, shift, offset, dims, *found)
