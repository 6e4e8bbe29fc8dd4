"""Tests the installed package with PyTorch and NumPy: python/verify.sh runs it in a new environment."""

import contextlib
import io
import unittest

import numpy as np
import torch

import tlayout


def shown(x):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        tlayout.show(x)
    return out.getvalue()


class Test(unittest.TestCase):
    def test_torch(self):
        """The first line names a tensor's memory format, also that of a view with an offset."""
        x = torch.zeros(2, 3, 4, 5).to(memory_format=torch.channels_last)
        self.assertIn("channels_last contiguous", shown(x).splitlines()[0])
        d = tlayout.describe(x[1, :, 1:])
        self.assertEqual((d["shape"], d["strides"], d["offset"], d["storage"]["bytes"]), ([3, 3, 5], [1, 15, 3], 75, 480))

    def test_numpy(self):
        """Views of an array, reversed ones too, describe one storage, within which their first element is."""
        base = np.arange(24, dtype=np.float32).reshape(4, 6)
        for view in (base, base.T, base[::-1, 1::2], base[2:, 3], base[::-1][::-1]):
            d = tlayout.describe(view)
            self.assertEqual(d["storage"], {"id": hex(base.ctypes.data), "bytes": 96})
            self.assertEqual(base.ravel()[d["offset"] // 4], view.flat[0])
        self.assertIn("(4, 6)", shown(base))

    def test_state_dict(self):
        """Tied tensors and unused bytes are told."""
        state = {"a": torch.zeros(4, 4), "part": torch.zeros(1000)[:10]}
        state["b"] = state["a"].t()
        text = shown(state)
        self.assertIn("3 tensors in 2 storages", text)
        self.assertIn("shared: a, b", text)
        self.assertIn("unused: part", text)
        self.assertIn("2 tensors", shown(torch.nn.Linear(2, 2).state_dict()))

    def test_html(self):
        """In a notebook, a tensor is a drawing, and a state_dict text."""
        one = tlayout.Shown([tlayout.describe(torch.zeros(2, 3))])._repr_html_()
        self.assertIn("<svg", one)
        self.assertIn("<pre>", one)
        two = tlayout.Shown([tlayout.describe(torch.zeros(2), "a<b"), tlayout.describe(torch.zeros(2), "c")])._repr_html_()
        self.assertNotIn("<svg", two)
        self.assertIn("a&lt;b", two)

    def test_assert(self):
        """What holds returns, what does not raises the reason, and an unknown assertion is no AssertionError."""
        x = torch.zeros(2, 3, 4, 5)
        tlayout.assert_layout(x, contiguous="c", packed=True)
        with self.assertRaisesRegex(AssertionError, "channels_last"):
            tlayout.assert_layout(x, contiguous="channels_last")
        tlayout.assert_layout(x.to(memory_format=torch.channels_last), contiguous="channels_last")
        with self.assertRaisesRegex(AssertionError, "bias"):
            tlayout.assert_layout(torch.nn.Linear(2, 3).state_dict(), rank=2)
        with self.assertRaises(ValueError):
            tlayout.assert_layout(x, no_such=True)

    def test_no_strides(self):
        """An array without strides, as JAX's, is row-major; one of CuPy's kind is found in its memory."""
        class Jax:
            shape, dtype, size = (2, 3), np.dtype("float32"), 6
        d = tlayout.describe(Jax())
        self.assertEqual((d["strides"], d["unit"], d["storage"]["bytes"]), ([3, 1], "elements", 24))

        class Memory:
            ptr, size = 1000, 512

        class Pointer:
            ptr, mem = 1016, Memory

        class CuPy:
            shape, strides, dtype, data, device = (3,), (8,), np.dtype("float32"), Pointer, "gpu0"
        d = tlayout.describe(CuPy())
        self.assertEqual((d["offset"], d["storage"]), (16, {"id": "gpu0:0x3e8", "bytes": 512}))
        tlayout.assert_layout(CuPy(), expect_strides="2")


if __name__ == "__main__":
    unittest.main()
