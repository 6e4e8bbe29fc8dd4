#!/bin/bash
# Builds what a release of the last commit consists of, twice, in two folders, and checks that both are byte-identical, that each file has the
# license texts of what it contains, and the Debian packages, their manual pages and completions. Publishes nothing. Needs Go, git and root,
# and installs the rest from Debian. On amd64 it leaves platforms out, see .goreleaser.yaml.
set -euo pipefail
cd "$(dirname "$0")/.."
step() { printf '\n== %s\n' "$*"; }
has() { grep "$@" >/dev/null; } # reads all, which grep -q does not, so that its pipe does not fail

tools='mandoc col zsh fish rpm python3'
completion=/usr/share/bash-completion/bash_completion
missing() { for tool in $tools; do command -v $tool >/dev/null || echo $tool; done; test -e $completion || echo bash-completion; }
fail() { echo "release.sh: $*" >&2; exit 1; }
test "$(id -u)" = 0 || fail 'needs root, to install the packages that it builds'
for program in tlayout tlayout-cloud; do
	! dpkg -s $program >/dev/null 2>&1 || fail "the package $program is installed: remove it first, this would replace it"
done
if test -n "$(missing)"; then
	command -v apt-get >/dev/null || fail 'missing, and no apt-get to install it:' $(missing)
	step 'install what is missing:' $(missing)
	apt-get update -qq
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends mandoc bsdextrautils zsh fish rpm python3 bash-completion >/dev/null
	test -z "$(missing)" || fail 'still missing:' $(missing)
fi
test -z "$(git status --porcelain)" || echo 'release.sh: uncommitted changes are not part of this'

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
arch=$(dpkg --print-architecture)
test "$arch" != amd64 || export VERIFY_RELEASE=1
for folder in "$tmp/one" "$tmp/the/other"; do
	step "build in $folder"
	git clone --quiet . "$folder"
	make --no-print-directory -C "$folder" release-snapshot
done
diff "$tmp/one/dist/checksums.txt" "$tmp/the/other/dist/checksums.txt"
rm -rf "$tmp/the"
release=$tmp/one/_release
cd "$tmp/one/dist"
mv "$release"/wheels/* .
sha256sum --quiet -c checksums.txt

step 'license texts'
linked() { for program in "$@"; do go version -m "$program"; done | awk 'NF == 2 && /^[^\t]/ { print "std", $2 }
	$1 == "dep" && $2 !~ "^github.com/tlayout/tlayout" { print $2, $3 }' | sort -u; }
for program in tlayout tlayout-cloud; do
	linked ${program}_*/$program* | while read -r module version; do
		has "^== $module/" "$release/$program/THIRD_PARTY" || fail "no license of $module in $program"
	done
	for file in ${program}_*.tar.gz; do tar -xzOf "$file" THIRD_PARTY | cmp - "$release/$program/THIRD_PARTY"; done
	for file in ${program}_*.deb; do dpkg-deb --fsys-tarfile "$file" | tar -xO ./usr/share/doc/$program/THIRD_PARTY | cmp - "$release/$program/THIRD_PARTY"; done
	for file in ${program}_*.apk; do tar -xzOf "$file" usr/share/doc/$program/THIRD_PARTY 2>/dev/null | cmp - "$release/$program/THIRD_PARTY"; done
	digest=$(sha256sum <"$release/$program/THIRD_PARTY" | cut -d' ' -f1)
	for file in ${program}_*.rpm; do
		rpm -qp --qf '[%{FILENAMES} %{FILEDIGESTS}\n]' "$file" 2>/dev/null | has -x "/usr/share/doc/$program/THIRD_PARTY $digest"
	done
done
python3 - "$release/tlayout/THIRD_PARTY" tlayout_*.zip tlayout-*.whl <<'E'
import sys, zipfile
for name in sys.argv[2:]:
    z = zipfile.ZipFile(name)
    [text] = [z.read(f) for f in z.namelist() if f.endswith("THIRD_PARTY")]
    assert text == open(sys.argv[1], "rb").read(), name
E

step 'bills of materials'
for binary in tlayout*_*/tlayout*; do
	program=$(basename "$binary" .exe)
	platform=$(echo "$binary" | sed -E 's/^[^_]*_([a-z]+_[a-z0-9]+).*/\1/')
	python3 - "$program"_*_"$platform".cdx.json >"$tmp/modules" <<'E'
import json, sys
bill = json.load(open(sys.argv[1]))
assert bill["bomFormat"] == "CycloneDX" and "serialNumber" not in bill and "timestamp" not in bill["metadata"], sys.argv[1]
own = ("github.com/tlayout/tlayout", "../")  # tlayout-cloud replaces the module by its folder
print("\n".join(f"{c['name']} {c['version']}" for c in bill["components"] if not c["name"].startswith(own)))
E
	diff <(linked "$binary") <(sort "$tmp/modules")
done

step 'packages for Debian'
for program in tlayout tlayout-cloud; do
	deb=$(echo ${program}_*_linux_"$arch".deb)
	# Pages and completions from the package itself: a container's dpkg may skip them when installing.
	dpkg-deb -x "$deb" "$tmp/files"
	share=$tmp/files/usr/share
	zsh -fc 'fpath=($1 $fpath); autoload -U compinit; compinit -u -D; test "$_comps['$program']" = _'$program - "$share"/zsh/vendor-completions
	trap 'dpkg -r tlayout tlayout-cloud >/dev/null 2>&1; rm -rf "$tmp"' EXIT
	dpkg -i "$deb" >/dev/null
	/usr/bin/$program version --json | has -F "$(git -C .. rev-parse HEAD)"
	/usr/bin/$program inspect ../testdata/x.npy --quiet
	bash -c 'compopt() { :; }; . '$completion'; . "$0"; COMP_WORDS=("$1" insp); COMP_CWORD=1; COMP_LINE="$1 insp"; COMP_POINT=${#COMP_LINE}
		COMP_TYPE=9; "__start_$1"; test "${COMPREPLY[*]}" = inspect' "$share/bash-completion/completions/$program" $program
	fish -c "source '$share/fish/vendor_completions.d/$program.fish'; complete -C '$program insp'" | has '^inspect'
done
zcat "$share"/man/man1/tlayout-convert.1.gz | mandoc -T ascii | col -b | has '^ *tlayout convert SRC'
test "$(/usr/bin/tlayout inspect s3://bucket/x.npy 2>&1 | grep -c 'not in this build')" = 1
test "$(AWS_EC2_METADATA_DISABLED=true AWS_ENDPOINT_URL=http://localhost:1 /usr/bin/tlayout-cloud inspect s3://bucket/x.npy 2>&1 | grep -c 'not in this build')" = 0
dpkg -r tlayout tlayout-cloud >/dev/null
test ! -e /usr/bin/tlayout -a ! -e /usr/bin/tlayout-cloud

step 'packages for Fedora and Alpine'
for program in tlayout tlayout-cloud; do
	tar -tzf ${program}_*_linux_"$arch".apk 2>/dev/null | sed 's|^|/|' >"$tmp/apk"
	rpm -qpl ${program}_*_linux_"$arch".rpm >"$tmp/rpm"
	for list in "$tmp"/apk "$tmp"/rpm; do
		for file in bin/$program share/bash-completion/completions/$program share/zsh/site-functions/_$program; do has -x "/usr/$file" "$list"; done
	done
done

step 'sizes in bytes'
find . -type f \( -path "*linux_$arch*" -o -name "*linux*$(uname -m).whl" \) -printf '%s %P\n' | sort -k2
