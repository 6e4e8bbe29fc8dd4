"""Prints layouts of Triton 3.9 (pip install triton; no GPU) as lines of JSON: the type as Triton prints it, the call of Gluon, the shape,
and Triton's own bases, [register, lane, warp], [offset], or of tensor memory [column, lane, CTA]. Of padded_shared, which has none, they
are those of its parameters.

    python layouts.py 700 1 | gzip -9n > layouts.txt.gz
"""
import json
import os
import random
import sys

from triton._C.libtriton import gluon_ir, ir
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.amd._layouts import AMDMFMALayout, AMDWMMALayout
from triton.experimental.gluon.language.nvidia.blackwell import TensorMemoryLayout, TensorMemoryScalesLayout, tensor_memory_descriptor_type

context = ir.context()
ir.load_dialects(context)
builder = gluon_ir.GluonOpBuilder(context)
rnd = random.Random(int(sys.argv[2]))


def power(low, high):
    return 1 << rnd.randint(low, high)


def powers(rank, high):
    """Returns rank powers of two whose product is at most 2^high."""
    exponents = [0] * rank
    for _ in range(rnd.randint(0, high)):
        exponents[rnd.randrange(rank)] += 1
    return [1 << e for e in exponents]


def order(rank):
    return rnd.sample(range(rank), rank)


def shape(rank, high=11):
    return powers(rank, high)


def blocked(rank):
    lanes = [1] * rank
    for _ in range(rnd.choice([5, 6])):
        lanes[rnd.randrange(rank)] *= 2
    return gl.BlockedLayout(powers(rank, 5), lanes, powers(rank, 4), order(rank))


def mma(rank, version=None):
    if (version or rnd.choice([2, 3])) == 2:
        return gl.NVMMADistributedLayout([2, 0], powers(rank, 3), [1] * (rank - 2) + [16, 8])
    return gl.NVMMADistributedLayout([3, 0], [4 * power(0, 1), power(0, 1)], [16, power(3, 8), 16])


def mfma(rank):
    m, n = rnd.choice([(32, 32), (16, 16), (64, 4), (4, 64)])
    transposed = m == 64 or rnd.random() < .5
    bits = rnd.choice([None, None, 64]) if m == n == 16 else None
    tiles = [1] * (rank - 2) + powers(2, 2) if rnd.random() < .4 else None
    return AMDMFMALayout(rnd.choice([2, 3, 4]), [m, n, 16], transposed, powers(rank, 3), bits, tiles)


def wmma(rank):
    """Tiles are numbered by distinct powers of two in each dim, some of registers, some of warps."""
    version = rnd.randint(1, 3)
    tiles = [[1 << k if d == i else 0 for i in range(rank)] for d in range(rank) for k in range(rnd.randint(0, 2))]
    rnd.shuffle(tiles)
    warps = rnd.randint(0, len(tiles))
    broadcast = [[0] * rank] * (rnd.random() < .2)
    m, k = rnd.choice([[(16, 16)], [(16, 16), (16, 32)], [(16, 4), (16, 32), (16, 64), (16, 128), (32, 64), (32, 128)]][version - 1])
    return AMDWMMALayout(version, rnd.random() < .5, tiles[:warps] + broadcast, tiles[warps:], [m, 16, k], [], rank)


def memory():
    """Returns a layout of tensor memory, and the shape over all CTAs."""
    cga = rnd.choice([[], [], [[1, 0]], [[0, 1]], [[0, 0]], [[1, 0], [0, 1]], [[1, 0], [2, 0]], [[0, 1], [1, 0]]])
    split = [2 ** sum(basis[d] > 0 for basis in cga) for d in range(2)]
    if rnd.random() < .3:
        return TensorMemoryScalesLayout(cga), [split[0] * power(3, 8), split[1] * power(0, 4)]
    m, n, two = rnd.choice([64, 128]), power(2, 7), bool(cga and cga[0] == [1, 0] and rnd.random() < .8)
    padded = rnd.random() < .1
    stride = 1 if padded else rnd.choice([1, 1, 2, 4])
    sizes = [m * power(0, 1), n * power(0, 2) if rnd.random() < .8 else max(2, n // 2)]
    return TensorMemoryLayout((m, n), stride, cga, two, padded), [sizes[0] * split[0], sizes[1] * split[1]]


def linear():
    """Returns random bases that reach a whole shape, some of them zero."""
    rank = rnd.randint(1, 3)
    sizes = shape(rank, 10)
    bits = [[n if d == i else 0 for i in range(rank)] for d, size in enumerate(sizes) for n in [1 << k for k in range(size.bit_length() - 1)]]
    bits += [[0] * rank] * max(0, 6 - len(bits))
    rnd.shuffle(bits)
    warps = len(bits) - rnd.randint(5, len(bits))
    return gl.DistributedLinearLayout(bits[warps + 5:], bits[warps:warps + 5], bits[:warps], [], sizes), sizes


def distributed():
    rank = rnd.randint(1, 3)
    matrix = rnd.choice([2, 2, 3])
    kind = rnd.randrange(10)
    if kind < 2:
        return blocked(rank), shape(rank)
    if kind == 2:
        layout, sizes = linear()
        return layout, shape(len(sizes), 10) if rnd.random() < .5 else sizes
    if kind == 3:
        layout = mma(2, 3) if rnd.random() < .5 else mma(matrix, 2)
    elif kind == 4:
        layout = mfma(matrix)
    elif kind == 5:
        operand = rnd.randint(0, 1)
        parent = mma(2, 3) if operand == 0 and rnd.random() < .3 else mma(matrix, 2)
        layout = gl.DotOperandLayout(operand, parent, power(0, 3))
    elif kind == 6:
        layout = gl.DotOperandLayout(rnd.randint(0, 1), mfma(matrix), power(0, 4))
    elif kind == 7:
        layout = wmma(matrix)
    elif kind == 8:
        layout = gl.DotOperandLayout(rnd.randint(0, 1), wmma(matrix), power(2, 4))
    else:
        layout = rnd.choice([lambda: blocked(rank + 1), lambda: mma(2), lambda: mfma(2)])()
        dim = rnd.randrange(layout.rank)
        layout = gl.SliceLayout(dim, layout)
    return layout, shape(layout.rank, 13)


def shared():
    rank = rnd.randint(1, 3)
    sizes = powers(rank, 10)
    sizes[rnd.randrange(rank)] *= 2
    kind = rnd.randrange(5)
    if kind < 2:
        return gl.SwizzledSharedLayout(power(0, 4), power(0, 3), power(0, 4), order(rank)), sizes
    if kind == 2:
        pairs = [[1 << k, power(0, 4)] for k in rnd.sample(range(2, 10), rnd.randint(1, 3))]
        if rnd.random() < .5:
            return gl.PaddedSharedLayout.with_identity_for(pairs, sizes, order(rank)), sizes
        return gl.PaddedSharedLayout(pairs, bits(sizes), [], sizes), sizes
    if kind == 3:
        return gl.SharedLinearLayout(bits(sizes)), sizes
    rank = rnd.choice([2, 2, 3])
    width, element, transposed = rnd.choice([0, 32, 64, 128]), rnd.choice([8, 16, 32, 64]), rnd.random() < .5
    transposed = transposed and rank == 2
    panel = max(1, 8 * width // element)
    sizes = [power(0, 3) * (8 if rank == 2 else 4) for _ in range(rank)]
    sizes[0 if transposed else -1] = panel * power(0, 3)
    if rank == 2 and rnd.random() < .3:
        sizes[-1 if transposed else 0] = 512
    return gl.NVMMASharedLayout(width, element, rank, transposed), sizes


def bits(sizes):
    rank = len(sizes)
    all = [[1 << k if d == i else 0 for i in range(rank)] for d in range(rank) for k in range(sizes[d].bit_length() - 1)]
    rnd.shuffle(all)
    return all


for _ in range(int(sys.argv[1])):
    is_shared, in_tensor_memory = rnd.random() < .3, rnd.random() < .2
    layout, sizes = memory() if in_tensor_memory else shared() if is_shared else distributed()
    try:
        attribute, pads = layout._to_ir(builder), []
    except RuntimeError:  # kWidth of WMMA
        continue
    if in_tensor_memory:
        byte = isinstance(layout, TensorMemoryScalesLayout) or layout.col_stride == 4 or layout.fp4_padded
        kind = tensor_memory_descriptor_type(gl.int8 if byte else gl.float16, sizes, layout, sizes)
        try:
            text, found = str(kind.to_ir(builder)), builder.to_linear_layout(attribute, sizes)
            ctas = kind.get_reg_layout(num_warps=4).block_bases if layout.cga_layout else []  # found has none
        except (RuntimeError, ValueError):  # blocks that exceed the sizes, too few columns
            continue
        bases = [found.cols, found.rows, ctas]
    elif is_shared:
        text = str(builder.get_shared_mem_desc_ty(builder.get_half_ty(), sizes, attribute, sizes))
        pads = layout.interval_padding_pairs if isinstance(layout, gl.PaddedSharedLayout) else []
        bases = [layout.offset_bases if pads else builder.to_linear_layout(attribute, sizes).offset_bases]
    else:
        text = str(builder.get_distributed_ty(builder.get_half_ty(), sizes, attribute))
        found = builder.to_linear_layout(attribute, sizes)
        bases = [found.reg_bases, found.lane_bases, found.warp_bases]
    print(json.dumps({"type": text, "gluon": repr(layout), "shape": sizes, "pads": pads, "bases": bases}), flush=True)
sys.stdout.flush()
os._exit(0)
