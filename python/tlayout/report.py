"""Shows the changes of a tlayout/graph/v1 document: as text within 80 columns, and as a table of HTML."""

from __future__ import annotations

import html
import json
import textwrap
from typing import Any

from . import program

COLUMNS = 80
HEADER = ("#", "operator", "layout", "shape", "bytes", "time", "where")
RIGHT = ("#", "bytes", "time")  # columns of numbers
MONOSPACE = "font-family: ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace; line-height: 1.25"


class Report:
    """Every change of a memory layout that watch has seen, as tlayout graph finds them in the profile of its with block.

    Its text is a table; a notebook shows one of HTML. document is the tlayout/graph/v1 document; changes and operators are its list of changes
    and its number of operators. missing is None, or says which operators are not recorded.
    """

    def __init__(self, document: dict[str, Any], missing: str | None = None) -> None:
        self.document = document
        self.changes: list[dict[str, Any]] = document["changes"]
        self.operators: int = document["operators"]
        self.missing = missing

    @classmethod
    def read(cls, path: str, folder: str, missing: str | None) -> Report:
        """Reports on the profile at a path in a folder."""
        done = program.run("graph", "--json", "--", path, folder=folder)
        if done.returncode:
            raise ValueError(program.reason(done))
        return cls(json.loads(done.stdout), missing)

    def __str__(self) -> str:
        return "\n\n".join(filter(None, [_filled(self.document["answer"]), table(self.changes), "\n".join(map(_filled, self._remarks()))]))

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return html_of(self.document, self._remarks())

    def _remarks(self) -> list[str]:
        said = [*remarks(self.changes), *self.document["notes"]]
        return said + [f"incomplete: {self.missing}"] if self.missing else said


def remarks(changes: list[dict[str, Any]]) -> list[str]:
    """Returns what changes cancel or repeat, what asks for them and what to write instead, once for all that share it."""
    numbers: dict[str, list[str]] = {}
    for c in changes:
        forced = "" if c["cancels"] else c["forced"]
        if said := "; ".join(filter(None, [forced, c["cure"]])):
            numbers.setdefault(said, []).append(_numbered(c))
    return [f"{', '.join(of)}: {said}" for said, of in numbers.items()]


def _numbered(change: dict[str, Any]) -> str:
    """Returns the number of a change, with those that it cancels or repeats."""
    cancels, repeats = (", ".join(map(str, change[name])) for name in ("cancels", "repeats"))
    if cancels:
        return f"{change['number']} and {cancels} cancel"
    return f"{change['number']} repeats {repeats}" if repeats else str(change["number"])


def cells(change: dict[str, Any]) -> list[str]:
    """Returns the cells of a change, in the order of HEADER."""
    operator = " ".join(filter(None, [change["operator"], change["operand"]]))
    where = " ".join(dict.fromkeys(filter(None, [change["where"], change["module"]])))
    shape = ",".join(str(n) for n in change["shape"])
    if change["times"] > 1:
        where += f", {change['times']} times"
    seconds = "" if change["seconds"] is None else _time(change["seconds"])
    return [str(change["number"]), operator, f"{change['from']} → {change['to']}", shape, _size(change["bytes"]), seconds, where]


def table(changes: list[dict[str, Any]]) -> str:
    """Returns a row for each change; places that do not fit into it have a line of their own."""
    if not changes:
        return ""
    rows = [list(HEADER), *map(cells, changes)]
    widths = [max(map(len, column)) for column in zip(*rows)]
    gaps = 2 * (len(widths) - 1)
    fits = sum(widths) + gaps <= COLUMNS
    if not fits:
        widths[1] -= max(0, sum(widths[:-1]) + gaps - 2 - COLUMNS)
        rows = [[row[0], _cut(row[1], widths[1]), *row[2:]] for row in rows]
    lines = []
    for row in rows:
        *front, where = [cell.rjust(w) if name in RIGHT else cell.ljust(w) for cell, w, name in zip(row, widths, HEADER)]
        if fits:
            lines.append("  ".join([*front, where]).rstrip())
            continue
        lines.append("  ".join(front).rstrip())
        if row[0] != HEADER[0]:
            lines.append(_end(" " * (widths[0] + 2) + row[-1]))
    rule = "─" * max(map(len, lines))
    return "\n".join([lines[0], rule, *lines[1:]])


def html_of(document: dict[str, Any], said: list[str]) -> str:
    """Returns a document as HTML: its answer, a table with a row for each change, and what is said of them."""
    rows = [list(HEADER), *map(cells, document["changes"])]
    filled = [k for k, column in enumerate(zip(*rows[1:])) if any(column)]  # an export has no times

    def row(tag: str, texts: list[str]) -> str:
        sides = {k: "right" if HEADER[k] in RIGHT else "left" for k in filled}
        return "".join(f"<{tag} style='text-align: {sides[k]}; white-space: nowrap'>{html.escape(texts[k])}</{tag}>" for k in filled)
    parts = [f"<p>{html.escape(document['answer'])}</p>"]
    if filled:
        body = "".join(f"<tr>{row('td', texts)}</tr>" for texts in rows[1:])
        parts.append(f"<table style=\"{MONOSPACE}\"><thead><tr>{row('th', rows[0])}</tr></thead><tbody>{body}</tbody></table>")
    if said:
        parts.append("<ul>" + "".join(f"<li>{html.escape(line)}</li>" for line in said) + "</ul>")
    return "".join(parts)


def _filled(text: str) -> str:
    return textwrap.fill(text, COLUMNS, subsequent_indent="  ", break_on_hyphens=False)


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[:max(0, width - 1)] + "…"


def _end(line: str) -> str:
    """Returns a line, cut at its left if it is too long: the line number is at the right of a place."""
    return line if len(line) <= COLUMNS else "    …" + line[len(line) - COLUMNS + 5:]


def _size(n: int) -> str:
    units = ["bytes", "KiB", "MiB", "GiB", "TiB"]
    size = float(n)
    while size >= 1024 and n >= 10240 and len(units) > 1:
        size /= 1024
        units.pop(0)
    return "1 byte" if n == 1 else f"{round(size, 1):.10g} {units[0]}"


def _time(seconds: float) -> str:
    for unit, factor in (("s", 1), ("ms", 1e3), ("µs", 1e6)):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e9:.0f} ns"
