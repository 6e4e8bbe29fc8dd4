"""Raises messages with the library argv[1], and runs the repairs that the program prints for them. repairs_test.go runs it.

For each case, a line of JSON has the message as raised, or without one the name of a message that this library cannot raise; the answer is the
list of repairs. Each runs where the message was raised, from the same start; then its check holds, or the answer is what is wrong.

A case is Python: what comes before, what raises the message, and a check for each repair, in which _ is the value of a repair that is an
expression. paste is what a reader pastes beside the message, since the first version that raises it, fill what replaces an ellipsis.
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


class Quoted(Exception):
    """The message is the example of the table."""


def case(name, before, raises, *checks, library="torch", paste="''", since="0", fill="0"):
    before = {"torch": TORCH, "numpy": NUMPY}.get(library, NUMPY + "import %s\n" % library) + before
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
    case("view-symbols", T, QUOTED, VIEWED, VIEWED),
    case("shape-invalid", "x = torch.arange(12)", "x.view(5, 2)", "_.shape == (6, 2)"),
    case("shape-invalid", "x = torch.zeros(24 * 32 * 3 // 2)", "x.view(24, 32, 3)", "_.shape == (36, 32)"),
    case("shape-invalid", "x = torch.arange(24)", "x.view(6, 2)", "_.shape == (2, 6, 2)"),
    case("numpy-reshape", "x = np.arange(12)", "x.reshape(5, 2)", "_.shape == (6, 2)", library="numpy"),
    case("numpy-reshape", "x = np.arange(24 * 40)", "x.reshape(24, 32, 3)", "_.shape == (24, 8, 5)", library="numpy"),
    case("numpy-reshape", "x = np.arange(24 * 100)", "x.reshape(24, 32, 3)",
         "(_ == np.arange(2400).reshape(24, 100)[:, :96].reshape(24, 32, 3)).all()", library="numpy"),
    case("numpy-reshape", "x = jax.numpy.arange(12)", "x.reshape(5, 2)", "_.shape == (6, 2)", library="jax"),
    case("numpy-reshape", "import mlx.core; x = mlx.core.arange(12)", "x.reshape(5, 2)", "_.shape == (6, 2)", library="mlx"),
    case("numpy-shape-in-place", "a = np.arange(12).reshape(3, 4).T; b = a; shape = (12,)", "a.shape = shape",
         "a.shape == shape and (a == b.ravel()).all()", library="numpy"),
    case("view-dtype", ONE, "x.view(dtype)", AS_BYTES),
    case("view-dtype", "x = torch.arange(12.).reshape(2, 6).half().T.contiguous().T; dtype = torch.float32", "x.view(dtype)", AS_BYTES),
    case("view-dtype", "x = torch.arange(9.).half().as_strided((2, 2), (3, 1)); dtype = torch.float32", "x.view(dtype)", AS_BYTES),
    case("view-dtype", "x = torch.arange(9.).half()[1:]; dtype = torch.float32", "x.view(dtype)", AS_BYTES),
    case("view-dtype", "x = torch.arange(6.).half().reshape(2, 3); dtype = torch.float32", "x.view(dtype)", AS_BYTES),
    case("view-dtype", "x = torch.arange(12.).half().reshape(4, 3).T; dtype = torch.float64; x = x[:, :1]", "x.view(dtype)", None),
    case("view-dtype", "x = torch.tensor(1.); dtype = torch.float16", "x.view(dtype)", AS_BYTES),
    case("numpy-view-dtype", "a = np.arange(12, dtype='f4').reshape(3, 4).T; dtype = 'f2'", "a.view(dtype)", "b.tobytes() == a.tobytes()", library="numpy"),
    case("numpy-view-size", "a = np.arange(6, dtype='f4').reshape(2, 3); dtype = 'f8'", "a.view(dtype)", "b.tobytes() == a.tobytes()", library="numpy"),
    case("numpy-axes", "a = np.zeros((7, 9, 3))", "a.transpose(0, 3, 1, 2)", "a.shape == (3, 7, 9)", library="numpy"),
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
    case("tensorrt-input-shape", "x = torch.rand(1, 224, 224, 3); a = x", QUOTED, "x.shape == (1, 3, 224, 224) and x.is_contiguous()",
         "x.shape == (1, 3, 224, 224) and x.flags.c_contiguous", fill="numpy"),
    case("openvino-input-shape", "x = torch.rand(1, 224, 224, 3); a = x", QUOTED, "x.shape == (1, 3, 224, 224) and x.is_contiguous()",
         "x.shape == (1, 3, 224, 224) and x.flags.c_contiguous"),
    case("tensorflow-nhwc", "import tensorflow as tf, keras; x = np.zeros((1, 3, 8, 8), 'f4')", QUOTED, "_.data_format == 'channels_last'",
         "tuple(x.shape) == (1, 8, 8, 3)", library="tensorflow", fill="4, 3"),
    case("pillow-data-type", "from PIL import Image; a = np.zeros((3, 8, 9), np.uint8)", "Image.fromarray(a)", "_.size == (9, 8)", library="PIL"),
    case("pillow-data-type", "from PIL import Image; a = np.ones((8, 9, 3), 'f4')", "Image.fromarray(a)", "_.getpixel((0, 0)) == (255, 255, 255)", library="PIL"),
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
    case("from-numpy-byte-order", "a = np.arange(4, dtype='>f4')", "torch.from_numpy(a)", "x.tolist() == a.tolist()"),
    case("write-to-expanded", "x = torch.zeros(1, 3); shape = (2, 3)", "x.expand(shape).add_(1)", "y.add_(1).tolist() == [[1] * 3] * 2"),
    case("load-cuda", "path = file; state = {'w': torch.ones(3)}; tagged(torch, state, path)", "torch.load(path)", "state['w'].tolist() == [1, 1, 1]",
         "torch.load(path)['w'].device.type == 'cpu'"),
    case("memoryview-cast", "a = np.arange(12).reshape(3, 4).T", "memoryview(a).cast('B')", "bytes(m) == a.tobytes()", library="numpy"),
    case("opencv-layout", "img = np.zeros((3, 8, 9), 'u1').transpose(1, 2, 0)", QUOTED, "img.strides == (27, 3, 1)", library="numpy"),
    case("opencv-layout", "img = np.zeros((3, 8, 9), 'u1').transpose(1, 2, 0)", "cv2.circle(img, (1, 1), 1, (1, 2, 3))",
         "cv2.circle(img, (1, 1), 1, (1, 2, 3)) is not None", library="cv2"),
    case("not-c-contiguous", "a = np.arange(12).reshape(3, 4).T", QUOTED, "a.flags.c_contiguous", library="numpy"),
    case("tma-strides", "x = a = torch.rand(4, 511).half()", QUOTED, "x.stride(0) % 8 == 0 and x.stride(1) == 1 and (x == a).all()"),
    case("tma-base", "x = torch.rand(4, 64)[:, 1:]", QUOTED, "x.data_ptr() % 16 == 0"),
    case("tma-strides", DESCRIPTOR + "x = torch.rand(4, 511).half()", DESCRIBED, DESCRIBED + " is not None", library="triton"),
    case("tma-base", DESCRIPTOR + "x = torch.rand(4, 64)[:, 1:]", DESCRIBED, DESCRIBED + " is not None", library="triton"),
    case("tma-base", DESCRIPTOR + "x = torch.rand(4, 68)[:, 2:66]", DESCRIBED, DESCRIBED + " is not None", library="triton"),
    case("descriptor-last-dim", DESCRIPTOR + "x = torch.rand(8, 128)[:, ::2]", DESCRIBED, DESCRIBED + " is not None", library="triton"),
    case("descriptor-last-dim", DESCRIPTOR + "x = torch.rand(8, 128)[:, ::128]", DESCRIBED, DESCRIBED + " is not None", library="triton"),
    case("descriptor-last-dim", TILE, QUOTED, "x.stride(-1) == 1"),
    case("last-dim-contiguous", "q = k = v = torch.rand(2, 8, 4).transpose(1, 2)[:, :, :1]; dout = torch.ones(1).expand(2, 8, 4); before = q, k, v", QUOTED,
         LAST % "(q, k, v)", "dout.stride(-1) == 1"),
    case("attention-last-dim", "attn_mask = torch.rand(2, 8, 4).transpose(1, 2)[:, :, :1]; before = attn_mask,", QUOTED, LAST % "(attn_mask,)"),
    case("any-last-dim", TILE, QUOTED, "x.stride(-1) == 1"),
    case("jax-dlpack-strides", "import jax.dlpack; a = np.zeros((4, 6), 'f4')[:, ::2]", "jax.dlpack.from_dlpack(a)", "y.shape == a.shape", library="jax"),
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
    if c["name"].endswith("input-shape") and "np." in code:
        names["x"] = names["x"].numpy()
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
    if name in ("keras", "tensorflow"):
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    try:
        if name == "safetensors":
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
    except Quoted:
        pass
    except Exception as error:
        text = eval(c["paste"], names) + str(error)
    print(json.dumps({"name": c["name"], "text": text, "before": c["before"]}), flush=True)
    fixes = json.loads(sys.stdin.readline())
    wrong = ["%d repairs, %d checks: %s" % (len(fixes), len(c["checks"]), fixes)] if len(fixes) != len(c["checks"]) else []
    print(json.dumps(wrong + [code + ": " + bad for code, check in zip(fixes, c["checks"]) if (bad := repair(c, code, check))]), flush=True)
