"""Raises messages with the library argv[1], and runs the repairs that the program prints for them. repairs_test.go runs it.

For each case, a line of JSON has the message as raised, or without one the name of a message that this library cannot raise; the answer is the
list of repairs. Each runs where the message was raised, from the same start; then its check holds, or the answer is what is wrong.

A case is Python: what comes before, what raises the message, and a check for each repair, in which _ is the value of a repair that is an
expression; again() raises nothing if what raised the message does no longer. paste is what a reader pastes beside the message, since the first version that raises it, fill what replaces an ellipsis.
"""
import importlib
import json
import os
import re
import sys
import warnings

warnings.simplefilter("ignore")
NUMPY = "import numpy as np\n"
TORCH = NUMPY + "import torch, torch.nn.functional as F\nfrom torch import nn\n"
QUOTED = "raise Quoted\n"
AGAIN = "again()"
NUMPY_TOO = "# in NumPy"


class Quoted(Exception):
    """The message that is given or, without one, the example of the table."""


def case(name, before, raises, *checks, library="torch", paste="''", since="0", fill="0"):
    before = {"torch": TORCH, "numpy": NUMPY, "ml_dtypes": TORCH}.get(library, NUMPY + "import %s\n" % library) + before
    return dict(name=name, before=before, raises=raises, checks=checks, library=library, paste=paste, since=since, fill=fill)


T = "x = torch.arange(24.).reshape(2, 3, 4).transpose(1, 2); shape = (8, 3)"
VIEWED = "y.shape == shape and y.flatten().tolist() == x.flatten().tolist()"
SHOWN = "'x.shape torch.Size(%s), x.stride() %s ' % (list(x.shape), tuple(x.stride()))"
# floats whose last dim, of size 1, has another stride than 1: contiguous() returns them as they are
ONE = "x = torch.arange(12.).as_strided((3, 1), (1, 3)); dtype = torch.float16"
AS_BYTES = "y.numpy().tobytes() == x.numpy().tobytes()"
NHWC = "x = torch.rand(1, 7, 9, 64)"
CHANNELS = "x.shape == (1, 64, 7, 9) and layer(x) is not None"
LAST = "all(t.stride(-1) == 1 and (t == before[k]).all() for k, t in enumerate(%s))"
TILE = "x = torch.arange(6.).reshape(2, 3, 1).permute(0, 2, 1)[:, :, 1:2]"  # a last dim of size 1 with stride 1, and another before it
DESCRIPTOR = "import torch, torch.nn.functional as F; from triton.tools.tensor_descriptor import TensorDescriptor\n"
DESCRIBED = "TensorDescriptor.from_tensor(x, [8, 8])"

CASES = [
    case("view", T, "x.view(shape)", VIEWED, VIEWED),
    case("view", T, "x.view(8, 3)", VIEWED, VIEWED, paste=SHOWN + "+ 'x.view(8, 3) '"),
    case("view", "x = torch.arange(4.).as_strided((1, 2, 2), (7, 1, 2)); shape = (4,)", "x.view(shape)", VIEWED, VIEWED),
    case("view-strides", "x = torch.arange(24.).reshape(4, 6).T; shape = (4, 6)", "torch._refs.view(x, shape)", VIEWED, VIEWED),
    case("reshape", "x = torch.arange(12)", "x.view(5, 2)", "_.shape == (6, 2)"),
    case("reshape", "x = torch.zeros(24 * 32 * 3 // 2)", "x.view(24, 32, 3)", "_.shape == (36, 32)"),
    case("reshape", "x = torch.arange(24)", "x.view(6, 2)", "_.shape == (2, 6, 2)"),
    case("reshape", "x = np.arange(12)", "x.reshape(5, 2)", "_.shape == (6, 2)", library="numpy"),
    case("reshape", "x = np.arange(24 * 40)", "x.reshape(24, 32, 3)", "_.shape == (24, 8, 5)", library="numpy"),
    case("reshape", "x = np.arange(24 * 100)", "x.reshape(24, 32, 3)",
         "(_ == np.arange(2400).reshape(24, 100)[:, :96].reshape(24, 32, 3)).all()", library="numpy"),
    case("reshape", "x = jax.numpy.arange(12)", "x.reshape(5, 2)", "_.shape == (6, 2)", library="jax"),
    case("reshape", "import mlx.core; x = mlx.core.arange(12)", "x.reshape(5, 2)", "_.shape == (6, 2)", library="mlx"),
    case("numpy-shape-in-place", "a = np.arange(12).reshape(3, 4).T; b = a; shape = (12,)", "a.shape = shape",
         "a.shape == shape and (a == b.ravel()).all()", library="numpy"),
    case("view-dtype", ONE, "x.view(dtype)", AS_BYTES),
    case("view-dtype", "x = torch.arange(12.).reshape(2, 6).half().T.contiguous().T; dtype = torch.float32", "x.view(dtype)", AS_BYTES),
    case("view-dtype", "x = torch.arange(9.).half().as_strided((2, 2), (3, 1)); dtype = torch.float32", "x.view(dtype)", AS_BYTES),
    case("view-dtype-offset", "x = torch.arange(9.).half()[1:]; dtype = torch.float32", "x.view(dtype)", AS_BYTES),
    case("view-dtype-size", "x = torch.arange(6.).half().reshape(2, 3); dtype = torch.float32", "x.view(dtype)", AS_BYTES),
    case("view-dtype-size", "x = torch.arange(12.).half().reshape(4, 3).T; dtype = torch.float64; x = x[:, :1]", "x.view(dtype)", None),
    case("view-dtype-scalar", "x = torch.tensor(1.); dtype = torch.float16", "x.view(dtype)", AS_BYTES),
    case("numpy-view-dtype", "a = np.arange(12, dtype='f4').reshape(3, 4).T; dtype = 'f2'", "a.view(dtype)", "b.tobytes() == a.tobytes()", library="numpy"),
    case("numpy-view-size", "a = np.arange(6, dtype='f4').reshape(2, 3); dtype = 'f8'", "a.view(dtype)", "b.tobytes() == a.tobytes()", library="numpy"),
    case("numpy-axes", "a = np.zeros((7, 9, 3))", "a.transpose(0, 3, 1, 2)", "a.shape == (3, 7, 9)", library="numpy"),
    case("numpy-product", "a = np.zeros((3, 4)); b = np.zeros((3, 4))", "np.dot(a, b)", "y.shape == (3, 3)", library="numpy"),
    case("operand-sizes", "a = torch.zeros(1, 3, 224, 224); b = torch.zeros(1, 224, 224, 3)", "a + b", AGAIN),
    case("linear-features", "mat1 = torch.zeros(3, 4); mat2 = torch.zeros(3, 4)", "mat1 @ mat2", "y.shape == (3, 3)"),
    case("bounds", "a = np.zeros(3)[::-1]", "torch.from_dlpack(a)", AGAIN, since="2.0"),
    case("contiguous", "x = torch.ones(1, 64).as_strided((1, 64), (1, 1))",
         "if x.stride() != (64, 1): raise Quoted('torch: sizes [1, 64] and strides [1, 1] must be contiguous')", AGAIN),
    case("contiguous", "q = torch.zeros(2, 8, 4); k = torch.zeros(2, 4, 8).transpose(1, 2)",
         "if not k.is_contiguous(): raise Quoted('torch: q.shape=(2, 8, 4) q.stride()=(32, 4, 1) k.shape=(2, 8, 4) k.stride()=(32, 1, 8): all inputs must be contiguous')", AGAIN),
    case("state-dict-size", "model = nn.Conv2d(3, 8, 5, bias=False); state = {'weight': torch.rand(8, 5, 5, 3)}", "model.load_state_dict(state)",
         "len(model.load_state_dict(state)[0]) == 0"),
    case("conv-channels", "x = torch.rand(2, 7, 9, 64); layer = nn.Conv2d(64, 4, 3)", "layer(x)", "layer(x).shape == (2, 4, 5, 7)"),
    case("conv-channels", "x = torch.rand(7, 9, 64); layer = nn.Conv2d(64, 4, 3)", "layer(x)", None, "layer(x).shape == (4, 5, 7)"),
    case("conv-channels", "x = torch.rand(64, 2, 9); layer = nn.Conv1d(64, 4, 3)", "layer(x)", "layer(x).shape == (2, 4, 7)"),
    case("conv-channels", NHWC + "; layer = nn.ConvTranspose2d(64, 4, 3)", "layer(x)", CHANNELS, None),
    case("conv-channels", "x = torch.rand(2, 7, 9, 64); layer = nn.Conv2d(64, 4, 3, groups=2)", "layer(x)", "layer(x).shape == (2, 4, 5, 7)"),
    case("layer-norm-shape", "x = torch.rand(1, 64, 7, 9); norm = nn.LayerNorm(64)", "norm(x)",
         "y.shape == x.shape and torch.allclose(y[0, :, 2, 3], norm(x[0, :, 2, 3]), atol=1e-6)"),
    case("layer-norm-shape", "x = torch.rand(2, 9, 64, 7); norm = nn.LayerNorm([64, 9])", "norm(x)", "y.shape == x.shape"),
    case("layer-norm-shape", "x = torch.rand(1, 64, 7, 9); norm = nn.RMSNorm(64)", "norm(x)", "y.shape == x.shape", since="2.4"),
    case("group-norm-groups", NHWC + "; layer = nn.GroupNorm(32, 64)", "layer(x)", CHANNELS),
    case("group-norm-weight", "x = torch.rand(1, 7, 9, 63); layer = nn.GroupNorm(7, 63)", "layer(x)", "layer(x).shape == (1, 63, 7, 9)"),
    case("batch-norm-channels", NHWC + "; layer = nn.BatchNorm2d(64)", "layer(x)", CHANNELS),
    case("batch-norm-channels", NHWC + "; layer = nn.BatchNorm2d(64)", "layer(x)", CHANNELS, paste=SHOWN),
    case("batch-norm-channels", NHWC + "; layer = nn.BatchNorm2d(64, track_running_stats=False)", "layer(x)", CHANNELS),
    case("batch-norm-channels", "x = torch.rand(8, 7, 64); layer = nn.BatchNorm1d(64)", "layer(x)", "layer(x).shape == (8, 64, 7)"),
    case("instance-norm-channels", NHWC + "; layer = nn.InstanceNorm2d(64, affine=True)", "layer(x)", CHANNELS, since="2.1"),
    case("instance-norm-channels", NHWC + "[0]; layer = nn.InstanceNorm2d(64, affine=True)", "layer(x)", "layer(x).shape == (64, 7, 9)", since="2.1"),
    case("prelu-channels", NHWC + "; layer = nn.PReLU(64)", "layer(x)", CHANNELS),
    case("linear-features", "x = torch.rand(1, 64, 7, 9); layer = nn.Linear(64, 10)", "layer(x)", "layer(x).shape == (1, 7, 9, 10)"),
    case("linear-features", "x = torch.rand(1, 64, 7, 9); layer = nn.Linear(64, 10)", "layer(x)", "layer(x).shape == (1, 7, 9, 10)", paste=SHOWN),
    case("keras-axis", "x = np.zeros((2, 3, 8, 8), 'f4'); layer = keras.layers.Conv2D(4, 3); layer.build((None, 8, 8, 3))", "layer(x)",
         "tuple(layer(x).shape) == (2, 6, 6, 4)", library="keras"),
    case("onnxruntime-dimensions", "x = np.zeros((1, 224, 224, 3), 'f4')", QUOTED, "x.shape == (1, 3, 224, 224) and x.flags.c_contiguous", library="numpy"),
    case("openvino-input-shape", "x = np.zeros((1, 224, 224, 3), 'f4')", QUOTED, "x.shape == (1, 3, 224, 224) and x.flags.c_contiguous", library="numpy"),
    case("tensorflow-nhwc", "import tensorflow as tf, keras; x = np.zeros((1, 3, 8, 8), 'f4')", QUOTED, "_.data_format == 'channels_last'",
         "tuple(x.shape) == (1, 8, 8, 3)", library="tensorflow", fill="4, 3"),
    case("pillow-channels", "from PIL import Image; a = np.zeros((3, 8, 9), np.uint8)", "Image.fromarray(a)", "_.size == (9, 8)", library="PIL"),
    case("pillow-type", "from PIL import Image; a = np.ones((8, 9, 3), 'f4')", "Image.fromarray(a)", "_.getpixel((0, 0)) == (255, 255, 255)", library="PIL"),
    case("channels-last-rank", "x = torch.rand(3, 7, 9); model = nn.Linear(4, 4)", "x.contiguous(memory_format=torch.channels_last)",
         "_.shape == x.shape and _.stride() == (1, 27, 3)", "True"),
    case("channels-last-rank", "x = torch.rand(3, 5, 7, 9); model = nn.Conv3d(3, 4, 3)", "x.contiguous(memory_format=torch.channels_last_3d)",
         "_.shape == x.shape and _.stride(0) == 1", "model.weight.is_contiguous(memory_format=torch.channels_last_3d)"),
    case("ddp-grad-strides", "import warnings", QUOTED, "not warned('Grad strides do not match bucket view strides. x')"),
    case("ddp-grad-strides", "p = nn.Parameter(torch.rand(8, 4, 3, 3).contiguous(memory_format=torch.channels_last)); x = torch.rand(2, 3, 4, 5)",
         "raise Exception('Grad strides do not match bucket view strides. grad.sizes() = [8, 4, 3, 3], strides() = [36, 9, 3, 1] '"
         "'bucket_view.sizes() = [8, 4, 3, 3], strides() = [36, 1, 12, 4]')", "p.stride() == (36, 9, 3, 1)", "y.is_contiguous()", fill="0, 2, 3, 1"),
    case("ddp-grad-strides", "model = nn.Conv2d(4, 8, 3)",
         "raise Exception('Grad strides do not match bucket view strides. grad.sizes() = [8, 4, 3, 3], strides() = [36, 1, 12, 4] '"
         "'bucket_view.sizes() = [8, 4, 3, 3], strides() = [36, 9, 3, 1]')", "model.weight.stride() == (36, 1, 12, 4)", None),
    case("assert-size-stride", "x = torch.rand(1, 64, 8, 8); want = (4096, 1, 512, 64)", "torch._C._dynamo.guards.assert_size_stride(x, tuple(x.shape), want)",
         "[torch._C._dynamo.guards.assert_size_stride(x, tuple(x.shape), want)]", None, since="2.6"),
    case("assert-size-stride", "x = torch.rand(1, 64, 8, 8).contiguous(memory_format=torch.channels_last); want = (4096, 64, 8, 1)",
         "torch._C._dynamo.guards.assert_size_stride(x, tuple(x.shape), want)", "[torch._C._dynamo.guards.assert_size_stride(x, tuple(x.shape), want)]", None, since="2.6"),
    case("assert-size-stride", "x = torch.rand(8, 4); dim = 0", "torch._C._dynamo.guards.assert_size_stride(x, (16, 4), (4, 1))", "True", None, since="2.6"),
    case("executorch-dim-order", "x = torch.rand(2, 1, 3, 3).contiguous(memory_format=torch.channels_last).as_strided((2, 1, 3, 3), (9, 1, 3, 1))", QUOTED,
         "x.stride() == (9, 9, 3, 1)"),
    case("executorch-different-dim-orders", "inputs = torch.rand(2, 1, 3, 3), torch.rand(2, 1, 3, 3).as_strided((2, 1, 3, 3), (9, 1, 3, 1))", QUOTED,
         "inputs[0].stride() == inputs[1].stride()"),
    case("safetensors-not-contiguous", "import torch; from safetensors.torch import save_file; path = file; model = torch.nn.Conv2d(3, 4, 3)\n"
         "state = {'w': torch.rand(3, 4).T}", "save_file(state, path)", "True", "model.weight.is_contiguous(memory_format=torch.channels_last)", library="safetensors"),
    case("safetensors-shared", "import torch, safetensors.torch; path = file; w = torch.rand(3, 4); state = {'a.weight': w, 'b.weight': w}\n"
         "model = torch.nn.ModuleDict({'a': torch.nn.Linear(4, 3), 'b': torch.nn.Linear(4, 3)}); model.b.weight = model.a.weight",
         "safetensors.torch.save_file(state, path)", "safetensors.torch.load_model(model, path) == (set(), [])",
         "safetensors.torch.save_file(state, path) is None", library="safetensors"),
    case("from-numpy-negative", "a = np.arange(4.)[::-1]", "torch.from_numpy(a)", "x.tolist() == a.tolist()", "x.tolist() == a.tolist()"),
    case("from-numpy-negative", "a = np.arange(2.)[::-1][:1]", "torch.from_numpy(a)", "x.tolist() == a.tolist()", "x.tolist() == a.tolist()"),
    case("from-numpy-itemsize", "a = np.zeros(3, dtype=[('a', 'u1'), ('b', 'f4')])['b']", "torch.from_numpy(a)", "x.tolist() == a.tolist()"),
    case("from-numpy-itemsize", "a = np.zeros(1, dtype=[('a', 'u1'), ('b', 'f4')])['b']", "torch.from_numpy(a)", "x.tolist() == a.tolist()"),
    case("load-cuda", "path = file; state = {'w': torch.ones(3)}; tagged(torch, state, path)", "torch.load(path)", "state['w'].tolist() == [1, 1, 1]",
         "torch.load(path)['w'].device.type == 'cpu'"),
    case("memoryview-cast", "a = np.arange(12).reshape(3, 4).T", "memoryview(a).cast('B')", "bytes(m) == a.tobytes()", library="numpy"),
    case("opencv-layout", "img = np.zeros((3, 8, 9), 'u1').transpose(1, 2, 0)", QUOTED, "img.strides == (27, 3, 1)", library="numpy"),
    case("opencv-layout", "img = np.zeros((3, 8, 9), 'u1').transpose(1, 2, 0)", "cv2.circle(img, (1, 1), 1, (1, 2, 3))",
         "cv2.circle(img, (1, 1), 1, (1, 2, 3)) is not None", library="cv2"),
    case("descriptor-last-dim", DESCRIPTOR + "x = torch.rand(8, 128)[:, ::2]", DESCRIBED, DESCRIBED + " is not None", library="triton"),
    case("descriptor-last-dim", DESCRIPTOR + "x = torch.rand(8, 128)[:, ::128]", DESCRIBED, DESCRIBED + " is not None", library="triton"),
    case("descriptor-last-dim", TILE, QUOTED, "x.stride(-1) == 1"),
    case("attention-last-dim", "attn_mask = torch.rand(2, 8, 4).transpose(1, 2)[:, :, :1]; before = attn_mask,", QUOTED, LAST % "(attn_mask,)"),
    case("jax-dlpack-strides", "import jax.dlpack; a = np.zeros((4, 6), 'f4')[:, ::2]", "jax.dlpack.from_dlpack(a)", "y.shape == a.shape", library="jax"),
    case("view-as-complex", "x = torch.rand(11)[1:].reshape(5, 2)", "torch.view_as_complex(x)", "y.shape == (5,)"),
    case("view-as-complex", "x = torch.rand(4, 5).T[:, ::2]", "torch.view_as_complex(x)", "y.shape == (5,)"),
    case("frombuffer-contiguous", "a = np.arange(12.).reshape(3, 4).T; dtype = torch.float64", "torch.frombuffer(a, dtype=dtype)", "x.numel() == 12",
         "x.stride() == (1, 4)"),
    case("pillow-rank", "from PIL import Image; a = np.zeros((2, 8, 9, 3), 'u1')", "Image.fromarray(a)", "_.size == (9, 8)", library="PIL"),
    # kinds: what raises the message raises nothing after the repair
    case("protocol", "a = np.arange(4, dtype='>f4')", "torch.from_numpy(a)", AGAIN),
    case("protocol", "a = np.arange(4, dtype='>f4')", "np.from_dlpack(a)", AGAIN, library="numpy"),
    case("protocol", "a = np.frombuffer(bytes(8), 'u1')", "a[0] = 1", AGAIN, library="numpy"),
    case("protocol", "a = np.broadcast_to(np.zeros(3), (2, 3))", "a[0] = 1", AGAIN, library="numpy"),
    case("protocol", "a = np.arange(4, dtype='>f4')", "jax.device_put(a)", AGAIN, library="jax"),
    case("protocol", "x = torch.ones(3, requires_grad=True)", "x.__dlpack__()", AGAIN),
    case("protocol", "x = torch.ones(3, dtype=torch.bfloat16); import ml_dtypes", "x.numpy()", "a.dtype == ml_dtypes.bfloat16", "a.dtype == 'f4'", library="ml_dtypes"),
    case("signature", "import numba; a = np.zeros((4, 6))[:, ::2]; f = numba.njit('f8(f8[:,::1])')(lambda v: v[0, 0])", "f(a)", AGAIN, AGAIN, library="numba"),
    case("signature", "import ctypes; a = np.zeros((4, 6)).T; t = np.ctypeslib.ndpointer(np.float64, flags='C_CONTIGUOUS')", "t.from_param(a)", AGAIN, AGAIN, library="numpy"),
    case("signature", "import ctypes; a = np.zeros((4, 6)); t = np.ctypeslib.ndpointer(np.float64, flags='F_CONTIGUOUS')", "t.from_param(a)", AGAIN, library="numpy"),
    case("overlap", "x = torch.zeros(1, 3).expand(2, 3)", "x.add_(1)", AGAIN),
    case("overlap", "y = torch.zeros(10); x = y[:-1]", "y[1:].copy_(x)", AGAIN),
    case("contiguous", "a = np.arange(12).reshape(3, 4).T", "np.frombuffer(a, 'u1')", AGAIN, library="numpy"),
    case("contiguous", "x = torch.rand(2, 3, 4).permute(0, 2, 1)", "if not x.is_contiguous(): raise Quoted('Expected x.is_contiguous() to be true, but got false.')", AGAIN),
    case("contiguous", TILE, "if x.stride() != (1, 1, 1): raise Quoted('assert is_strictly_contiguous(x)')", AGAIN),
    case("contiguous", "x = torch.rand(4, 6)[:, ::2]", "if x.stride(-1) != 1: raise Quoted('RuntimeError: x must have contiguous last dimension')", AGAIN),
    case("contiguous", "x = torch.rand(2, 8, 4).transpose(1, 2)[:, :, :1]", "if x.stride(-1) != 1: raise Quoted('RuntimeError: x must have contiguous last dimension')", AGAIN),
    case("contiguous", "x = torch.rand(2, 3, 4, 5)", "if x.stride(1) != 1: raise Quoted('RuntimeError: x must be contiguous in channels_last format')", AGAIN),
    case("contiguous", "a = np.zeros((3, 8, 8), 'f4').transpose(1, 2, 0)", "openvino.Tensor(a, shared_memory=True)", AGAIN, library="openvino"),
    case("contiguous", "a = np.zeros((3, 8), 'f4').T", "onnxruntime.OrtValue.from_dlpack(a)", AGAIN, library="onnxruntime"),
    case("major", "mat2 = torch.rand(6, 4)", "if mat2.stride(0) != 1: raise Quoted('RuntimeError: mat2 must be col_major')", AGAIN),
    case("major", "mat_b = torch.rand(6, 4)", "if mat_b.stride(0) != 1: raise Quoted('scaled_mm requires a row-major mat_a and a column-major mat_b. Got mat_a row-major and mat_b row-major.')", AGAIN),
    case("multiple", DESCRIPTOR + "x = torch.rand(4, 511).half()", DESCRIBED, AGAIN, library="triton"),
    case("multiple", DESCRIPTOR + "x = torch.rand(4, 64)[:, 1:]", DESCRIBED, AGAIN, library="triton"),
    case("multiple", DESCRIPTOR + "x = torch.rand(4, 68)[:, 2:66]", DESCRIBED, AGAIN, library="triton"),
    case("multiple", "x = torch.rand(4, 511).half()", "if x.stride(0) % 8: raise Quoted('RuntimeError: x.stride(0) must be a multiple of 8')", AGAIN),
    case("multiple", "x = torch.rand(512, 1368)", "if x.shape[1] % 16: raise Quoted('torch: Expected trailing dimension of mat1 to be divisible by 16 but got mat1 shape: (512x1368).')", AGAIN),
    case("multiple", "b = bytes(7); dtype = 'f4'; itemsize = 4", "np.frombuffer(b, dtype)", "len(a) == 1", library="numpy"),
    case("strides", "x = torch.rand(1, 3, 224, 224).contiguous(memory_format=torch.channels_last)",
         "if x.stride(1) != 50176: raise Quoted('torch: stride mismatch: expected [150528, 50176, 224, 1], got [150528, 1, 672, 3]')", AGAIN),
    case("strides", "x = torch.rand(1, 3, 224, 224)",
         "if x.stride(1) != 1: raise Quoted('torch: stride mismatch: expected [150528, 1, 672, 3], got [150528, 50176, 224, 1]')", AGAIN),
    case("strides", "x = torch.rand(2, 3, 4)", "if x.stride() != (12, 1, 3): raise Quoted('torch: stride mismatch: expected [12, 1, 3], got [12, 4, 1]')", AGAIN),
    case("strides", "x = torch.rand(2, 4, 3).permute(0, 2, 1)", "if x.stride() != (12, 4, 1): raise Quoted('torch: stride mismatch: expected [120, 40, 1], got [120, 1, 3]')", AGAIN),
    case("strides", "x = torch.rand(4, 2880)", "if x.stride(0) != 3072: raise Quoted('torch: stride mismatch: expected [3072, 1], got [2880, 1]')", AGAIN),
    case("strides", "x = torch.rand(4, 3072)[:, :2880]", "if x.stride(0) != 2880: raise Quoted('torch: stride mismatch: expected [2880, 1], got [3072, 1]')", AGAIN),
    case("strides", "x = torch.rand(4, 2880)", "if x.stride(0) != 3072: raise Quoted('torch: stride 2880==3072 at dim=0')", AGAIN),
    case("strides", "a = np.zeros((4, 2880))", "if a.strides[0] != 3072 * 8: raise Quoted('numpy: stride mismatch: expected [3072, 1], got [2880, 1]')", AGAIN, library="numpy"),
    case("ambiguous", "x = torch.rand(1, 3, 8, 8)[:, :1]; x = x.as_strided(x.shape, (64, 1, 8, 1))",
         "if x.stride() != (64, 64, 8, 1): raise Quoted('torch: The tensor does not have unique dim order')", AGAIN),
    case("order", "import jax, jax.numpy as jnp; from jax.experimental.layout import Format, Layout\n"
         "x = jnp.zeros((8, 16)); x = jax.device_put(x, Format(Layout((1, 0)), x.sharding)); f = jax.jit(lambda v: v * 2, in_shardings=Format(Layout((0, 1)), x.sharding))",
         "f(x)", None, AGAIN, library="jax"),
    case("channels", "import jax, jax.numpy as jnp; x = jnp.zeros((1, 8, 8, 3)); w = jnp.zeros((4, 3, 3, 3))",
         "jax.lax.conv_general_dilated(x, w, (1, 1), 'SAME')", AGAIN, library="jax"),
    case("channels", "import tensorflow as tf; x = np.zeros((1, 3, 8, 8), 'f4'); w = np.zeros((3, 3, 3, 4), 'f4')", "tf.nn.conv2d(x, w, 1, 'SAME')", AGAIN, library="tensorflow"),
    case("channels", "import mlx.core as mx; x = mx.zeros((1, 3, 8, 8)); w = mx.zeros((4, 3, 3, 3))", "mx.conv2d(x, w)", AGAIN, library="mlx"),
    case("channels", "import mlx.core as mx; x = mx.zeros((1, 8, 8, 3)); weight = mx.zeros((4, 3, 5, 5))", "mx.conv2d(x, weight)", AGAIN, library="mlx"),
    case("shape", "a = np.zeros((3, 8, 9)); b = np.zeros((8, 9, 3))", "np.copyto(b, a)", AGAIN, library="numpy"),
    case("shape", "x = np.zeros((1, 8, 9, 3), 'f4')", "raise Quoted('IExecutionContext::setInputShape: Set dimensions are [1,8,9,3]. Expected dimensions are [1,3,8,9].')",
         "x.shape == (1, 3, 8, 9) and x.flags.c_contiguous", library="numpy"),
    case("shape", "x = torch.zeros(8, 9); layer = nn.Conv2d(1, 4, 3)", "layer(x)", AGAIN),
    case("major", "w = torch.rand(6, 4).t()", "if w.stride(1) != 1: raise Quoted('AssertionError: weight must be K-major')", AGAIN, None),
    case("contiguous", "x = torch.rand(3, 7, 9)", "raise Quoted('torch: memory format channels_last is only supported for 4D tensors')", "_.stride() == (1, 27, 3)"),
    case("protocol", "a = np.zeros(3, 'u2')", "raise Quoted(\"can't convert np.ndarray of type numpy.uint16. The only supported types are: float64\")", "x.tolist() == [0, 0, 0]"),
    case("offset", "x = torch.rand(8, 4)[1:]", "if x.storage_offset(): raise Quoted('RuntimeError: Expected storage_offset of x to be 0')", AGAIN),
    case("named", "x = torch.rand(2, 7, 9, 3)", "if x.shape[1] != 3: raise Quoted('torch: expected NCHW, got NHWC')", "x.shape == (2, 3, 7, 9)"),
    case("named", "a = np.zeros((3, 7, 9))", "raise Quoted('numpy: expected HWC, got CHW')", "a.shape == (7, 9, 3)", library="numpy"),
    case("xla-out-of-memory", "x = torch.rand(8, 8, 4); n = 8", QUOTED, "x.shape == (8, 32)"),
]


def warned(message):
    """Whether the filters turn a warning of that text into an error."""
    import warnings
    try:
        warnings.warn(message)
    except UserWarning:
        return True
    return False


def tagged(torch, state, path):
    """Saves a checkpoint whose storages are of a CUDA device."""
    tag, torch.serialization.location_tag = torch.serialization.location_tag, lambda storage: "cuda:0"
    try:
        torch.save(state, path)
    finally:
        torch.serialization.location_tag = tag


def start(c):
    names = {"file": sys.argv[2], "warned": warned, "tagged": tagged, "Quoted": Quoted}
    exec(c["before"], names)
    return names


def repair(c, code, check):
    """Returns what is wrong with a repair; a check of None says that it is for another tensor."""
    if check is None:
        return ""
    names = start(c)
    names["again"] = lambda: exec(c["raises"], names) or True
    code = code.replace("…", c["fill"])
    try:
        with warnings.catch_warnings():
            if "warnings" in code:
                warnings.simplefilter("error")
            try:
                names["_"] = eval(code, names)
            except SyntaxError:
                exec(code, names)
            return "" if eval(check, names) else "the check fails: " + check
    except Exception as error:
        return "%s: %s" % (type(error).__name__, error)


def numbers(version):
    return [int(n) for n in re.findall(r"\d+", version)[:2]]


def load(name):
    """Imports a library. TensorFlow logs to standard error."""
    errors = os.dup(2)
    if name in ("keras", "tensorflow", "openvino"):
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    try:
        if name in ("safetensors", "ml_dtypes"):
            importlib.import_module("torch")  # its cases save PyTorch's tensors
        return importlib.import_module(name)
    except ImportError:
        os.dup2(errors, 2)
        raise


library = load(sys.argv[1])
version = getattr(library, "__version__", "")
print(sys.argv[1], version, flush=True)
for c in CASES:
    if c["library"] != sys.argv[1] or numbers(version or "9") < numbers(c["since"]):
        continue
    text = None
    names = start(c)
    try:
        exec(c["raises"], names)
        text = "nothing was raised"
    except Quoted as error:
        text = str(error) or None
    except Exception as error:
        text = eval(c["paste"], names) + "%s: %s" % (type(error).__name__, error)
    print(json.dumps({"name": c["name"], "text": text, "before": c["before"]}), flush=True)
    fixes = json.loads(sys.stdin.readline())
    if any(NUMPY_TOO in f for f in fixes) and not all(NUMPY_TOO in f for f in fixes):  # of a message of any framework
        fixes = [f for f in fixes if (NUMPY_TOO in f) == (c["library"] in ("numpy", "onnxruntime"))]
    wrong = ["%d repairs, %d checks: %s" % (len(fixes), len(c["checks"]), fixes)] if len(fixes) != len(c["checks"]) else []
    print(json.dumps(wrong + [code + ": " + bad for code, check in zip(fixes, c["checks"]) if (bad := repair(c, code, check))]), flush=True)
