"""Measures operators of PyTorch in both memory formats, for tlayout bench --with torch, which runs the text of this file.

Every line of standard input is a question in JSON: first the tensor and the rows to prepare, answered by facts about PyTorch and the device; then
a row to check, answered by the bytes that it reads and writes, or to run, answered by nanoseconds. What is refused is answered by its class and
text. The process ends with its standard input.
"""

from __future__ import annotations

import sys

sys.path[:] = [folder for folder in sys.path if folder]  # imports nothing from the working directory

import contextlib
import gc
import json
import os
import queue
import threading
import time
from typing import Any, Callable, ContextManager, Iterator

FORMATS = {"nchw": "contiguous_format", "nhwc": "channels_last"}


class Refused(Exception):
    """What cannot be measured, and the class of tlayout's error: usage, unsupported, resource, or missing for PyTorch itself."""

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(text)
        self.kind = kind


class Rows:
    """The rows of a report by their keys: each a function that computes one pass, and the context that it needs."""

    def __init__(self, question: dict[str, Any]) -> None:
        self.torch = torch = _torch()
        self.question = question
        self.device = self._device(question["device"])
        self.dtype = getattr(torch, question["dtype"], None)
        if not isinstance(self.dtype, torch.dtype):
            raise Refused("unsupported", f"it has no dtype {question['dtype']}")
        torch.backends.cudnn.benchmark = True
        torch.manual_seed(0)
        x = torch.randn(question["shape"], device=self.device).to(self.dtype)
        self.inputs = {name: x.clone(memory_format=getattr(torch, format)) for name, format in FORMATS.items()}
        self.specs = {row["key"]: row for row in question["rows"]}
        self.passes: dict[str, Callable[[], Any]] = {}
        for key, row in self.specs.items():
            try:
                self.passes[key] = self._pass(row)
            except Exception as e:
                raise Refused(_kind(e), f"{key}: {_first_line(e)}")

    def _device(self, name: str) -> Any:
        torch = self.torch
        try:
            device = torch.device(name or ("cuda" if torch.cuda.is_available() else "cpu"))
        except RuntimeError as e:
            raise Refused("usage", _first_line(e))
        self.wait: Callable[[], Any] = lambda: None
        self.name = ""
        if device.type == "cpu":
            return device
        library: Any = getattr(torch, device.type, None)
        if not hasattr(library, "synchronize"):
            raise Refused("unsupported", f"device {name} has no synchronize, which measuring it needs")
        device = torch.empty(0, device=device).device  # cuda is cuda:0
        if hasattr(library, "set_device"):
            library.set_device(device)  # the one that synchronize waits for
        if hasattr(library, "get_device_name"):
            self.name = library.get_device_name(device)
        self.wait = library.synchronize
        return device

    def facts(self) -> dict[str, Any]:
        return {"torch_version": self.torch.__version__, "python": sys.executable, "device": str(self.device), "device_name": self.name,
                "threads": self.torch.get_num_threads()}

    def _pass(self, row: dict[str, Any]) -> Callable[[], Any]:
        """Returns one pass of a row: a function of no arguments."""
        if "to" in row:
            x, format = self.inputs[row["from"]], getattr(self.torch, FORMATS[row["to"]])
            return lambda: x.clone(memory_format=format)
        x, operator = self.inputs[row["layout"]], self._operator(row["operator"], row["layout"])
        return lambda: operator(x)

    def _operator(self, name: str, layout: str) -> Callable[[Any], Any]:
        """Returns an operator with its weights in a memory format, as Module.to gives them; the same numbers in both."""
        torch, nn = self.torch, self.torch.nn
        channels, out, kernel = self.question["shape"][1], self.question["out_channels"], self.question["kernel_size"]
        torch.manual_seed(1)
        if name == "matmul":
            weight = nn.Parameter(torch.randn(channels, out).to(self.device, self.dtype))
            return lambda x: torch.matmul(x.permute(0, 2, 3, 1), weight)
        if name == "max_pool2d":
            return lambda x: nn.functional.max_pool2d(x, 3, stride=2, padding=1)
        module = nn.BatchNorm2d(channels) if name == "batch_norm" else nn.Conv2d(channels, out, kernel, padding=kernel // 2)
        for p in module.parameters():
            nn.init.uniform_(p, -1, 1)
        made: Callable[[Any], Any] = module.eval().to(self.device, self.dtype, memory_format=getattr(torch, FORMATS[layout]))
        return made

    def _autocast(self, row: dict[str, Any]) -> ContextManager[Any]:
        if not row.get("autocast"):
            return contextlib.nullcontext()
        autocast: ContextManager[Any] = self.torch.autocast(self.device.type, dtype=getattr(self.torch, row["autocast"]))
        return autocast

    def run(self, key: str, passes: int) -> int:
        """Returns the nanoseconds of some passes. Each enters autocast by itself, as a model's forward does, and so casts its weights once."""
        one, spec = self.passes[key], self.specs[key]
        with self.torch.inference_mode():
            self.wait()
            start = time.perf_counter_ns()
            for _ in range(passes):
                with self._autocast(spec):
                    one()
            self.wait()
            return time.perf_counter_ns() - start

    def _result(self, key: str) -> Any:
        with self.torch.inference_mode(), self._autocast(self.specs[key]):
            return self.passes[key]()

    def check(self, key: str) -> int:
        """Compares a row's result with that in the other format, and returns the bytes read and written."""
        row, y = self.specs[key], self._result(key)
        if "to" in row:
            x = self.inputs[row["from"]]
            if not y.is_contiguous(memory_format=getattr(self.torch, FORMATS[row["to"]])) or not self.torch.equal(x, y):
                raise Refused("resource", "the result is not the tensor in its new format")
        else:
            x = self.inputs[row["layout"]]
            if row.get("autocast") and y.dtype != getattr(self.torch, row["autocast"]):
                raise Refused("unsupported", f"autocast to {row['autocast']} has no effect on {self.device}")
            self._compare(y, self._result(row["twin"]))
        return sum(t.numel() * t.element_size() for t in (x, y))

    def _compare(self, y: Any, other: Any) -> None:
        """Fails unless half of the digits of the results agree, relative to the largest; of float32 those of TensorFloat-32."""
        torch = self.torch
        tolerance = max(torch.finfo(y.dtype).eps, 2**-10) ** 0.5 if y.dtype.is_floating_point or y.dtype.is_complex else 0
        if not (y - other).abs().max() <= tolerance * other.abs().max():
            raise Refused("resource", "the results in both formats differ")


def _torch() -> Any:
    try:
        import torch
    except ModuleNotFoundError as e:
        raise Refused("missing" if e.name == "torch" else "resource", _first_line(e))
    return torch


def _first_line(e: BaseException) -> str:
    return str(e).strip().split("\n")[0][:1000] or type(e).__name__


def _kind(e: BaseException) -> str:
    """Returns the class of an error that PyTorch raises: its wording is all that tells a lack of memory on the CPU."""
    text = str(e).lower()
    return "resource" if "out of memory" in text or "allocate" in text else "unsupported"


def _answers() -> Iterator[dict[str, Any]]:
    """Yields an answer for every question."""
    questions: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(questions,), daemon=True).start()
    rows: Rows | None = None
    while True:
        question = json.loads(questions.get())
        try:
            if rows is None:
                rows = Rows(question)
                gc.collect()
                gc.disable()
                yield rows.facts()
            elif "check" in question:
                yield {"bytes": rows.check(question["check"])}
            else:
                yield {"ns": rows.run(question["run"], question["passes"])}
        except Refused as e:
            yield {"class": e.kind, "error": str(e)}
        except Exception as e:
            yield {"class": _kind(e), "error": _first_line(e)}


def _read(questions: queue.SimpleQueue[bytes]) -> None:
    try:
        for line in sys.stdin.buffer:
            questions.put(line)
    finally:
        os._exit(0)  # even in the middle of a pass


def _main() -> None:
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # libraries that print must not answer
    for answer in _answers():
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    _main()
