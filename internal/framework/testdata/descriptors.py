"""Which tensors oneDNN and cuDNN describe, on a CPU: layouts and element types. Writes the versions, then a line per tensor, with the answer of
each: yes or no. cudnn is a tensor descriptor of the graph API, cudnn-nd one of cudnnSetTensorNdDescriptor. Neither needs a GPU. The arguments are
the versions to ask, as cudnn==9.26.0; without arguments, all that are installed:

    pip install onednn nvidia-cudnn-cu13  # oneDNN's library needs intel-cmplr-lib-rt, intel-openmp and tbb
    python internal/framework/testdata/descriptors.py > internal/framework/testdata/descriptors.txt"""
import ctypes
import glob
import os
import random
import sys

TYPES = {
    "onednn": dict(zip("float16 bfloat16 float32 int32 int8 uint8 float64".split(), range(1, 8)), float8_e5m2=9, float8_e4m3fn=10, int4=11, uint4=12,
                   float8_e8m0fnu=13, float4_e2m1fn=14, int64=16),
    "cudnn": dict(float32=0, float64=1, float16=2, int8=3, int32=4, uint8=6, bfloat16=9, int64=10, bool=22, float8_e4m3fn=12, float8_e5m2=13,
                  float8_e8m0fnu=15, float4_e2m1fn=16, int4=17, uint4=18, uint32=19, complex64=20, complex128=21),
}


def load(*patterns):
    """The first library that loads, and the others of its folder first, so that it finds them."""
    for path in (p for pattern in patterns for p in sorted(glob.glob(pattern))):
        try:
            return ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)
        except OSError:
            pass


def numbers(kind, values):
    return (kind * max(1, len(values)))(*values)


class OneDNN:
    def __init__(self):
        self.lib = load(sys.prefix + "/lib/libdnnl.so.3", "/usr/lib/*/libdnnl.so.3")
        if self.lib:
            self.lib.dnnl_version.restype = ctypes.POINTER(ctypes.c_int)
            self.version = "onednn==" + ".".join(str(self.lib.dnnl_version()[i]) for i in range(3))

    def ask(self, shape, strides, typ):
        made = ctypes.c_void_p()
        return self.lib.dnnl_memory_desc_create_with_strides(
            ctypes.byref(made), len(shape), numbers(ctypes.c_int64, shape), typ, numbers(ctypes.c_int64, strides)) == 0


class CuDNN:
    DATA_TYPE, ALIGNMENT, DIMS, STRIDES, UNIQUE_ID = 901, 900, 902, 903, 906  # cudnnBackendAttributeName_t

    def __init__(self):
        folders = [os.path.join(p, "nvidia", "cudnn", "lib", "") for p in sys.path]
        self.lib = load(*(f + "libcudnn.so.9" for f in folders))
        if self.lib and self.backend((4, 8), (8, 1), 0) == 1008:  # a sublibrary needs the driver
            self.lib = None
        if self.lib:
            v = self.lib.cudnnGetVersion()
            self.version = f"cudnn=={v // 10000}.{v // 100 % 100}.{v % 100}"

    def backend(self, shape, strides, typ):
        tensor = ctypes.c_void_p()
        self.lib.cudnnBackendCreateDescriptor(17, ctypes.byref(tensor))  # CUDNN_BACKEND_TENSOR_DESCRIPTOR
        for name, kind, values, number in ((self.DATA_TYPE, 1, [typ], ctypes.c_int), (self.DIMS, 3, shape, ctypes.c_int64),
                                           (self.STRIDES, 3, strides, ctypes.c_int64), (self.UNIQUE_ID, 3, [1], ctypes.c_int64),
                                           (self.ALIGNMENT, 3, [16], ctypes.c_int64)):
            self.lib.cudnnBackendSetAttribute(tensor, name, kind, ctypes.c_int64(len(values)), numbers(number, values))
        return self.lib.cudnnBackendFinalize(tensor)

    def ask(self, shape, strides, typ):
        return self.backend(shape, strides, typ) == 0

    def nd(self, shape, strides, typ):
        tensor = ctypes.c_void_p()
        self.lib.cudnnCreateTensorDescriptor(ctypes.byref(tensor))
        return self.lib.cudnnSetTensorNdDescriptor(tensor, typ, len(shape), numbers(ctypes.c_int, shape), numbers(ctypes.c_int, strides)) == 0


def tensors():
    """The tensors to ask about: shape, strides and type."""
    for rank in range(1, 13):
        yield (2,) * rank, tuple(2 ** (rank - 1 - d) for d in range(rank)), "float32"
    for shape, strides in (
        ((1, 8), (-8, 1)), ((4, 1), (1, -1)), ((2, 1, 4), (4, -999, 1)), ((0, 8), (-8, 1)), ((4, 8), (-8, 1)), ((4, 8), (8, -1)),
        ((4, 8), (0, 1)), ((4, 8), (8, 0)), ((4, 8), (1, 1)), ((4, 8), (3, 1)), ((4, 8), (16, 2)), ((0, 8), (8, 1)), ((8, 4), (1, 8)),
        ((128, 64), (64, 1)), ((1, 8), (0, 1)),
    ):
        yield shape, strides, "float32"
    for typ in sorted({t for known in TYPES.values() for t in known}):
        yield (4, 8), (8, 1), typ
    for typ in ("int4", "uint4", "float4_e2m1fn"):
        for shape, strides in (
            ((3, 5), (5, 1)), ((4, 8), (9, 1)), ((5, 4), (1, 5)), ((8, 4), (1, 8)), ((5,), (1,)), ((4, 7), (8, 1)), ((4, 1), (1, 1)),
            ((2, 3, 4), (12, 4, 1)), ((2, 16, 16), (256, 16, 1)), ((1, 8), (9, 1)), ((3, 0), (5, 1)), ((4, 8), (16, 2)), ((4, 8), (0, 1)),
        ):
            yield shape, strides, typ
    draw = random.Random(1)
    for _ in range(200):
        shape = [draw.randint(1, 5) for _ in range(draw.randint(2, 4))]
        strides, run = [0] * len(shape), 1
        for d in draw.sample(range(len(shape)), len(shape)):
            strides[d] = run + (draw.choice([-1, 1, 2]) if draw.random() < 0.2 else 0)
            run = max(run, strides[d] * shape[d])
        yield shape, strides, draw.choice(["float32", "int4", "float8_e5m2", "float4_e2m1fn"])


def listed(values):
    return "(" + ",".join(map(str, values)) + ")"


known = {name: library for name, library in (("onednn", OneDNN()), ("cudnn", CuDNN()))
         if library.lib and (not sys.argv[1:] or library.version in sys.argv[1:])}
print("#", *(library.version for library in known.values()), flush=True)
for shape, strides, typ in tensors() if known else ():
    answers = []
    for name, library in known.items():
        has = typ in TYPES[name]
        answers.append(f"{name}={'yes' if has and library.ask(shape, strides, TYPES[name][typ]) else 'no'}")
        if name == "cudnn":
            answers.append(f"cudnn-nd={'yes' if has and library.nd(shape, strides, TYPES[name][typ]) else 'no'}")
    print(f"{listed(shape)}:{listed(strides)}@0 {typ}", *answers)
