package render

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/clipperhouse/displaywidth"
)

// printable puts blanks for white space and U+FFFD for whatever else does not show: control characters, which would
// steer a terminal and which XML forbids, marks of direction, and bytes that are no UTF-8.
func printable(s string) string {
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

// cut shortens text to some columns; the tail stands for what is left out.
func cut(s string, columns int, tail string) string {
	return displaywidth.TruncateString(s, columns, tail)
}

// cutNumber cuts text in the same way, and a number with an exponent before that: 1.2345…e-07.
func cutNumber(s string, columns int, tail string) string {
	exponent := exponentOf(s)
	if columns < len("1.2")+displaywidth.String(tail+exponent) || displaywidth.String(s) <= columns {
		return cut(s, columns, tail)
	}
	return cut(strings.TrimSuffix(s, exponent), columns-len(exponent), tail) + exponent
}

// CutLabel cuts what is to stand on a cell to as many columns as a cell has at most.
func CutLabel(s string) string { return cutNumber(s, widestCell, "…") }

var scientific = regexp.MustCompile(`^[-+]?[0-9.]+(e[-+]?[0-9]+)$`)

// exponentOf is the exponent of a number such as 1.5e-07, with its e; empty for other texts.
func exponentOf(s string) string {
	if m := scientific.FindStringSubmatch(s); m != nil {
		return m[1]
	}
	return ""
}

// fold breaks text between words into lines of some columns; longer words are cut.
func fold(s string, columns int, tail string) []string {
	var lines []string
	for word := range strings.FieldsSeq(s) {
		last := len(lines) - 1
		word = cut(word, columns, tail)
		if last >= 0 && displaywidth.String(lines[last]+" "+word) <= columns {
			lines[last] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}

// widest is the width of the widest text in columns.
func widest(bars []Bar, text func(Bar) string) int {
	columns := 0
	for _, b := range bars {
		columns = max(columns, displaywidth.String(text(b)))
	}
	return columns
}

func labelOf(b Bar) string { return b.Label }

func textOf(b Bar) string { return b.Text }
