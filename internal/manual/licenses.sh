#!/bin/bash
# Writes the license texts of the Go standard library and of all modules that a program links on any platform of a release:
# licenses.sh MODULE FILE, where MODULE is the folder of a module with cmd/tlayout. Lines "== PATH" are followed by their text; equal texts
# share one. It fails for a module whose license go-licenses does not know, or that asks for more than its text.
set -euo pipefail
export LC_ALL=C CGO_ENABLED=0
mkdir -p "$(dirname "$2")"
file=$(realpath "$(dirname "$2")")/$(basename "$2")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fail() { echo "licenses.sh: $*" >&2; exit 1; }
GOBIN=$tmp go install github.com/google/go-licenses@v1.6.0

cd "$1"
GOROOT=$(go env GOROOT) # by which go-licenses recognizes the standard library
export GOROOT
texts=$tmp/texts
mkdir -p "$texts/std" "$texts/github.com/golang/freetype"
cp "$GOROOT/LICENSE" "$texts/std"
go mod download github.com/golang/freetype
# go-licenses does not know the file in which freetype offers two licenses, of which this is one.
cp "$(go list -m -f '{{.Dir}}' github.com/golang/freetype)/licenses/ftl.txt" "$texts/github.com/golang/freetype"
# One architecture per system, because go-licenses takes 20 seconds of tlayout-cloud; the modules of the other are compared below.
for system in linux darwin windows; do
	GOOS=$system GOARCH=amd64 "$tmp/go-licenses" save ./cmd/tlayout --save_path "$tmp/saved" \
		--ignore github.com/tlayout/tlayout --ignore github.com/golang/freetype 2>"$tmp/log" || fail "$(grep '^[EF]' "$tmp/log")"
	cp -r --no-preserve=mode "$tmp/saved/." "$texts"
	rm -rf "$tmp/saved"
done
for platform in linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64; do
	for module in $(GOOS=${platform%/*} GOARCH=${platform#*/} go list -deps -f '{{with .Module}}{{.Path}}{{end}}' ./cmd/tlayout | sort -u); do
		case $module in github.com/tlayout/*) continue ;; esac
		test -d "$texts/$module" || fail "no license of $module, which $platform links"
	done
done

cd "$texts"
! find . -name '*.go' | grep . >&2 || fail 'the licenses of these files ask for their source'
find * -type f | sort | while read -r path; do
	titles=$tmp/$(sha256sum <"$path" | cut -c1-64)
	test -e "$titles" || echo "$titles $path"
	echo "== $path" >>"$titles"
done >"$tmp/groups"
{
	echo 'This program contains the Go standard library and the modules that follow, each above its license.'
	while read -r titles path; do
		printf '\n\n'
		cat "$titles"
		echo
		cat "$path"
	done <"$tmp/groups"
} >"$file"
