"""Runs the tlayout executable."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sysconfig
from collections.abc import Sequence
from typing import Any

SETTINGS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "settings.yaml")


def path() -> str:
    """Returns the executable of this installation, or else one on PATH."""
    folders = [sysconfig.get_path("scripts"), sysconfig.get_path("scripts", os.name + "_user")]
    found = shutil.which("tlayout", path=os.pathsep.join(folders)) or shutil.which("tlayout")
    if not found:
        raise FileNotFoundError("cannot find the tlayout executable, with this package or on PATH")
    return found


def run(command: str, *args: str, documents: Sequence[dict[str, Any]] = (), folder: str | None = None, text: str = "") -> subprocess.CompletedProcess[str]:
    """Runs a command of tlayout without the user's settings, on described tensors if there are documents, or with a text to read."""
    own = {name: value for name, value in os.environ.items() if not name.upper().startswith("TLAYOUT_")}
    source = ("--from", "json", f"--max-tensors={len(documents)}", "-") if documents else ()
    return subprocess.run((path(), command, "--config", SETTINGS, "--color", "never", *source, *args), cwd=folder, env=own, capture_output=True,
                          input=text + "".join(json.dumps(d) + "\n" for d in documents), encoding="utf-8", errors="replace")


def answer(documents: Sequence[dict[str, Any]], *args: str) -> str:
    done = run(*args, documents=documents)
    if done.returncode:
        raise ValueError(reason(done, documents))
    return done.stdout


def without_flags(text: str) -> str:
    """Returns an answer of tlayout inspect in this package's terms: all=True for --all; flags about files have none."""
    text = text.replace("details: --all", "details: all=True")
    return re.sub(r"(?:; use|:) --(?:explain|json for all|dims \S+)| \(--dtype [^)]*\)", "", text)


def reason(done: subprocess.CompletedProcess[str], documents: Sequence[dict[str, Any]] = ()) -> str:
    """Returns why tlayout refused documents or a flag, in this package's terms."""
    text, *hints = (done.stderr.strip() or done.stdout.strip() or f"tlayout ended with exit code {done.returncode}").splitlines()
    text = str(json.loads(text)["message"]) if text.startswith("{") else text.removeprefix("tlayout: error: ")
    if found := re.match(r"standard input, document (\d+): ", text):
        text = (documents[int(found[1]) - 1]["name"] or "tensor") + ": " + text[found.end():]
    if found := re.match(r"--([a-z-]+)", text):
        text = found[1].replace("-", "_") + text[found.end():]
    return "; ".join([text, *(h.removeprefix("tlayout: hint: ") for h in hints if "did you mean" in h)])
