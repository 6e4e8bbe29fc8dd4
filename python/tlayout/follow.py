"""Follows channels_last through PyTorch's operators while a model runs."""

from __future__ import annotations

import os
import sys
import weakref
from collections.abc import Iterator
from types import FrameType
from typing import Any

import torch
from torch.multiprocessing.reductions import StorageWeakRef
from torch.overrides import TorchFunctionMode, resolve_name

from .recording import Recording

COMPILING = getattr(getattr(torch, "compiler", None), "is_compiling", torch.jit.is_tracing)
FORMATS = {4: torch.channels_last, 5: torch.channels_last_3d}
PACKAGES = tuple(os.path.dirname(str(p)) + os.sep for p in (torch.__file__, __file__))
# Operators of images: what they read should be channels_last.
IMAGE = ("conv", "pool", "batch_norm", "group_norm", "instance_norm", "interpolate", "upsample", "pixel_", "grid_sample")


class Follower(TorchFunctionMode):
    """Follows the tensors that are channels_last through PyTorch's operators, and records the operators.

    An operator loses channels_last if its input has that memory order, its output has another, and both have the same rank, 4 or 5. The
    inputs are followed through views and other ranks: where a copy changed their memory order, it is the one reported, once an operator of
    images reads the result.
    """

    def __init__(self, model: torch.nn.Module | None, recording: Recording) -> None:
        super().__init__()
        self.lost: str | None = None
        self.operators = 0
        self._recording = recording
        self._places = Places(model)
        self._room = 10_000
        # Of storages with elements of a channels_last tensor, the copy that changed their order, or "". A weak reference keeps the identity of a
        # freed storage from being reused.
        self._marks: dict[StorageWeakRef, str] = {}

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if COMPILING() or torch.jit.is_tracing():
            return func(*args, **(kwargs or {}))
        out = self._recording.run(lambda: func(*args, **(kwargs or {})), self._places.here)
        if self.lost is None:
            try:
                if not func.__name__.startswith(("new_", "__get__")) and not func.__name__.endswith("_like"):  # attributes and factories
                    written = func.__name__.endswith("_") or "out" in (kwargs or {})  # an input: also by __setitem__
                    with torch._C.DisableTorchFunction():
                        self._follow(func, list(_tensors(args, kwargs)), list(_tensors(out)), written)
            except Exception:  # tensors without a storage, as in vmap, and objects of other libraries: nothing is reported of them
                pass
        return out

    def _follow(self, func: Any, inputs: list[Any], outputs: list[Any], written: bool) -> None:
        if len(self._marks) > self._room:
            self._marks = {storage: mark for storage, mark in self._marks.items() if not storage.expired()}
            self._room = 2 * len(self._marks) + 10_000
        self._marks.update({_storage(x): "" for x in inputs if _like(x) and not isinstance(x, torch.nn.Parameter)})
        marked = [x for x in inputs if _storage(x) in self._marks]
        first = inputs[0] if marked and marked[0] is inputs[0] and inputs[0].dim() in FORMATS else None
        if outputs and first is not None and not _kept(first) and 0 not in first.stride() and any(word in func.__name__ for word in IMAGE):
            self.lost = self._marks[_storage(first)] or self._said(func, "reads a view that is not channels_last", first)
        else:
            before = self._marks.keys() if written else {_storage(x) for x in inputs}
            for y in outputs or inputs[:written]:
                if marked and _storage(y) not in before and not isinstance(y, torch.nn.Parameter):
                    self._mark(func, marked, y)

    def _mark(self, func: Any, marked: list[Any], y: Any) -> None:
        """Marks the new storage of an output of marked inputs."""
        same = [x for x in marked if x.dim() == y.dim()]
        mark = max((self._marks[_storage(x)] for x in marked), key=len)
        if not any(_kept(x) for x in same):
            if not _kept(y) and (all(_order(x) != _order(y) for x in same) if same else not mark and y.is_contiguous()):
                mark = self._said(func, "copied elements into another memory order", y)
        elif _kept(y):
            self.operators += 1
            mark = ""
        else:
            self.lost = self._said(func, "lost channels_last", y)
        self._marks[_storage(y)] = mark

    def _said(self, func: Any, what: str, x: torch.Tensor) -> str:
        """Returns a sentence about an operator, with the innermost module and the line that call it."""
        module, line = self._places.here()
        before, after = f"{module}: " if module else "", f"; {line}" if line else ""
        return f"{before}{resolve_name(func) or func.__name__} {what}: shape {tuple(x.shape)}, strides {x.stride()}{after}"


class Places:
    """Names the place of the running operator: the innermost module, and the innermost line that is not PyTorch's."""

    def __init__(self, model: torch.nn.Module | None) -> None:
        self._model = model
        self._names: weakref.WeakKeyDictionary[torch.nn.Module, weakref.WeakKeyDictionary[torch.nn.Module, str]] = weakref.WeakKeyDictionary()

    def here(self) -> tuple[str, str]:
        """Returns the module, and the line as "/a/net.py:18"; either is empty if there is none."""
        line, modules = "", []
        frame: FrameType | None = sys._getframe(1)
        while frame:
            code = frame.f_code
            if not line and not code.co_filename.startswith(PACKAGES):
                line = f"{code.co_filename}:{frame.f_lineno}"
            if code.co_varnames[:1] == ("self",) and _is_made(frame.f_locals.get("self")):
                modules.append(frame.f_locals["self"])
            frame = frame.f_back
        return self._name(modules) if modules else "", line

    def _name(self, modules: list[torch.nn.Module]) -> str:
        """Returns the path of the innermost of some modules, in the model or the outermost of them; its class if that is itself."""
        inner = modules[0]
        root = modules[-1] if self._model is None else self._model
        names = self._names.setdefault(root, weakref.WeakKeyDictionary())
        if inner not in names:
            names.update({m: name or type(m).__name__ for name, m in root.named_modules()})
        return names.get(inner, type(inner).__name__)


def _is_made(x: Any) -> bool:
    """Reports whether an object is a Module that has its submodules: it is not in the middle of __init__."""
    return isinstance(x, torch.nn.Module) and "_modules" in vars(x)


def _tensors(*values: Any) -> Iterator[Any]:
    for x in values:
        if isinstance(x, torch.Tensor) and x.layout == torch.strided:
            yield x
        elif isinstance(x, (list, tuple, dict)):
            yield from _tensors(*(x.values() if isinstance(x, dict) else x))


def _storage(x: Any) -> StorageWeakRef:
    return StorageWeakRef(x.untyped_storage() if hasattr(x, "untyped_storage") else x.storage())


def _order(x: Any) -> list[int]:
    """Returns the dims of more than one index, outermost first."""
    return sorted((d for d in range(x.dim()) if x.shape[d] > 1), key=lambda d: (-x.stride(d), d))


def _kept(x: Any) -> bool:
    return x.dim() in FORMATS and (x.is_contiguous(memory_format=FORMATS[x.dim()]) or _like(x))


def _like(x: Any) -> bool:
    """Reports whether PyTorch infers channels_last from the strides (c10/core/MemoryFormat.h, is_channels_last_strides_2d)."""
    if x.dim() not in FORMATS or x.numel() == 0 or x.stride(1) == 0:
        return False
    low = 0
    for d in (1, *range(x.dim() - 1, 1, -1), 0):
        if x.stride(d) < low or d == 0 and low == x.stride(1):
            return False
        low = x.stride(d) * max(x.shape[d], 1)
    return True
