"""Finds the tensors of Modules, optimizers, dicts, lists, tuples and dataclasses."""

from __future__ import annotations

import collections.abc
import dataclasses
import itertools
import os
import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any

from .memory import KINDS, is_tensor, said, type_name

PLAIN = (type(None), bool, int, float, complex, str, bytes, bytearray, range)  # values without tensors
FOLDER = os.path.dirname(os.path.abspath(__file__)) + os.sep
END = object()  # of a container
OPAQUE = {("numpy", "generic"), ("torch", "dtype"), ("torch", "device"), ("torch", "layout"), ("torch", "memory_format")}


def named(x: Any, name: str) -> dict[str, Any]:
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


def tensors(x: Any) -> Iterator[tuple[str, Any]]:
    """Yields the tensors of a container with their names.

    Raises TypeError for an unsupported object that may contain tensors, ValueError for a container in itself. Both name it.
    """
    keys: list[str] = []  # the path to the innermost container
    around = [(x, _items(x, []))]  # the containers on it
    inside = {id(x)}  # those
    while around:
        container, items = around[-1]
        key, value = next(items, (None, END))
        if value is END:
            around.pop()
            inside.remove(id(container))
            del keys[-1:]
            continue
        if _is_plain(value):
            continue
        keys.append(_text(key))
        if is_tensor(value):
            yield ".".join(keys), value
            keys.pop()
            continue
        if id(value) in inside:
            raise ValueError(f"{'.'.join(keys)}: this {type_name(value)} contains itself")
        around.append((value, _items(value, keys)))
        inside.add(id(value))


def _is_plain(x: Any) -> bool:
    return isinstance(x, PLAIN) or any((t.__module__, t.__name__) in OPAQUE for t in type(x).__mro__)


def _text(key: Any) -> str:
    """Returns a key as text that files and JSON can hold: lone surrogates and NUL are escaped."""
    return str(key).replace("\0", "\\x00").encode("utf-8", "backslashreplace").decode("utf-8")


def _items(x: Any, keys: list[str]) -> Iterator[tuple[Any, Any]]:
    """Returns the keys and values of a container, which is at the end of a path."""
    if callable(getattr(x, "named_modules", None)) and hasattr(x, "_parameters"):  # tied parameters have all of their names
        return itertools.chain(x._parameters.items(), x._buffers.items(), x._modules.items())
    if isinstance(x, collections.abc.Mapping):
        return iter(x.items())
    if isinstance(x, collections.abc.Sequence) and not isinstance(x, PLAIN):
        return zip(getattr(x, "_fields", range(len(x))), x)
    if dataclasses.is_dataclass(x) and not isinstance(x, type):
        return iter([(f.name, getattr(x, f.name)) for f in dataclasses.fields(x)])
    state_dict: Any = getattr(x, "state_dict", None)
    if callable(state_dict) and not isinstance(x, type):  # of an optimizer
        state: Any = state_dict()
        return iter(state.items())
    name = said(".".join(keys))
    raise TypeError(f"{name}{type_name(x)} is neither {KINDS} nor a Module, optimizer, dict, list, tuple or dataclass of them")


def caller() -> FrameType:
    """Returns the frame that calls this package."""
    frame = sys._getframe(1)
    while frame.f_back and frame.f_code.co_filename.startswith(FOLDER):
        frame = frame.f_back
    return frame


def variable(x: Any, frame: FrameType, default: str) -> str:
    """Returns the name of the caller's variable for x."""
    scopes = [*frame.f_locals.items(), *frame.f_globals.items()]
    return next((name for name, value in scopes if value is x and not name.startswith("_")), default)
