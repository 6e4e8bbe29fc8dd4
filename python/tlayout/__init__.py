"""Shows, asserts, converts and relates the memory layout of tensors in the running process, finds where a model changes it, and explains
exceptions about it.

The package runs the tlayout executable installed with it, which gets the tensors' attributes as JSON; convert and relate also give it their
elements, in temporary files. tlayout's settings file and environment variables are ignored.
"""

from __future__ import annotations

import html
import sys
from importlib import metadata
from typing import Any

from . import containers, memory, program
from .asserts import assert_layout
from .complaint import why
from .elements import convert, relate
from .graphs import graph
from .watching import watch

__all__ = ["assert_layout", "convert", "describe", "graph", "relate", "show", "watch", "why"]

try:
    __version__ = metadata.version("tlayout")
except metadata.PackageNotFoundError:  # in a source tree
    __version__ = "0"


def describe(x: Any, name: str = "") -> dict:
    """Returns the tlayout/tensor/v1 document of a tensor of PyTorch, NumPy, CuPy or JAX, one with DLPack, or a memoryview."""
    return memory.documents([(name, x)])[0]


def show(x: Any, all: bool = False) -> None:
    """Shows the layout of a tensor, or of all in a container: as text, in a notebook with a drawing. all shows every fact."""
    documents = memory.documents(containers.named(x, "").items())
    text = program.answer(documents, "inspect", *["--all"] * all).removeprefix("-: ").split("\n\nmore: ")[0].rstrip()  # -: standard input
    if not ("IPython" in sys.modules and sys.modules["IPython"].get_ipython()):
        print(text)
        return
    drawing = program.answer(documents, "draw", "--as", "svg") if len(documents) == 1 else ""
    sys.modules["IPython"].display.display({"text/plain": text, "text/html": f"{drawing}<pre>{html.escape(text)}</pre>"}, raw=True)
