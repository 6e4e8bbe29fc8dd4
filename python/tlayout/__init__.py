"""Shows and asserts the memory layout of tensors in the running process, using the tlayout executable installed with this package.

The package sends the tensors' attributes to tlayout's standard input as JSON, and reads no data. It ignores tlayout's settings files and
environment variables.
"""

import html
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig

from . import memory

__all__ = ["assert_layout", "describe", "show"]


def _program():
    """Returns the executable of this installation, or else one on PATH."""
    name = "tlayout" + (".exe" if os.name == "nt" else "")
    for scheme in (None, os.name + "_user"):
        folder = sysconfig.get_path("scripts", scheme) if scheme else sysconfig.get_path("scripts")
        if os.access(os.path.join(folder, name), os.X_OK):
            return os.path.join(folder, name)
    found = shutil.which(name)
    if not found:
        raise FileNotFoundError("cannot find the tlayout executable, with this package or on PATH")
    return found


SETTINGS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "settings.yaml")


def _run(documents, command, *args):
    text = "".join(json.dumps(d) + "\n" for d in documents)
    args = [_program(), command, "--config", SETTINGS, "--color", "never", "--from", "json", "-", *args]
    own = {name: value for name, value in os.environ.items() if not name.upper().startswith("TLAYOUT_")}
    return subprocess.run(args, input=text, capture_output=True, encoding="utf-8", env=own)


def _answer(documents, *args):
    done = _run(documents, *args)
    if done.returncode:
        raise ValueError(_reason(documents, done))
    return done.stdout


def _reason(documents, done):
    """Returns why the program refused documents or an assertion, in this package's terms."""
    text, *hints = (done.stderr.strip() or done.stdout.strip() or f"tlayout ended with exit code {done.returncode}").splitlines()
    text = text.removeprefix("tlayout: error: ")
    if found := re.match(r"standard input, document (\d+): ", text):
        text = (documents[int(found[1]) - 1]["name"] or "tensor") + ": " + text[found.end():]
    if found := re.match(r"--([a-z-]+)", text):
        text = found[1].replace("-", "_") + text[found.end():]
    return "; ".join([text, *(h.removeprefix("tlayout: hint: ") for h in hints if "did you mean" in h)])


def describe(x, name=""):
    """Returns the tlayout/tensor/v1 document of a PyTorch, NumPy, CuPy or JAX tensor."""
    return memory.documents([(name, x)])[0]


def _named(x, name):
    """Returns the tensors of x by name; if x is a tensor, it has the given name."""
    if memory.is_tensor(x):
        return {name: x}
    found = {}
    for key, t in memory.tensors(x):
        if key in found:
            raise ValueError(f"duplicate tensor name {key}")
        found[key] = t
    if not found:
        raise ValueError(f"{name or memory._type(x)} contains no tensor")
    return found


class Shown:
    """The output of tlayout for tensors: text, or in a notebook the drawing of a single one."""

    def __init__(self, documents):
        self._documents = documents

    def __repr__(self):
        return _answer(self._documents, "inspect").removeprefix("-: ").rstrip()  # the name of standard input

    def _repr_html_(self):
        text = "<pre>" + html.escape(repr(self)) + "</pre>"
        if len(self._documents) > 1:
            return text
        return _answer(self._documents, "draw", "--as", "svg") + text


def show(x):
    """Shows the layout of a tensor, or of all in a Module, dict, list, tuple or dataclass: as a drawing in a notebook, otherwise as text."""
    shown = Shown(memory.documents(_named(x, "").items()))
    if "IPython" in sys.modules and sys.modules["IPython"].get_ipython():
        sys.modules["IPython"].display.display(shown)
    else:
        print(shown)


def _word(value):
    return value if isinstance(value, str) else None


def _number(value):
    return str(value) if isinstance(value, (int, str)) else None


def _list(value):
    if isinstance(value, (list, tuple)) and all(isinstance(v, (int, str)) and not isinstance(v, bool) for v in value):
        return ",".join(map(str, value)) or "()"
    return _word(value)


def _dtype(value):
    return getattr(value, "__name__", None) or str(value)


# Assertions of tlayout check about tensors in memory: the type of a value, and a function that returns its text for the program, or None if
# the value is invalid. Without a function, the assertion is a boolean flag.
ASSERTIONS = {
    "layout": ("a str", _word), "contiguous": ("a str", _word), "byte_order": ("a str", _word), "expect_dtype": ("a dtype", _dtype),
    "expect_shape": ("a tuple of ints", _list), "expect_strides": ("a tuple of ints", _list), "accepted_by": ("a str or a list of str", _list),
    "rank": ("an int", _number), "expect_offset": ("an int", _number), "max_bytes": ("an int or a str", _number),
    **dict.fromkeys(("strict", "packed", "no_padding", "no_overlap", "no_broadcast", "no_unused", "no_sharing"), ("True", None)),
}

# Assertions of tlayout check that need more than a description.
OF_FILES = {"finite": "no data are read", "expr": "run it on the tensor", "view": "run the expression on the tensor",
            **dict.fromkeys(("aligned", "file_shape", "weights_only", "complete"), "it applies to files only")}


def _flag(name, value):
    """Returns the flag of an assertion."""
    if name in OF_FILES:
        raise TypeError(f"{name} cannot be asserted of tensors in memory: {OF_FILES[name]}")
    if name not in ASSERTIONS:
        raise TypeError(f"unknown assertion {name}; want one of {', '.join(ASSERTIONS)}")
    wanted, text = ASSERTIONS[name]
    flag = "--" + name.replace("_", "-")
    if text is None:
        if value is True:
            return flag
        raise ValueError(f"{name}={value!r} asserts nothing; pass True, or omit {name}")
    if value is None or isinstance(value, bool) or value == "" or text(value) is None:
        raise TypeError(f"{name}={value!r}: want {wanted}, or omit {name}")
    return f"{flag}={text(value)}"


# Memory formats of contiguous, with the only rank that they apply to.
RANKS = {"channels_last": 4, "channels_last_3d": 5}


def assert_layout(x, **assertions):
    """Raises AssertionError with the reasons unless the assertions of tlayout check hold: contiguous="channels_last", packed=True.

    x is a tensor, or a Module, dict, list, tuple or dataclass of any depth. Every tensor in it is checked; TypeError names one that
    cannot be. contiguous="channels_last" of a container applies to its tensors of rank 4, channels_last_3d to those of rank 5. Returns a
    sentence that says what was checked.
    """
    flags = {name: _flag(name, value) for name, value in assertions.items()}
    if not flags.keys() - {"strict"}:
        raise TypeError("no assertion given; pass one of " + ", ".join(ASSERTIONS))
    variable = _variable(x, sys._getframe(1))
    found = _named(x, variable)
    rank = None if memory.is_tensor(x) else RANKS.get(str(assertions.get("contiguous")).lower())
    parts = [(found, list(flags.values()))]
    if rank:
        ranked = {name: t for name, t in found.items() if len(t.shape) == rank}
        if not ranked:
            raise AssertionError(f"{variable}: contiguous: 0 of {_count(found)} have rank {rank}")
        parts = [(ranked, [flag for name, flag in flags.items() if name in ("contiguous", "strict")])]
        if flags.keys() - {"strict", "contiguous"}:
            parts.append((found, [flag for name, flag in flags.items() if name != "contiguous"]))
    failed = [text for tensors, args in parts for text in _check(variable, tensors, args)]
    said = f"{variable}: {_count(found)}" + (f"; contiguous checked for the {len(ranked)} of rank {rank}" if rank else "")
    if failed:
        raise AssertionError("\n".join([*failed, said] if len(found) > 1 else failed))
    return said


def _check(variable, tensors, args):
    """Returns the lines about failed assertions."""
    documents = memory.documents(tensors.items())
    done = _run(documents, "check", *args)
    if done.returncode not in (0, 1):
        raise ValueError(_reason(documents, done))
    if done.returncode == 0:
        return []
    counts = re.compile(r".*: ok, \d+ of \d+ holds?|\d+ sources? ok; .*|\d+ of \d+ sources? fails?")
    lines = [_line(variable, line) for line in done.stdout.splitlines() if not counts.fullmatch(line)]
    return lines or [f"{variable}: tlayout check failed without a reason"]


def _line(variable, line):
    """Returns a line of tlayout check with the tensor's name in this program."""
    for prefix in "standard input: ", "-: ":
        if line.startswith(prefix):
            return f"{variable}: {line[len(prefix):]}"
    return line.removeprefix("-:")


def _variable(x, frame):
    """Returns the name of the caller's variable for x, or its type."""
    for scope in frame.f_locals, frame.f_globals:
        for name, value in scope.items():
            if value is x and not name.startswith("_"):
                return name
    return type(x).__name__


def _count(found):
    return f"{len(found)} tensor" + "s" * (len(found) != 1)
