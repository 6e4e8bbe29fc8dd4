#!/bin/sh
# Installs the Debian package that make release-snapshot built in dist, tests the program, its pages and its completions, and removes it;
# compares the files of the other packages. Needs root, mandoc, bash, bash-completion, zsh and fish; uses rpm if available.
set -eux
cd "$(dirname "$0")/.."
arch=$(dpkg --print-architecture)
deb=$(echo dist/tlayout_*_linux_"$arch".deb)
tmp=$(mktemp -d)
trap 'dpkg -r tlayout >/dev/null 2>&1; rm -rf "$tmp"' EXIT

# Pages and completions from the package itself: a container's dpkg may skip them when installing.
dpkg-deb -x "$deb" "$tmp"
share=$tmp/usr/share
zcat "$share"/man/man1/tlayout-convert.1.gz | mandoc -T ascii | col -b | grep -q '^ *tlayout convert SRC'
zsh -fc 'fpath=($1 $fpath); autoload -U compinit; compinit -u -D; test "$_comps[tlayout]" = _tlayout' - "$share"/zsh/vendor-completions

dpkg -i "$deb" >/dev/null
test "$(/usr/bin/tlayout --version)" != 'tlayout devel'
/usr/bin/tlayout inspect testdata/x.npy --quiet
bash -c 'compopt() { :; }; . /usr/share/bash-completion/bash_completion; . "$0"; COMP_WORDS=(tlayout insp); COMP_CWORD=1; COMP_LINE="tlayout insp"
	COMP_POINT=12; COMP_TYPE=9; __start_tlayout; test "${COMPREPLY[*]}" = inspect' "$share"/bash-completion/completions/tlayout
fish -c "source '$share/fish/vendor_completions.d/tlayout.fish'; complete -C 'tlayout insp'" | grep -q '^inspect'
dpkg -r tlayout >/dev/null
test ! -e /usr/bin/tlayout

# The others have the same files.
tar -tzf dist/*_linux_"$arch".apk 2>/dev/null | sed 's|^|/|' >"$tmp/apk"
! command -v rpm >/dev/null || rpm -qpl dist/*_linux_"$arch".rpm >"$tmp/rpm"
for list in "$tmp"/apk "$tmp"/rpm; do
	test -e "$list" || continue
	for file in bin/tlayout share/man/man1/tlayout-convert.1.gz share/bash-completion/completions/tlayout share/zsh/site-functions/_tlayout; do
		grep -qx "/usr/$file" "$list"
	done
done
