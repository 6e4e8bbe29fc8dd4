package words

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/clipperhouse/displaywidth"
)

// Printable replaces white space by blanks, and whatever else does not print by U+FFFD: control characters, which
// terminals obey and XML forbids, bidirectional marks, and invalid UTF-8.
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

// Truncate shortens text to so many columns of a terminal, tail included, which marks the cut.
func Truncate(s string, columns int, tail string) string {
	return displaywidth.TruncateString(s, columns, tail)
}

// TruncateNumber is Truncate, but keeps the exponent of a number: 1.2345…e-07.
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

// Lines breaks text between words into lines of at most columns. Unlike Fold it cuts longer words, for pictures and
// charts, whose frame nothing may cross.
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

// Blanks is n blanks; none where n is negative.
func Blanks(n int) string { return strings.Repeat(" ", max(0, n)) }

// Bold makes text bold on a terminal with colour.
func Bold(s string, color bool) string {
	if !color || s == "" {
		return s
	}
	return "\x1b[1m" + s + "\x1b[0m"
}

// MinColumns is the least width that text is laid out for, in columns.
const MinColumns = 40
