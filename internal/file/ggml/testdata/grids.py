"""Writes grids.txt by the package gguf of PyPI: python3 grids.py > ../grids.txt

A grid's name is followed by its points. The levels of a point are numbered from 0, and these numbers are the digits of the point, those of
value 0 first: of base 8 in iq3, of base 3 in the others, where two of them are one digit of base 9.
"""
import numpy as np
from gguf import quants

for name in "iq1_s", "iq2_xxs", "iq2_xs", "iq2_s", "iq3_xxs", "iq3_s":
    kind = getattr(quants, name.upper())
    kind.init_grid()
    digits = np.searchsorted(kind.grid_map, kind.grid.reshape(kind.grid_shape))
    assert (np.take(kind.grid_map, digits) == kind.grid[0, 0]).all()
    if len(kind.grid_map) == 3:
        digits = 3 * digits[:, ::2] + digits[:, 1::2]
    points = ["".join(map(str, p)) for p in digits]
    print(name)
    for i in range(0, len(points), 28):
        print(*points[i : i + 28])
