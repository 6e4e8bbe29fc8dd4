"""Finds the tensors of Modules, optimizers, dicts, lists, tuples and dataclasses."""

from __future__ import annotations

import collections.abc
import dataclasses
from collections.abc import Iterable, Iterator
from typing import Any

from .memory import KINDS, is_tensor, said, type_name

PLAIN = (type(None), bool, int, float, complex, str, bytes, bytearray, range)  # values without tensors
OPAQUE = {("numpy", "generic"), ("torch", "dtype"), ("torch", "device"), ("torch", "layout"), ("torch", "memory_format")}


def named(x: Any, name: str) -> dict:
    """Returns the tensors of x by their keys, enc.0.weight; if x is a tensor, it has the given name."""
    if is_tensor(x):
        return {name: x}
    found = {}
    for key, t in tensors(x):
        if key in found:
            raise ValueError(f"duplicate tensor name {key}")
        found[key] = t
    if not found:
        raise ValueError(f"{name or type_name(x)} contains no tensor")
    return found


def tensors(x: Any, name: str = "") -> Iterator[tuple]:
    """Yields the tensors of a container with their names. Raises TypeError for an unsupported object that may contain tensors."""
    for key, value in _items(x, name):
        path = f"{name}.{key}" if name else str(key)
        if isinstance(value, PLAIN) or any((t.__module__, t.__name__) in OPAQUE for t in type(value).__mro__):
            continue
        if is_tensor(value):
            yield path, value
        else:
            yield from tensors(value, path)


def _items(x: Any, name: str) -> Iterable[tuple]:
    """Returns the keys and values of a container."""
    if callable(getattr(x, "named_modules", None)) and hasattr(x, "_parameters"):
        return _module(x)
    if isinstance(x, collections.abc.Mapping):
        return x.items()
    if isinstance(x, collections.abc.Sequence) and not isinstance(x, PLAIN):
        return zip(getattr(x, "_fields", range(len(x))), x)
    if dataclasses.is_dataclass(x) and not isinstance(x, type):
        return [(f.name, getattr(x, f.name)) for f in dataclasses.fields(x)]
    if callable(getattr(x, "state_dict", None)) and not isinstance(x, type):  # an optimizer
        return x.state_dict().items()
    raise TypeError(f"{said(name)}{type_name(x)} is neither {KINDS} nor a Module, optimizer, dict, list, tuple or dataclass of them")


def _module(x: Any) -> Iterator[tuple]:
    """Yields the parameters and buffers of a Module, tied ones under each of their names."""
    for path, m in x.named_modules(remove_duplicate=False):
        for key, value in [*m._parameters.items(), *m._buffers.items()]:
            yield f"{path}.{key}" if path else key, value


def variable(x: Any, frame: Any, default: str) -> str:
    """Returns the name of the caller's variable for x."""
    scopes = [*frame.f_locals.items(), *frame.f_globals.items()]
    return next((name for name, value in scopes if value is x and not name.startswith("_")), default)
