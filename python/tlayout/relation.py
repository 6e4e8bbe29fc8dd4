"""Relates the elements of tensors: which layout mistake turned one into the other."""

from __future__ import annotations

import dataclasses
import json
import math
import os
import tempfile
import zipfile
from typing import Any

from . import containers, memory, program
from .elements import plain
from .keywords import checked

LARGEST = "largest absolute difference: "  # of tlayout diff


@dataclasses.dataclass(frozen=True, repr=False)
class Relation:
    """How b's elements are a's. Its text is what tlayout diff says first; `in` searches it.

    equal is whether all elements are equal, or within the tolerance. elements counts those that are compared at the same index, which have one
    shape and type, and differing those that differ there. largest is the largest absolute difference of those: None without a tolerance, unless b was found to be near a. document is
    the tlayout/diff/v1 document, of containers tlayout/diff_tensors/v1.
    """

    text: str
    equal: bool
    elements: int
    differing: int
    largest: float | None
    document: dict[str, Any]

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return self.text

    def __contains__(self, words: str) -> bool:
        return words in self.text


@checked()
def relate(a: Any, b: Any, *, rtol: float | None = None, atol: float | None = None) -> Relation:
    """Says which layout mistake turned a into b, as tlayout diff finds it: another memory order, dims exchanged, a factor.

    a and b are tensors, or containers of tensors: those are paired by name, or else by their elements. Elements are compared bit for bit; with
    rtol or atol, numbers x of a and y of b of any types are equal if |x - y| <= atol + rtol·|y|, as in numpy.allclose, where the other
    tolerance is 0. Raises ValueError with tlayout's reason, TypeError for what is not a tensor with elements.
    """
    frame = containers.caller()
    names = [containers.variable(a, frame, "a"), containers.variable(b, frame, "b")]
    if names[0] == names[1]:
        names = ["a", "b"]
    flags = [f"--{name}={value}" for name, value in (("rtol", rtol), ("atol", atol)) if value is not None]
    with tempfile.TemporaryDirectory() as folder:
        tensors = sum(_saved(x, os.path.join(folder, name), name) for x, name in zip((a, b), names))
        flags.append(f"--max-tensors={tensors + 1}")  # an archive's layout.json counts as one
        page, document = (program.run("diff", *names, *flags, *more, folder=folder) for more in ([], ["--json", "--limit=1"]))
    for done in page, document:
        if done.returncode not in (0, 1):
            raise ValueError(program.reason(done))
    return _relation(page.stdout, json.loads(document.stdout))


def _relation(page: str, document: dict[str, Any]) -> Relation:
    text, *rest = page.strip().split("\n\n")  # the rest is about files: positions, flags, commands
    largest = [line for part in rest for line in part.splitlines() if line.startswith(LARGEST)]
    pairs = [pair for pair in document.get("tensors", [document]) if pair.get("compared_elems") is not None]
    found = [pair["max_abs_diff"]["abs_diff"] for pair in pairs if "max_abs_diff" in pair]
    found += [pair["relation"]["tolerance"]["largest_diff"] for pair in pairs if (pair["relation"] or {}).get("tolerance")]
    return Relation("\n".join([text, *largest]), document["equal"], sum(pair["compared_elems"] for pair in pairs),
                    sum(pair["differing_elems"] for pair in pairs), max(map(float, found), default=None), document)


def _saved(x: Any, path: str, name: str) -> int:
    """Saves tensors so that tlayout reads them with their types, and returns their number.

    Writes what torch.save does if there is one of PyTorch, or else what numpy.save and savez do.
    """
    found = {key: _held(t, key or name) for key, t in containers.named(x, "").items()}
    if any(str(t.dtype).startswith("torch.") for t in found.values()):
        import torch
        state = {key: _torch(t, key or name) for key, t in found.items()}
        torch.save(state[""] if memory.is_tensor(x) else state, path)
    elif memory.is_tensor(x) and not memory.is_foreign(found[""].dtype):
        import numpy
        with open(path, "wb") as f:
            numpy.save(f, found[""], allow_pickle=False)
    else:
        _savez(found, path)
    return len(found)


def _held(x: Any, name: str) -> Any:
    """Returns a tensor of PyTorch or NumPy whose memory has its elements."""
    m = memory.locate(plain(x, name), name)
    if m.device == "meta":
        raise TypeError(f"{name} is on meta; pass a tensor with elements")
    return m.owner


def _savez(arrays: dict[str, Any], path: str) -> None:
    """Saves arrays of NumPy as numpy.savez does; layout.json has the types of ml_dtypes, which .npy calls V1 and V2."""
    import numpy
    record = {}
    with zipfile.ZipFile(path, "w") as z:
        for name, x in arrays.items():
            if x.dtype.type.__module__ == "ml_dtypes":
                x = numpy.ascontiguousarray(x).reshape(x.shape)
                record[name] = _row_major(str(x.dtype), x.shape)
            with z.open(f"{name}.npy", "w", force_zip64=True) as f:
                numpy.save(f, x, allow_pickle=False)
        if record:
            z.writestr("layout.json", json.dumps({"schema": "tlayout/layout/v1", "arrays": record}))


def _row_major(dtype: str, shape: tuple[int, ...]) -> dict[str, Any]:
    """Returns the record of a row-major array in layout.json."""
    names = [f"d{d}" for d in range(len(shape))]
    digits = {name: [{"div": 1, "extent": n, "stride": math.prod(shape[d + 1:])}] for d, (name, n) in enumerate(zip(names, shape))}
    return {"dtype": dtype, "file_shape": shape, "dims": names, "shape": shape, "layout": " ".join(names), "digits": digits, "storage_offset": 0,
            "storage_elems": math.prod(shape)}


def _torch(x: Any, name: str) -> Any:
    """Returns a tensor of PyTorch that torch.save takes. Types that it does not take are saved as integers of their size."""
    import torch
    foreign = memory.is_foreign(x.dtype)
    try:
        t = torch.as_tensor(x.view(f"i{x.dtype.itemsize}") if foreign else x).detach().cpu()
    except (TypeError, ValueError) as e:
        raise TypeError(f"{name} is not related to tensors of PyTorch: {str(e).splitlines()[0]}") from None
    if memory.NARROW.fullmatch(str(x.dtype)):
        return t.view(torch.uint8)
    own = getattr(torch, str(x.dtype), None) if foreign else None
    return t.view(own) if own else t
