"""Tests the report of watch, and python -m tlayout: python/verify.sh runs it in a new environment."""

import collections
import html.parser
import os
import subprocess
import sys
import tempfile
import textwrap
import unittest
from unittest import mock

import torch
import torch.nn.functional as F
from torch import nn

import tlayout
from test_follow import Contiguous, Net, Residual, conv, image
from test_graph import HIDDEN, counted, exports
from test_tlayout import seeded
from tlayout import recording, report

recorded = unittest.skipIf(torch.__version__ < (2, 4), "before PyTorch 2.4, profiles have no strides")


class Random(nn.Module):
    """A random chain of operators on images; each keeps rank 4, and some keep what they read for later ones."""

    def __init__(self, r):
        super().__init__()
        self.steps, channels, self.parts = [], 8, nn.ModuleList()
        for _ in range(r.randrange(3, 9)):
            kind = r.choice(("conv", "norm", "relu", "pool", "mean", "permute", "view", "matmul", "nearest", "bilinear", "contiguous", "channels_last", "add", "cat"))
            if kind == "conv":
                made = r.choice((8, 16))
                part = conv(channels, made, 3, padding=1)
                channels = made
            elif kind == "norm":
                part = nn.BatchNorm2d(channels)
            elif kind == "matmul":
                part = nn.Linear(channels, channels)
            elif kind == "cat":
                channels *= 2
                part = nn.Identity()
            else:
                part = nn.Identity()
            self.steps.append(kind)
            self.parts.append(part)

    def forward(self, x):
        kept = None
        for kind, part in zip(self.steps, self.parts):
            if kind in ("conv", "norm"):
                y = part(x)
            elif kind == "relu":
                y = F.relu(x)
            elif kind == "pool":
                y = F.max_pool2d(x, 3, 1, 1)
            elif kind == "mean":
                y = x * F.adaptive_avg_pool2d(x, 1)
            elif kind == "permute":
                y = torch.sigmoid(x.permute(0, 1, 3, 2)).permute(0, 1, 3, 2)
            elif kind == "view":
                y = x.flatten(2).transpose(1, 2).contiguous().transpose(1, 2).reshape(x.shape)
            elif kind == "matmul":
                y = part(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)
            elif kind in ("nearest", "bilinear"):
                y = F.interpolate(x, scale_factor=2.0, mode=kind)[:, :, ::2, ::2]
            elif kind == "contiguous":
                y = x.contiguous()
            elif kind == "channels_last":
                y = x.contiguous(memory_format=torch.channels_last)
            elif kind == "add":
                y = x + kept if kept is not None and kept.shape == x.shape else x + 1
            else:
                y = torch.cat([x, x], 1)
            kept, x = x, y
        return x


def watched(model, *inputs):
    with tlayout.watch(model) as w, torch.no_grad():
        model(*inputs)
    return w.report()


@exports
class Equal(unittest.TestCase):
    def test_random(self):
        """The report of a random model has the changes that graph has, one for one; what kernels hide is counted apart."""
        r, counts = seeded(), collections.Counter()
        for _ in range(20):
            model, x = Random(r).eval(), torch.randn(2, 8, 8, 8)
            if r.random() < 0.7:
                model.to(memory_format=torch.channels_last)
            if r.random() < 0.7:
                x = x.to(memory_format=torch.channels_last)
            seen, g = watched(model, x), tlayout.graph(model, x)
            with self.subTest(" ".join(model.steps)):
                self.assertEqual((g.source, counted(seen.changes)), ("export", counted(g.changes)))
            hidden = sum(c["operator"].startswith(HIDDEN) for c in seen.changes)
            counts.update(models=1, changes=len(seen.changes) - hidden, hidden=hidden)
        print(counts, file=sys.stderr)
        self.assertGreater(counts["changes"], 2)


    def test_last(self):
        """So has that of a model whose last operator changes an operand: nothing reads its result, which watch records."""
        class Last(nn.Module):
            def forward(self, x):
                return x + x.contiguous()
        r, g = watched(Last(), image()), tlayout.graph(Last(), image())
        self.assertEqual([c["operator"] for c in r.changes], ["contiguous", "add"])
        self.assertEqual(counted(r.changes), counted(g.changes))


class Text(html.parser.HTMLParser):
    """The cells of the rows of a table."""

    def __init__(self, text):
        super().__init__()
        self.rows, self.in_cell = [], False
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        if tag == "tr":
            self.rows.append([])
        self.in_cell = tag in ("td", "th")

    def handle_data(self, data):
        if self.in_cell:
            self.rows[-1].append(data)


@recorded
class Reports(unittest.TestCase):
    def test_text(self):
        """Every change has its operator, layouts, shape, bytes, time, line and module, within 80 columns."""
        net = Contiguous().to(memory_format=torch.channels_last).eval()
        r = watched(net, image())
        with open(__file__.replace("test_watch", "test_follow")) as f:
            lines = f.read().splitlines()
        text = str(r).splitlines()
        self.assertRegex(text[0], r"^Contiguous: PyTorch profile, .* in \d+ operators; ")
        self.assertLessEqual(max(map(len, text)), 80)
        self.assertEqual([(c["operator"], c["from"], c["to"], c["module"]) for c in r.changes],
                         [("contiguous", "NHWC", "NCHW", "blocks.1"), ("conv2d", "NCHW", "NHWC", "blocks.2.a"), ("add", "NCHW", "NHWC", "blocks.2")])
        self.assertIn("# lost", lines[int(r.changes[0]["where"].split(":")[1]) - 1])
        self.assertGreater(r.changes[0]["seconds"], 0)
        row = next(i for i, line in enumerate(text) if line.startswith("1  contiguous"))
        self.assertRegex(text[row], r"^1  contiguous     NHWC → NCHW  2,16,6,6  4608 bytes +[\d.]+ [mµn]?s$")
        self.assertEqual(text[row + 1].strip(), f"{r.changes[0]['where']} blocks.1")
        self.assertEqual(repr(r), str(r))
        self.assertNotIn("--", str(r))

    def test_html(self):
        """A notebook has a row for each change, and escapes what it shows."""
        r = watched(Contiguous().to(memory_format=torch.channels_last).eval(), image())
        r.changes[0]["module"] = "<b>"
        rows = Text(r._repr_html_()).rows
        self.assertEqual(rows[0], list(report.HEADER))
        self.assertEqual([row[1:4] for row in rows[1:]], [report.cells(c)[1:4] for c in r.changes])
        self.assertIn("<b>", rows[1][-1])

    def test_wide(self):
        """A place that does not fit keeps its end, and numbers their units."""
        c = dict(number=1, times=3, operator="conv2d", operand="input", shape=[1] * 8, bytes=3 << 20, seconds=0.25, where="x" * 90 + ".py:12", module="m",
                 **{"from": "NCHW", "to": "NHWC"})
        *_, row, place = report.table([c]).splitlines()
        self.assertTrue(place.strip().startswith("…") and place.endswith(".py:12 m, 3 times") and len(place) == 80, place)
        self.assertEqual(report.cells(c)[:6], ["1", "conv2d input", "NCHW → NHWC", "1,1,1,1,1,1,1,1", "3 MiB", "250 ms"])
        self.assertEqual([report._size(n) for n in (0, 1, 10239, 10240, 4 << 30)], ["0 bytes", "1 byte", "10239 bytes", "10 KiB", "4 GiB"])
        self.assertEqual([report._time(s) for s in (2, 0.00378, 0.0000295, 5e-8)], ["2 s", "3.78 ms", "29.5 µs", "50 ns"])

    def test_training(self):
        """Several steps are one report, in which each change counts its times; backward passes are in it, with their line."""
        net, x = Contiguous().to(memory_format=torch.channels_last), image()
        with tlayout.watch() as w:
            for _ in range(3):
                net(x).sum().backward()
        changes = {c["operator"]: c for c in w.report().changes if c["module"] == "blocks.1"}
        self.assertEqual((changes["contiguous"]["times"], changes["contiguous"]["bytes"]), (3, 3 * 4608))
        self.assertTrue(all(c["where"].startswith("test_") for c in w.report().changes))
        self.assertIn("blocks.1, 3 times", str(w.report()))
        self.assertLessEqual(max(map(len, str(w.report()).splitlines())), 80)

    def test_named(self):
        """Modules have their paths without the model too, also if a part of it ran before, and if it is not made yet."""
        class Late(nn.Module):
            def __init__(self):
                torch.zeros(2).relu()
                super().__init__()
                self.part = nn.Sequential(nn.Identity(), nn.Conv2d(3, 4, 1))
                self.part[1](torch.zeros(1, 3, 2, 2))

            def forward(self, x):
                return self.part(x.contiguous())
        with tlayout.watch() as w:
            net = Late().to(memory_format=torch.channels_last)
            net(image())
        self.assertEqual([c["module"] for c in w.report().changes if not c["weight"]][-2:], ["Late", "part.1"])

    def test_nothing(self):
        """What is not recorded is said: before the block, without operators, beside another profiler, and behind the limit."""
        w = tlayout.watch()
        self.assertRaisesRegex(ValueError, "before the with block", w.report)
        with w:
            pass
        self.assertRaisesRegex(ValueError, "no operator of PyTorch was seen", w.report)
        traced = torch.jit.trace(Contiguous(), image())
        x = image()
        with tlayout.watch(traced) as w:
            traced(x)
        self.assertRaisesRegex(ValueError, "no operator of PyTorch was seen; .* inside compiled and scripted modules, are not seen", w.report)
        with torch.profiler.profile(), tlayout.watch() as w:
            torch.zeros(2) + 1
        self.assertRaisesRegex(ValueError, "another profiler of PyTorch was running", w.report)
        with tlayout.watch() as w:
            torch.zeros(2) + 1
            with torch.profiler.profile() as own:
                torch.zeros(2) + 1
        self.assertRaisesRegex(ValueError, "another profiler of PyTorch ended", w.report)
        self.assertTrue(any(e.name == "aten::add" for e in own.events()))
        own = torch.profiler.profile()
        with tlayout.watch() as w:
            torch.zeros(2) + 1
            own.start()
        torch.zeros(2) + 1
        own.stop()
        self.assertRaisesRegex(ValueError, "another profiler of PyTorch ended", w.report)
        self.assertTrue(any(e.name == "aten::add" for e in own.events()))
        x = image()
        with mock.patch.object(recording, "LIMIT", 3), tlayout.watch() as w:
            for _ in range(5):
                x.contiguous()
        r = w.report()
        self.assertEqual((sum(c["times"] for c in r.changes), r.missing), (3, "only the first 3 calls of PyTorch are recorded"))
        self.assertIn("incomplete: only the first 3 calls", str(r))

    def test_nested(self):
        """Of nested watches, the one that records first does; the report of the other names it, and not a profiler of PyTorch."""
        x = torch.zeros(2)
        with tlayout.watch() as outer, tlayout.watch() as inner:
            x + 1
        self.assertRaisesRegex(ValueError, "another watch or graph of tlayout was recording", outer.report)
        self.assertEqual(inner.report().operators, 1)
        with tlayout.watch() as outer:
            x + 1
            with tlayout.watch() as inner:
                x + 1
        self.assertRaisesRegex(ValueError, "another watch or graph of tlayout was recording", inner.report)
        self.assertEqual(outer.report().operators, 2)
        with tlayout.watch() as outer, torch.profiler.profile(), tlayout.watch() as inner:
            x + 1
        self.assertRaisesRegex(ValueError, "another profiler of PyTorch was running", outer.report)
        self.assertRaisesRegex(ValueError, "another profiler of PyTorch was running", inner.report)
        with tlayout.watch() as outer:
            x + 1
            with torch.profiler.profile(), tlayout.watch() as inner:
                x + 1
        self.assertRaisesRegex(ValueError, "another profiler of PyTorch was running", inner.report)
        self.assertRaisesRegex(ValueError, "another profiler of PyTorch ended", outer.report)

    @exports
    def test_names(self):
        """Any name of a class is a name for the answer, and no path: watch and graph write into their own folder only."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "mine")
            for name, want in (("a/b", "a_b"), ("..", "__"), ("", "_"), ("-n", "_n"), ("a\nb", "a_b"), ("x" * 300, "x" * 60), ("é" * 200, "é" * 60), (path, None)):
                model = type(name, (Contiguous,), {})().eval()
                want = want or "".join(c if c.isalnum() or c == "_" else "_" for c in path)[:60]
                with self.subTest(name):
                    self.assertTrue(str(watched(model, image())).startswith(want + ":"))
                    self.assertTrue(str(tlayout.graph(model, image())).startswith(want + ":"))
                    self.assertEqual(os.listdir(folder), [])

    def test_repr(self):
        """A watch says what it has found."""
        w = tlayout.watch()
        self.assertEqual(repr(w), "<tlayout.watch: 0 operators kept channels_last>")
        with w:
            image().contiguous()
        self.assertRegex(repr(w), "^<tlayout.watch: torch.Tensor.contiguous lost channels_last: shape ")


SCRIPT = """
import sys, torch
from torch import nn
def main():
    print(__name__, sys.argv[1:], file=sys.stdout)
    net = nn.Sequential(nn.Conv2d(3, 8, 1), nn.ReLU()).to(memory_format=torch.channels_last)
    y = net(torch.randn(2, 3, 8, 8).to(memory_format=torch.channels_last)).contiguous()
    if sys.argv[1:] == ["raise"]:
        z = y.transpose(1, 2)
        z.view(2, -1)
    if sys.argv[1:] == ["exit"]:
        sys.exit(3)
    if sys.argv[1:] == ["text"]:
        sys.exit("no more")
main()
"""


class Module(unittest.TestCase):
    def run_module(self, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "train.py"), "w") as f:
                f.write(SCRIPT)
            return subprocess.run([sys.executable, "-m", "tlayout", *arguments], cwd=folder, capture_output=True, text=True)

    def test_script(self):
        """A script runs as __main__ with its arguments; its output and exit code are its own, and the report comes after its end."""
        for arguments, code in ((["train.py", "a", "--help"], 0), (["-m", "train", "a", "--help"], 0), (["train.py", "exit"], 3)):
            done = self.run_module(*arguments)
            rest = arguments[arguments[0] == "-m":][1:]
            self.assertEqual((done.stdout, done.returncode), (f"__main__ {rest}\n", code), done.stderr)
            self.assertRegex(done.stderr, r"^\ntorch.Tensor.contiguous lost channels_last: shape \(2, 8, 8, 8\), strides .*train.py:7\n")
            if torch.__version__ >= (2, 4):
                self.assertRegex(done.stderr, r"(?s)\n\nwatched: PyTorch profile, .*\n\d *contiguous .*NHWC → NCHW .* bytes .*train.py:7\n")
        self.assertIn("no more", self.run_module("train.py", "text").stderr)

    def test_raises(self):
        """An exception has its traceback, without frames of this module, and its explanation, before the report."""
        done = self.run_module("train.py", "raise")
        self.assertEqual(done.returncode, 1)
        trace, lost = done.stderr.index("Traceback"), done.stderr.index("\ntorch.Tensor.contiguous lost")
        self.assertLess(trace, done.stderr.index("cannot be merged"))
        self.assertLess(done.stderr.index("cannot be merged"), lost)
        self.assertRegex(done.stderr[trace:], r'^Traceback \(most recent call last\):\n  File ".*train.py", line 15, in <module>\n')
        self.assertNotIn("runpy", done.stderr)
        self.assertNotIn("__main__.py", done.stderr)

    def test_usage(self):
        """Without a script, and with --help, the usage is printed; a file that is not there is named."""
        for arguments, code in (([], 2), (["--help"], 0), (["-m"], 2), (["--no-such"], 2), (["none.py"], 2)):
            done = self.run_module(*arguments)
            self.assertEqual(done.returncode, code)
            self.assertIn("usage: python -m tlayout SCRIPT", done.stdout if code == 0 else done.stderr)
        self.assertIn("none.py is not a script", self.run_module("none.py").stderr)


class Old(unittest.TestCase):
    def test_old(self):
        """Before PyTorch 2.4, watch still follows channels_last, and report says why there is none."""
        with mock.patch.object(torch, "__version__", type(torch.__version__)("1.13.1")), tlayout.watch() as w:
            image().contiguous()
        self.assertIn("contiguous lost channels_last", str(w))
        self.assertRaisesRegex(ValueError, "strides since 2.4, and this is 1.13.1", w.report)


if __name__ == "__main__":
    unittest.main()
