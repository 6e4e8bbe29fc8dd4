"""Asserts layouts of tensors in memory."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from typing import Any, Literal, Union

from . import containers, memory, program
from .keywords import OMITTED, checked

# Assertions of tlayout check about tensors in memory: those with a value, and flags.
VALUES = ("layout", "contiguous", "byte_order", "rank", "expect_dtype", "expect_shape", "expect_strides", "expect_offset", "max_bytes", "accepted_by")
FLAGS = ("strict", "packed", "no_padding", "no_overlap", "no_broadcast", "no_unused", "no_sharing")
# Those that need more than a description.
OF_FILES = ("finite", "expr", "view", "aligned", "file_shape", "weights_only", "complete", "recipe")

Contiguous = Literal["c", "f", "channels_last", "channels_last_3d", "dense"]
ByteOrder = Literal["little", "big"]
Framework = Literal["pytorch", "numpy", "dlpack", "jax", "tensorflow", "onnxruntime", "directml", "onednn", "cudnn", "tensorrt", "megengine",
                    "safetensors", "tma"]
Ints = Union[str, Sequence[Union[int, Literal["*"]]]]


@checked(**{name: "tlayout check asserts it of a file" for name in OF_FILES})
def assert_layout(
    x: object,
    *,
    layout: str = OMITTED,
    contiguous: Contiguous = OMITTED,
    byte_order: ByteOrder = OMITTED,
    rank: int = OMITTED,
    expect_dtype: object = OMITTED,
    expect_shape: Ints = OMITTED,
    expect_strides: Ints = OMITTED,
    expect_offset: int = OMITTED,
    max_bytes: int | str = OMITTED,
    accepted_by: Framework | Sequence[Framework] = OMITTED,
    strict: Literal[True] = OMITTED,
    packed: Literal[True] = OMITTED,
    no_padding: Literal[True] = OMITTED,
    no_overlap: Literal[True] = OMITTED,
    no_broadcast: Literal[True] = OMITTED,
    no_unused: Literal[True] = OMITTED,
    no_sharing: Literal[True] = OMITTED,
) -> str:
    """Raises AssertionError with the reasons unless the assertions of tlayout check hold: contiguous="channels_last", packed=True.

    x is a tensor, or a Module, optimizer, dict, list, tuple or dataclass of any depth. Every tensor in it is checked; TypeError names one
    that cannot be. Returns a sentence that says how many tensors were checked. Raises TypeError for an assertion that asserts nothing,
    ValueError for a value or a tensor that tlayout refuses.

    layout: memory order, outermost dim first: "nchw", "nhwc"; gaps do not matter.
    contiguous: in this sense: "c", "f", "dense", "channels_last", "channels_last_3d". In a container, the last two apply to tensors of rank 4 and 5.
    byte_order: of the elements: "little", "big".
    rank: number of dims.
    expect_dtype: a dtype, of NumPy's with the byte order, or its name: "int64" is of any order.
    expect_shape, expect_strides: of the dims, in elements; "*" matches any: (2, "*", 4), "2,*,4".
    expect_offset: of the first element in its storage, in elements.
    max_bytes: of the storage, with padding: 4096, "4MiB".
    accepted_by: the frameworks that must accept each tensor without a copy: "numpy", ["pytorch", "dlpack"].
    strict: no other memory order matches; strides of dims of size 1 count.
    packed: dense, no gaps and no overlap, in any order.
    no_padding: the storage holds elements only.
    no_overlap: no two elements share an address.
    no_broadcast: no dim has stride 0.
    no_unused: every byte of the storages is in a tensor.
    no_sharing: no two tensors are views of one storage.
    """
    given = locals()
    __tracebackhide__ = True  # pytest shows the caller's line
    assertions = {name: given[name] for name in VALUES + FLAGS if given[name] is not OMITTED}
    flags = [_flag(name, value) for name, value in assertions.items()]
    if not assertions.keys() - {"strict"}:
        raise TypeError("no assertion given; pass one of " + ", ".join(VALUES + FLAGS))
    variable = containers.variable(x, containers.caller(), type(x).__name__)
    documents = memory.documents(containers.named(x, variable).items())
    done = program.run("check", *flags, documents=documents)
    *lines, last = done.stdout.splitlines() or [""]
    if done.returncode == 0 and last:
        skipped = re.search(r", (\d+ of another rank skipped)$", last)
        return f"{variable}: {len(documents)} tensor{'s' * (len(documents) != 1)}" + (f", {skipped[1]}" if skipped else "")
    if done.returncode != 1:
        raise ValueError(program.reason(done, documents))
    if not lines or not re.match(r"\d+ of \d+ sources? fails?", last):
        lines.append(last or f"-: {program.reason(done, documents)}")
    raise AssertionError("\n".join(re.sub("^(standard input|-): ", f"{variable}: ", line).removeprefix("-:") for line in lines))


def _flag(name: str, value: Any) -> str:
    """Returns the flag of an assertion; tlayout checks its value."""
    flag = "--" + name.replace("_", "-")
    if name in FLAGS and value is True:
        return flag
    if name in FLAGS or value is None or isinstance(value, (bool, dict)) or value == "":
        raise TypeError(f"{name}={value!r} asserts nothing; {'pass True, or ' if name in FLAGS else ''}omit {name}")
    if name == "expect_dtype":
        value = _dtype(value)
    if isinstance(value, (list, tuple)):
        value = ",".join(map(str, value)) or "()"
    return f"{flag}={value}"


def _dtype(value: Any) -> str:
    """Returns an expected type as tlayout reads it: with the byte order, which the name alone leaves open; PyTorch has that of the machine."""
    numpy = sys.modules.get("numpy")
    if numpy and isinstance(value, type) and issubclass(value, numpy.generic):
        value = numpy.dtype(value)
    value = getattr(value, "dtype", value)  # of JAX's scalar types
    if getattr(value, "fields", None):
        raise ValueError(f"expect_dtype={value}: records are compared by their size only; pass expect_dtype={value.str!r}")
    if found := re.fullmatch(r"torch\.(float|int|uint)(16|32|64)|torch\.(complex)(64|128)", str(value)):
        kind, bits = found[1] or found[3], found[2] or found[4]
        return f"{'<' if sys.byteorder == 'little' else '>'}{kind[0]}{int(bits) // 8}"
    return getattr(value, "__name__", None) or memory.dtype_name(value)
