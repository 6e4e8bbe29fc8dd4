#!/bin/sh
# Runs the main use case on a real file: inspect it, convert it to NHWC, inspect the result, check that both are equal.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cp "$(dirname "$0")/x.npy" "$dir"
tlayout=$(cd "$(dirname "$0")/.." && pwd)/tlayout
cd "$dir"

run() {
	printf '\n$ tlayout %s\n' "$*"
	"$tlayout" "$@"
}
run inspect x.npy
run convert x.npy --to nhwc --verify
run inspect x.nhwc.npy --from nhwc
run convert x.nhwc.npy --from nhwc --to nchw -o back.npy
printf '\n$ cmp x.npy back.npy\n'
cmp x.npy back.npy
echo 'equal: NCHW -> NHWC -> NCHW gives back every byte of x.npy'
