#!/usr/bin/env bash
# Installs the release RELEASE below RUNNER_TEMP after verifying its checksum, and adds it to the path of later steps. RELEASES may be the
# URL of a mirror.
set -euo pipefail
fail() { printf '::error title=tlayout::%s\n' "$*"; exit 1; }

[[ $RELEASE =~ ^v[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$ ]] || fail 'version is not that of a release, such as v0.1.0'
case ${RUNNER_OS:-$(uname -s)} in
Linux) os=linux end=tar.gz ;;
macOS | Darwin) os=darwin end=tar.gz ;;
Windows) os=windows end=zip ;;
*) fail "no release for the system ${RUNNER_OS:-$(uname -s)}" ;;
esac
case ${RUNNER_ARCH:-$(uname -m)} in
X64 | x86_64) arch=amd64 ;;
ARM64 | aarch64 | arm64) arch=arm64 ;;
*) fail "no release for the processor ${RUNNER_ARCH:-$(uname -m)}" ;;
esac
file=tlayout_${RELEASE#v}_${os}_$arch.$end
from=${RELEASES:-https://github.com/tlayout/tlayout/releases/download}/$RELEASE
dir=$RUNNER_TEMP/tlayout-$RELEASE
rm -rf "$dir" && mkdir -p "$dir" && cd "$dir"

for name in checksums.txt "$file"; do
	curl --fail --silent --show-error --location --retry 3 --proto '=https,file' --proto-redir '=https' --output "$name" "$from/$name" ||
		fail "$from/$name cannot be downloaded"
done
want=$(awk -v name="$file" '$2 == name { print $1 }' checksums.txt)
if command -v sha256sum >/dev/null; then got=$(sha256sum "$file"); else got=$(shasum -a 256 "$file"); fi
[[ -n $want && ${got%% *} == "$want" ]] || fail "$file is not the file of checksums.txt"

case $end in
zip) unzip -q "$file" ;;
*) tar -xzf "$file" ;;
esac
printf '%s\n' "$dir" >>"$GITHUB_PATH"
"$dir/tlayout" version
