"""Describes tensors in memory: as a document, and as a value."""

from __future__ import annotations

import dataclasses
from typing import Any

from . import memory


def describe(x: Any, name: str = "") -> dict[str, Any]:
    """Returns the tlayout/tensor/v1 document of a tensor of PyTorch, NumPy, CuPy or JAX, one with DLPack, or a memoryview."""
    return memory.documents([(name, x)])[0]


@dataclasses.dataclass(frozen=True)
class Layout:
    """The layout of a tensor: layouts are equal, and have one hash, if all but their names are equal.

    dtype is NumPy's or ml_dtypes' name, "float32", with the byte order if it is not the machine's, ">f4". strides and offset are in elements; offset
    is that of the first element in its storage. device is "cpu", "cuda:0", or "meta", which has no memory.
    """

    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int = 0
    device: str = "cpu"
    name: str = dataclasses.field(default="", compare=False)


def layout(x: Any, name: str = "") -> Layout:
    """Returns the layout of a tensor. Raises TypeError for what has no strides, ValueError for strides that are not whole elements."""
    m = memory.locate(x, name)
    low = memory.documents([(name, x)])[0]["storage_offset"]
    if any(n % m.itemsize for n in (*m.strides, low)):
        raise ValueError(f"{memory.said(name)}strides {tuple(m.strides)} and offset {low} in bytes are not multiples of the item size {m.itemsize}")
    strides = tuple(s // m.itemsize for s in m.strides)
    return Layout(str(m.owner.dtype).removeprefix("torch."), tuple(m.shape), strides, low // m.itemsize, m.device, name)
