"""Writes prints.txt: what frameworks print of random tensors, and their types and sizes:strides@offset in elements by their own accessors.

    python prints.py torch numpy jax > prints.txt      torch 2.15, numpy, jax 0.10.2
    python prints.py tinygrad >> prints.txt            tinygrad 0.10.3
    python prints.py cute >> prints.txt                nvidia-cutlass-dsl 4.8.1, with CUTE_DSL_ARCH=sm_90a; needs no GPU
"""
import random
import sys

rng = random.Random(58)


def shapes(count, least=1):
    for _ in range(count):
        yield [rng.randint(2, 9) for _ in range(rng.randint(least, 4))]


def line(text, dtype, shape, strides, offset=0):
    written = f"{','.join(map(str, shape))}:{','.join(map(str, strides))}@{offset}"
    print(repr(str(text))[1:-1].replace("\\'", "'"), dtype, written, sep="\t")


def of_torch():
    import torch
    from torch.fx.experimental.proxy_tensor import make_fx
    from torch.fx.passes.shape_prop import ShapeProp

    types = [torch.float32, torch.bfloat16, torch.int64, torch.bool, torch.complex64, torch.float8_e4m3fn, torch.uint8]
    for shape in shapes(40):
        dtype = rng.choice(types)
        order = rng.sample(range(len(shape)), len(shape))
        skip = rng.randint(0, 3)
        base = torch.zeros([shape[0] + skip] + shape[1:]).to(dtype)
        x = base[skip:].permute(order)
        name = str(dtype).removeprefix("torch.")
        line(f"{x.shape} {x.stride()} {x.storage_offset()}", "", x.shape, x.stride(), x.storage_offset())
        line(f"{(x.shape, x.stride())}", "", x.shape, x.stride())
        graph = make_fx(lambda x: x.permute(order), tracing_mode="fake")(base[skip:])
        ShapeProp(graph).propagate(base[skip:])
        for node in graph.graph.nodes:
            meta = node.meta.get("tensor_meta")
            if node.op == "call_function" and meta is not None and not isinstance(meta, tuple):
                line(meta, name, meta.shape, meta.stride)
        code = graph.print_readable(print_output=False, include_stride=True, include_device=True, fast_sympy_print=True)
        for text in code.splitlines():
            if "torch.ops.aten.permute" in text:
                line(text.strip(), name, x.shape, x.stride())


def of_numpy():
    import numpy as np

    for shape in shapes(40):
        dtype = rng.choice([np.float32, np.float64, np.int16, np.uint8, np.complex64])
        x = np.zeros(shape, dtype).transpose(rng.sample(range(len(shape)), len(shape)))
        if x.shape[0] > 2 and rng.random() < 0.3:
            x = x[::2]
        line(x.__array_interface__, x.dtype.name, x.shape, [s // x.itemsize for s in x.strides])
        line(f"shape={x.shape}, dtype={x.dtype!r}, strides_in_bytes={x.strides}\n{x.flags}", x.dtype.name, x.shape, [s // x.itemsize for s in x.strides])


def of_jax():
    import jax
    import jax.numpy as jnp
    import numpy as np

    for shape in shapes(10):
        dtype = rng.choice([jnp.float32, jnp.bfloat16, jnp.int8])
        x = jax.ShapeDtypeStruct(shape, dtype)
        rows = [int(np.prod(shape[d + 1:])) for d in range(len(shape))]
        line(x, x.dtype.name, shape, rows)
        line(repr(jax.core.ShapedArray(shape, dtype)), x.dtype.name, shape, rows)


def of_tinygrad():
    from tinygrad.shape.shapetracker import ShapeTracker

    for shape in shapes(20):
        order = rng.sample(range(len(shape)), len(shape))
        x = ShapeTracker.from_shape(tuple(shape)).permute(tuple(order)).shrink(tuple((rng.randint(0, 1), shape[d]) for d in order))
        view = x.views[0]
        line(view, "", view.shape, view.strides, view.offset)
        line(x, "", view.shape, view.strides, view.offset)


def of_cute():
    import cutlass
    import cutlass.cute as cute

    @cute.jit
    def trace():
        for shape in shapes(20, least=2):
            strides = [rng.randint(1, 99) for _ in shape]
            layout = cute.make_layout(tuple(shape), stride=tuple(strides))
            line(layout, "", shape, strides)
            pointer = cute.make_ptr(cutlass.Float16, 0, cute.AddressSpace.gmem, assumed_align=16)
            tensor = cute.make_tensor(pointer, layout)
            line(tensor, "float16", shape, strides)
            line(tensor.type, "float16", shape, strides)

    cute.compile(trace)


for producer in sys.argv[1:]:
    globals()["of_" + producer]()
