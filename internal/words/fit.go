package words

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/clipperhouse/displaywidth"
)

// Printable puts blanks for white space and U+FFFD for whatever else does not show: control characters, which would
// steer a terminal and which XML forbids, marks of direction, and bytes that are no UTF-8.
func Printable(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r):
			return unicode.ReplacementChar
		}
		return r
	}, s)
	return strings.TrimSpace(s)
}

// Truncate shortens text to some columns; the tail stands for what is left out.
func Truncate(s string, columns int, tail string) string {
	return displaywidth.TruncateString(s, columns, tail)
}

// TruncateNumber cuts text in the same way, and a number with an exponent before that: 1.2345…e-07.
func TruncateNumber(s string, columns int, tail string) string {
	exponent := exponentOf(s)
	if columns < len("1.2")+displaywidth.String(tail+exponent) || displaywidth.String(s) <= columns {
		return Truncate(s, columns, tail)
	}
	return Truncate(strings.TrimSuffix(s, exponent), columns-len(exponent), tail) + exponent
}

var scientific = regexp.MustCompile(`^[-+]?[0-9.]+(e[-+]?[0-9]+)$`)

// exponentOf is the exponent of a number such as 1.5e-07, with its e; empty for other texts.
func exponentOf(s string) string {
	if m := scientific.FindStringSubmatch(s); m != nil {
		return m[1]
	}
	return ""
}

// Lines breaks text between words into lines of some columns; longer words are cut.
func Lines(s string, columns int, tail string) []string {
	var lines []string
	for word := range strings.FieldsSeq(s) {
		last := len(lines) - 1
		word = Truncate(word, columns, tail)
		if last >= 0 && displaywidth.String(lines[last]+" "+word) <= columns {
			lines[last] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}

func Blanks(n int) string { return strings.Repeat(" ", max(0, n)) }

// Bold sets words off where a terminal may have colour.
func Bold(s string, color bool) string {
	if !color || s == "" {
		return s
	}
	return "\x1b[1m" + s + "\x1b[0m"
}

// MinColumns is the least width that text is laid out for, in columns.
const MinColumns = 40
