"""Runs the blocks of Python in README.md and docs/python.md, and compares what they print: python/verify.sh runs it in a new environment."""

import contextlib
import io
import os
import re
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import torch
from torch import nn

import tlayout
from test_graph import exports

HERE = os.path.dirname(os.path.abspath(__file__))


def page(name):
    """Returns the text of a document, which verify.sh puts beside this file."""
    paths = {"README.md": ["README.md"], "python.md": ["python.md", os.path.join("..", "docs", "python.md")]}[name]
    with open(next(p for p in (os.path.join(HERE, p) for p in paths) if os.path.exists(p)), encoding="utf-8") as f:
        return f.read()


def blocks(text):
    """Returns the fenced blocks of a document with their languages, in order."""
    return re.findall(r"^```(\w*)\n(.*?)^```$", text, re.M | re.S)


def untimed(text):
    """Returns what is printed without times and shares, and the widths that they make."""
    text = re.sub(r"[\d.]+ (?:ns|µs|ms|s)\b", "T", text)
    text = re.sub(r"[\d.e-]+ %", "P", text)
    return " ".join(re.sub("─+", "─", text).split())


def namespace():
    """Returns what the blocks of a document have besides their own names."""
    x = torch.rand(2, 16, 8, 8).to(memory_format=torch.channels_last)
    try:
        torch.zeros(2, 3, 4).transpose(1, 2).view(8, 3)
    except RuntimeError as e:
        error = e
    return {"tlayout": tlayout, "torch": torch, "x": x, "y": x, "model": nn.Conv2d(16, 4, 1).to(memory_format=torch.channels_last), "error": error,
            "state": {"w": torch.zeros(3, 4)}, "right": x, "wrong": 2 * x, "np": np}


class Documents(unittest.TestCase):
    def printed(self, code, name="net.py"):
        """Returns what a program prints that is the file of a name."""
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, name), "w") as f:
                f.write(code)
            done = subprocess.run([sys.executable, name], cwd=folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.replace(folder + os.sep, "")

    @exports
    def test_output(self):
        """A block of Python before one without a language prints it, but for times."""
        found = 0
        for name in "README.md", "python.md":
            all = blocks(page(name))
            for (language, code), (after, want) in zip(all, all[1:]):
                if (language, after) == ("python", "") and "print(" in code:
                    found += 1
                    with self.subTest(name, block=code[:40]):
                        self.assertEqual(untimed(self.printed(code)), untimed(want))
                        self.assertLessEqual(max(map(len, want.splitlines())), 80)
        self.assertEqual(found, 3)

    @exports
    def test_calls(self):
        """The lines of the other blocks run."""
        for name in "README.md", "python.md":
            all = blocks(page(name))
            calls = [code for (language, code), (after, _) in zip(all, [*all[1:], ("end", "")]) if language == "python" and not (after == "" and "print(" in code)]
            self.assertTrue(calls)
            for code in calls:
                with self.subTest(name, block=code[:40]), contextlib.redirect_stdout(io.StringIO()):
                    exec(compile(code, name, "exec"), namespace())

    def test_names(self):
        """docs/python.md names everything that the package has."""
        text = page("python.md")
        for name in tlayout.__all__:
            self.assertRegex(text, rf"\b{name}\b")


if __name__ == "__main__":
    unittest.main()
