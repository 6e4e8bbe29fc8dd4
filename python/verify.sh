#!/usr/bin/env bash
# Builds this machine's wheel twice, compares the bytes, checks its metadata and RECORD, installs it into a new environment with Debian's
# PyTorch and NumPy, checks its types by mypy and pyright, and runs its tests there, and then with each Python given that has PyTorch. Needs PyPI
# for twine, wheel, mypy and pyright, and npm's registry, from which pyright's wheel installs itself.
set -euo pipefail
cd "$(dirname "$0")"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
version=1.2.3-rc.4
env CGO_ENABLED=0 go -C .. build -trimpath -buildvcs=false -o "$tmp/tlayout" \
  -ldflags "-s -w -X github.com/tlayout/tlayout/internal/command/cli.release=v$version" ./cmd/tlayout
../internal/manual/licenses.sh .. "$tmp/THIRD_PARTY"
for n in 1 2; do
  /usr/bin/python3 wheel.py $version "$(go env GOOS)" "$(go env GOARCH)" "$tmp/tlayout" "$tmp/THIRD_PARTY" "$tmp/$n"
done
cmp "$tmp"/1/*.whl "$tmp"/2/*.whl

/usr/bin/python3 -m venv "$tmp/tools"
"$tmp/tools/bin/pip" install --quiet --disable-pip-version-check twine==7.0.0 wheel==0.48.0 mypy==2.4.1 'pyright[nodejs]==1.1.414'
"$tmp/tools/bin/twine" check --strict "$tmp"/1/*.whl
"$tmp/tools/bin/wheel" unpack --dest "$tmp/unpacked" "$tmp"/1/*.whl >/dev/null # compares with RECORD
diff <(cd tlayout && ls -p | grep -v /) <(ls "$tmp"/unpacked/*/tlayout)

"$tmp/tools/bin/python" -B - <<'E'
from packaging.version import Version
from wheel import normal

for version, want in {
    "1.0.0": "1.0.0", "1.0.0-rc.1": "1.0.0rc1", "1.0.0-rc1": "1.0.0rc1", "1.0.0-beta": "1.0.0b0", "1.0.0-alpha.02": "1.0.0a2",
    "0.0.0-snapshot.00123456": "0.0.0.dev0+g00123456", "1.0.0-rc.1-snapshot.12e4": "1.0.0rc1.dev0+g12e4",
}.items():
    assert normal(version) == want == str(Version(want)), (version, normal(version))
for version in "1.0", "1.0.0-preview.1", "1.0.0+x", "v1.0.0":
    try:
        normal(version)
    except SystemExit:
        continue
    raise AssertionError(version)
E

/usr/bin/python3 -m venv --system-site-packages "$tmp/venv"
"$tmp/venv/bin/pip" install --quiet --no-index --no-deps "$tmp"/1/*.whl
"$tmp/venv/bin/tlayout" version | grep -q "v$version"
"$tmp/venv/bin/python" -c 'import tlayout; assert tlayout.__version__ == "1.2.3rc4", tlayout.__version__'
"$tmp/tools/bin/python" -B typed/verify.py tlayout "$tmp/venv/bin/python"
cp test_*.py README.md ../docs/python.md ../internal/graph/exported/testdata/models.py "$tmp"
cd "$tmp"
versions='import sys, numpy, torch; print("Python", sys.version.split()[0], "NumPy", numpy.__version__, "PyTorch", torch.__version__)'
venv/bin/python -c "$versions"
env PATH=/usr/bin:/bin venv/bin/python -m unittest -v test_tlayout test_follow test_graph test_watch test_docs
for python; do
  "$python" -c "$versions" 2>/dev/null || { echo "not tested with $python: it has no PyTorch"; continue; }
  "$python" -m pip install --quiet --no-index --no-deps --upgrade --target "$tmp/other" "$tmp"/1/*.whl
  env PATH="$tmp/other/bin:/usr/bin:/bin" PYTHONPATH="$tmp/other" "$python" -m unittest -v test_tlayout test_follow test_graph test_watch test_docs
done
