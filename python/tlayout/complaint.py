"""Explains exceptions that complain about a memory layout."""

from __future__ import annotations

import linecache
import re
import runpy
import traceback
from types import FrameType, TracebackType
from typing import Any

from . import containers, memory, program

# Parts of the paths of code that is not the user's.
LIBRARIES = re.compile(r"[/\\](site|dist)-packages[/\\]|[/\\]lib(64)?[/\\]python\d|^<")
LONGEST = 1 << 17  # characters of a traceback
NAME = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")


def why(error: BaseException | str) -> str | None:
    """Returns what tlayout why says of an exception or a message; None if it does not complain about a layout.

    Of an exception, tlayout reads the traceback, and the shapes and strides of the tensors that the user's line names.
    """
    tensors = ""
    if isinstance(error, BaseException):
        text = "".join(traceback.format_exception(type(error), error, own_calls_removed(error.__traceback__)))
        tensors = "".join(f"# {line}\n" for line in _tensors(error))  # an aside for tlayout why
    elif isinstance(error, str):
        text = error
    else:
        raise TypeError(f"{memory.type_name(error)} is neither an exception nor a message")
    if not text.strip():
        return None
    done = program.run("why", "-", text=tensors + text[-LONGEST:])
    if done.returncode == 1:
        return None
    if done.returncode:
        raise ValueError(program.reason(done))
    return re.split("\n\n(Next\n|more: )", done.stdout)[0].rstrip()  # which are commands


def own_calls_removed(trace: TracebackType | None) -> TracebackType | None:
    """Returns a traceback without the calls of this package, as of watch between an operator and its line, and of runpy."""
    if trace is None:
        return None
    rest = own_calls_removed(trace.tb_next)
    path = trace.tb_frame.f_code.co_filename
    if path.startswith(containers.FOLDER) or path == runpy.__file__ or path == "<frozen runpy>":
        return rest
    return TracebackType(rest, trace.tb_frame, trace.tb_lasti, trace.tb_lineno)


def _tensors(error: BaseException) -> list[str]:
    """Describes the tensors that the line of the user's code that raised an exception names, by shape and strides in elements."""
    frames = [(f, line) for f, line in traceback.walk_tb(own_calls_removed(error.__traceback__)) if not LIBRARIES.search(f.f_code.co_filename)]
    if not frames:
        return []
    frame, line = frames[-1]
    code = linecache.getline(frame.f_code.co_filename, line, frame.f_globals)
    lines = []
    words = [word.split(".") for word in NAME.findall(code)]
    for name in dict.fromkeys(".".join(word[:n]) for word in words for n in range(1, len(word) + 1)):
        x = _value(frame, name)
        try:
            found = memory.locate(x) if memory.is_tensor(x) else None
        except (TypeError, ValueError):  # sparse, or without memory
            continue
        if found and all(s % found.itemsize == 0 for s in found.strides):
            strides = tuple(s // found.itemsize for s in found.strides)
            lines.append(f"{name}.shape {tuple(found.shape)}, {name}.stride() {strides}, {found.dtype}")
    return lines


def _value(frame: FrameType, name: str) -> Any:
    """Returns what a name, or an attribute of one, is in a frame; None if it is nothing there. Runs no property."""
    first, *rest = name.split(".")
    x = frame.f_locals.get(first, frame.f_globals.get(first))
    for attribute in rest:
        own = vars(x) if hasattr(x, "__dict__") else {}
        places = [own, *(own.get(kind) or {} for kind in ("_parameters", "_buffers", "_modules"))]  # of a Module
        x = next((place[attribute] for place in places if attribute in place), None)
    return x
