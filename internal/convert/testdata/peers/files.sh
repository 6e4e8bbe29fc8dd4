#!/usr/bin/env bash
# Measures conversions of whole files against cp of the same files, in turn, and the start of commands against that of a Go program
# that prints a line. Prints medians with minimum and maximum, and the mark of each.
#
#	files.sh [FOLDER [DIVISOR]]    FOLDER takes the files (6 GiB); DIVISOR makes them smaller, to try the script
#	RUNS=7 LONGEST=120 MARKS="small files memory start" files.sh
set -euo pipefail
export LC_ALL=C
folder=$(realpath "${1:-${TMPDIR:-/tmp}}") divisor=${2:-1} runs=${RUNS:-7} longest=${LONGEST:-120}
peers=$(realpath "$(dirname "$0")")
cd "$peers/../../../.."
work=$(mktemp -d "$folder/tlayout-marks.XXXXXX")
group=
cleanup() {
	[ -z "$group" ] || rmdir "$group" || true
	rm -rf "$work"
}
trap cleanup EXIT
go build -o "$work/tlayout" ./cmd/tlayout

# header SHAPE [DESCR]: 128 bytes of a .npy file
header() {
	printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "{'descr': '${2:-<f4}', 'fortran_order': False, 'shape': ($1), }"
}

# source_file IMAGES: writes images of 64 channels of 256 x 256 to $work/source.npy
source_file() {
	head -c 16777216 /dev/urandom >"$work/image"
	{
		header "$1,64,256,256"
		for ((i = 0; i < $1; i++)); do cat "$work/image"; done
	} >"$work/source.npy"
	rm "$work/image"
}

# shape_of LAYOUT IMAGES: the shape of the source in a layout. All layouts use the same bytes.
shape_of() {
	case $1 in
	nchw) echo "$2,64,256,256" ;;
	nhwc) echo "$2,256,256,64" ;;
	nchw4 | nchw8 | nchw16 | nchw32) echo "$2,$((64 / ${1#nchw})),256,256,${1#nchw}" ;;
	chwn) echo "64,256,256,$2" ;;
	chwn4) echo "16,256,256,$2,4" ;;
	esac
}

# measured NAME COMMAND…: appends seconds, KiB of anonymous and KiB of resident memory to NAME's lines. Removes the output and
# waits for the disk, so that the next command is not disturbed. A command that takes longer than $longest seconds is stopped
# and not run again.
measured() {
	local name=$1
	shift
	if [ -e "$work/$name.stopped" ]; then return; fi
	timeout "$longest" "${within[@]}" python3 "$peers/timed.py" "$@" >>"$work/$name.lines" || {
		[ $? -eq 124 ] || return 1
		touch "$work/$name.stopped"
		echo "$longest 0 0" >"$work/$name.lines"
	}
	rm -f "$work"/out.npy*
	sync -f "$work"
	sleep "${PAUSE:-0.5}"
}
within=()

# column NAME NUMBER: median, minimum and maximum of a column
column() {
	sort -g -k "$2,$2" "$work/$1.lines" | awk -v c="$2" '{ x[NR] = $c }
		END { print (x[int((NR + 1) / 2)] + x[int(NR / 2) + 1]) / 2, x[1], x[NR] }'
}

# conversions IMAGES PREPARE FROM-TO…: cp and the conversions in turn, $runs times, with PREPARE before each
conversions() {
	local images=$1 before=$2
	shift 2
	rm -f "$work"/*.lines "$work"/*.stopped
	for ((k = 0; k < runs; k++)); do
		$before
		measured cp cp --reflink=never "$work/source.npy" "$work/out.npy"
		for c in "$@"; do
			header "$(shape_of "${c%-*}" "$images")" | dd of="$work/source.npy" conv=notrunc status=none
			sync -f "$work"
			$before
			measured "$c" "$work/tlayout" convert -q "$work/source.npy" --from "${c%-*}" --to "${c#*-}" -o "$work/out.npy"
		done
	done
}

# table LIMIT FROM-TO…: results of conversions relative to cp; more than LIMIT is a miss
table() {
	local limit=$1 cp seconds min max anon c
	shift
	read -r cp min max < <(column cp 1)
	printf '| | seconds | min, max | of cp | anonymous memory |\n|---|---|---|---|---|\n| cp | %.3f | %.3f, %.3f | 1.00 | |\n' "$cp" "$min" "$max"
	for c in "$@"; do
		read -r seconds min max < <(column "$c" 1)
		read -r _ _ anon < <(column "$c" 2)
		awk -v c="${c/-/ to }" -v s="$seconds" -v l="$min" -v m="$max" -v cp="$cp" -v limit="$limit" -v anon="$anon" \
			-v stopped="$([ ! -e "$work/$c.stopped" ] || echo "stopped after ")" 'BEGIN {
			printf "| %s | %s%.3f | %.3f, %.3f | %.2f%s | %.0f MiB%s |\n", c, stopped, s, l, m, s / cp,
				(s / cp > limit ? " missed" : ""), anon / 1024, (anon > 65536 ? " missed" : "") }'
	done
}

warm() { cat "$work/source.npy" >/dev/null; }

# cold: drops the source from the page cache, and the whole cache only if dropping one file fails.
cold() {
	sync -f "$work"
	dd if="$work/source.npy" iflag=nocache count=0 status=none
	if [ "$(fincore -nbo RES "$work/source.npy" 2>/dev/null || echo 0)" -gt $((1 << 20)) ]; then
		sync
		echo 1 >/proc/sys/vm/drop_caches || true
	fi
}

# memory_group MIB: makes a cgroup of that much memory, $group; fails without permission.
memory_group() {
	local v1=/sys/fs/cgroup/memory v2=/sys/fs/cgroup
	if [ -w $v1/memory.limit_in_bytes ] || [ -w $v1/cgroup.procs ]; then
		mkdir "$v1/tlayout-marks.$$" && group=$v1/tlayout-marks.$$ && echo "$1M" >"$group/memory.limit_in_bytes"
	elif [ -w $v2/cgroup.subtree_control ] && grep -qw memory $v2/cgroup.controllers; then
		{ grep -qw memory $v2/cgroup.subtree_control || echo +memory >$v2/cgroup.subtree_control; } &&
			mkdir "$v2/tlayout-marks.$$" && group=$v2/tlayout-marks.$$ && echo "$1M" >"$group/memory.max"
	else
		return 1
	fi
}

# mark_small: files as large as a batch
mark_small() {
	one_file 1.05 nchw nhwc '<f4' $((128 / divisor)) 64,56,56 802816
	one_file 1.1 nhwc nchw '|u1' $((512 / divisor)) 224,224,3 150528
}

# one_file LIMIT FROM TO DESCR IMAGES SHAPE BYTES: cp and a conversion in turn, of images of so many bytes each
one_file() {
	local PAUSE=0.1
	printf '\n%d MiB of %s in %s, warm, all cores; the mark: %s of cp, 64 MiB of anonymous memory\n\n' $(($5 * $7 >> 20)) "$4" "${2^^}" "$1"
	{
		header "$5,$6" "$4"
		head -c $(($5 * $7)) /dev/urandom
	} >"$work/source.npy"
	rm -f "$work"/*.lines "$work"/*.stopped
	for ((k = 0; k < 3 * runs; k++)); do
		warm
		measured cp cp --reflink=never "$work/source.npy" "$work/out.npy"
		warm
		measured "$2-$3" "$work/tlayout" convert -q "$work/source.npy" --from "$2" --to "$3" -o "$work/out.npy"
	done
	table "$1" "$2-$3"
}

mark_files() {
	local images=$((64 / divisor)) list=(nchw-nhwc nhwc-nchw nchw-nchw4 nchw-nchw16 nchw16-nchw nchw-chwn chwn-nchw nchw-chwn4 chwn4-nchw)
	printf '\n%d MiB of float32, warm, all cores; the mark: 1.1 of cp, 64 MiB of anonymous memory\n\n' $((images * 16))
	source_file $images
	conversions $images warm "${list[@]}"
	table 1.1 "${list[@]}"
}

mark_memory() {
	local images=$((256 / divisor)) list=(${LIST:-nchw-nhwc nhwc-nchw nchw-chwn}) limit=$((256 / divisor > 64 ? 256 / divisor : 64))
	if ! memory_group $limit 2>/dev/null; then
		printf '\nlarger than memory: skipped, cannot create a memory cgroup (needs root)\n'
		return
	fi
	printf '\n%d MiB of float32 in a cgroup of %d MiB, cold, all cores; the mark: 1.6 of cp\n\n' $((images * 16)) $limit
	source_file $images
	within=(bash -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$group")
	conversions $images cold "${list[@]}"
	within=()
	table 1.6 "${list[@]}"
}

mark_start() {
	local PAUSE=0
	rm -f "$work"/*.lines "$work"/*.stopped
	printf 'package main\n\nfunc main() { println("line") }\n' >"$work/line.go"
	go build -o "$work/line" "$work/line.go"
	header 16384,64,512,512 >"$work/sparse.npy"
	truncate -s $((128 + (1 << 40))) "$work/sparse.npy"
	mkdir "$work/small"
	for ((k = 0; k < 1000; k++)); do { header 1,3,2,2; head -c 48 /dev/zero; } >"$work/small/$k.npy"; done
	for ((k = 0; k < 3 * runs; k++)); do
		measured line "$work/line" 2>/dev/null
		measured version "$work/tlayout" version
		measured inspect "$work/tlayout" "$work/sparse.npy"
		measured plan "$work/tlayout" plan --shape 8,64,56,56 --to nhwc
		measured draw "$work/tlayout" draw testdata/six.npy -o "$work/out.npy.png"
	done
	for ((k = 0; k < runs; k++)); do
		measured many "$work/tlayout" inspect "$work"/small/*.npy
		measured json "$work/tlayout" inspect --json "$work"/small/*.npy
	done
	local line
	read -r line _ _ < <(column line 1)
	printf '\nStart\n\n| | ms | of a Go program that prints a line | mark |\n|---|---|---|---|\n'
	started version "$line" 2 'tlayout version'
	started inspect "$line" 3 'tlayout x.npy, of 1 TiB'
	started plan "$line" '30 ms' 'plan --shape 8,64,56,56 --to nhwc'
	started draw "$line" '80 ms' 'draw -o x.png'
	started many "$line" '150 ms' 'inspect of 1000 files'
	started json "$line" '150 ms' 'inspect --json of 1000 files'
}

# started NAME LINE MARK TEXT: a command's time, beside that of a program that prints a line; the mark is in ms, or a multiple of that
started() {
	local seconds
	read -r seconds _ _ < <(column "$1" 1)
	awk -v s="$seconds" -v line="$2" -v mark="$3" -v text="$4" 'BEGIN {
		limit = mark ~ /ms/ ? mark / 1e3 : mark * line
		printf "| %s | %.1f | %.1f | %s, %s |\n", text, s * 1e3, s / line, mark, (s > limit ? "missed" : "met") }'
}

for mark in ${MARKS:-small files memory start}; do "mark_$mark"; done
