"""Shows, asserts, converts and relates the memory layout of tensors in the running process, finds where a model changes it, and explains
exceptions about it.

The package runs the tlayout executable installed with it, which gets the tensors' attributes as JSON; convert and relate also give it their
elements, in temporary files. tlayout's settings file and environment variables are ignored.
"""

from __future__ import annotations

from importlib import metadata

from .asserts import assert_layout
from .complaint import why
from .described import Layout, describe, layout
from .display import show
from .elements import convert
from .graphs import Graph, graph
from .relation import Relation, relate
from .report import Report
from .watching import watch

__all__ = ["Graph", "Layout", "Relation", "Report", "assert_layout", "convert", "describe", "graph", "layout", "relate", "show", "watch", "why"]

try:
    __version__ = metadata.version("tlayout")
except metadata.PackageNotFoundError:  # in a source tree
    __version__ = "0"
