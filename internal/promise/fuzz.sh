#!/usr/bin/env bash
# fuzz.sh EXECUTIONS PACKAGE:FuzzName…: runs each target EXECUTIONS times (15000x) from its committed corpus, with FUZZWORKERS workers, and
# prints the count. It builds each package once, and keeps the logs in FUZZLOGS, if set, for the table of docs/fuzzing.md. A duration instead
# of a count would hit a bug of go test, which sometimes fails at the end with "context deadline exceeded".
set -euo pipefail
executions=$1
shift
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
logs=${FUZZLOGS:-$tmp}
mkdir -p "$logs"
logs=$(cd "$logs" && pwd)
cache=$(go env GOCACHE)/fuzz/$(go list -m)
for target in "$@"; do
	package=${target%:*} name=${target#*:}
	binary=$tmp/${package//\//_}.test
	log=$logs/${package//\//_}-$name.$(date +%s).log
	test -e "$binary" || go test -c -fuzz . -o "$binary" "./$package"
	echo "== $target"
	(cd "$package" && "$binary" -test.run '^$' -test.fuzz "^$name\$" -test.fuzztime "$executions" -test.fuzzminimizetime 20x \
		-test.fuzzcachedir "$cache/$package" -test.timeout 0 ${FUZZWORKERS:+-test.parallel "$FUZZWORKERS"}) >"$log" 2>&1 || { cat "$log"; exit 1; }
	grep 'execs: ' "$log" | tail -n 1
done
