"""Watches a model run: where it loses channels_last, and every change of a memory layout."""

from __future__ import annotations

import os
import tempfile
from types import TracebackType
from typing import TYPE_CHECKING

from . import memory
from .report import Report

if TYPE_CHECKING:
    import torch

    from .follow import Follower
    from .recording import Recording


class watch:
    """In its with block, finds the first operator of PyTorch that loses channels_last, and records every operator for report().

    An operator loses channels_last if its input has that memory order, its output has another, and both have the same rank, 4 or 5. A copy
    in a view of another rank is reported once an operator of images reads the result. model names the modules; without it, they have their
    paths in the outermost module that runs. Other threads, and compiled and scripted modules, are not seen.

    lost is None, or a sentence that names module, operator and line. operators counts the operators that kept the format.
    """

    def __init__(self, model: torch.nn.Module | None = None) -> None:
        self._model = model
        self._follower: Follower | None = None
        self._recording: Recording | None = None
        self._report: Report | None = None

    def __enter__(self) -> watch:
        from .follow import Follower  # imports PyTorch
        from .recording import Recording
        self._recording, self._report = Recording(), None
        self._follower = Follower(self._model, self._recording)
        self._follower.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._follower is not None and self._recording is not None:
            self._follower.__exit__(kind, error, trace)
            self._recording.stop()

    @property
    def lost(self) -> str | None:
        return self._follower.lost if self._follower else None

    @property
    def operators(self) -> int:
        return self._follower.operators if self._follower else 0

    def report(self) -> Report:
        """Returns every change of a memory layout in the with block: its module, operator, shape, bytes, time and line.

        tlayout graph decides what a change is, from a profile of the block. Of a model that runs once, the changes are those of
        tlayout.graph(model, *inputs); of one that trains, also those of backward passes. In the block, ends the recording. Raises ValueError
        if nothing is recorded, with the reason.
        """
        if self._report is None:
            self._report = self._reported()
        return self._report

    def _reported(self) -> Report:
        recording = self._recording
        if recording is None:
            raise ValueError("nothing is recorded before the with block")
        recording.stop()
        if recording.is_empty:
            raise ValueError(f"nothing is recorded: {recording.reason}")
        name = memory.file_name(self._model) if self._model is not None else "watched"
        with tempfile.TemporaryDirectory() as folder:
            recording.save(os.path.join(folder, name))  # the answer begins with the file's name
            return Report.read(name, folder, recording.missing)

    def __str__(self) -> str:
        return self.lost or f"{self.operators} operators kept channels_last"

    def __repr__(self) -> str:
        return f"<tlayout.watch: {self}>"
