"""Checks with mypy and pyright that the package has no error of types, and that a user's three mistakes are errors: verify.py PACKAGE PYTHON.

PACKAGE is the folder of the package, PYTHON an interpreter that has it installed. mypy and pyright are those of the interpreter that runs this.
"""

import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))  # where no package is: a user's program finds the installed one
MISTAKES = os.path.join(HERE, "mistakes.py")


def mypy(*arguments):
    """Returns the file and line of each error."""
    config = "--config-file", os.path.join(HERE, "mypy.ini"), "--cache-dir", os.devnull, "--output", "json"
    done = subprocess.run([sys.executable, "-m", "mypy", *config, *arguments], cwd=HERE, capture_output=True, text=True)
    found = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode not in (0, 1) or done.returncode == 1 and not found:
        raise SystemExit(f"mypy: {done.stdout}{done.stderr}")
    return [(e["file"], e["line"], e["message"]) for e in found if e["severity"] == "error"]


def pyright(*arguments):
    """Returns the file and line of each error."""
    config = "--project", os.path.join(HERE, "pyrightconfig.json"), "--outputjson"
    done = subprocess.run([sys.executable, "-m", "pyright", *config, *arguments], cwd=HERE, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise SystemExit(f"pyright: {done.stdout}{done.stderr}")
    found = json.loads(done.stdout)["generalDiagnostics"]
    return [(e["file"], e["range"]["start"]["line"] + 1, e["message"]) for e in found if e["severity"] == "error"]


def main(package, python):
    with open(MISTAKES) as f:
        want = [n for n, line in enumerate(f, 1) if line.rstrip().endswith("# mistake")]
    if len(want) != 3:
        raise SystemExit(f"{MISTAKES} has {len(want)} mistakes")
    for check, of_user in (mypy, ["--python-executable", python, MISTAKES]), (pyright, ["--pythonpath", python, MISTAKES]):
        errors = check(os.path.abspath(package))
        if errors:
            raise SystemExit(f"{check.__name__}: " + "\n".join(f"{path}:{line}: {text}" for path, line, text in errors))
        found = check(*of_user)
        if sorted({line for _, line, _ in found}) != want:
            raise SystemExit(f"{check.__name__} finds {found}, want errors in lines {want}")
        print(f"{check.__name__}: no error in the package, {len(want)} of {len(want)} mistakes found")


if __name__ == "__main__":
    main(*sys.argv[1:])
