"""Which frameworks read a tensor of foreign memory without a copy, asked through DLPack on a CPU: layouts, element types and addresses.
Writes the versions, then a line per tensor, with the answer of each framework: same memory, copy, refused, or aborts, if an operation on
the tensor ends the process. The arguments are the versions to ask, as numpy==2.5.5; without arguments, all that are installed:

    python internal/framework/testdata/dlpack.py > internal/framework/testdata/dlpack.txt"""
import ctypes
import importlib
import importlib.metadata
import os
import random
import subprocess
import sys

os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", JAX_PLATFORMS="cpu", CUDA_VISIBLE_DEVICES="", JAX_ENABLE_X64="1")
CODES = "int uint float handle bfloat complex bool float8_e3m4 float8_e4m3 float8_e4m3b11fnuz float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz float8_e8m0fnu float6_e2m3fn float6_e3m2fn float4_e2m1fn".split()
BITS = {"float6_e2m3fn": 6, "float6_e3m2fn": 6, "float4_e2m1fn": 4}
TYPES = ["bool"] + [f"{k}int{b}" for k in ("", "u") for b in (8, 16, 32, 64)] + \
    "float16 bfloat16 float32 float64 float128 complex32 complex64 complex128".split() + CODES[7:15] + \
    "float4_e2m1fn int4 uint4 int2 uint2 int1 uint1".split()


class Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int32 * 2), ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8),
                ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16), ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p),
                ("offset", ctypes.c_uint64)]


class Managed(ctypes.Structure):
    _fields_ = [("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


capsule = ctypes.pythonapi.PyCapsule_New
capsule.restype, capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
pointer = ctypes.pythonapi.PyCapsule_GetPointer
pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
nothing = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda p: None)
kept = []


class Memory:
    """A tensor of zeros in a storage that is aligned to a page. Strides and the offset are in elements."""

    def __init__(self, shape, strides, offset, dtype):
        kind = dtype if dtype in CODES else dtype.rstrip("0123456789")
        bits = BITS.get(dtype, 8) if dtype in CODES else int(dtype[len(kind):])
        last = offset + sum((n - 1) * s for n, s in zip(shape, strides) if n > 0 and s > 0)
        storage = ctypes.create_string_buffer((last + 1) * bits // 8 + 4096)
        lists = [(ctypes.c_int64 * max(1, len(x)))(*x) for x in (shape, strides)]
        self.first = -(-ctypes.addressof(storage) // 4096) * 4096 + offset * bits // 8
        self.size = 0 if 0 in shape else 1
        self.managed = Managed(Tensor(self.first, (1, 0), len(shape), CODES.index(kind), bits, 1, ctypes.addressof(lists[0]),
                                      ctypes.addressof(lists[1]), 0), None, ctypes.cast(nothing, ctypes.c_void_p).value)
        kept.append((self, storage, lists))

    def __dlpack_device__(self):
        return 1, 0

    def __dlpack__(self, **_):
        return capsule(ctypes.addressof(self.managed), b"dltensor", None)


def address(exported):
    t = Tensor.from_address(pointer(exported, b"dltensor"))
    return (t.data or 0) + t.offset


def tensorflow(m, x):
    tf = importlib.import_module("tensorflow")
    y = tf.experimental.dlpack.from_dlpack(x.__dlpack__())
    if x.first % 64:
        child = subprocess.run([sys.executable, __file__, "operate", str(x.first % 64)], capture_output=True)
        return "aborts" if child.returncode < 0 else x.first
    return address(tf.experimental.dlpack.to_dlpack(y))


FRAMEWORKS = {
    "numpy": lambda m, x: m.from_dlpack(x).ctypes.data,
    "torch": lambda m, x: m.from_dlpack(x).data_ptr(),
    "jax": lambda m, x: importlib.import_module("jax.dlpack").from_dlpack(x).unsafe_buffer_pointer(),
    "tensorflow": tensorflow,
    "onnxruntime": lambda m, x: m.OrtValue.from_dlpack(x).data_ptr(),
    "mlx": lambda m, x: address(importlib.import_module("mlx.core").from_dlpack(x).__dlpack__()),
}


def ask(name, module, x):
    try:
        got = FRAMEWORKS[name](module, x)
    except Exception:
        return "refused"
    if isinstance(got, str):
        return got
    return "same" if got == x.first or not x.size else "copy"


def tensors():
    """The tensors to ask about: shape, strides, offset and type."""
    for shape, strides, offset in [
        ((), (), 0), ((8,), (1,), 0), ((8,), (2,), 0), ((8,), (-1,), 7), ((8,), (0,), 0), ((3, 4), (4, 1), 0), ((3, 4), (1, 3), 0),
        ((3, 4), (16, 1), 0), ((3, 4), (8, 2), 0), ((3, 4), (0, 1), 0), ((3, 4), (1, 0), 0), ((3, 4), (4, -1), 3), ((3, 4), (-4, 1), 8),
        ((3, 4), (1, 1), 0), ((2, 3, 4, 5), (60, 1, 15, 3), 0), ((2, 0, 3), (3, 3, 1), 0), ((3, 1, 4), (4, 999, 1), 0),
        ((1, 3, 4), (5, 4, 1), 0), ((3, 1, 4), (4, 0, 1), 0), ((2, 3, 4), (1, 8, 2), 0), ((1,) * 33 + (2,), (2,) * 33 + (1,), 0),
        ((1, 8), (-8, 1), 0), ((4, 1), (1, -1), 0), ((3, 1, 4), (4, -7, 1), 0), ((0, 8), (-8, 1), 0),
        ((3, 4), (4, 1), 1), ((3, 4), (4, 1), 4), ((3, 4), (4, 1), 8), ((3, 4), (4, 1), 16), ((3, 4), (1, 3), 32), ((3, 4), (1, 3), 2),
    ]:
        yield shape, strides, offset, "float32"
    for dtype in TYPES:
        yield (3, 4), (4, 1), 0, dtype
    draw = random.Random(1)
    for _ in range(200):
        shape = [draw.randint(1, 4) for _ in range(draw.randint(1, 4))]
        strides, run = [0] * len(shape), 1
        for d in draw.sample(range(len(shape)), len(shape)):
            strides[d], run = run, run * shape[d]
        if draw.random() < 0.4:
            strides[draw.randrange(len(shape))] += draw.choice([-1, 1, 2])
        yield shape, [max(0, s) for s in strides], 0, draw.choice(["float32", "int8", "complex64"])


def pair(shape, strides):
    return ":".join("(" + ",".join(map(str, x)) + ")" for x in (shape, strides))


if sys.argv[1:2] == ["operate"]:
    import tensorflow as tf

    m = Memory((64, 64), (64, 1), int(sys.argv[2]), "uint8")
    m.managed.tensor.code, m.managed.tensor.bits = 2, 32
    tf.nn.relu(tf.experimental.dlpack.from_dlpack(m.__dlpack__()))
    sys.exit()
os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # TensorFlow logs to standard error
modules = {}
for name in FRAMEWORKS:
    try:
        version = f"{name}=={importlib.metadata.version(name.replace('tensorflow', 'tensorflow_cpu'))}"
        if not sys.argv[1:] or version in sys.argv[1:]:
            modules[version] = importlib.import_module(name)
    except ImportError:
        pass
print("#", *modules, flush=True)
for shape, strides, offset, dtype in tensors() if modules else ():
    answers = [f"{v.partition('==')[0]}={ask(v.partition('==')[0], m, Memory(shape, strides, offset, dtype))}" for v, m in modules.items()]
    print(f"{pair(shape, strides)}@{offset} {dtype}", *answers)
