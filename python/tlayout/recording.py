"""Records the operators that PyTorch runs, as a profile that tlayout graph reads."""

from __future__ import annotations

import contextlib
import gc
import json
import os
from collections.abc import Callable, Iterator
from typing import Any, ClassVar, NamedTuple

import torch
from torch.autograd import profiler

LIMIT = 5_000  # calls: in training, their events take some 300 MB
LABEL = "tlayout call "  # of the events that enclose those of a call, by its number


class Call(NamedTuple):
    """A call of PyTorch: the module and the line "/a/net.py:18" that make it, either of which may be empty, and the tensors it returns."""

    module: str
    line: str
    results: list[tuple[list[int], list[int], str]]  # sizes, strides and dtype


class Recording:
    """A profile of PyTorch's operators, from the first run() to stop().

    PyTorch's profiler records each operator, and the copies inside it, with shapes, strides and times. What it does not record is added: the
    module and the line of each call, for which its own stacks would record every call of Python, and the tensors that a call returns.

    missing is None, or why calls are not recorded: all, or those after the first ones.
    """

    _running: ClassVar[Recording | None] = None  # the last one to start; PyTorch has one profiler at a time

    def __init__(self, limit: float | None = None) -> None:
        self.missing: str | None = None
        self._limit = LIMIT if limit is None else limit
        self._calls: list[Call] = []
        self._profile: Any = None
        self._is_running = False

    def run(self, call: Callable[[], Any], place: Callable[[], tuple[str, str]]) -> Any:
        """Returns what a call returns, and records it at a place: a module and a line."""
        if self._profile is None and self.missing is None:
            self._start()
        if self._is_running and len(self._calls) >= self._limit:
            self.missing = f"only the first {self._limit} calls of PyTorch are recorded"
            self.stop()
        if not self._is_running:
            return call()
        results: list[tuple[list[int], list[int], str]] = []
        self._calls.append(Call(*place(), results))
        with profiler.record_function(f"{LABEL}{len(self._calls) - 1}"):
            made = call()
        with torch._C.DisableTorchFunction(), contextlib.suppress(RuntimeError):  # of tensors without strides
            several = made if isinstance(made, (list, tuple)) else [made]
            results += [(list(t.shape), list(t.stride()), str(t.dtype)) for t in several if isinstance(t, torch.Tensor)]
        return made

    def _start(self) -> None:
        if torch.__version__ < (2, 4):  # pytorch/pytorch pull request 125851
            self.missing = f"PyTorch records strides since 2.4, and this is {torch.__version__}"
            return
        if torch.autograd._profiler_enabled():
            running = Recording._running
            is_own = running is not None and not running._is_replaced()
            other = "watch or graph of tlayout was recording" if is_own else "profiler of PyTorch was running"
            self.missing = f"another {other}, and there can be one"
            return
        device = "cuda" if torch.cuda.is_initialized() else None  # operators then have the times of their kernels
        self._profile = profiler.profile(use_kineto=True, use_device=device, record_shapes=True)
        with _quiet():
            self._profile.__enter__()
        self._is_running = True
        Recording._running = self

    def stop(self) -> None:
        """Ends the recording, if there is one."""
        if not self._is_running:
            return
        self._is_running = False
        if Recording._running is self:
            Recording._running = None
        if not torch.autograd._profiler_enabled() or self._is_replaced():
            self.missing = "another profiler of PyTorch ended the recording"
            self._profile = None
            return
        self._profile.__exit__(None, None, None)

    def _is_replaced(self) -> bool:
        """Reports whether another profiler runs: when it started, PyTorch ended this one, and would now end that."""
        others = (x for x in gc.get_objects() if type(x) is profiler.profile and x is not self._profile)
        return any(x.entered and x.kineto_results is None for x in others)

    @property
    def is_empty(self) -> bool:
        return not self._calls or self._profile is None

    @property
    def reason(self) -> str:
        """Why it is empty, if it is."""
        return self.missing or ("no operator of PyTorch was seen; operators of other threads, and inside compiled and scripted modules, "
                                "are not seen")

    def save(self, path: str) -> None:
        """Writes the profile with what it lacks: places as calls of Python, and of an operator that is all of a call, its results."""
        self._profile.export_chrome_trace(path)
        with open(path, encoding="utf-8", errors="replace") as f:
            trace = json.load(f)
        for number, operators in _operators(trace["traceEvents"]).items():
            if len(operators) == 1 and self._calls[number].results:
                sizes, strides, types = zip(*self._calls[number].results)
                operators[0]["args"].update({"Output Dims": sizes, "Output Strides": strides, "Output type": types})
        for event in trace["traceEvents"]:
            enclosed = _number(event)
            if enclosed is not None:
                module, line, _ = self._calls[enclosed]
                event.update(cat="python_function", name=f"nn.Module: {module}" if module else "", args={"CallFrom": line})
        with open(path, "w", encoding="utf-8") as f:
            json.dump(trace, f, default=str)  # of symbolic sizes


def _number(event: dict[str, Any]) -> int | None:
    """Returns the number of the call that an event encloses; None for other events."""
    name = str(event.get("name", ""))
    return int(name.removeprefix(LABEL)) if name.startswith(LABEL) else None


def _operators(events: list[dict[str, Any]]) -> dict[int, list[dict[str, Any]]]:
    """Returns the outermost operators of each call, by its number: the events of a thread nest by time."""
    found: dict[int, list[dict[str, Any]]] = {}
    spans = [e for e in events if e.get("ph") == "X" and (_number(e) is not None or e.get("cat") == "cpu_op")]
    spans.sort(key=lambda e: (str(e["tid"]), e["ts"], -e["dur"]))
    thread, call, call_end, end = None, 0, 0.0, 0.0
    for e in spans:
        if e["tid"] != thread:
            thread, call_end, end = e["tid"], 0.0, 0.0
        number = _number(e)
        if number is not None:
            call, call_end = number, e["ts"] + e["dur"]
            found[call] = []
        elif e["ts"] < call_end and e["ts"] >= end:
            found[call].append(e)
            end = e["ts"] + e["dur"]
    return found


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keeps Kineto, which reads this variable when it starts, from writing about itself on standard error."""
    before = os.environ.get("KINETO_LOG_LEVEL")
    os.environ["KINETO_LOG_LEVEL"] = before or "99"
    try:
        yield
    finally:
        if before is None:
            del os.environ["KINETO_LOG_LEVEL"]
