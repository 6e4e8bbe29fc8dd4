"""Gives the elements of tensors to tlayout, in temporary files."""

from __future__ import annotations

import ctypes
import json
import mmap
import os
import sys
import tempfile
import zipfile
from typing import Any

from . import containers, memory, program


def convert(x: Any, to: str, dims: str = "", pad_value: Any = "", to_pitch: str = "", verify: bool = False) -> Any:
    """Returns the elements of a tensor in another memory order, as tlayout convert --to writes them: to="nhwc", "NCHW16c", "f".

    The result is a tensor of PyTorch if x is one, or else an array of NumPy, of the physical shape: of shape (N, H, W, C) for "nhwc". It
    maps the file that tlayout wrote; the elements of x, in whatever strides, are written once. dims names those of x, "N,C,H,W" by default.
    Raises ValueError with tlayout's reason, TypeError for a tensor that is not on the CPU.
    """
    flags = [f"--to={to}", f"--dims={dims}", f"--pad-value={pad_value}", f"--to-pitch={to_pitch}", f"--verify={str(verify).lower()}"]
    flags = [flag for flag in flags if not flag.endswith("=")]
    name = containers.variable(x, sys._getframe(1), type(x).__name__)
    m = memory.locate(x.resolve_conj().resolve_neg() if hasattr(x, "resolve_neg") else x, name)
    with tempfile.TemporaryDirectory() as folder:
        done = program.run("convert", "source", *_written(m, os.path.join(folder, "source")), *flags, "-o", "result.raw", "--json",
                           folder=folder)
        if done.returncode:
            raise ValueError(program.reason(done))
        with open(os.path.join(folder, "result.raw"), "rb") as f:
            data = mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_COPY) if os.name != "nt" else bytearray(f.read())  # Windows keeps mapped files
    after = json.loads(done.stdout)["tensors"][0]["after"]
    step = -1 if after["layout"] == "fortran" else 1
    shape, axes = after["file_shape"][::step], tuple(range(len(after["file_shape"])))[::step]
    if m.dtype.startswith("torch."):
        import torch
        return torch.frombuffer(data, dtype=x.dtype).reshape(shape).permute(axes)
    import numpy
    return numpy.ndarray(shape, x.dtype if isinstance(x, numpy.ndarray) else m.dtype, data).transpose(axes)


def _written(m: memory.Memory, path: str) -> list:
    """Writes the bytes from a tensor's first to its last, and returns the flags that read it."""
    low, high = memory.bounds(m.first, m.shape, m.strides, m.itemsize)
    if low == high:
        raise ValueError(f"{m.name} has no elements")
    if m.space != "cpu":
        raise TypeError(f"{m.name} is on {m.space.split(':storage')[0]}; pass a tensor on the CPU")
    if any(s % m.itemsize for s in m.strides):
        raise ValueError(f"{m.name}: strides {m.strides} in bytes are not multiples of the item size {m.itemsize}")
    with open(path, "wb") as f:
        f.write((ctypes.c_char * (high - low)).from_address(low))
    size = dict(shape=m.shape, strides=[s // m.itemsize for s in m.strides], offset=[(m.first - low) // m.itemsize])
    return ["--raw", f"--dtype={m.dtype}", *(f"--{name}={','.join(map(str, numbers)) or '()'}" for name, numbers in size.items())]


def relate(a: Any, b: Any) -> str:
    """Returns in sentences which layout mistake turned a into b, as tlayout diff finds it: another memory order, dims exchanged, a factor.

    a and b are tensors, or containers of tensors: those are paired by name, or else by their elements.
    """
    names = [containers.variable(a, sys._getframe(1), "a"), containers.variable(b, sys._getframe(1), "b")]
    if names[0] == names[1]:
        names = ["a", "b"]
    with tempfile.TemporaryDirectory() as folder:
        for x, name in zip((a, b), names):
            _saved(x, os.path.join(folder, name))
        done = program.run("diff", *names, folder=folder)
    if done.returncode not in (0, 1):
        raise ValueError(program.reason(done))
    return done.stdout.split("\n\nFix\n")[0].split("\n\nmore: ")[0].strip()


def _saved(x: Any, path: str) -> None:
    """Saves tensors as their own library does: a .pt, .npy or .npz without the ending."""
    found = {name: memory.locate(t, name).owner for name, t in containers.named(x, "").items()}
    if any(str(t.dtype).startswith("torch.") for t in found.values()):
        import torch
        state = {name: torch.as_tensor(t).detach().cpu().resolve_conj().resolve_neg() for name, t in found.items()}
        torch.save(state[""] if memory.is_tensor(x) else state, path)
    else:
        import numpy
        with open(path, "wb") if memory.is_tensor(x) else zipfile.ZipFile(path, "w") as f:
            for name, t in found.items():
                numpy.save(f if memory.is_tensor(x) else f.open(f"{name}.npy", "w", force_zip64=True), t, allow_pickle=False)
