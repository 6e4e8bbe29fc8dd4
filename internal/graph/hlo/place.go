package hlo

import (
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/graph"
	"github.com/tlayout/tlayout/internal/graph/pytorch"
)

// hloFrames is the tables of a module's head by which metadata refer to lines of the user's program:
//
//	FileNames      1 "/home/me/net.py"
//	FileLocations  1 {file_name_id=1 function_name_id=1 line=33 end_line=33 column=4 end_column=100}
//	StackFrames    1 {file_location_id=1 parent_frame_id=1}
//
// (StackFrameIndexProto in xla/service/hlo.proto)
type hloFrames struct {
	table     string // that the next lines belong to
	files     map[int]string
	locations map[int]hloLocation
	frames    map[int]hloFrame
}

type hloLocation struct{ file, line int }

type hloFrame struct{ location, parent int }

// read reads a line of a table, or its name.
func (f *hloFrames) read(line string) {
	word, rest, _ := strings.Cut(line, " ")
	id, err := strconv.Atoi(word)
	if err != nil {
		f.table = line
		return
	}
	switch f.table {
	case "FileNames":
		f.files = with(f.files, id, strings.Trim(rest, `"`))
	case "FileLocations":
		f.locations = with(f.locations, id, hloLocation{numberOf(rest, "file_name_id"), numberOf(rest, "line")})
	case "StackFrames":
		f.frames = with(f.frames, id, hloFrame{numberOf(rest, "file_location_id"), numberOf(rest, "parent_frame_id")})
	}
}

// with returns a map with one more entry.
func with[V any](m map[int]V, key int, value V) map[int]V {
	if m == nil {
		m = map[int]V{}
	}
	m[key] = value
	return m
}

// numberOf returns the number behind key=, which blanks or a brace precede; 0 if there is none.
func numberOf(s, key string) int {
	for word := range strings.FieldsFuncSeq(s, func(r rune) bool { return r == ' ' || r == '{' || r == '}' }) {
		value, is := strings.CutPrefix(word, key+"=")
		if is {
			n, _ := strconv.Atoi(value)
			return n
		}
	}
	return 0
}

// place returns where a program has an instruction, by the metadata of it.
func (f *hloFrames) place(metadata string) graph.Place {
	p := graph.Place{Node: quotedAfter(metadata, `op_name="`), File: baseOf(quotedAfter(metadata, `source_file="`))}
	if p.File != "" {
		p.Line = numberOf(metadata, "source_line")
		return p
	}
	at, known := f.location(numberOf(metadata, "stack_frame_id"))
	if known {
		p.File = baseOf(f.files[at.file])
		p.Line = at.line
	}
	return p
}

// maxFrames limits how many callers are looked at.
const maxFrames = 64

// location returns the innermost line of a stack that is not a library's; the innermost one if all are.
func (f *hloFrames) location(frame int) (hloLocation, bool) {
	innermost, known := f.locations[f.frames[frame].location]
	for range maxFrames {
		at, has := f.locations[f.frames[frame].location]
		if !has {
			break
		}
		if !strings.Contains(f.files[at.file], "-packages/") {
			return at, true
		}
		frame = f.parent(frame)
	}
	return innermost, known
}

// parent returns the frame that calls another. Some versions print its number plus 1, so that the first frame is its own parent.
func (f *hloFrames) parent(frame int) int {
	if f.frames[1].parent == 1 {
		return f.frames[frame].parent - 1
	}
	return f.frames[frame].parent
}

// baseOf returns a file's name without its folder; empty for none.
func baseOf(file string) string {
	if file == "" {
		return ""
	}
	return pytorch.BaseName(file)
}

// quotedAfter returns the text behind a mark up to the next quote; empty if there is none.
func quotedAfter(s, mark string) string {
	_, rest, _ := strings.Cut(s, mark)
	value, _, _ := strings.Cut(rest, `"`)
	return value
}
