#!/bin/sh
# Writes the names and the version of a site's files into its offline.js: offline.sh SITE. It runs last, for the version is a hash of all.
set -eu
cd "$1"
names=$(ls ./*.css ./*.js ./tlayout.wasm ./files/* | grep -v '/offline\.js$')
version=$(cat index.html $names | sha256sum | cut -c1-16)
list=$(printf ', "%s"' $names)
sed -i.old -e "s|^const version = .*|const version = \"$version\", names = [\"./\"$list];|" offline.js
rm offline.js.old
