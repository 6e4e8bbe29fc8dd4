"""Tests graph on small networks, and that watch and graph say the same of many: python/verify.sh runs it in a new environment."""

import collections
import inspect
import os
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

import torch
import torch.nn.functional as F
from torch import nn

import tlayout
from test_follow import NETS, Contiguous, Net, Residual, conv, image
from tlayout import graphs

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "internal", "graph", "exported", "testdata"))
import models

exports = unittest.skipIf(torch.__version__ < (2, 9), "before PyTorch 2.9, torch.export writes another archive")

# A log of oneDNN, with the fields that tlayout graph reads of a reorder from NHWC to NCHW.
LOG = ("onednn_verbose,v1,info,oneDNN v3.13.0 (commit N/A)\n"
       "onednn_verbose,v1,primitive,exec,cpu,reorder,jit:uni,undef,src:f32::blocked:acdb::f0 dst:f32::blocked:abcd::f0,,,2x3x4x5,0.25\n")


class Branch(Net):
    """Which line runs depends on the elements: torch.export refuses it. In training, its buffers change."""

    def __init__(self):
        super().__init__(a=conv(3, 8), norm=nn.BatchNorm2d(8), drop=nn.Dropout(), b=conv(8, 8))
        self.register_buffer("runs", torch.zeros(1))

    def forward(self, x):
        self.runs = self.runs + 1
        x = self.drop(self.norm(self.a(x)))
        return self.b(x.contiguous() if x.sum() != 0 else x)  # changes


class Nested(Net):
    """Takes a tuple and a named tensor."""

    def __init__(self):
        super().__init__(a=conv(3, 8, 3))

    def forward(self, pair, *, model):
        return self.a(pair[0] + pair[1] * model)


def lines(g):
    """Returns the text of the lines of this file and of test_follow.py where changes are."""
    found = []
    for c in g.changes:
        name, number = c["where"].split(":")
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), name)) as f:
            found.append(f.read().splitlines()[int(number) - 1].strip())
    return found


class Graph(unittest.TestCase):
    def kept(self, model, *inputs, **kwargs):
        """Returns the graph of a model, and checks that the model and the random state are as before."""
        before = {name: (x, x.clone(), x.stride(), x.requires_grad) for name, x in model.state_dict(keep_vars=True).items()}
        modes, random = [m.training for m in model.modules()], torch.get_rng_state()
        g = tlayout.graph(model, *inputs, **kwargs)
        self.assertTrue(torch.equal(random, torch.get_rng_state()))
        self.assertEqual(modes, [m.training for m in model.modules()])
        after = model.state_dict(keep_vars=True)
        self.assertEqual(after.keys(), before.keys())
        for name, (x, elements, strides, grad) in before.items():
            self.assertIs(after[name], x)
            self.assertTrue(torch.equal(x, elements), name)
            self.assertEqual((x.stride(), x.requires_grad, x.grad), (strides, grad, None))
        return g

    @exports
    def test_export(self):
        """The text is the page of the command about the class, without flags; the model is as before, in training and evaluation."""
        for train in True, False:
            net = Contiguous().to(memory_format=torch.channels_last).train(train)
            g = self.kept(net, image())
            self.assertEqual((g.source, g.failed), ("export", None))
            self.assertRegex(str(g), r"^Contiguous: torch.export, \d+ operators; 3 change the layout of .* each\n")
            self.assertIn("x.contiguous()", str(g))
            self.assertNotRegex(str(g), "--|more:|/")
            self.assertEqual(repr(g), str(g))
            self.assertEqual((g.document["schema"], g.document["changes"], g.document["operators"]), ("tlayout/graph/v1", g.changes, g.operators))
            self.assertEqual(lines(g)[0], "return x.contiguous()  # lost")
        g = tlayout.graph(Residual().to(memory_format=torch.channels_last).eval(), image())
        self.assertEqual((g.changes, bool(g)), ([], True))
        self.assertTrue(str(g).endswith("none changes the layout"))

    @exports
    def test_profile(self):
        """A model that torch.export refuses is profiled, with the reason; its buffers are as before, also those that it replaces."""
        for train in True, False:
            g = self.kept(Branch().to(memory_format=torch.channels_last).train(train), image())
            self.assertEqual(g.source, "profile")
            self.assertIn("data-dependent", g.failed)
            self.assertRegex(str(g), "^Branch: PyTorch profile, ")
            self.assertEqual([(c["operator"], c["from"], c["to"]) for c in g.changes], [("contiguous", "NHWC", "NCHW"), ("conv2d", "NCHW", "NHWC")])
            self.assertTrue(all(text.endswith("# changes") for text in lines(g)))
        with mock.patch("torch.export.export", side_effect=RuntimeError):
            g = tlayout.graph(nn.Sequential(conv(3, 8, 3)).to(memory_format=torch.channels_last), torch.randn(2, 3, 8, 8))  # the only line
        self.assertEqual(g.failed, "RuntimeError")
        self.assertIn("# the only line", lines(g)[0])

    @exports
    def test_inputs(self):
        """Inputs are those of a call, whatever their structure and names; what the model raises of others is raised alone."""
        x = torch.randn(2, 3, 8, 8)
        model = Nested().to(memory_format=torch.channels_last)
        exported = tlayout.graph(model, (x, x), model=x)
        with mock.patch("torch.export.export", side_effect=RuntimeError):
            profiled = tlayout.graph(model, (x, x), model=x)
        for g, source in (exported, "export"), (profiled, "profile"):
            self.assertEqual((g.source, [(c["operator"], c["operand"]) for c in g.changes]), (source, [("conv2d", "input")]))
        with self.assertRaisesRegex(TypeError, "forward") as caught:
            tlayout.graph(Nested(), x)
        self.assertIsNone(caught.exception.__context__)

    @exports
    def test_long(self):
        """A page that leaves changes out says where they are."""
        class Long(Net):
            def forward(self, x):
                for _ in range(12):
                    x = F.pad(x, (0, 1)).transpose(0, 1).contiguous()
                return x
        g = tlayout.graph(Long(), torch.randn(3, 4))
        self.assertEqual(len(g.changes), 12)
        self.assertIn("the largest 9 of 12; .changes has 3 more", str(g))
        self.assertNotIn("--", str(g))

    @exports
    def test_weights(self):
        """Weights are not written, whatever their size, and are still related to the operators."""
        model = nn.Sequential(nn.Linear(1000, 1000), nn.Linear(1000, 1000))
        model[1].weight = model[0].weight
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.pt2")
            graphs._export(model, (torch.zeros(2, 1000),), {}, path)
            self.assertLess(os.path.getsize(path), 100_000)
            self.assertEqual(tlayout.graph(path).operators, 2)

    def test_file(self):
        """A path is read without PyTorch's exporter; what is not a program is an error with tlayout's reason."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "--onednn.log")
            path.write_text(LOG)
            for given in path, str(path):
                g = tlayout.graph(given)
                self.assertTrue(str(g).startswith(f"{path}: oneDNN"), str(g))
                self.assertEqual((g.source, [(c["from"], c["to"]) for c in g.changes]), ("file", [("0,2,3,1", "0,1,2,3")]))
            self.addCleanup(os.chdir, os.getcwd())
            os.chdir(folder)
            self.assertEqual(tlayout.graph(path.name).operators, 1)  # not a flag
            os.chdir(os.path.dirname(folder))
            path.write_text("nothing")
            self.assertRaisesRegex(ValueError, "not a program that is read$", tlayout.graph, path)
            self.assertRaisesRegex(ValueError, "no such file", tlayout.graph, folder + "/none.pt2")
            self.assertRaisesRegex(TypeError, "a file has no inputs", tlayout.graph, path, torch.zeros(2))
        self.assertRaisesRegex(TypeError, "^function is neither a Module of PyTorch nor the path of a file$", tlayout.graph, lambda x: x, 1)

    def test_old(self):
        """PyTorch before 2.9 is refused, with what it can do instead."""
        with mock.patch.object(torch, "__version__", type(torch.__version__)("2.8.1")):
            self.assertRaisesRegex(RuntimeError, r"since PyTorch 2\.9, and this is 2\.8\.1; tlayout\.watch", tlayout.graph, Residual(), image())


# Of images in NCHW, PyTorch's kernels of these for the CPU copy operand and result: a profile has these copies, an export has not.
HIDDEN = "upsample_"


def order(name):
    """Returns the dims of a memory order by their numbers: a profile and an export name those of different operators."""
    dims = next((all for all in ("NCHW", "OIHW", "NCL", "OIL") if sorted(all) == sorted(name)), "")
    return tuple(dims.index(d) for d in name) if dims else tuple(map(int, name.split(",")))


def counted(changes):
    """Counts the changes by what is moved, without times and reasons: those have different sources."""
    return collections.Counter((c["operator"], c["operand"], *c["shape"], order(c["from"]), order(c["to"]), c["bytes"], c["times"], c["weight"])
                               for c in changes if not c["operator"].startswith(HIDDEN))


def compared():
    """Yields the networks of test_follow.py and models.py, with their inputs; images and what reads them are channels_last."""
    for make in NETS:
        yield make().to(memory_format=torch.channels_last).eval(), image()
    for _, make in inspect.getmembers(models, inspect.isclass):
        if make.__module__ == models.__name__:
            model, x = models.made(make)
            if x.dim() == 4 and x.is_floating_point():
                model, x = model.to(memory_format=torch.channels_last), x.to(memory_format=torch.channels_last)
            yield model, x


@exports
class Agree(unittest.TestCase):
    def test_watch(self):
        """The report of watch has the changes that graph has, one for one; one is where watch finds that channels_last is lost.

        That is at its line, or without a line in a forward, in its module. There are more: changes of other memory orders and ranks.
        """
        counts = {"models": 0, "changes": 0, "lost and changed": 0, "neither": 0, "only changed": 0, "only lost": 0}
        for model, x in compared():
            with tlayout.watch(model) as watched, torch.no_grad():
                model(x)
            g = tlayout.graph(model, x)
            counts["models"] += 1
            counts["changes"] += len(g.changes)
            with self.subTest(type(model).__name__):
                self.assertEqual((g.source, counted(watched.report().changes)), ("export", counted(g.changes)))
                modules = [{c["module"] for c in found.changes if c["module"] and c["implied"]} for found in (g, watched.report())]
                self.assertLessEqual(*modules)
            if watched.lost is None:
                counts["only changed" if g.changes else "neither"] += 1
                continue
            module, line = watched.lost.split(": ")[0], os.path.basename(watched.lost.rpartition("; ")[2])
            same = any(c["where"] in (line, module) for c in g.changes)
            counts["lost and changed" if same else "only lost"] += 1
            with self.subTest(type(model).__name__):
                self.assertTrue(same, f"{watched.lost}\n{g}")
        print(counts, file=sys.stderr)
        self.assertGreater(counts["lost and changed"], 10)
        self.assertGreater(counts["changes"], 50)


if __name__ == "__main__":
    unittest.main()
