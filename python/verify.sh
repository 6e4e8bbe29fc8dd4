#!/usr/bin/env bash
# Builds this machine's wheel twice, compares the bytes, installs it into a new environment with Debian's PyTorch and NumPy, and runs its
# tests there, and then with each Python given that has PyTorch.
set -euo pipefail
cd "$(dirname "$0")"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
case $(uname -m) in x86_64) tag=manylinux_2_17_x86_64 ;; aarch64) tag=manylinux_2_17_aarch64 ;; *) echo "no wheel for $(uname -m)"; exit 1 ;; esac
for n in 1 2; do /usr/bin/python3 wheel.py 0.0.1 "$tmp/$n" "$tag"; done
cmp "$tmp"/1/*.whl "$tmp"/2/*.whl
/usr/bin/python3 -m venv --system-site-packages "$tmp/venv"
"$tmp/venv/bin/pip" install --quiet --no-index --no-deps "$tmp"/1/*.whl
"$tmp/venv/bin/tlayout" version | grep -q 0.0.1
cp test_*.py "$tmp"
cd "$tmp"
versions='import sys, numpy, torch; print("Python", sys.version.split()[0], "NumPy", numpy.__version__, "PyTorch", torch.__version__)'
venv/bin/python -c "$versions"
env PATH=/usr/bin:/bin venv/bin/python -m unittest -v test_tlayout test_follow
for python; do
  "$python" -c "$versions" 2>/dev/null || { echo "not tested with $python: it has no PyTorch"; continue; }
  "$python" -m pip install --quiet --no-index --no-deps --upgrade --target "$tmp/other" "$tmp"/1/*.whl
  env PATH="$tmp/other/bin:/usr/bin:/bin" PYTHONPATH="$tmp/other" "$python" -m unittest -v test_tlayout test_follow
done
