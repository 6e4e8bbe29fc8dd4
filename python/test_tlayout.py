"""Tests the installed package with PyTorch and NumPy, and with JAX if installed: python/verify.sh runs it in a new environment."""

import collections
import contextlib
import dataclasses
import io
import os
import random
import subprocess
import sys
import tempfile
import types
import unittest
from unittest import mock

import numpy as np
import torch

import tlayout

try:
    import jax.numpy
except ImportError:
    jax = None

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


def shown(x):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        tlayout.show(x)
    return out.getvalue()


def seeded():
    seed = int(os.environ.get("TLAYOUT_TEST_RANDOM_SEED") or random.randrange(1 << 32))
    print(f"TLAYOUT_TEST_RANDOM_SEED={seed}", file=sys.stderr)
    return random.Random(seed)


class Test(unittest.TestCase):
    def raised(self, kind, x, **assertions):
        """Returns the text of the error, and checks that it chains no other."""
        with self.assertRaises(kind) as caught:
            tlayout.assert_layout(x, **assertions)
        self.assertTrue(caught.exception.__context__ is None or caught.exception.__suppress_context__)
        text = str(caught.exception)
        self.assertNotRegex(text, "(?m)^-:|standard input|^tlayout:")
        return text


class Shows(Test):
    def test_torch(self):
        """The first line names a tensor's memory format, including that of a view with an offset."""
        x = torch.zeros(2, 3, 4, 5).to(memory_format=torch.channels_last)
        self.assertIn("channels_last contiguous", shown(x).splitlines()[0])
        d = tlayout.describe(x[1, :, 1:])
        self.assertEqual((d["shape"], d["strides"], d["offset"], d["storage"]["bytes"]), ([3, 3, 5], [1, 15, 3], 75, 480))

    def test_numpy(self):
        """Views of an array, including reversed ones, describe one storage that contains their first element."""
        base = np.arange(24, dtype=np.float32).reshape(4, 6)
        for view in (base, base.T, base[::-1, 1::2], base[2:, 3], base[::-1][::-1]):
            d = tlayout.describe(view)
            self.assertEqual(d["storage"], {"id": "cpu:" + hex(base.ctypes.data), "bytes": 96})
            self.assertEqual(base.ravel()[d["offset"] // 4], view.flat[0])
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

    def test_state_dict(self):
        """Tied tensors and unused bytes are reported."""
        state = {"a": torch.zeros(4, 4), "part": torch.zeros(1000)[:10]}
        state["b"] = state["a"].t()
        text = shown(state)
        self.assertIn("3 tensors in 2 storages", text)
        self.assertIn("shared: a, b", text)
        self.assertIn("unused: part", text)
        self.assertIn("2 tensors", shown(torch.nn.Linear(2, 2)))

    def test_html(self):
        """In a notebook, a tensor is a drawing, and a state_dict text."""
        one = tlayout.Shown([tlayout.describe(torch.zeros(2, 3))])._repr_html_()
        self.assertIn("<svg", one)
        self.assertIn("<pre>", one)
        two = tlayout.Shown([tlayout.describe(torch.zeros(2), "a<b"), tlayout.describe(torch.zeros(2), "c")])._repr_html_()
        self.assertNotIn("<svg", two)
        self.assertIn("a&lt;b", two)

    def test_notebook(self):
        """A running IPython displays; if it is only imported, text is printed."""
        displayed = []
        display = types.SimpleNamespace(display=displayed.append)
        with mock.patch.dict(sys.modules, IPython=types.SimpleNamespace(get_ipython=lambda: object(), display=display)):
            self.assertEqual(shown(torch.zeros(2)), "")
        self.assertIsInstance(displayed[0], tlayout.Shown)
        with mock.patch.dict(sys.modules, IPython=types.SimpleNamespace(get_ipython=lambda: None)):
            self.assertIn("float32", shown(torch.zeros(2)))

    def test_settings(self):
        """Settings files and TLAYOUT_ variables change neither what is shown nor what is asserted."""
        x = torch.zeros(2, 3)
        text = shown(x)
        with tempfile.TemporaryDirectory() as folder:
            for path in (".tlayout.yaml", "tlayout/config.yaml"):
                os.makedirs(os.path.dirname(os.path.join(folder, path)), exist_ok=True)
                with open(os.path.join(folder, path), "w") as f:
                    f.write("inspect:\n  format: json\ncheck:\n  rank: 9\n")
            env = dict(XDG_CONFIG_HOME=folder, TLAYOUT_INSPECT_FORMAT="json", TLAYOUT_CHECK_RANK="9", TLAYOUT_NO_SUCH="1", CLICOLOR_FORCE="1")
            before = os.getcwd()
            os.chdir(folder)
            try:
                for given in (env, {"XDG_CONFIG_HOME": folder}):
                    with mock.patch.dict(os.environ, given):
                        self.assertEqual(shown(x), text)
                        tlayout.assert_layout(x, packed=True)
                os.remove(".tlayout.yaml")
                with mock.patch.dict(os.environ, {"XDG_CONFIG_HOME": folder}):
                    self.assertEqual(shown(x), text)
            finally:
                os.chdir(before)


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
        for name in tlayout.ASSERTIONS:
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
        usage = subprocess.run([tlayout._program(), "check", "--help"], capture_output=True, text=True).stdout
        asserted = usage[usage.index("Assert the memory order"):usage.index("What SRC is")]
        flags = {line.split()[0][2:].replace("-", "_") for line in asserted.splitlines() if line.startswith("  --") or line.startswith("      --")}
        self.assertEqual(flags, {*tlayout.ASSERTIONS, *tlayout.OF_FILES})

    def test_refused(self):
        """An unknown assertion, and a value that asserts nothing, are refused, whatever else holds."""
        x = self.GOOD
        for assertions, kind, text in (
                (dict(no_such=True), TypeError, "unknown assertion no_such; want one of"), (dict(json=True), TypeError, "unknown assertion json"),
                (dict(finite=True), TypeError, "no data are read"), (dict(aligned=64), TypeError, "applies to files"),
                (dict(strict=True), TypeError, "no assertion given"), ({}, TypeError, "no assertion given"),
                (dict(contiguous="diagonal"), ValueError, "^contiguous: \"diagonal\": valid values are c, f")):
            self.assertRegex(self.raised(kind, x, **assertions), text)
            if assertions.keys() - {"strict"}:
                self.assertRegex(self.raised(kind, x, rank=4, **assertions), text)
        for name, (wanted, text) in tlayout.ASSERTIONS.items():
            for value in (False, None, 1, "true") if text is None else (True, False, None, "", 1.5, {}):
                if name == "expect_dtype" and isinstance(value, (float, dict)):
                    continue  # tlayout refuses them
                with self.subTest(name, value=value):
                    self.assertRegex(self.raised((TypeError, ValueError), x, **{"no_overlap": True, name: value}), f"^{name}={value!r}.*omit {name}")
        self.assertRaises(ValueError, tlayout.assert_layout, x, expect_dtype=1.5)

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
            with mock.patch.object(tlayout.subprocess, "run", return_value=subprocess.CompletedProcess([], code, "", "")):
                self.assertRegex(self.raised(kind, x, packed=True), "failed without a reason" if code == 1 else f"exit code {code}")

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
        self.assertEqual(set(tlayout._named(net, "net")), {"w", "again", "mask", "part.weight", "part.bias"})
        self.assertIn("w, again are views", self.raised(AssertionError, net, no_sharing=True))
        twice = Net(torch.nn.ModuleList([net.part, net.part]))
        self.assertIn("part.0.weight, part.1.weight", self.raised(AssertionError, twice, no_sharing=True))
        self.assertIn("mask: rank", self.raised(AssertionError, {"net": net}, rank=2))

    def test_not_looked_into(self):
        """An unsupported object that may contain tensors is a TypeError that names its key; so is a tensor without strides."""
        series = types.SimpleNamespace(shape=(3,), dtype=np.dtype("f4"), size=3)
        cases = [(object(), "object is neither"), ({torch.zeros(2)}, "set is neither"), (iter([]), "is neither"), (Net, "type is neither"),
                 (torch.optim.SGD([torch.zeros(2)], lr=1), r"pass its state_dict\(\)"), (series, "strides of types.SimpleNamespace are unknown"),
                 (torch.zeros(2, 2).to_sparse(), "has no strides in memory"), (memoryview(b"ab"), "memoryview is neither"),
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

    def test_channels_last(self):
        """channels_last of a model applies to its tensors of rank 4, and reports their number; other assertions apply to all."""
        def model(kind, n):
            return torch.nn.Sequential(kind(3, 4, 3), torch.nn.BatchNorm2d(4), kind(4, 4, 3), torch.nn.Linear(2, 2))
        for kind, rank, sense in ((torch.nn.Conv2d, 4, "channels_last"), (torch.nn.Conv3d, 5, "channels_last_3d")):
            m = model(kind, rank)
            text = self.raised(AssertionError, m, contiguous=sense)
            self.assertRegex(text, f"(?s)^0.weight: contiguous: expected {sense}.*2.weight: contiguous: .*\nx: 11 tensors; contiguous checked for the 2 of rank {rank}$")
            m = m.to(memory_format=getattr(torch, sense))
            self.assertEqual(tlayout.assert_layout(m, contiguous=sense.upper()), f"m: 11 tensors; contiguous checked for the 2 of rank {rank}")
            tlayout.assert_layout(m, contiguous=sense, no_sharing=True, packed=True)
            self.assertIn("0.bias: rank: expected 4, found 1", self.raised(AssertionError, m, contiguous=sense, rank=4))
            m.tied = m[0].weight
            self.assertIn("no-sharing", self.raised(AssertionError, [m, m], contiguous=sense, no_sharing=True))
        self.assertIn("0 of 2 tensors have rank 4", self.raised(AssertionError, torch.nn.Linear(2, 3), contiguous="channels_last"))
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
                self.assertTrue(not mine or low + d["offset"] == start + min(mine), (d, mine))
                self.assertLessEqual(d["offset"] + len(mine), d["storage"]["bytes"])
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
            self.assertEqual((d["strides"], d["unit"], d["offset"]), ([1], "elements", 1) if at == 4 else ([4], "bytes", at))
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

    def test_cupy(self):
        """A CuPy array is located in its memory, on its device."""
        def array(ptr, device):
            mem = types.SimpleNamespace(ptr=1000, size=512)
            return types.SimpleNamespace(shape=(3,), strides=(8,), dtype=np.dtype("float32"), data=types.SimpleNamespace(ptr=ptr, mem=mem),
                                         device=types.SimpleNamespace(id=device))
        d = tlayout.describe(array(1016, 0))
        self.assertEqual((d["offset"], d["unit"], d["storage"]), (16, "bytes", {"id": "cuda:0:0x3e8", "bytes": 512}))
        tlayout.assert_layout(array(1016, 0), expect_strides="2")
        tlayout.assert_layout([array(1000, 0), array(1000, 1)], no_sharing=True)
        self.assertIn("no-sharing", self.raised(AssertionError, [array(1000, 0), array(1200, 0)], no_sharing=True))

    @unittest.skipUnless(jax, "no JAX")
    def test_jax(self):
        """JAX arrays are row-major, and share with NumPy views."""
        a = jax.numpy.arange(6, dtype="float32").reshape(2, 3)
        d = tlayout.describe(a)
        self.assertEqual((d["strides"], d["unit"], d["storage"]["bytes"]), ([3, 1], "elements", 24))
        tlayout.assert_layout([a, a + 1, jax.numpy.zeros((0, 2))], no_sharing=True)
        self.assertIn("no-sharing", self.raised(AssertionError, {"a": a, "b": np.asarray(a)}, no_sharing=True))


if __name__ == "__main__":
    unittest.main()
