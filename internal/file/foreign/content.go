package foreign

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/name"
)

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
