"""Converts the elements of tensors, in temporary files."""

from __future__ import annotations

import ctypes
import json
import mmap
import os
import sys
import tempfile
from typing import Any

from . import containers, memory, program
from .keywords import checked


@checked()
def convert(x: Any, to: str, *, dims: str = "", pad_value: Any = "", to_pitch: int | str = "", verify: bool = False) -> Any:
    """Returns the elements of a tensor in another memory order, as tlayout convert writes them: to="nhwc", "NCHW16c", "f".

    The result is a tensor of PyTorch if x is one, or else an array of NumPy, of the physical shape: of shape (N, H, W, C) for "nhwc". It
    maps the file that tlayout wrote, or before Python 3.13 and on Windows is read from it; the elements of x, in whatever strides, are written
    once. dims names those of x, "N,C,H,W" by default. pad_value fills what blocks and pitches add. to_pitch is the bytes from one row to the
    next. verify reads the result back and compares it.

    Raises ValueError with tlayout's reason, TypeError for a tensor that is not on the CPU, or has a mask.
    """
    name = containers.variable(x, containers.caller(), type(x).__name__)
    m = memory.locate(plain(x, name), name)
    flags = [f"--to={to}", f"--dims={dims}", f"--pad-value={_pad(m, pad_value)}", f"--to-pitch={to_pitch}", f"--verify={str(verify).lower()}"]
    flags = [flag for flag in flags if not flag.endswith("=")]
    with tempfile.TemporaryDirectory() as folder:
        done = program.run("convert", "source", *_written(m, os.path.join(folder, "source")), *flags, "-o", "result.raw", "--json",
                           folder=folder)
        if done.returncode:
            raise ValueError(program.reason(done))
        data = _content(os.path.join(folder, "result.raw"))
    after = json.loads(done.stdout)["tensors"][0]["after"]
    step = -1 if after["layout"] == "fortran" else 1
    shape, axes = after["file_shape"][::step], tuple(range(len(after["file_shape"])))[::step]
    if m.dtype.startswith("torch."):
        import torch
        flat = torch.frombuffer(data, dtype=torch.uint8 if m.narrow else x.dtype)  # which knows no values below a byte
        return (flat.view(x.dtype) if m.narrow else flat).reshape(shape).permute(axes)
    import numpy
    return numpy.ndarray(shape, x.dtype if isinstance(x, numpy.ndarray) else m.dtype, data).transpose(axes)


def plain(x: Any, name: str) -> Any:
    """Returns a tensor whose memory has its elements: without lazy conjugation and negation."""
    if hasattr(x, "mask") and hasattr(x, "filled"):
        raise TypeError(f"{name} is a masked array; pass {name}.data or {name}.filled(0)")
    return x.resolve_conj().resolve_neg() if hasattr(x, "resolve_neg") else x


def _pad(m: memory.Memory, value: Any) -> Any:
    """Returns the value of padding as tlayout reads it; of values below a byte, which are moved as bytes, their byte."""
    if value == "" or not m.narrow:
        return value
    if m.dtype.startswith("torch."):
        raise ValueError(f"pad_value={value!r}: PyTorch has no values of {m.dtype}; convert the view(torch.uint8)")
    import numpy
    return numpy.array(value).astype(m.owner.dtype).view("u1")


def _content(path: str) -> mmap.mmap:
    """Returns the bytes of a file as memory that can be written to, and holds no descriptor."""
    with open(path, "rb") as f:
        if sys.version_info >= (3, 13) and os.name != "nt":  # Windows does not delete mapped files
            return mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_COPY, trackfd=False)
        data = mmap.mmap(-1, os.path.getsize(path))
        if f.readinto(data) != len(data):
            raise OSError(f"{path} ends early")
        return data


def _written(m: memory.Memory, path: str) -> list[str]:
    """Writes the bytes from a tensor's first to its last, and returns the flags that read it."""
    low, high = memory.bounds(m.first, m.shape, m.strides, m.itemsize)
    if low == high:
        raise ValueError(f"{m.name} has no elements")
    if m.device != "cpu":
        raise TypeError(f"{m.name} is on {m.device}; pass a tensor on the CPU")
    if any(s % m.itemsize for s in m.strides):
        raise ValueError(f"{m.name}: strides {m.strides} in bytes are not multiples of the item size {m.itemsize}")
    with open(path, "wb") as f:
        f.write((ctypes.c_char * (high - low)).from_address(low))
    dtype = "uint8" if m.narrow else m.dtype  # the program's types below a byte share bytes
    size = dict(shape=m.shape, strides=[s // m.itemsize for s in m.strides], offset=[(m.first - low) // m.itemsize])
    return ["--raw", f"--dtype={dtype}", *(f"--{name}={','.join(map(str, numbers)) or '()'}" for name, numbers in size.items())]
