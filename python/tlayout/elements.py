"""Gives the elements of tensors to tlayout, in temporary files."""

from __future__ import annotations

import ctypes
import json
import math
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
    maps the file that tlayout wrote, or before Python 3.13 and on Windows is read from it; the elements of x, in whatever strides, are written
    once. dims names those of x, "N,C,H,W" by default.
    Raises ValueError with tlayout's reason, TypeError for a tensor that is not on the CPU, or has a mask.
    """
    name = containers.variable(x, sys._getframe(1), type(x).__name__)
    m = memory.locate(_plain(x, name), name)
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


def _plain(x: Any, name: str) -> Any:
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


def _written(m: memory.Memory, path: str) -> list:
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


def relate(a: Any, b: Any) -> str:
    """Returns in sentences which layout mistake turned a into b, as tlayout diff finds it: another memory order, dims exchanged, a factor.

    a and b are tensors, or containers of tensors: those are paired by name, or else by their elements. Raises ValueError with tlayout's
    reason, TypeError for what is not a tensor with elements.
    """
    names = [containers.variable(a, sys._getframe(1), "a"), containers.variable(b, sys._getframe(1), "b")]
    if names[0] == names[1]:
        names = ["a", "b"]
    with tempfile.TemporaryDirectory() as folder:
        tensors = sum(_saved(x, os.path.join(folder, name), name) for x, name in zip((a, b), names))
        done = program.run("diff", *names, f"--max-tensors={tensors + 1}", folder=folder)  # an archive's layout.json counts as one
    if done.returncode not in (0, 1):
        raise ValueError(program.reason(done))
    return done.stdout.split("\n\n")[0].strip()  # what follows is about files: positions, flags, commands


def _saved(x: Any, path: str, name: str) -> int:
    """Saves tensors so that tlayout reads them with their types, and returns their number.

    Writes what torch.save does if there is one of PyTorch, or else what numpy.save and savez do.
    """
    found = {key: _held(t, key or name) for key, t in containers.named(x, "").items()}
    if any(str(t.dtype).startswith("torch.") for t in found.values()):
        import torch
        state = {key: _torch(t, key or name) for key, t in found.items()}
        torch.save(state[""] if memory.is_tensor(x) else state, path)
    elif memory.is_tensor(x) and not memory.is_foreign(found[""].dtype):
        import numpy
        with open(path, "wb") as f:
            numpy.save(f, found[""], allow_pickle=False)
    else:
        _savez(found, path)
    return len(found)


def _held(x: Any, name: str) -> Any:
    """Returns a tensor of PyTorch or NumPy whose memory has its elements."""
    m = memory.locate(_plain(x, name), name)
    if m.device == "meta":
        raise TypeError(f"{name} is on meta; pass a tensor with elements")
    return m.owner


def _savez(arrays: dict, path: str) -> None:
    """Saves arrays of NumPy as numpy.savez does; layout.json has the types of ml_dtypes, which .npy calls V1 and V2."""
    import numpy
    record = {}
    with zipfile.ZipFile(path, "w") as z:
        for name, x in arrays.items():
            if x.dtype.type.__module__ == "ml_dtypes":
                x = numpy.ascontiguousarray(x).reshape(x.shape)
                record[name] = _row_major(str(x.dtype), x.shape)
            with z.open(f"{name}.npy", "w", force_zip64=True) as f:
                numpy.save(f, x, allow_pickle=False)
        if record:
            z.writestr("layout.json", json.dumps({"schema": "tlayout/layout/v1", "arrays": record}))


def _row_major(dtype: str, shape: tuple) -> dict:
    """Returns the record of a row-major array in layout.json."""
    names = [f"d{d}" for d in range(len(shape))]
    digits = {name: [{"div": 1, "extent": n, "stride": math.prod(shape[d + 1:])}] for d, (name, n) in enumerate(zip(names, shape))}
    return {"dtype": dtype, "file_shape": shape, "dims": names, "shape": shape, "layout": " ".join(names), "digits": digits, "storage_offset": 0,
            "storage_elems": math.prod(shape)}


def _torch(x: Any, name: str) -> Any:
    """Returns a tensor of PyTorch that torch.save takes. Types that it does not take are saved as integers of their size."""
    import torch
    foreign = memory.is_foreign(x.dtype)
    try:
        t = torch.as_tensor(x.view(f"i{x.dtype.itemsize}") if foreign else x).detach().cpu()
    except (TypeError, ValueError) as e:
        raise TypeError(f"{name} is not related to tensors of PyTorch: {str(e).splitlines()[0]}") from None
    if memory.NARROW.fullmatch(str(x.dtype)):
        return t.view(torch.uint8)
    own = getattr(torch, str(x.dtype), None) if foreign else None
    return t.view(own) if own else t
