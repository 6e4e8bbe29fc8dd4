package foreign

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/text"
)

// idxTypes are the types of IDX by their number; all are big-endian. (LeCun, Cortes and Burges, THE MNIST DATABASE, file formats)
var idxTypes = map[byte]struct {
	name string
	size int64
}{0x08: {"uint8", 1}, 0x09: {"int8", 1}, 0x0b: {">i2", 2}, 0x0c: {">i4", 4}, 0x0d: {">f4", 4}, 0x0e: {">f8", 8}}

// idx reads the header of an IDX file: two zeros, the type, the number of dims, and a size of four bytes for each.
func idx(head string) (kind string, itemsize int64, sizes []int64, ok bool) {
	if len(head) < 8 || head[:2] != "\x00\x00" {
		return "", 0, nil, false
	}
	t, known := idxTypes[head[2]]
	rank := int(head[3])
	if rank < 1 || rank > 8 {
		return "", 0, nil, false
	}
	if !known || len(head) < 4+4*rank {
		return "", 0, nil, false
	}
	for d := range rank {
		sizes = append(sizes, int64(binary.BigEndian.Uint32([]byte(head[4+4*d:]))))
	}
	return t.name, t.size, sizes, true
}

// isIDX reports whether a file is an IDX file, exactly as long as its header says.
func isIDX(head string, size int64) bool {
	_, want, sizes, ok := idx(head)
	for _, n := range sizes {
		if n == 0 || want > size/n {
			return false
		}
		want *= n
	}
	return ok && want+4+4*int64(len(sizes)) == size
}

// fromIDX returns the command that reads an IDX file: its elements are raw bytes behind the header.
func fromIDX(n name.Name, head string) string {
	kind, _, sizes, _ := idx(head)
	words := make([]string, len(sizes))
	for i, n := range sizes {
		words[i] = strconv.FormatInt(n, 10)
	}
	return fmt.Sprintf("tlayout %s --raw --skip %d --shape %s --dtype %s", n.Arg(), 4+4*len(sizes), strings.Join(words, ","), text.Shell(kind))
}

// textFormat is a kind of text, by what is in its first bytes.
type textFormat struct {
	name    string
	matches func(head string) bool
	hint    func(n name.Name) string
}

// textFormats are kinds of text, the first that fits.
//
// Sources: xla/hlo/ir/hlo_module.cc, HloModule::Print; mlir/docs/LangRef.md; libkineto/src/output_json.cpp; Chrome's Trace Event Format.
var textFormats = []textFormat{
	{"an HTML page", func(s string) bool { return hasPrefixFold(s, "<!doctype html") || hasPrefixFold(s, "<html") },
		func(name.Name) string {
			return "a server may have sent it in place of the file: download the file again"
		}},
	{"XLA's HLO as text", func(s string) bool { return strings.HasPrefix(s, "HloModule ") },
		func(n name.Name) string {
			return "tlayout graph " + n.Arg() + " shows where it changes layouts; a type that it prints is a source: tlayout 'f32[8,4]{0,1}'"
		}},
	{"MLIR as text", func(s string) bool {
		return strings.HasPrefix(s, "module {") || strings.HasPrefix(s, "module @") || strings.HasPrefix(s, "#map")
	},
		func(name.Name) string { return "a type that it prints is a source: tlayout 'memref<2x3xf32>'" }},
	{"a profiler's trace", func(s string) bool {
		return strings.HasPrefix(s, "{") && (strings.Contains(s, `"traceEvents"`) || strings.Contains(s, `"schemaVersion"`))
	},
		func(n name.Name) string { return "tlayout graph " + n.Arg() + " shows where the model changes layouts" }},
	{"a log with an error message", func(s string) bool {
		return strings.Contains(s, "Traceback (most recent call last)") || strings.Contains(s, "Error: ")
	},
		func(n name.Name) string { return "tlayout why - < " + n.Arg() }},
}

// recognizeText returns the error for a file of text: fault.Unsupported, or Malformed if its name says .npy; nil for others.
func recognizeText(n name.Name, head string, size int64) error {
	if !isText(head, size) {
		return nil
	}
	class := fault.Unsupported
	if n.Ending() == ".npy" {
		class = fault.Malformed
	}
	head = strings.TrimLeft(strings.TrimPrefix(head, "\ufeff"), " \t\r\n")
	for _, f := range textFormats {
		if f.matches(head) {
			return fault.New(class, "%s, not a .npy file", f.name).WithHint("%s", f.hint(n))
		}
	}
	if options, ok := tableOptions(head); ok {
		f := format{name: "a table of numbers as text", python: "import numpy; numpy.save('OUT.npy', numpy.loadtxt('IN'" + options + "))"}
		return f.refuse(n, head)
	}
	return fault.New(class, "text, not a .npy file")
}

// isText reports whether the first bytes of a file of size bytes are text: UTF-8 without control characters, apart from a terminal's colors. The last
// character may be cut.
func isText(head string, size int64) bool {
	if size < shortestText {
		return false
	}
	if int64(len(head)) < size {
		for cut := 0; cut < utf8.UTFMax-1 && !utf8.ValidString(head); cut++ {
			head = head[:len(head)-1]
		}
	}
	control := func(r rune) bool { return r < ' ' && !strings.ContainsRune("\t\n\r\f\x1b", r) }
	return head != "" && utf8.ValidString(head) && strings.IndexFunc(head, control) < 0
}

// shortestText is the number of bytes below which printable ones may be a part of a magic number.
const shortestText = 4

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// tableOptions returns the arguments of numpy.loadtxt for a text that begins with a row of numbers, after one line of titles at most; ok is false for
// others.
func tableOptions(head string) (options string, ok bool) {
	number := 0
	titles := 0
	for line := range strings.Lines(head) {
		number++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		separator, ok := separatorOf(line)
		if !ok && titles > 0 {
			return "", false
		}
		if !ok {
			titles = number
			continue
		}
		if separator != "" {
			options = ", delimiter='" + separator + "'"
		}
		if titles > 0 {
			options += ", skiprows=" + strconv.Itoa(titles)
		}
		return options, true
	}
	return "", false
}

// separatorOf returns what separates the numbers of a line: "" for blanks; ok is false if there are other words.
func separatorOf(line string) (separator string, ok bool) {
	areNumbers := func(words []string) bool {
		return !slices.ContainsFunc(words, func(word string) bool {
			_, err := strconv.ParseFloat(strings.TrimSpace(word), 64)
			return err != nil
		})
	}
	for _, separator := range []string{",", ";"} {
		if areNumbers(strings.Split(line, separator)) && strings.Contains(line, separator) {
			return separator, true
		}
	}
	return "", areNumbers(strings.Fields(line))
}
