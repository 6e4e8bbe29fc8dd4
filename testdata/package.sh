#!/bin/sh
# Installs the package of Debian that make release-snapshot left in dist, tries what is in it, and removes it. Needs root.
set -eu
cd "$(dirname "$0")/.."
dpkg -i dist/tlayout_*_linux_"$(dpkg --print-architecture)".deb
trap 'dpkg -r tlayout >/dev/null' EXIT
test "$(tlayout --version)" != 'tlayout devel'
tlayout inspect testdata/x.npy --quiet
for name in man/man1/tlayout-convert.1.gz bash-completion/completions/tlayout zsh/vendor-completions/_tlayout; do test -s "/usr/share/$name"; done
bash -c '. /usr/share/bash-completion/completions/tlayout && complete -p tlayout' >/dev/null
dpkg -r tlayout >/dev/null
trap - EXIT
! test -e /usr/bin/tlayout
