"""Shows where a whole model changes memory layouts."""

from __future__ import annotations

import contextlib
import io
import json
import math
import os
import tempfile
import warnings
from typing import TYPE_CHECKING, Any

from . import memory, program, report

if TYPE_CHECKING:
    import torch


class Graph:
    """What tlayout graph says of a model. Its text is the command's page.

    document is the tlayout/graph/v1 document; changes and operators are its list of changes and its number of operators. source says what was
    read: "export", "profile" or "file". failed is None, or the error of torch.export because of which the model was profiled. An object is
    always true: whether anything changes is bool(changes).
    """

    def __init__(self, text: str, document: dict[str, Any], source: str, failed: str | None = None) -> None:
        self.document = document
        self.changes: list[dict[str, Any]] = document["changes"]
        self.operators: int = document["operators"]
        self.source = source
        self.failed = failed
        self._text = text

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return self._text

    def _repr_html_(self) -> str:
        return report.html_of(self.document, report.remarks(self.changes))


def graph(model: torch.nn.Module | str | os.PathLike[str], /, *inputs: Any, **kwargs: Any) -> Graph:
    """Shows where model(*inputs, **kwargs) changes memory layouts, and what to write instead, as tlayout graph does.

    torch.export runs the model on tensors without elements, in its mode of training or evaluation. Where it refuses the model, because what
    runs depends on elements, torch.profiler records one run, under the autograd and autocast of the caller. Either way, buffers and PyTorch's
    random state are afterwards as they were; parameters are only read, unless forward writes them.

    Of a path, the file is read: a .pt2, a profile, or another one that tlayout graph reads. Raises ValueError with tlayout's reason,
    RuntimeError before PyTorch 2.9, and what the model itself raises.
    """
    if isinstance(model, (str, os.PathLike)):
        if inputs or kwargs:
            raise TypeError("a file has no inputs; pass the path alone")
        return _read(os.fspath(model), "file")
    import torch
    if not isinstance(model, torch.nn.Module):
        raise TypeError(f"{memory.type_name(model)} is neither a Module of PyTorch nor the path of a file")
    if torch.__version__ < (2, 9):
        raise RuntimeError(f"tlayout.graph reads what torch.export writes since PyTorch 2.9, and this is {torch.__version__}; "
                           "tlayout.watch finds the operator that loses channels_last")
    gpus = sorted({p.device.index for p in model.parameters() if p.is_cuda})
    name, failed = memory.file_name(model), None
    with tempfile.TemporaryDirectory() as folder, torch.random.fork_rng(gpus):
        path = os.path.join(folder, name)  # the page begins with the file's name
        try:
            _export(model, inputs, kwargs, path)
        except Exception as e:
            failed = str(e).strip().split("\n")[0] or type(e).__name__
        if failed:
            _profile(model, inputs, kwargs, path)
        return _read(name, "profile" if failed else "export", failed, folder)


def _read(path: str, source: str, failed: str | None = None, folder: str | None = None) -> Graph:
    """Returns what tlayout graph says of a file; its page names attributes where that of the command names flags."""
    text, document = (program.run("graph", *flags, "--", path, folder=folder) for flags in ((), ("--json",)))
    if text.returncode or document.returncode:
        raise ValueError(program.reason(text))
    page = text.stdout.split("\n\nmore: ")[0].rstrip().replace("--all lists", ".changes has").replace("--all has", ".changes has")
    return Graph(page, json.loads(document.stdout), source, failed)


def _export(model: torch.nn.Module, inputs: tuple[Any, ...], kwargs: dict[str, Any], path: str) -> None:
    """Writes what torch.export does of a model, without its weights: the program has their shapes and strides."""
    import torch
    with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):  # of what it refuses, PyTorch prints the graph
        warnings.simplefilter("ignore")
        exported = torch.export.export(model, inputs, kwargs)
        exported.example_inputs = None
        for name, weight in exported.state_dict.items():
            empty = torch.empty(0)
            exported.state_dict[name] = torch.nn.Parameter(empty) if isinstance(weight, torch.nn.Parameter) else empty
        with open(path, "wb") as f:
            torch.export.save(exported, f)


def _profile(model: torch.nn.Module, inputs: tuple[Any, ...], kwargs: dict[str, Any], path: str) -> None:
    """Writes the profile of one run, and restores the buffers: in training, batch_norm writes into them."""
    import torch

    from .follow import Follower
    from .recording import Recording
    before = [(m._buffers, name, b, b.clone()) for m in model.modules() for name, b in m._buffers.items() if b is not None]
    recording = Recording(limit=math.inf)
    try:
        with Follower(model, recording):
            model(*inputs, **kwargs)
    finally:
        recording.stop()
        for buffers, name, b, elements in before:
            buffers[name] = b
            if not torch.equal(b, elements):
                with torch.no_grad():
                    b.copy_(elements)
    if recording.is_empty:
        raise RuntimeError(f"the model is not profiled: {recording.reason}")
    recording.save(path)
