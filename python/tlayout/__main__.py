"""Runs a script, and reports where it changes memory layouts: python -m tlayout train.py."""

from __future__ import annotations

import os
import runpy
import sys
import traceback

from .complaint import own_calls_removed, why
from .watching import watch

USAGE = """\
usage: python -m tlayout SCRIPT [ARGUMENTS]
       python -m tlayout -m MODULE [ARGUMENTS]

Runs a script or a module as python does, and follows what PyTorch runs in its
main thread. At its end, the report is written to standard error: the operator
that lost channels_last, and every change of a memory layout, with its module,
shape, bytes, time and line. If the script raises an exception, its traceback
comes first, and what it means if it complains about a layout.

The program for files is tlayout: tlayout --help."""


def main(arguments: list[str]) -> int:
    """Runs what the arguments name, and returns the exit code: that of the script."""
    if not arguments or arguments[0] in ("-h", "--help"):
        print(USAGE, file=sys.stdout if arguments else sys.stderr)
        return 0 if arguments else 2
    is_module = arguments[0] == "-m"
    target, *rest = arguments[is_module:] or [""]
    if not target or target.startswith("-") or not (is_module or os.path.exists(target)):
        print(f"python -m tlayout: {target or 'a module'} is not a script\n\n{USAGE}" if target else USAGE, file=sys.stderr)
        return 2
    try:
        import torch  # noqa: F401
    except ModuleNotFoundError:
        print("python -m tlayout: it follows the operators of PyTorch, which is not installed here", file=sys.stderr)
        return 2
    sys.argv = [target, *rest]
    sys.path[0] = os.getcwd() if is_module else os.path.dirname(os.path.abspath(target))
    with watch() as watched:
        code = _run(target, is_module)
    _print(watched)
    return code


def _run(target: str, is_module: bool) -> int:
    """Runs a script or a module as __main__; prints the exception that ends it, and what it says about a layout."""
    try:
        if is_module:
            runpy.run_module(target, run_name="__main__", alter_sys=True)
        else:
            runpy.run_path(target, run_name="__main__")
    except SystemExit as e:
        return _code(e)
    except BaseException as e:
        traceback.print_exception(type(e), e, own_calls_removed(e.__traceback__))
        if answer := why(e):
            print(f"\n{answer}", file=sys.stderr)
        return 130 if isinstance(e, KeyboardInterrupt) else 1
    return 0


def _code(e: SystemExit) -> int:
    """Returns the exit code of sys.exit(x), which prints what is not a number."""
    if e.code is None or isinstance(e.code, int):
        return e.code or 0
    print(e.code, file=sys.stderr)
    return 1


def _print(watched: watch) -> None:
    print(f"\n{watched}", file=sys.stderr)
    try:
        print(f"\n{watched.report()}", file=sys.stderr)
    except ValueError as e:
        print(e, file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
