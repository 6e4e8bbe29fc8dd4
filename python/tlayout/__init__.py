"""Shows and asserts the memory layout of tensors in this program, with the program tlayout that is installed beside this package.

Tensors are described by their attributes, as JSON on the standard input of tlayout. No data are read.
"""

import html
import json
import os
import shutil
import subprocess
import sysconfig

__all__ = ["assert_layout", "describe", "show"]


def _program():
    """The program of this installation; one on PATH if that has none."""
    name = "tlayout" + (".exe" if os.name == "nt" else "")
    for scheme in (None, os.name + "_user"):
        folder = sysconfig.get_path("scripts", scheme) if scheme else sysconfig.get_path("scripts")
        if os.access(os.path.join(folder, name), os.X_OK):
            return os.path.join(folder, name)
    found = shutil.which(name)
    if not found:
        raise FileNotFoundError("the program tlayout is neither installed beside this package nor on PATH")
    return found


def _run(documents, *args):
    text = "".join(json.dumps(d) + "\n" for d in documents)
    args = [_program(), args[0], "--from", "json", "-", *args[1:]]
    return subprocess.run(args, input=text, capture_output=True, encoding="utf-8")


def _answer(documents, *args):
    done = _run(documents, *args)
    if done.returncode:
        raise ValueError(done.stderr.strip() or done.stdout.strip())
    return done.stdout


def _bounds(at, shape, strides, itemsize):
    """First byte of a strided array, and the one after its last."""
    if 0 in shape:
        return at, at
    reach = [(n - 1) * s for n, s in zip(shape, strides)]
    return at + sum(r for r in reach if r < 0), at + sum(r for r in reach if r > 0) + itemsize


def _storage(x):
    """Strides, their unit, offset, and the storage's address and bytes."""
    shape, itemsize = tuple(x.shape), x.dtype.itemsize if hasattr(x.dtype, "itemsize") else x.element_size()
    if callable(getattr(x, "stride", None)):  # PyTorch
        memory = x.untyped_storage() if hasattr(x, "untyped_storage") else x.storage()
        size = memory.nbytes() if callable(memory.nbytes) else memory.nbytes
        return list(x.stride()), "elements", x.storage_offset(), f"{x.device}:{memory.data_ptr():#x}", size
    if hasattr(x, "strides") and hasattr(getattr(x, "data", None), "mem"):  # CuPy
        return list(x.strides), "bytes", x.data.ptr - x.data.mem.ptr, f"{x.device}:{x.data.mem.ptr:#x}", x.data.mem.size
    if hasattr(x, "strides") and hasattr(x, "__array_interface__"):  # NumPy
        root = x
        while hasattr(root.base, "__array_interface__"):
            root = root.base
        ends = [_bounds(a.__array_interface__["data"][0], a.shape, a.strides, a.dtype.itemsize) for a in (root, x)]
        low, high = min(e[0] for e in ends), max(e[1] for e in ends)
        return list(x.strides), "bytes", x.__array_interface__["data"][0] - low, f"{low:#x}", high - low
    strides, run = [], 1  # JAX and others that have no strides: row-major, with no address that could be shared
    for n in reversed(shape):
        strides.insert(0, run)
        run *= max(n, 1)
    return strides, "elements", 0, f"object {id(x):#x}", x.size * itemsize


def describe(x, name=""):
    """The document tlayout/tensor/v1 of a tensor of PyTorch, NumPy, CuPy or JAX."""
    strides, unit, offset, memory, size = _storage(x)
    dtype = x.dtype.str if hasattr(x, "__array_interface__") and x.dtype.kind != "V" else str(x.dtype)
    return {"schema": "tlayout/tensor/v1", "name": name, "dtype": dtype, "shape": [int(n) for n in x.shape],
            "strides": [int(s) for s in strides], "unit": unit, "offset": int(offset), "storage": {"id": memory, "bytes": int(size)}}


def _documents(x):
    if hasattr(x, "items"):  # a state_dict
        return [describe(t, name) for name, t in x.items() if hasattr(t, "shape")]
    return [describe(x)]


class Shown:
    """What tlayout says of a tensor: text, and in a notebook its drawing."""

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
    """Shows the layout of a tensor, or of all of a state_dict(): a drawing in a notebook, text elsewhere."""
    shown = Shown(_documents(x))
    try:
        get_ipython  # noqa: B018, defined by IPython
    except NameError:
        print(shown)
    else:
        from IPython.display import display
        display(shown)


def assert_layout(x, **assertions):
    """Raises AssertionError with the reason unless the assertions of tlayout check hold: contiguous="channels_last", packed=True."""
    args = []
    for name, value in assertions.items():
        flag = "--" + name.replace("_", "-")
        args.append(flag if value is True else f"{flag}={value}")
    done = _run(_documents(x), "check", *args)
    if done.returncode == 1:
        raise AssertionError(done.stdout.strip())
    if done.returncode:
        raise ValueError(done.stderr.strip())
