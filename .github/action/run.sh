#!/usr/bin/env bash
# Runs tlayout COMMAND with ARGS and REQUIRE from the environment, where each line is one argument. The answer becomes a file and
# an output, failures become an annotation and the step's summary. The exit code is that of tlayout.
set -uo pipefail
fail() { printf '::error title=tlayout::%s\n' "$*"; exit 2; }
# Escapes what would end a workflow command or begin another.
escape() { local s=${1//'%'/%25}; s=${s//$'\r'/%0D}; printf '%s' "${s//$'\n'/%0A}"; }

case $COMMAND in check | bench) ;; *) fail 'command is neither check nor bench' ;; esac
[[ $COMMAND == bench || -z $REQUIRE ]] || fail 'require is an input of command: bench'

args=()
while IFS= read -r line; do
	line=${line%$'\r'}
	[[ -z ${line//[[:space:]]/} ]] || args+=("$line")
done <<<"$ARGS"
while IFS= read -r gate; do
	gate=${gate%$'\r'}
	[[ -z ${gate//[[:space:]]/} ]] || args+=("--require=$gate")
done <<<"$REQUIRE"
[[ $COMMAND != bench ]] || args+=(--summary)

report=$(mktemp "$RUNNER_TEMP/tlayout-XXXXXX")
said=$(mktemp "$RUNNER_TEMP/tlayout-XXXXXX")
tlayout "$COMMAND" --json "${args[@]}" >"$report" 2>"$said"
code=$?

# Prints the messages of --json as sentences, and other lines, such as those of a crash, as they are.
sentences() {
	local line text='"(([^"\]|\\.)*)"' quote='\"'
	local message="\"level\":\"([a-z]+)\".*\"message\":$text(,\"hint\":$text)?"
	while IFS= read -r line; do
		if [[ ! $line =~ $message ]]; then
			printf '%s\n' "$line"
			continue
		fi
		line="${BASH_REMATCH[1]}: ${BASH_REMATCH[2]}"
		[[ -z ${BASH_REMATCH[5]} ]] || line+=$'\n'"hint: ${BASH_REMATCH[5]}"
		line=${line//"$quote"/'"'}
		printf '%s\n' "${line//\\\\/\\}"
	done <"$said"
}

if ((code != 0)); then
	# The findings of check, for people; a measurement is not repeated.
	if [[ $COMMAND == check && $code == 1 ]]; then text=$(tlayout check --quiet --color=never "${args[@]}" 2>&1); else text=$(sentences); fi
	if [[ -z $text ]]; then
		text="exit code $code without a message"
		[[ $COMMAND != bench || $code != 1 ]] || text='the answer is no, see the summary'
	fi
	printf '::error title=tlayout %s::%s\n' "$COMMAND" "$(escape "$text")"
	# Indented, so that names from files are not Markdown.
	printf '### tlayout %s failed with exit code %s\n\n%s\n\n' "$COMMAND" "$code" "$(sed 's/^/    /' <<<"$text" | head -c 60000)" >>"$GITHUB_STEP_SUMMARY"
else
	printf '### tlayout %s passed\n\n' "$COMMAND" >>"$GITHUB_STEP_SUMMARY"
fi
{
	printf 'report=%s\nexit-code=%s\n' "$report" "$code"
	if (($(wc -c <"$report") < 65536)); then
		# The file's author cannot know the delimiter.
		end=END_$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
		printf 'json<<%s\n' "$end"
		cat "$report"
		printf '%s\n' "$end"
	fi
} >>"$GITHUB_OUTPUT"
cat "$said" >&2
exit "$code"
