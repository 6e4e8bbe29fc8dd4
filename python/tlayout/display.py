"""Shows the layouts of tensors, as text or in a notebook."""

from __future__ import annotations

import ast
import html
import linecache
import sys
from types import FrameType
from typing import Any

from . import containers, memory, program
from .keywords import checked
from .report import MONOSPACE


@checked()
def show(*tensors: Any, all: bool = False) -> None:
    """Shows the layouts of tensors, or of all in containers: as text, in a notebook with a drawing of each tensor.

    Several have the names that the caller's line has for them. all shows every fact. Raises TypeError for what is not a tensor, ValueError for
    a container without one.
    """
    if not tensors:
        raise TypeError("no tensor given; pass show(x)")
    documents = memory.documents(_named(tensors).items())
    answer = program.answer(documents, "inspect", *["--all"] * all).removeprefix("-: ")  # standard input
    text = program.without_flags(answer.split("\n\nmore: ")[0].rstrip())
    notebook = sys.modules.get("IPython")
    if not (notebook and notebook.get_ipython()):
        print(text)
        return
    drawings = [_drawing(d) for d in documents if len(documents) == len(tensors)]  # of containers, there would be too many
    notebook.display.display({"text/plain": text, "text/html": "".join([*drawings, f'<pre style="{MONOSPACE}; white-space: pre; overflow-x: auto">{html.escape(text)}</pre>'])}, raw=True)


def _drawing(document: dict[str, Any]) -> str:
    caption = f"<figcaption>{html.escape(document['name'])}</figcaption>" if document["name"] else ""
    return f"<figure style='margin: 0'>{caption}{program.answer([document], 'draw', '--as', 'svg')}</figure>"


def _named(tensors: tuple[Any, ...]) -> dict[str, Any]:
    """Returns the tensors by their names: a single one has none, several those of the caller's line, with the keys of containers."""
    if len(tensors) == 1:
        return containers.named(tensors[0], "")
    frame = containers.caller()
    names = _arguments(frame, len(tensors)) or [containers.variable(x, frame, f"tensor {n}") for n, x in enumerate(tensors, 1)]
    found: dict[str, Any] = {}
    for n, (name, x) in enumerate(zip(names, tensors), 1):
        unique = name if names.count(name) == 1 else f"{name} ({n})"
        if memory.is_tensor(x):
            found[unique] = x
        else:
            found.update({f"{unique}.{key}": t for key, t in containers.named(x, unique).items()})
    return found


def _arguments(frame: FrameType, count: int) -> list[str]:
    """Returns the source of the positional arguments of the running call of a frame; [] if it is not known, as before Python 3.11."""
    if sys.version_info < (3, 11):
        return []
    line, end_line, column, end_column = list(frame.f_code.co_positions())[frame.f_lasti // 2]
    if line is None or end_line is None:
        return []
    lines = [linecache.getline(frame.f_code.co_filename, n, frame.f_globals).encode() for n in range(line, end_line + 1)]
    lines[-1] = lines[-1][:end_column]
    lines[0] = lines[0][column:]
    try:
        call = ast.parse(b"".join(lines).decode(), mode="eval").body
    except (SyntaxError, UnicodeDecodeError):
        return []
    if not isinstance(call, ast.Call) or len(call.args) != count or any(isinstance(x, ast.Starred) for x in call.args):
        return []
    return [ast.unparse(x) for x in call.args]
