#!/usr/bin/env bash
# witnesses.sh small|all FOLDER: makes a virtual environment in FOLDER, with the newest Python from 3.11 on in PATH or pyenv and the packages
# of witnesses-small.txt or witnesses.txt, and prints their sizes on disk. It names and skips packages that cannot be installed.
set -euo pipefail
mkdir -p "$2" && venv=$(cd "$2" && pwd)
cd "$(dirname "$0")"
case $1 in small) list=witnesses-small.txt ;; all) list=witnesses.txt ;; *) echo "witnesses.sh: unknown set $1: want small or all" >&2; exit 2 ;; esac

for minor in 14 13 12 11; do
	for python in "python3.$minor" "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.$minor.*/bin/python3 /usr/bin/python3.$minor; do
		"$python" -c 'import ensurepip, venv' >/dev/null 2>&1 && break 2
		python=
	done
done
[ -n "$python" ] || { echo 'witnesses.sh: no Python 3.11 or newer with venv: apt-get install python3-venv' >&2; exit 1; }
"$venv/bin/python" -c '' >/dev/null 2>&1 || "$python" -m venv "$venv"

pip() { "$venv/bin/python" -m pip --disable-pip-version-check install --quiet --no-deps "$@"; }
pip -r "$list" 2>/dev/null || cat witnesses-small.txt "$list" | sort -u | grep -v '^[#-]' | while read -r package; do
	pip "$package" 2>/dev/null || echo "skipped: $package" >&2
done

"$venv/bin/python" - <<'EOF'
import importlib.metadata as metadata, pathlib, sys

sizes = {}
for d in metadata.distributions():
    paths = [pathlib.Path(d.locate_file(f)) for f in d.files or ()]
    sizes[f"{d.name} {d.version}"] = sum(p.stat().st_size for p in paths if p.is_file())
for name, size in sorted(sizes.items(), key=lambda x: -x[1]):
    print(f"{size / 1e6:8.1f} MB  {name}")
print(f"{sum(sizes.values()) / 1e6:8.1f} MB  in {sys.prefix}, Python {sys.version.split()[0]}")
EOF
