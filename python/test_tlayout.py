"""Tests the installed package with PyTorch and NumPy, and with JAX and TensorFlow if installed: python/verify.sh runs it in a new environment."""

import collections
import contextlib
import dataclasses
import importlib.util
import inspect
import io
import os
import random
import subprocess
import sys
import tempfile
import types
import typing
import unittest
from unittest import mock

import numpy as np
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

import tlayout
from tlayout import asserts

try:
    import jax.numpy
except ImportError:
    jax = None
try:
    import ml_dtypes
except ImportError:
    ml_dtypes = None

POINT = collections.namedtuple("POINT", "a b")


@dataclasses.dataclass
class Pair:
    a: object
    b: object


class Net(torch.nn.Module):
    """Has a parameter under two names, a buffer missing from state_dict, and a submodule."""

    def __init__(self, part):
        super().__init__()
        self.w = self.again = torch.nn.Parameter(torch.zeros(2, 2))
        self.register_buffer("mask", torch.zeros(2), persistent=False)
        self.register_buffer("none", None)
        self.part = part


def shown(*tensors):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        tlayout.show(*tensors)
    return out.getvalue()


def seeded():
    seed = int(os.environ.get("TLAYOUT_TEST_RANDOM_SEED") or random.randrange(1 << 32))
    print(f"TLAYOUT_TEST_RANDOM_SEED={seed}", file=sys.stderr)
    return random.Random(seed)


def narrow():
    """Yields the names and tensors, of shape (2, 3, 4), of the types below a byte that ml_dtypes and PyTorch have."""
    for name in "int4", "int2", "uint4", "uint2", "uint1", "float4_e2m1fn":
        if hasattr(ml_dtypes, name):
            yield name, np.arange(24).reshape(2, 3, 4).astype(getattr(ml_dtypes, name))
        if hasattr(torch, name):
            yield "torch." + name, torch.arange(24, dtype=torch.uint8).reshape(2, 3, 4).view(getattr(torch, name))


def as_bytes(x):
    return x.view(torch.uint8).numpy() if isinstance(x, torch.Tensor) else x.view("u1")


class Test(unittest.TestCase):
    def raised(self, kind, x, **assertions):
        """Returns the text of the error, and checks that it chains no other."""
        with self.assertRaises(kind) as caught:
            tlayout.assert_layout(x, **assertions)
        self.assertTrue(caught.exception.__context__ is None or caught.exception.__suppress_context__)
        text = str(caught.exception)
        self.assertNotRegex(text, "(?m)^-:|standard input|^tlayout:")
        return text


class Package(unittest.TestCase):
    def test_lazy(self):
        """Importing the package, its help and its names load neither PyTorch nor NumPy; watch is among them."""
        code = ("import sys, pydoc, tlayout; text = pydoc.plain(pydoc.render_doc(tlayout)); assert 'watch' in dir(tlayout); "
                "assert 'class watch(' in text and 'contiguous: ' in text; assert tlayout.__version__; "
                "print([m for m in ('torch', 'numpy') if m in sys.modules])")
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        self.assertEqual(done.stdout, "[]\n", done.stderr)
        self.assertRaises(AttributeError, getattr, tlayout, "nonsense")


class Shows(Test):
    def test_torch(self):
        """The first line names a tensor's memory format, including that of a view with an offset."""
        x = torch.zeros(2, 3, 4, 5).to(memory_format=torch.channels_last)
        self.assertIn("channels_last contiguous", shown(x).splitlines()[0])
        d = tlayout.describe(x[1, :, 1:])
        self.assertEqual((d["shape"], d["strides"], d["unit"], d["storage_offset"], d["storage"]["bytes"]), ([3, 3, 5], [4, 60, 12], "bytes", 300, 480))

    def test_numpy(self):
        """Views of an array, including reversed ones, describe one storage that contains their first element."""
        base = np.arange(24, dtype=np.float32).reshape(4, 6)
        for view in (base, base.T, base[::-1, 1::2], base[2:, 3], base[::-1][::-1]):
            d = tlayout.describe(view)
            self.assertEqual(d["storage"], {"id": "cpu:" + hex(base.ctypes.data), "bytes": 96, "device": "cpu"})
            self.assertEqual(base.ravel()[d["storage_offset"] // 4], view.flat[0])
            self.assertEqual(d["strides"], list(view.strides))
        self.assertIn("(4, 6)", shown(base))

    def test_dtypes(self):
        """Times, structures and text have their size; an element type unknown to tlayout is an error that names the tensor."""
        for dtype, want in (("M8[ns]", "<M8[ns]"), ("m8[s]", "<m8[s]"), ([("a", "f4"), ("b", "i8")], "|V12"), ("U3", "<U3"), (">f4", ">f4"), ("?", "|b1")):
            x = np.zeros((2, 3), dtype)
            self.assertEqual(tlayout.describe(x)["dtype"], want)
            tlayout.assert_layout(x, packed=True, contiguous="c")
        self.assertEqual(tlayout.describe(torch.zeros(2, dtype=torch.bfloat16))["dtype"], "torch.bfloat16")
        objects = np.zeros(3, object)
        self.assertRegex(self.raised(ValueError, objects, packed=True), "^x: object arrays")
        self.assertRegex(self.raised(ValueError, {"a": np.zeros(2), "b": objects}, packed=True), "^b: object arrays")

    def test_narrow(self):
        """Values below a byte have the byte that NumPy and PyTorch give each: in sizes, in what is unused, and in what shares memory."""
        for name, x in narrow():
            with self.subTest(name):
                self.assertEqual(tlayout.describe(x)["storage"]["bytes"], 24)
                self.assertIn(f"{name.removeprefix('torch.')} (2, 3, 4), 24 B", shown(x))
                tlayout.assert_layout(x, max_bytes=24, no_unused=True, expect_dtype=x.dtype, expect_strides=(12, 4, 1))
                self.assertIn("expected 23, found 24 bytes", self.raised(AssertionError, x, max_bytes=23))
                self.assertIn("12 bytes of 24", self.raised(AssertionError, x[:1], no_unused=True))
                self.assertIn("no-sharing", self.raised(AssertionError, [x[:1], x[0, 2:]], no_sharing=True))

    def test_state_dict(self):
        """Tied tensors and unused bytes are reported."""
        state = {"a": torch.zeros(4, 4), "part": torch.zeros(1000)[:10]}
        state["b"] = state["a"].t()
        text = shown(state)
        self.assertIn("3 tensors in 2 storages", text)
        self.assertIn("shared: a, b", text)
        self.assertIn("unused: part", text)
        self.assertIn("2 tensors", shown(torch.nn.Linear(2, 2)))

    def test_notebook(self):
        """A running IPython displays each tensor as a drawing, and a state_dict as text, in a font of equal widths; if it is only imported, text is printed."""
        displayed = []
        display = types.SimpleNamespace(display=lambda data, raw: displayed.append(data))
        x, y = torch.zeros(2, 3), np.zeros(4)
        with mock.patch.dict(sys.modules, IPython=types.SimpleNamespace(get_ipython=lambda: object(), display=display)):
            self.assertEqual(shown(x) + shown(x, y) + shown({"a<b": torch.zeros(2), "c": torch.zeros(2)}), "")
        one, two, state = displayed
        self.assertEqual([html["text/html"].count("<svg") for html in displayed], [1, 2, 0])
        self.assertTrue(all('<pre style="font-family: ui-monospace, ' in html["text/html"] for html in displayed))
        self.assertIn("float32 (2, 3)", one["text/plain"])
        self.assertIn("<figcaption>tensor 1</figcaption>", two["text/html"])
        self.assertIn("a&lt;b", state["text/html"])
        with mock.patch.dict(sys.modules, IPython=types.SimpleNamespace(get_ipython=lambda: None)):
            self.assertIn("float32", shown(torch.zeros(2)))

    def test_several(self):
        """Several tensors have the names of the caller's line, of expressions since Python 3.11; containers add their keys."""
        x, state, out = torch.zeros(2, 3), {"w": torch.zeros(4)}, io.StringIO()
        with contextlib.redirect_stdout(out):
            tlayout.show(x, x.t(),
                         state)
            tlayout.show(*[x, x])
        names = ["x", "x.t()" if sys.version_info >= (3, 11) else "tensor 2", "state.w"]
        self.assertEqual([line.split("  ")[0].strip() for line in out.getvalue().splitlines()[3:6]], names)
        self.assertIn("shared: x, ", out.getvalue())
        self.assertIn("shared: x (1), x (2) are views", out.getvalue())
        self.assertRaisesRegex(TypeError, "no tensor given", tlayout.show)
        self.assertRaisesRegex(TypeError, r"show has no keyword al: did you mean all\?", tlayout.show, x, al=True)

    def test_devices(self):
        """A tensor of a GPU is not said to be one that NumPy reads, one of meta to have memory, and an empty one to be on meta."""
        text = shown(torch.zeros(2, 3, device="meta"))
        self.assertRegex(text.splitlines()[0], "on meta$")
        self.assertRegex(text, "zero-copy +PyTorch\nrefused +all others: the tensor is on meta: it has no memory")
        gpu = type("Array", (), dict(shape=(3,), dtype=np.dtype("float32"), device=types.SimpleNamespace(id=1), __cuda_array_interface__={"data": (4096, False)}))()
        self.assertRegex(shown(gpu).splitlines()[0], "on cuda:1$")
        self.assertRegex(shown(gpu), "refused +NumPy, safetensors: the tensor is on cuda:1, not in the CPU's memory")
        self.assertRaisesRegex(AssertionError, "cuda:1", tlayout.assert_layout, gpu, accepted_by="numpy")
        self.assertIn("device: 0 on cuda:1\ndevice: 1 on meta", shown([gpu, torch.zeros(2, device="meta")]))
        self.assertNotIn("meta", shown(torch.zeros(0)))

    def test_layout(self):
        """A layout is a value: equal for equal layouts of any library, with one hash, whatever the names."""
        x = torch.zeros(2, 3, 4, 5).to(memory_format=torch.channels_last)
        a = tlayout.layout(x[1:], "x")
        self.assertEqual(repr(a), "Layout(dtype='float32', shape=(1, 3, 4, 5), strides=(60, 1, 15, 3), offset=60, device='cpu', name='x')")
        same = tlayout.layout(np.zeros((2, 4, 5, 3), "f4")[1:].transpose(0, 3, 1, 2))
        self.assertEqual((a, hash(a), len({a, same})), (same, hash(same), 1))
        others = [x, x[1:].double(), x[1:].to("meta"), x[1:].numpy().astype(">f4"), x[1:].contiguous()]
        self.assertEqual(len({a, *map(tlayout.layout, others)}), 6)
        self.assertEqual(tlayout.layout(np.zeros(3, ">f4")).dtype, ">f4")
        self.assertEqual(tlayout.layout(memoryview(b"abc")), tlayout.Layout("uint8", (3,), (1,)))
        self.assertRaisesRegex(TypeError, "not a tensor", tlayout.layout, [x])
        self.assertRaisesRegex(ValueError, "^y: strides .* are not multiples", tlayout.layout, np.zeros(2, "u1,f4")["f1"], "y")

    def test_all(self):
        """What is shown ends with facts, not with flags of the command line; all=True shows more of them."""
        x, out = torch.zeros(2, 3), io.StringIO()
        with contextlib.redirect_stdout(out):
            tlayout.show(x, all=True)
        self.assertGreater(len(out.getvalue()), 2 * len(shown(x)))
        self.assertNotIn("--", shown(x))
        self.assertIn("details: all=True", shown(torch.zeros(1).expand(3, 4)))
        for y in (torch.zeros(1).expand(3, 4), np.zeros(2, "V2"), np.zeros((224, 224, 3), "u1"), np.zeros(3, [(f"f{i}", "f4") for i in range(99)]),
                  torch.zeros(2, 1, 4, 4).as_strided((2, 1, 4, 4), (16, 1, 4, 1)), torch.nn.LSTM(3, 4, 30)):
            for all in False, True:
                with contextlib.redirect_stdout(io.StringIO()) as out:
                    tlayout.show(y, all=all)
                self.assertNotRegex(out.getvalue(), r"--[a-z]")

    def test_settings(self):
        """Settings files and TLAYOUT_ variables change neither what is shown nor what is asserted."""
        x = torch.zeros(2, 3)
        text = shown(x)
        with tempfile.TemporaryDirectory() as folder:
            os.makedirs(os.path.join(folder, "tlayout"))
            with open(os.path.join(folder, "tlayout/config.yaml"), "w") as f:
                f.write("inspect:\n  format: json\ncheck:\n  rank: 9\n")
            env = dict(XDG_CONFIG_HOME=folder, TLAYOUT_CONFIG=os.path.join(folder, "tlayout/config.yaml"), TLAYOUT_INSPECT_FORMAT="json", TLAYOUT_CHECK_RANK="9", TLAYOUT_NO_SUCH="1", CLICOLOR_FORCE="1")
            for given in (env, {"XDG_CONFIG_HOME": folder}):
                with mock.patch.dict(os.environ, given):
                    self.assertEqual(shown(x), text)
                    tlayout.assert_layout(x, packed=True)


class Asserts(Test):
    # For each assertion a value that holds for GOOD and one that does not; for flags a tensor for which they do not hold.
    GOOD = torch.zeros(2, 3, 4, 5)
    VALUES = {
        "layout": ("nchw", "nhwc"), "contiguous": ("c", "channels_last"), "byte_order": ("little", "big"), "rank": (4, 3),
        "expect_dtype": (torch.float32, np.float64), "expect_shape": (GOOD.shape, (2, 3, 5, "*")), "expect_strides": ([60, 20, 5, 1], (60, 20, 5, 2)),
        "expect_offset": (0, 1), "max_bytes": ("1KiB", 479), "accepted_by": (["numpy", "pytorch"], "numpy,safetensors"),
    }
    BAD = {
        "accepted_by": GOOD[:, ::2], "packed": GOOD[:, :2], "no_padding": GOOD[:, ::2], "no_overlap": GOOD.as_strided((3, 3), (1, 1)),
        "no_broadcast": GOOD[:1].expand(2, 3, 4, 5), "no_unused": GOOD[:1],
    }

    def test_every_assertion(self):
        """Every assertion passes if it holds and fails if it does not, beside others that hold; the assertions are those of tlayout check."""
        for name in asserts.VALUES + asserts.FLAGS:
            good, bad = self.VALUES.get(name, (True, True))
            with self.subTest(name):
                tlayout.assert_layout(self.GOOD, **{"no_overlap": True, name: good})
                if name in ("strict", "no_sharing"):
                    continue
                text = self.raised(AssertionError, self.BAD.get(name, self.GOOD), **{name: bad})
                self.assertIn(name.removeprefix("expect_").replace("_", "-"), text)
        with self.assertRaises(AssertionError):
            tlayout.assert_layout({"a": self.GOOD, "b": self.GOOD}, no_sharing=True)
        one = torch.zeros(2, 1, 4, 5)
        tlayout.assert_layout(one, layout="nchw")
        with self.assertRaises(AssertionError):
            tlayout.assert_layout(one, layout="nchw", strict=True)
        usage = subprocess.run([tlayout.program.path(), "check", "--help", "--all"], capture_output=True, text=True).stdout
        asserted = usage[usage.index("Assert the memory order"):usage.index("What SRC is")]
        flags = {line.split()[0][2:].replace("-", "_") for line in asserted.splitlines() if line.startswith("  --") or line.startswith("      --")}
        self.assertEqual(flags, {*asserts.VALUES, *asserts.FLAGS, *asserts.OF_FILES})

    def test_signature(self):
        """The keywords and the literals of the signature are those of tlayout check, and each has its line in the docstring."""
        names = list(inspect.signature(tlayout.assert_layout).parameters)[1:]
        self.assertEqual(set(names), {*asserts.VALUES, *asserts.FLAGS})
        for name in names:
            self.assertRegex(tlayout.assert_layout.__doc__, f"(?m)^    (.*, )?{name}(, .*)?: ")
        for literal, name in (asserts.Contiguous, "contiguous"), (asserts.ByteOrder, "byte_order"), (asserts.Framework, "accepted_by"):
            text = self.raised(ValueError, self.GOOD, **{name: "no_such"})
            self.assertEqual(set(typing.get_args(literal)), set(text.partition("valid values are ")[2].split("; ")[0].split(", ")), text)

    def test_refused(self):
        """An unknown assertion, and a value that asserts nothing, are refused, whatever else holds."""
        x = self.GOOD
        for assertions, kind, text in (
                (dict(no_such=True), TypeError, "^assert_layout has no keyword no_such: it has x, layout, contiguous, "), (dict(contigous="c"), TypeError, "^assert_layout has no keyword contigous: did you mean contiguous\\?$"),
                (dict(finite=True), TypeError, "^assert_layout has no keyword finite: tlayout check asserts it of a file$"),
                (dict(strict=True), TypeError, "no assertion given"), ({}, TypeError, "no assertion given"),
                (dict(contiguous="diagonal"), ValueError, "^contiguous: \"diagonal\": valid values are c, f")):
            self.assertRegex(self.raised(kind, x, **assertions), text)
            if assertions.keys() - {"strict"}:
                self.assertRegex(self.raised(kind, x, rank=4, **assertions), text)
        for name in asserts.VALUES + asserts.FLAGS:
            for value in (False, None, "", {}) + ((1, "true") if name in asserts.FLAGS else (True,)):
                with self.subTest(name, value=value):
                    self.assertRegex(self.raised(TypeError, x, **{"no_overlap": True, name: value}), f"^{name}={value!r} asserts nothing; .*omit {name}")
        for name in set(asserts.VALUES) - {"contiguous"}:
            with self.subTest(name):
                self.assertRegex(self.raised((AssertionError, ValueError), x, **{"no_overlap": True, name: "x y"}), name)
        self.assertRaises(ValueError, tlayout.assert_layout, x, expect_dtype=1.5)

    def test_expect_dtype(self):
        """A type of NumPy is expected with its byte order, a name without one; of records only the size is known."""
        x = np.arange(6).reshape(2, 3)
        for found, expected, holds in (("<i8", np.int64, True), (">i8", np.int64, False), ("<i8", np.dtype("<i8"), True), (">i8", np.dtype("<i8"), False),
                                       (">i8", np.dtype(">i8"), True), ("<i8", np.dtype(">i8"), False), (">i8", "int64", True), (">i8", "<i8", False),
                                       ("<M8[s]", np.dtype("<M8[s]"), True), (">M8[s]", np.dtype("<M8[s]"), False), ("?", np.bool_, True),
                                       (">i8", torch.int64, False), ("<i8", torch.int64, True), (">c8", torch.complex64, False), (">f2", torch.float16, False),
                                       ("u1", torch.uint8, True)):
            y = x.astype(found)
            with self.subTest(found, expected=expected):
                if holds:
                    tlayout.assert_layout(y, expect_dtype=expected)
                else:
                    self.assertIn(f"found {found}", self.raised(AssertionError, y, expect_dtype=expected))
        records = np.zeros(2, "i4,f4")
        self.assertRegex(self.raised(ValueError, records, expect_dtype=np.dtype("f4,i4")), r"by their size only; pass expect_dtype='\|V8'$")
        tlayout.assert_layout(records, expect_dtype="|V8")
        if ml_dtypes:
            tlayout.assert_layout(np.zeros(2, ml_dtypes.bfloat16), expect_dtype=ml_dtypes.bfloat16)
        if jax:
            tlayout.assert_layout(jax.numpy.zeros(2, "bfloat16"), expect_dtype=jax.numpy.bfloat16)
            tlayout.assert_layout(jax.numpy.zeros(2, "float32"), expect_dtype=jax.numpy.float32)
        for dtype in torch.float16, torch.bfloat16, torch.float64, torch.complex64, torch.int16, torch.bool, torch.int8:
            tlayout.assert_layout(torch.zeros(2, dtype=dtype), expect_dtype=dtype)

    def test_variable(self):
        """An error names the variable, and the key in a container."""
        picture, state = torch.zeros(2, 3), {"enc": {"w": torch.zeros(2)}}
        with self.assertRaisesRegex(AssertionError, "^picture: rank: expected 1, found 2$"):
            tlayout.assert_layout(picture, rank=1)
        with self.assertRaisesRegex(AssertionError, "^Tensor: rank: expected 1, found 2$"):
            tlayout.assert_layout(torch.zeros(2, 3), rank=1)
        with self.assertRaisesRegex(AssertionError, "^enc.w: rank: expected 2, found 1$"):
            tlayout.assert_layout(state, rank=2)
        state["a"] = state["enc"]["w"]
        with self.assertRaisesRegex(AssertionError, "^state: no-sharing: no: 1 storage is shared; enc.w, a are views"):
            tlayout.assert_layout(state, no_sharing=True)
        self.assertEqual(tlayout.assert_layout(state, rank=1), "state: 2 tensors")

    def test_failed(self):
        """A check that failed without a reason, or was killed, does not pass."""
        x = self.GOOD
        for code, kind in ((1, AssertionError), (-9, ValueError), (5, ValueError)):
            with mock.patch.object(tlayout.program.subprocess, "run", return_value=subprocess.CompletedProcess([], code, "", "")):
                self.assertRegex(self.raised(kind, x, packed=True), f"ended with exit code {code}")

    def test_nested(self):
        """Tensors in nested containers are all found and checked."""
        good, bad = torch.zeros(2, 2), torch.zeros(2, 2, 2)
        for make, path in (
                (lambda x: {"a": {"b": x}}, "a.b"), (lambda x: [good, [x]], "1.0"), (lambda x: (good, x), "1"), (lambda x: {"a": POINT(good, x)}, "a.b"),
                (lambda x: Pair(good, [x]), "b.0"), (lambda x: {0: {"step": 3, "lr": 1e-3, "avg": x, "none": None, "f": torch.float32}}, "0.avg"),
                (lambda x: collections.OrderedDict(a=x), "a"), (lambda x: collections.deque([x]), "0"),
                (lambda x: {"m": torch.nn.ParameterList([torch.nn.Parameter(x)])}, "m.0"), (lambda x: {"s": np.float32(1), "a": x.numpy()}, "a")):
            with self.subTest(path):
                tlayout.assert_layout(make(good), rank=2)
                self.assertIn(path + ": rank: expected 2, found 3", self.raised(AssertionError, make(bad), rank=2).splitlines())
        net = Net(torch.nn.Linear(2, 3))
        self.assertEqual(set(tlayout.containers.named(net, "net")), {"w", "again", "mask", "part.weight", "part.bias"})
        self.assertIn("w, again are views", self.raised(AssertionError, net, no_sharing=True))
        twice = Net(torch.nn.ModuleList([net.part, net.part]))
        self.assertIn("part.0.weight, part.1.weight", self.raised(AssertionError, twice, no_sharing=True))
        self.assertIn("mask: rank", self.raised(AssertionError, {"net": net}, rank=2))

    def test_not_looked_into(self):
        """An unsupported object that may contain tensors is a TypeError that names its key; so is a tensor without strides."""
        series = type("Series", (), dict(shape=(3,), dtype=np.dtype("f4"), size=3))()
        cases = [(object(), "object is neither"), ({torch.zeros(2)}, "set is neither"), (iter([]), "is neither"), (Net, "type is neither"),
                 (torch.optim.SGD, "type is neither"), (series, "Series has no strides in memory"),
                 (torch.zeros(2, 2).to_sparse(), "has no strides in memory"),
                 (torch.nn.parameter.UninitializedParameter(), "UninitializedParameter has no strides")]
        for x, text in cases:
            with self.subTest(text):
                self.assertRegex(self.raised(TypeError, {"good": torch.zeros(2), "a": [1, x]}, packed=True), "^a.1: .*" + text)
                self.assertRegex(self.raised(TypeError, x, packed=True), text)
        for x in (5, "text", None):
            self.assertRegex(self.raised(TypeError, x, packed=True), "neither a tensor of PyTorch")
        for x in ({}, [[], {"step": 1}], torch.nn.ReLU()):
            self.assertRegex(self.raised(ValueError, x, packed=True), "^x contains no tensor$")
        self.assertEqual(self.raised(ValueError, {"a.b": torch.zeros(2), "a": {"b": torch.zeros(2)}}, packed=True), "duplicate tensor name a.b")
        for x in ([torch.zeros(2)], Net(None)):
            self.assertRaisesRegex(TypeError, "is not a tensor of PyTorch, NumPy", tlayout.describe, x)

    def test_deep(self):
        """Containers are walked to any depth, and one that contains itself is an error that names it."""
        deep = [torch.zeros(2, 2)]
        for _ in range(3000):
            deep = [deep]
        tlayout.assert_layout(deep, rank=2)
        self.assertIn("0.0.0: rank: expected 1, found 2", self.raised(AssertionError, deep, rank=1))
        shared = [torch.zeros(2, 2)]
        self.assertEqual(tlayout.assert_layout([shared, shared, {"a": shared}], rank=2), "list: 3 tensors")
        loop, net = {"w": torch.zeros(2, 2)}, Net(None)
        loop["list"] = [1, loop]
        net.part = torch.nn.Sequential(net)
        for x, text in (loop, "list.1: this dict contains itself"), (net, "part.0: this test_tlayout.Net contains itself"):
            self.assertEqual(self.raised(ValueError, x, rank=2), text)

    def test_keys(self):
        """Keys that files and JSON cannot hold are escaped: names differ if their keys do, and relate pairs them."""
        odd = {"\ud800": torch.zeros(2), "\udfff": torch.ones(2), "a\0b": torch.zeros(3), "a\0c": torch.ones(3), "a": torch.zeros(4), "": torch.zeros(5)}
        self.assertEqual(list(tlayout.containers.named(odd, "")), ["\\ud800", "\\udfff", "a\\x00b", "a\\x00c", "a", ""])
        tlayout.assert_layout(odd, packed=True)
        self.assertIn("\\ud800", self.raised(AssertionError, odd, rank=2))
        for same in odd, {key: t.numpy() for key, t in odd.items()}:
            self.assertIn("hold the same 6 tensors", tlayout.relate(odd, same))
        arrays = {key: t.numpy() for key, t in odd.items()}
        self.assertIn("hold the same 6 arrays", tlayout.relate(arrays, dict(arrays)))

    def test_many(self):
        """A program has more tensors than a file that is not trusted may have."""
        x = np.zeros(2)
        self.assertEqual(tlayout.assert_layout([x] * 30_000, packed=True), "list: 30000 tensors")

    def test_optimizer(self):
        """The state of an optimizer is checked under the keys of its state_dict."""
        w = torch.nn.Parameter(torch.zeros(2, 2))
        adam = torch.optim.Adam([w])
        w.sum().backward()
        adam.step()
        self.assertRegex(tlayout.assert_layout(adam, packed=True), r"^adam: \d tensors$")
        self.assertIn("state.0.exp_avg: rank: expected 3, found 2", self.raised(AssertionError, {"opt": adam}, rank=3).replace("opt.", ""))

    def test_channels_last(self):
        """channels_last of a model applies to its tensors of rank 4, and reports the number of others."""
        def model(kind, n):
            return torch.nn.Sequential(kind(3, 4, 3), torch.nn.BatchNorm2d(4), kind(4, 4, 3), torch.nn.Linear(2, 2))
        for kind, rank, sense in ((torch.nn.Conv2d, 4, "channels_last"), (torch.nn.Conv3d, 5, "channels_last_3d")):
            m = model(kind, rank)
            text = self.raised(AssertionError, m, contiguous=sense)
            self.assertRegex(text, f"^0.weight: contiguous: expected {sense}, .*\n2.weight: contiguous: expected {sense}, .*$")
            m = m.to(memory_format=getattr(torch, sense))
            self.assertEqual(tlayout.assert_layout(m, contiguous=sense), "m: 11 tensors, 9 of another rank skipped")
            tlayout.assert_layout(m, contiguous=sense, no_sharing=True, packed=True)
            self.assertIn("0.bias: rank: expected 4, found 1", self.raised(AssertionError, m, contiguous=sense, rank=4))
            m.tied = m[0].weight
            self.assertIn("no-sharing", self.raised(AssertionError, [m, m], contiguous=sense, no_sharing=True))
        self.assertIn("all tensors are skipped, 2 of another rank", self.raised(AssertionError, torch.nn.Linear(2, 3), contiguous="channels_last"))
        self.assertIn("contiguous: ", self.raised(AssertionError, torch.zeros(2), contiguous="channels_last"))
        self.assertIn("bias: contiguous: expected f", self.raised(AssertionError, {"w": torch.zeros(2, 2).t(), "bias": torch.zeros(2, 2)}, contiguous="f"))


class Shares(Test):
    def test_overlap(self):
        """Tensors share storage only if their bytes overlap, whichever objects made them; each is at its address."""
        r = seeded()
        for _ in range(25):
            buffer, state, used = bytearray(64), {}, []
            shared, start = False, np.frombuffer(buffer, np.uint8).ctypes.data
            for i in range(r.randrange(2, 5)):
                at, n = r.randrange(60), r.randrange(0, 5)
                x = np.frombuffer(buffer, r.choice((np.uint8, np.int8)), n, at)
                state[str(i)] = torch.from_numpy(x) if r.random() < 0.5 else x
                mine = set(range(at, at + n))
                shared = shared or any(mine & other for other in used)
                used.append(mine)
            for d, mine in zip(tlayout.memory.documents(state.items()), used):
                low = int(d["storage"]["id"].split(":")[-1], 16)
                self.assertTrue(not mine or low + d["storage_offset"] == start + min(mine), (d, mine))
                self.assertLessEqual(d["storage_offset"] + len(mine), d["storage"]["bytes"])
            try:
                tlayout.assert_layout(state, no_sharing=True)
                self.assertFalse(shared, (state, used))
            except AssertionError as e:
                self.assertIn("no-sharing", str(e))
                self.assertTrue(shared, (state, used))

    def test_sizes(self):
        """Elements of different sizes share too, even if not at a multiple of each other."""
        base = np.zeros(64, np.uint8)
        for at in (4, 2, 1):
            state = {"a": base[:20], "b": torch.from_numpy(base[at:at + 8]).view(torch.float32)}
            d = tlayout.memory.documents(state.items())[1]
            self.assertEqual((d["strides"], d["unit"], d["storage_offset"]), ([4], "bytes", at))
            if at == 4:
                self.assertIn("a, b are views", self.raised(AssertionError, state, no_sharing=True))
            else:
                self.assertIn(f"b: {at} bytes are not a multiple", self.raised(ValueError, state, no_sharing=True))

    def test_no_address(self):
        """Empty tensors, and different ones on meta, share nothing; views of one on meta do."""
        meta, base = torch.zeros(6, device="meta"), np.arange(6)
        apart = {"a": meta, "b": torch.zeros(6, device="meta"), "c": torch.zeros(0), "d": torch.zeros(0, 3), "e": np.zeros(0), "f": np.zeros((0, 2)),
                 "i": torch.from_numpy(base[2:2]), "j": torch.from_numpy(base[2:2]), "g": torch.empty(0, device="meta"), "h": torch.empty(0, device="meta")}
        tlayout.assert_layout(apart, no_sharing=True, no_unused=True)
        self.assertEqual(len({d["storage"]["id"] for d in tlayout.memory.documents(apart.items())}), len(apart))
        self.assertIn("a, b are views", self.raised(AssertionError, {"a": meta, "b": meta[2:]}, no_sharing=True))
        self.assertIn("no-unused", self.raised(AssertionError, {"b": meta[2:]}, no_unused=True))
        for view in base[2:2], base[6:], base[::-1][6:], np.lib.stride_tricks.as_strided(base, (0,), (-8,)), base[::-1][:0]:
            tlayout.assert_layout({"base": base, "view": view}, no_sharing=True)

    def test_touching(self):
        """Neighbors in memory are two storages, and a view between them joins them."""
        buffer = bytearray(32)
        a, b, c = (np.frombuffer(buffer, np.uint8, 16, at) for at in (0, 16, 8))
        tlayout.assert_layout([a, b], no_sharing=True)
        self.assertIn("1 storage", self.raised(AssertionError, [a, b, c], no_sharing=True))
        self.assertEqual({d["storage"]["bytes"] for d in tlayout.memory.documents(zip("abc", (a, b, c)))}, {32})

    def test_cuda(self):
        """An array with CUDA's array interface is located in its memory, on its device; without strides it is row-major."""
        def array(ptr, device, memory=types.SimpleNamespace(ptr=1000, size=512), strides=(8,), shape=(3,)):
            return type("Array", (), dict(
                shape=shape, strides=strides, dtype=np.dtype("float32"), device=types.SimpleNamespace(id=device),
                data=types.SimpleNamespace(ptr=ptr, mem=memory), __cuda_array_interface__={"data": (ptr, False), "strides": strides}))()
        d = tlayout.describe(array(1016, 0))
        self.assertEqual((d["storage_offset"], d["strides"], d["storage"]), (16, [8], {"id": "cuda:0:0x3e8", "bytes": 512, "device": "cuda:0"}))
        d = tlayout.describe(array(1016, 1, None, None, (2, 3)))
        self.assertEqual((d["storage_offset"], d["strides"], d["storage"]), (0, [12, 4], {"id": "cuda:1:0x3f8", "bytes": 24, "device": "cuda:1"}))
        tlayout.assert_layout(array(1016, 0), expect_strides="2")
        tlayout.assert_layout([array(1000, 0), array(1000, 1)], no_sharing=True)
        self.assertIn("no-sharing", self.raised(AssertionError, [array(1000, 0), array(1200, 0)], no_sharing=True))
        x = array(1000, 0)
        with self.assertRaisesRegex(TypeError, "^x is on cuda:0; pass a tensor on the CPU$"):
            tlayout.convert(x, "f")

    def test_protocols(self):
        """Tensors of other libraries are located through DLPack or the buffer protocol, without a copy."""
        base = np.arange(12, dtype="f4").reshape(3, 4)
        class Other:
            shape, dtype = (4, 3), "other.float32"
            def __dlpack__(self, **kwargs):
                return base.T.__dlpack__(**kwargs)
            def __dlpack_device__(self):
                return base.__dlpack_device__()
        for x in Other(), memoryview(base):
            self.assertIn("no-sharing", self.raised(AssertionError, {"a": base, "b": x}, no_sharing=True))
        self.assertEqual(tlayout.describe(Other())["strides"], [4, 16])
        self.assertTrue((tlayout.convert(Other(), "c") == base.T).all())

    @unittest.skipUnless(jax, "no JAX")
    def test_jax(self):
        """JAX arrays are row-major, and share with NumPy views."""
        for dtype in "float32", "bfloat16":
            a = jax.numpy.arange(6, dtype=dtype).reshape(2, 3)
            d = tlayout.describe(a)
            self.assertEqual((d["strides"], d["storage"]["bytes"]), ([3 * a.dtype.itemsize, a.dtype.itemsize], 6 * a.dtype.itemsize))
            tlayout.assert_layout([a, a + 1, jax.numpy.zeros((0, 2))], no_sharing=True)
            self.assertIn("no-sharing", self.raised(AssertionError, {"a": a, "b": np.asarray(a)}, no_sharing=True))
            self.assertTrue((tlayout.convert(a, "f") == np.asarray(a)).all())
        packed = jax.numpy.arange(6).astype("int4")
        self.assertRegex(self.raised(TypeError, packed, packed=True), r"has no strides in memory: XLA packs int4; pass numpy.asarray\(x\)")
        tlayout.assert_layout(np.asarray(packed), packed=True, max_bytes=6)

    @unittest.skipUnless(importlib.util.find_spec("tensorflow"), "no TensorFlow")
    def test_tensorflow(self):
        import tensorflow
        x = tensorflow.reshape(tensorflow.range(120, dtype="float32"), (2, 3, 4, 5))
        tlayout.assert_layout({"x": x}, contiguous="c", rank=4)
        self.assertTrue((tlayout.convert(x, "nhwc") == x.numpy().transpose(0, 2, 3, 1)).all())


class Elements(Test):
    def test_convert(self):
        """The elements of random views are those of NumPy, in PyTorch's dtypes too, and the result can be written to."""
        r = seeded()
        for _ in range(20):
            dtype = np.dtype(r.choice(("i2", "f4", ">f8", "c8", "V5")))
            base = np.frombuffer(r.randbytes(6 * 7 * 8 * 9 * dtype.itemsize), dtype).reshape(6, 7, 8, 9)
            step = lambda: slice(r.choice((None, 1)), None, r.choice((1, 2, -1)))
            x = base.transpose(r.sample(range(4), 4))[step(), step(), step(), step()]
            y = tlayout.convert(x, "nhwc")
            self.assertEqual((y.dtype, y.tobytes()), (x.dtype, x.transpose(0, 2, 3, 1).tobytes()))
            self.assertEqual(tlayout.convert(x, "f").T.tobytes(), x.T.tobytes())
            y[0] = y[1]
        for dtype in torch.bfloat16, torch.float16, torch.bool, torch.int64, torch.complex64:
            x = torch.arange(120).reshape(2, 3, 4, 5).to(dtype).to(memory_format=torch.channels_last)[:, 1:]
            y = tlayout.convert(torch.nn.Parameter(x, requires_grad=dtype.is_floating_point), "c")
            self.assertTrue(y.dtype == dtype and y.is_contiguous() and torch.equal(y, x))
            self.assertTrue(torch.equal(tlayout.convert(x, "f"), x))
            y.zero_()
        for name, x in narrow():
            with self.subTest(name):
                y = tlayout.convert(x, "f")
                self.assertEqual((y.dtype, as_bytes(y).tolist()), (x.dtype, as_bytes(x).tolist()))
                y = tlayout.convert(x[:, ::2], "hwc", dims="C,H,W")
                self.assertEqual(as_bytes(y).tolist(), as_bytes(x)[:, ::2].transpose(1, 2, 0).tolist())
                as_bytes(y)[:] = 0
        y = tlayout.convert(torch.ones(1, 3, 2, 2), "nchw4c", pad_value=7, verify=True)
        self.assertEqual((tuple(y.shape), y[0, 0, 0, 0].tolist()), ((1, 1, 2, 2, 4), [1, 1, 1, 7]))
        self.assertEqual(tlayout.convert(torch.zeros(2, 4, 5, 3), "nchw", dims="N,H,W,C").shape, (2, 3, 4, 5))
        self.assertEqual(tlayout.convert(np.float32(3).reshape(()), "c"), 3)

        if ml_dtypes:
            y = tlayout.convert(np.ones((1, 3, 2, 2), ml_dtypes.int4), "nchw4c", pad_value=-7)
            self.assertEqual((y.dtype, y[0, 0, 0, 0].tolist()), (ml_dtypes.int4, [1, 1, 1, -7]))
            y = tlayout.convert(np.ones((1, 3, 2, 2), ml_dtypes.float4_e2m1fn), "nchw4c", pad_value=1.5)
            self.assertEqual(y[0, 0, 0, 0].tolist(), [1, 1, 1, 1.5])
        if hasattr(torch, "int4"):
            x = torch.zeros(1, 3, 2, 2, dtype=torch.uint8).view(torch.int4)
            self.assertRaisesRegex(ValueError, "no values of torch.int4; convert the view", tlayout.convert, x, "nchw4c", pad_value=1)

    @unittest.skipUnless(os.path.isdir("/dev/fd"), "no /dev/fd")
    def test_convert_descriptors(self):
        """A result holds no descriptor, and its memory is its own."""
        x = np.arange(24).reshape(2, 3, 4)
        before = len(os.listdir("/dev/fd"))
        results = [tlayout.convert(x, "f") for _ in range(5)]
        self.assertEqual(len(os.listdir("/dev/fd")), before)
        results[0][:] = 0
        self.assertTrue(all((y == x).all() for y in results[1:]) and not results[0].any())

    def test_convert_refused(self):
        """What cannot be converted is an error that says why, without flags or files of the program."""
        x = torch.zeros(2, 3)
        for kind, text, y, to in ((ValueError, "layout NHWC has dims N, C, H, W, the source has H, W", x, "nhwc"), (ValueError, "^x has no elements", x[:0], "c"),
                                  (TypeError, "is on meta; pass a tensor on the CPU", torch.zeros(2, device="meta"), "c"), (TypeError, "list is not a tensor", [x], "c"),
                                  (TypeError, r"^x is a masked array; pass x.data or x.filled\(0\)$", np.ma.masked_array([1, 2], [0, 1]), "c"),
                                  (ValueError, "in bytes are not multiples", np.zeros(2, "u1,f4")["f1"], "c"), (ValueError, "object", np.zeros(2, object), "c")):
            with self.assertRaises(kind) as caught:
                x = y
                tlayout.convert(x, to)
            self.assertRegex(str(caught.exception), text)
            self.assertNotRegex(str(caught.exception), "--|/tmp")

    def test_convert_safely(self):
        """No address is read that holds no element: not of tensors without memory, nor of memory that was freed; conj and neg bits are applied."""
        for n in 0, 2:  # elements
            cut = torch.zeros(2, 3)
            cut.untyped_storage().resize_(4 * n) if hasattr(cut, "untyped_storage") else cut.storage().resize_(n)
            for ask in lambda x: tlayout.convert(x, "c"), lambda x: tlayout.relate(x, torch.zeros(2, 3)), lambda x: tlayout.describe(x, "x"):
                self.assertRaisesRegex(ValueError, f"^x: its elements are bytes 0 to 24 of a storage of {4 * n}$", ask, cut)
        with FakeTensorMode():
            fake = torch.zeros(2, 3)
        self.assertRaisesRegex(TypeError, "pass a tensor on the CPU", tlayout.convert, fake, "c")
        meta = torch.zeros(2, 3, device="meta")
        self.assertRaisesRegex(TypeError, "^a is on meta; pass a tensor with elements$", tlayout.relate, meta, meta)
        class Temporary:
            shape, dtype = (100_000,), "float32"
            def __dlpack__(self, **kwargs):
                return (np.arange(100_000, dtype="f4") * 1).__dlpack__(**kwargs)
            def __dlpack_device__(self):
                return np.zeros(1).__dlpack_device__()
        self.assertEqual(tlayout.convert(Temporary(), "c").tolist(), list(range(100_000)))
        self.assertIn("hold the same tensor", tlayout.relate(Temporary(), np.arange(100_000, dtype="f4")))
        text = "abcdefgh" * 100
        self.assertEqual(str(tlayout.convert(np.str_(text), "c")), text)
        x = torch.tensor([[1 + 2j, 3 - 4j]])
        self.assertEqual(tlayout.convert(x.conj(), "c").tolist(), x.conj().tolist())
        self.assertEqual(tlayout.convert(x.conj().imag, "c").tolist(), x.conj().imag.tolist())
        self.assertIn("hold the same", tlayout.relate(x.conj().resolve_conj(), x.conj()))

    def test_relate(self):
        """A layout mistake is named by the variables; tensors of containers are paired."""
        right = np.random.default_rng(1).random((2, 3, 4, 5), "f4")
        wrong = torch.from_numpy(right.transpose(0, 2, 3, 1).copy()).reshape(2, 3, 4, 5)
        self.assertIn("wrong holds right's elements in memory order N H W C", tlayout.relate(right, wrong))
        self.assertIn("in the same order, plus 1", tlayout.relate(right, right + 1))
        self.assertIn("a and b hold the same tensor", tlayout.relate(right, right))
        old, new = {"w": torch.rand(4, 6), "file": torch.rand(3)}, {"w": None, "file": None}
        new = {"w": old["w"].t().contiguous(), "file": old["file"]}
        self.assertRegex(str(tlayout.relate(old, new)), "(?s)old and new differ.*w: ")
        arrays = {name: t.numpy() for name, t in new.items()}
        self.assertIn("new and arrays hold the same 2 tensors", tlayout.relate(new, arrays))
        for x, y in (right, wrong), (right, right.astype("f2")), (right, right[::-1].copy()), (old, new), ({"a": right}, {"a": -right, "b": right}):
            self.assertNotRegex(str(tlayout.relate(x, y)), "--|tlayout|Fix|note:|byte a")

    def test_relate_tolerance(self):
        """With a tolerance, near numbers are equal; elements and those that differ are counted, also of containers, with the largest difference."""
        x = torch.arange(120, dtype=torch.float32).reshape(2, 3, 4, 5).to(memory_format=torch.channels_last)
        y = x.clone()
        y[1] += 0.5
        r = tlayout.relate(x, y, atol=0.5)
        self.assertEqual((r.equal, r.elements, r.differing, r.largest), (True, 120, 0, 0.5))
        self.assertRegex(str(r), "(?s)^x and y are close, within 0.5: 120 elements.*largest absolute difference: 0.5 at ")
        r = tlayout.relate(x, y, rtol=1e-3, atol=0.1)
        self.assertEqual((r.equal, r.differing, r.largest, r.document["rtol"]), (False, 60, 0.5, 1e-3))
        self.assertIn("differ by more than", r)
        r = tlayout.relate({"a": x, "b": x}, {"a": x, "b": y}, atol=0.1)
        self.assertEqual((r.equal, r.elements, r.differing, r.largest), (False, 240, 60, 0.5))
        p, q = torch.from_numpy(np.random.default_rng(1).random((2, 2, 60), "f4"))
        r = tlayout.relate(p, torch.stack([p[0], q[0]]))
        self.assertEqual((r.equal, r.elements, r.differing, r.largest, repr(r)), (False, 120, 60, None, str(r)))
        self.assertEqual(tlayout.relate(x, x.double()).elements, 0)
        self.assertRaisesRegex(ValueError, "rtol", tlayout.relate, x, y, rtol=-1)
        self.assertRaisesRegex(TypeError, r"relate has no keyword rtl: did you mean rtol\?", tlayout.relate, x, y, rtl=1)

    def test_relate_order(self):
        """Two tensors in channels_last whose numbers differ by a factor are in the same order."""
        x = torch.rand(2, 3, 4, 5).to(memory_format=torch.channels_last)
        self.assertRegex(str(tlayout.relate(x, 2 * x)), "holds x's elements in the same order, times 2\n")

    def test_relate_types(self):
        """Elements are related as values of their types: those that NumPy lacks, of the same in PyTorch, and in containers."""
        r = np.random.default_rng(1)
        for name, x in narrow():
            values = np.random.default_rng(1).permuted(np.tile(as_bytes(x), (2, 4, 6)))  # so many that few values tell the order
            cast = (lambda b: torch.from_numpy(b.copy()).view(x.dtype)) if isinstance(x, torch.Tensor) else (lambda b: b.copy().view(x.dtype))
            x, y = cast(values), cast(values.transpose(2, 0, 1).reshape(values.shape))
            with self.subTest(name):
                self.assertRegex(str(tlayout.relate(x, x)), "x and x|a and b hold the same tensor")
                self.assertRegex(str(tlayout.relate(x, y)), r"in memory order (\w\w? ?){3}, under the shape")
        if not ml_dtypes:
            return
        right = r.standard_normal((4, 5, 6)).astype("f4")
        half = right.astype(ml_dtypes.bfloat16)
        same = torch.from_numpy(right).bfloat16()
        self.assertIn("half holds right's elements in the same order, as bfloat16", tlayout.relate(right, half))
        self.assertIn("half and same hold the same tensor", tlayout.relate(half, same))
        self.assertIn("hold the same 2 tensors", tlayout.relate({"a": right, "b": half}, {"a": right, "b": same}))
        self.assertIn("hold the same 2 tensors", tlayout.relate({"a": half, "b": same}, {"a": same, "b": half.copy(order="F")}))
        self.assertIn("hold the same 2 tensors", tlayout.relate({"a": half.astype(ml_dtypes.float8_e3m4), "b": same}, {"a": half.astype(ml_dtypes.float8_e3m4), "b": same}))
        self.assertIn("hold the same tensor", tlayout.relate(half.copy(order="F"), half))
        for odd in np.zeros(2, "M8[s]"), np.zeros(2, ">f4"):
            with self.assertRaisesRegex(TypeError, "^odd is not related to tensors of PyTorch: "):
                tlayout.relate({"odd": odd, "b": same}, {"b": same})
        whole = r.integers(-8, 8, (4, 5, 6))
        self.assertIn("four holds eight's elements in the same order, as int4", tlayout.relate(eight := whole.astype("i1"), four := whole.astype(ml_dtypes.int4)))



class Why(unittest.TestCase):
    def test_exception(self):
        """The tensors of the line that raised an exception are described, of arguments and attributes; values are not printed."""
        x = torch.zeros(2, 3, 4).transpose(1, 2)
        holder = types.SimpleNamespace(weight=x)
        module = torch.nn.Module()
        module.register_buffer("weight", x)
        for raises in (lambda: x.view(8, 3), lambda: holder.weight.view(8, 3), lambda: module.weight.view(8, 3)):
            try:
                raises()
            except RuntimeError as error:
                answer = tlayout.why(error)
            self.assertIn("dims 0 and 1 cannot be merged", answer)
            self.assertIn("= 4\u00b71 = 4, got 12", answer)
            self.assertIn("test_tlayout.py", answer)
            self.assertNotIn("--", answer)
        try:
            torch.from_numpy(np.zeros(3, ">f4"))
        except Exception as error:
            self.assertIn("newbyteorder", tlayout.why(error))

    def test_other_reasons(self):
        """An exception that complains about no layout has no answer, whatever tensors its line names."""
        a, b = torch.rand(20, 30), torch.rand(30, 20).T
        for raises in (lambda: self.fail("differ") if torch.equal(a, b) is False else None, lambda: open("/nonexistent" + str(a.shape) + str(b.shape)), lambda: {}[a, b]):
            try:
                raises()
            except Exception as error:
                self.assertIsNone(tlayout.why(error), error)

    def test_text(self):
        self.assertIn("mat2.t()", tlayout.why("RuntimeError: mat2 must be col_major"))
        self.assertIsNone(tlayout.why("ZeroDivisionError: division by zero"))
        self.assertIsNone(tlayout.why(ValueError("nothing\ud800 of this kind" + "x" * (1 << 21))))
        self.assertRaises(TypeError, tlayout.why, 3)
        self.assertIsNone(tlayout.why(""))


if __name__ == "__main__":
    unittest.main()
