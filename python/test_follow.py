"""Tests watch and the plugin of pytest on small networks: python/verify.sh runs it in a new environment."""

import os
import subprocess
import sys
import tempfile
import textwrap
import unittest

import torch
import torch.nn.functional as F
from torch import nn

import tlayout
from test_tlayout import seeded

try:
    import pytest
except ImportError:
    pytest = None


class Net(nn.Module):
    """A network of named parts. Its class says which operator loses channels_last, in a line that ends in # lost, or that none does."""

    module = operator = None

    def __init__(self, **parts):
        super().__init__()
        for name, part in parts.items():
            setattr(self, name, part)


def conv(i, o, n=1, **kwargs):
    return nn.Conv2d(i, o, n, **kwargs)


class Block(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.a, self.b, self.norm, self.act = conv(c, c, 3, padding=1, bias=False), conv(c, c, 3, padding=1), nn.BatchNorm2d(c), nn.ReLU(inplace=True)

    def forward(self, x):
        return self.act(self.b(self.act(self.norm(self.a(x)))) + x)


class Residual(Net):
    def __init__(self):
        super().__init__(stem=conv(3, 16, 7, stride=2), pool=nn.MaxPool2d(3, 2), blocks=nn.Sequential(Block(16), Block(16)), mean=nn.AdaptiveAvgPool2d(1),
                         head=nn.Linear(16, 10))

    def forward(self, x):
        return self.head(torch.flatten(self.mean(self.blocks(self.pool(self.stem(x)))), 1))


class Middle(nn.Module):
    def forward(self, x):
        return x.contiguous()  # lost


class Contiguous(Residual):
    """An operator in the middle calls contiguous."""

    module, operator = "blocks.1", "torch.Tensor.contiguous"

    def __init__(self):
        super().__init__()
        self.blocks.insert(1, Middle())


class Excite(Net):
    """The mean of shape (N, C, 1, 1) is contiguous and channels_last at once."""

    def __init__(self):
        super().__init__(a=conv(3, 16), b=conv(16, 16), c=conv(16, 8))

    def forward(self, x):
        x = self.a(x)
        return self.c(x * torch.sigmoid(self.b(x.mean((2, 3), keepdim=True))))


class Pyramid(Net):
    """An image of one pixel is enlarged."""

    def __init__(self):
        super().__init__(a=conv(3, 16), b=conv(16, 16), c=conv(32, 8))

    def forward(self, x):
        x = self.a(x)
        y = F.interpolate(self.b(F.adaptive_avg_pool2d(x, 1)), size=x.shape[2:], mode="bilinear")
        return self.c(torch.cat([y, x], 1))


class Permuted(Net):
    """LayerNorm and Linear read a view of shape (N, H, W, C), as in ConvNeXt."""

    def __init__(self):
        super().__init__(a=conv(3, 16, 4, stride=4), norm=nn.LayerNorm(16), b=nn.Linear(16, 64), c=nn.Linear(64, 16), d=conv(16, 8))

    def forward(self, x):
        x = self.a(x)
        y = self.c(F.gelu(self.b(self.norm(x.permute(0, 2, 3, 1)))))
        return self.d(x + y.permute(0, 3, 1, 2))


class Shuffle(Net):
    """Channels are shuffled in a view of rank 5, as in ShuffleNet."""

    module, operator = "Shuffle", "torch.Tensor.contiguous"

    def __init__(self):
        super().__init__(a=conv(3, 16), b=conv(16, 16, groups=2))

    def forward(self, x):
        x = self.a(x)
        y = x.view(x.shape[0], 2, 8, *x.shape[2:]).transpose(1, 2).contiguous()  # lost
        return self.b(y.view(x.shape))


class Attention(Net):
    def __init__(self):
        super().__init__(a=conv(3, 16), attend=nn.MultiheadAttention(16, 2, batch_first=True), b=conv(16, 8))

    def forward(self, x):
        x = self.a(x)
        t = x.flatten(2).transpose(1, 2)
        t = t + self.attend(t, t, t)[0]
        return self.b(t.transpose(1, 2).reshape(x.shape))


class Encoder(Net):
    def __init__(self):
        super().__init__(a=conv(3, 8, 3, padding=1), norm=nn.GroupNorm(2, 8), b=conv(8, 8, 3, stride=2, padding=1), up=nn.Upsample(scale_factor=2), c=conv(16, 4))

    def forward(self, x):
        a = F.silu(self.norm(self.a(x)))
        return self.c(torch.cat([self.up(F.leaky_relu(self.b(a))), a], 1))


class Windows(Net):
    """Windows are copied, and copied back, in views of shape (N, H, W, C), as in Swin."""

    def __init__(self):
        super().__init__(a=conv(3, 16, 4, stride=4), b=nn.Linear(16, 16), c=conv(16, 8))

    def forward(self, x):
        x = self.a(x).permute(0, 2, 3, 1)
        n, h, w, c = x.shape
        y = x.view(n, h // 4, 4, w // 4, 4, c).transpose(2, 3).contiguous().view(-1, 16, c)
        y = self.b(y).view(n, h // 4, w // 4, 4, 4, c).transpose(2, 3).contiguous().view(n, h, w, c)
        return self.c((x + y).permute(0, 3, 1, 2))


class Function(Net):
    """A function of autograd copies."""

    module, operator = "Function", "torch.Tensor.clone"

    def __init__(self):
        super().__init__(a=conv(3, 8), b=conv(8, 8))

    def forward(self, x):
        return self.b(Function.Copy.apply(self.a(x)))

    class Copy(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone(memory_format=torch.contiguous_format)  # lost

        @staticmethod
        def backward(ctx, g):
            return g


class Flattened(Net):
    """Pixels are mixed by a Linear, which needs a copy."""

    module, operator = "Flattened", "torch.Tensor.flatten"

    def __init__(self):
        super().__init__(a=conv(3, 8, 4, stride=4), b=nn.Linear(512, 512), c=nn.ConvTranspose2d(8, 3, 4, 4))

    def forward(self, x):
        x = self.a(x)
        y = self.b(x.flatten(1))  # lost
        return self.c(y.view(x.shape))


class Transposed(Net):
    """Height and width are exchanged: a view, but not channels_last."""

    module, operator = "b", "torch.nn.functional.conv2d"

    def __init__(self):
        super().__init__(a=conv(3, 8), b=conv(8, 8, 3))

    def forward(self, x):
        return self.b(self.a(x).transpose(2, 3))  # lost


NETS = Residual, Contiguous, Excite, Pyramid, Permuted, Shuffle, Attention, Encoder, Windows, Function, Flattened, Transposed


def image(shape=(2, 3, 32, 32)):
    return torch.randn(shape).to(memory_format=torch.channels_last)


class Watch(unittest.TestCase):
    def test_networks(self):
        """Of each network, the operator that loses channels_last is named with its module and line, and no other; results do not change."""
        with open(__file__) as f:
            lines = f.read().splitlines()
        for make in NETS:
            net, x = make().to(memory_format=torch.channels_last).eval(), image()
            with self.subTest(make.__name__):
                with tlayout.watch(net) as watched:
                    y = net(x)
                self.assertTrue(torch.equal(y, net(x)))
                self.assertGreater(watched.operators, 0)
                if not make.operator:
                    self.assertIsNone(watched.lost)
                    continue
                self.assertRegex(str(watched), f"^{make.module}: {make.operator} (lost channels_last|copied elements|reads a view).*: shape ")
                number = int(watched.lost.rpartition(":")[2])
                self.assertTrue(lines[number - 1].endswith("# lost"), watched.lost)

    def test_training(self):
        """Nothing is reported of backward passes, under autocast, or of a model that is not channels_last."""
        for amp in False, True:
            net, x = Residual().to(memory_format=torch.channels_last), image()
            with tlayout.watch(net) as watched, torch.autocast("cpu", dtype=torch.bfloat16, enabled=amp):
                net(x).float().sum().backward()
            self.assertIsNone(watched.lost)
            self.assertTrue(all(p.grad is not None for p in net.parameters()))
        with tlayout.watch() as watched:
            Residual()(torch.randn(2, 3, 32, 32))
        self.assertEqual(str(watched), "0 operators kept channels_last")
        with self.assertRaises(ZeroDivisionError), tlayout.watch():
            1 / 0

    def test_random(self):
        """In random chains of operators, the one reported is the first whose output PyTorch itself no longer takes for channels_last."""
        keep = [F.relu, torch.neg, lambda x: x * 2, lambda x: x + x, lambda x: F.pad(x, (1, 1, 1, 1)), lambda x: F.avg_pool2d(x, 2, 1), lambda x: x[:, :, 1:],
                lambda x: x[:, 1:], lambda x: torch.cat([x, x], 1), lambda x: x.to(torch.float64), lambda x: x.clone()]
        lose = [lambda x: x.contiguous(), lambda x: x.clone(memory_format=torch.contiguous_format), lambda x: torch.zeros(x.shape).add_(1).mul(x),
                lambda x: torch.cat([torch.zeros(x.shape), x], 1)]
        r = seeded()
        for _ in range(200):
            chain = r.choices(keep, k=r.randrange(1, 6))
            chain.insert(r.randrange(len(chain)), r.choice(lose + keep))
            x, want = image((2, 16, 12, 12)), None
            with tlayout.watch() as watched:
                for i, operator in enumerate(chain):
                    x = operator(x)
                    if want is None and not (x + 0).is_contiguous(memory_format=torch.channels_last):
                        want = i
                    self.assertEqual(watched.lost is None, want is None, (watched.lost, want, i))
            if want is not None:
                self.assertRegex(watched.lost, r"(contiguous|clone|mul|cat) lost channels_last")

    def test_written(self):
        """A write into memory of another order loses the format, as an operator that returns it."""
        x = image((2, 8, 6, 6))
        for name, write in (("__setitem__", lambda y: y.__setitem__(slice(None), x)), ("copy_", lambda y: y.copy_(x)), ("add", lambda y: torch.add(x, 1, out=y))):
            with tlayout.watch() as watched:
                write(torch.empty(x.shape))
            if name == "__setitem__" and not hasattr(torch, "compile"):
                continue  # which PyTorch 1.13 does not report
            self.assertRegex(str(watched), f"{name} lost channels_last")

    def test_not_lost(self):
        """Factories, gradients and expanded means are no losses; of several copies, the last within a rank is reported."""
        x, c = image((2, 8, 6, 6)).requires_grad_(), nn.Conv2d(8, 8, 1)
        y = x * 2
        y.retain_grad()
        y.sum().backward()
        with tlayout.watch() as watched:
            x.new_zeros(2, 2, 5, 5)
            y.grad
            c(x.mean((2, 3))[:, :, None, None].expand_as(x))
        self.assertIsNone(watched.lost)
        with tlayout.watch() as watched:
            c(torch.stack([x, x]).flatten(3).transpose(2, 3).contiguous().mean(0).transpose(1, 2).contiguous().view(x.shape))
        self.assertRegex(str(watched), "contiguous copied elements")

    @unittest.skipUnless(hasattr(torch, "compile"), "no torch.compile")
    def test_compiled(self):
        """A compiled or traced model runs as without watch, and is not followed."""
        net, x = Residual().eval(), torch.randn(2, 3, 32, 32)
        with tlayout.watch(), torch.no_grad():
            self.assertTrue(torch.allclose(torch.compile(net, backend="eager", fullgraph=True)(x), net(x), atol=1e-5))
            self.assertTrue(torch.allclose(torch.jit.trace(net, x)(x), net(x), atol=1e-5))

    def test_left_alone(self):
        """Tensors without strides or storage do not disturb: sparse, of vmap, of meta."""
        with tlayout.watch() as watched:
            torch.eye(3).to_sparse() @ torch.ones(3, 2)
            if hasattr(torch, "vmap"):
                torch.vmap(lambda t: t * 2)(torch.ones(3, 2))
            nn.Conv2d(3, 4, 1, device="meta")(torch.ones(1, 3, 2, 2, device="meta"))
        self.assertIsNone(watched.lost)


@unittest.skipUnless(pytest, "no pytest")
class Plugin(unittest.TestCase):
    def test_marker(self):
        """Only a marked test fails, with the operator; one that fails by itself says why."""
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "test_it.py"), "w") as f:
                f.write(textwrap.dedent("""
                    import pytest, torch, unittest
                    X = torch.zeros(2, 3, 4, 4).to(memory_format=torch.channels_last)
                    def test_plain(): X.contiguous()
                    @pytest.mark.channels_last
                    def test_kept(): X + 1
                    @pytest.mark.channels_last
                    def test_lost(): X.contiguous()
                    @pytest.mark.channels_last
                    def test_nothing(): torch.zeros(2, 3, 4, 4).relu()
                    @pytest.mark.channels_last
                    class TestMethod(unittest.TestCase):
                        def test_method(self): X.contiguous()
                    @pytest.mark.channels_last
                    def test_own(): X.contiguous(); assert False, "its own reason"
                    """))
            done = subprocess.run([sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-W", "error::pytest.PytestUnknownMarkWarning",
                                   "--strict-markers", "-rA", "test_it.py"], cwd=folder, capture_output=True, text=True)
        for line in ("PASSED test_it.py::test_plain", "PASSED test_it.py::test_kept", "its own reason", "torch.Tensor.contiguous lost channels_last: shape (2, 3,",
                     "FAILED test_it.py::test_lost", "FAILED test_it.py::test_nothing", "FAILED test_it.py::TestMethod::test_method", "no operator kept channels_last", "4 failed, 2 passed in"):
            self.assertIn(line, done.stdout + done.stderr)
        self.assertNotIn("def _watched", done.stdout)
        if torch.__version__ >= (2, 4):
            self.assertRegex(done.stdout, r"(?s)lost channels_last: shape [^\n]*\n.*watched: PyTorch profile, .*1  contiguous  0,2,3,1 → 0,1,2,3  2,3,4,4  384 bytes ")


    def test_why(self):
        """A test that fails because of a layout says why, with the tensors of its line; another one does not."""
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "test_it.py"), "w") as f:
                f.write(textwrap.dedent("""
                    import torch
                    def test_view():
                        x = torch.zeros(2, 3, 4).transpose(1, 2)
                        x.view(8, 3)
                    def test_other(): assert 1 == 2
                    """))
            done = subprocess.run([sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "test_it.py"], cwd=folder, capture_output=True, text=True)
        self.assertEqual(done.stdout.count("tlayout why"), 1, done.stdout)
        self.assertIn("the view is refused: dims 0 and 1 cannot be merged", done.stdout)
        self.assertIn("raised by test_it.py:5: x.view(8, 3)", done.stdout)


if __name__ == "__main__":
    unittest.main()
