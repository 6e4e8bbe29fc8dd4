"""Locates tensors in memory, as tlayout/tensor/v1 documents."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

KINDS = "a tensor of PyTorch, NumPy, CuPy or JAX, one with DLPack, or a memoryview"

# Types below a byte, of which NumPy's and PyTorch's arrays hold each value in a byte.
NARROW = re.compile(r"(torch\.)?(u?int[1-7]|float4_e2m1fn|float6_e\dm\dfn)")


Found = tuple[str, int, int, int, Sequence[int]]  # space, low, high, first and strides of a Memory


class Memory(NamedTuple):
    """A tensor at address first, and the bytes [low, high) of its storage; strides are in bytes.

    Addresses are comparable within a space, which is a device; a storage without an address has its own space. owner keeps the memory alive.
    """

    name: str
    dtype: str
    itemsize: int
    shape: list[int]
    space: str
    low: int
    high: int
    first: int
    strides: list[int]
    owner: Any

    @property
    def device(self) -> str:
        """The device as PyTorch names it: cpu, cuda:0, or meta, which has no memory."""
        if self.space.startswith("meta") and 0 not in self.shape:
            return "meta"
        if self.dtype.startswith("torch."):
            return str(self.owner.device)
        return self.space.partition(":empty")[0]

    @property
    def narrow(self) -> bool:
        """Whether its values have fewer bits than the byte of each."""
        return bool(NARROW.fullmatch(self.dtype))


def documents(tensors: Iterable[tuple[str, Any]]) -> list[dict[str, Any]]:
    """Returns the documents of named tensors, merging overlapping storages."""
    found = [locate(x, name) for name, x in tensors]
    ends: dict[int, list[int]] = {}  # of each tensor's merged storage
    space, end = "", [0, 0]  # of the last one
    for m in sorted(found, key=lambda m: (m.space, m.low, m.high)):
        if m.space != space or m.low >= end[1]:
            space, end = m.space, [m.low, m.high]
        end[1] = max(end[1], m.high)
        ends[id(m)] = end
    return [_document(m, *ends[id(m)]) for m in found]


def _document(m: Memory, low: int, high: int) -> dict[str, Any]:
    """Describes a tensor as a view of the bytes [low, high)."""
    return {"schema": "tlayout/tensor/v1", "name": m.name, "dtype": m.dtype, "shape": m.shape, "strides": m.strides, "unit": "bytes",
            "storage_offset": m.first - low, "storage": {"id": f"{m.space}:{low:#x}", "bytes": high - low, "device": m.device}}


def locate(x: Any, name: str = "") -> Memory:
    """Returns the Memory of a tensor. Raises TypeError for an object without strides, ValueError for elements outside of their storage."""
    m = _located(x, name)
    low, high = bounds(m.first, m.shape, m.strides, m.itemsize)
    if low < high and (low < m.low or m.high < high):
        raise ValueError(f"{said(name)}its elements are bytes {low - m.low} to {high - m.low} of a storage of {m.high - m.low}")
    return m


def _located(x: Any, name: str) -> Memory:
    """Returns the Memory that a tensor's own library says."""
    if not is_tensor(x):
        raise TypeError(f"{said(name)}{type_name(x)} is not {KINDS}")
    try:
        found = _torch(x) or _numpy(x) or _gpu(x)
        if not found:
            x = _view(x)
            found = _numpy(x)
        if not found:
            raise TypeError("NumPy does not locate it")
        space, low, high, first, strides = found
        itemsize = x.dtype.itemsize if hasattr(x.dtype, "itemsize") else x.element_size()
        return Memory(name, dtype_name(x.dtype), itemsize, [int(n) for n in x.shape], space, low, high, first, [int(s) for s in strides], x)
    except (AttributeError, BufferError, RuntimeError, TypeError, ValueError) as e:  # also NotImplementedError
        raise TypeError(f"{said(name)}{type_name(x)} has no strides in memory: {str(e).splitlines()[0]}") from None


def _torch(x: Any) -> Found | None:
    if not callable(getattr(x, "stride", None)):
        return None
    memory = x.untyped_storage() if hasattr(x, "untyped_storage") else x.storage().untyped()
    space, size, itemsize = str(x.device), memory.nbytes(), x.element_size()
    low = 0 if type(x).__name__ == "FakeTensor" else memory.data_ptr()
    if low == 0 or size == 0:  # on meta, or empty: identified by its storage object only
        space, low = f"meta:storage {memory._cdata:#x}", 0
    return space, low, low + size, low + x.storage_offset() * itemsize, [s * itemsize for s in x.stride()]


def _numpy(x: Any) -> Found | None:
    if not hasattr(x, "strides") or not hasattr(x, "ctypes"):  # which scalars of NumPy have not
        return None
    root = x
    while hasattr(getattr(root, "base", None), "__array_interface__"):
        root = root.base
    first = x.__array_interface__["data"][0]
    ends = [bounds(a.__array_interface__["data"][0], a.shape, a.strides, a.dtype.itemsize) for a in (root, x)]
    ends = [e for e in ends if e[0] < e[1]]
    if not ends:
        return f"cpu:empty {id(x):#x}", first, first, first, x.strides
    return "cpu", min(e[0] for e in ends), max(e[1] for e in ends), first, x.strides


def _gpu(x: Any) -> Found | None:
    """Locates arrays of CuPy, JAX and Numba on a GPU."""
    interface = getattr(x, "__cuda_array_interface__", None)
    if interface is None:
        return None
    first = interface["data"][0]
    strides = interface.get("strides") or [x.dtype.itemsize * math.prod(n or 1 for n in x.shape[d + 1:]) for d in range(len(x.shape))]
    low, high = bounds(first, x.shape, strides, x.dtype.itemsize)
    if memory := getattr(getattr(x, "data", None), "mem", None):  # of CuPy
        low, high = memory.ptr, memory.ptr + memory.size
    return f"cuda:{getattr(x.device, 'id', x.device)}", low, high, first, strides


def _view(x: Any) -> Any:
    """Returns a NumPy view of a tensor of another library, without a copy."""
    import numpy
    if not hasattr(x, "unsafe_buffer_pointer"):
        return numpy.from_dlpack(x) if hasattr(x, "__dlpack__") else numpy.asarray(memoryview(x))
    if NARROW.fullmatch(str(x.dtype)):
        raise ValueError(f"XLA packs {x.dtype}; pass numpy.asarray(x), which has a byte for each value")
    view = numpy.asarray(x)  # of JAX; DLPack lacks its bfloat16
    if view.size and view.__array_interface__["data"][0] != x.unsafe_buffer_pointer():
        raise ValueError("its elements are not in one buffer of the CPU")
    return view


def bounds(at: int, shape: Iterable[int], strides: Iterable[int], itemsize: int) -> tuple[int, int]:
    """Returns the first byte of an array with these byte strides, and the one after its last."""
    if 0 in shape:
        return at, at
    reach = [(n - 1) * s for n, s in zip(shape, strides)]
    return at + sum(r for r in reach if r < 0), at + sum(r for r in reach if r > 0) + itemsize


def dtype_name(dtype: Any) -> str:
    """Returns a type of PyTorch, ml_dtypes or NumPy as tlayout reads it; of NumPy's with the byte order."""
    return dtype.str if hasattr(dtype, "str") and not is_foreign(dtype) else str(dtype)


def is_foreign(dtype: Any) -> bool:
    """Reports whether another library added a type to NumPy, as ml_dtypes did bfloat16."""
    return getattr(dtype, "isbuiltin", 0) == 2


def is_tensor(x: Any) -> bool:
    return isinstance(x, memoryview) or not isinstance(x, type) and hasattr(type(x), "shape") and hasattr(type(x), "dtype")


def said(name: str) -> str:
    return f"{name}: " if name else ""


def type_name(x: Any) -> str:
    return f"{type(x).__module__}.{type(x).__name__}".removeprefix("builtins.")


def file_name(model: Any) -> str:
    """Returns the name of an object's class as the name of a file in any folder: a class may be called "../a", or longer than names of files."""
    return re.sub(r"\W", "_", type(model).__name__)[:60] or "_"
