package words

import (
	"cmp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"

	"github.com/tlayout/tlayout/internal/lazy"
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

// Middle is Truncate that leaves out what is in the middle, because names differ at their ends.
func Middle(s string, columns int, mark string) string {
	if displaywidth.String(s) <= columns {
		return s
	}
	begin := Truncate(s, max(0, columns/3), "")
	for at := range s[len(begin):] {
		if end := s[len(begin)+at:]; displaywidth.String(begin+mark+end) <= columns {
			return begin + mark + end
		}
	}
	return Truncate(s, columns, mark)
}

// TruncateNumber is Truncate, but keeps the exponent of a number: 1.2345…e-07.
func TruncateNumber(s string, columns int, tail string) string {
	exponent := exponentOf(s)
	if columns < len("1.2")+displaywidth.String(tail+exponent) || displaywidth.String(s) <= columns {
		return Truncate(s, columns, tail)
	}
	return Truncate(strings.TrimSuffix(s, exponent), columns-len(exponent), tail) + exponent
}

var scientific = lazy.Regexp(`^[-+]?[0-9.]+(e[-+]?[0-9]+)$`)

// exponentOf is the exponent of a number such as 1.5e-07, with its e; empty for other texts.
func exponentOf(s string) string {
	if m := scientific.Get().FindStringSubmatch(s); m != nil {
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

// Bold makes text bold on a terminal with color.
func Bold(s string, color bool) string {
	if !color || s == "" {
		return s
	}
	return "\x1b[1m" + s + "\x1b[0m"
}

// MinColumns is the least width that text is laid out for, in columns.
const MinColumns = 40

// Fold breaks a line between words into lines of at most columns, with blanks in front of all but the first. Words are
// never cut, and blanks at the beginning of the line stay.
func Fold(line string, columns, indent int) string {
	if displaywidth.String(line) <= columns {
		return line
	}
	text := strings.TrimLeft(line, " ")
	var b strings.Builder
	b.WriteString(line[:len(line)-len(text)])
	column := b.Len()
	for i, word := range strings.Split(text, " ") {
		width := displaywidth.String(word)
		switch {
		case i == 0:
		case column+1+width > columns:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			column = indent
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += width
	}
	return b.String()
}

// Cut shortens a text to n characters, the last of them "…". Unlike Truncate it also bounds text of characters that have
// no width, such as a hostile file may hold.
func Cut(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

// Shorten cuts a text to what a screen has room for among other things.
func Shorten(s string) string { return Cut(s, 241) }

// SplitNames splits at commas that are in no brackets.
func SplitNames(s string) (names []string) {
	depth, from, swizzle := 0, 0, false
	for i, r := range s {
		switch r {
		case '(', '{', '[':
			depth++
		case '<': // of Sw<3,3,3>; inside (2,(4,2)<5) it has no other end
			if depth == 0 {
				depth, swizzle = 1, true
			}
		case ')', '}', ']':
			depth--
		case '>':
			if swizzle {
				depth, swizzle = depth-1, false
			}
		case ',':
			if depth == 0 {
				names, from = append(names, strings.TrimSpace(s[from:i])), i+1
			}
		}
	}
	return append(names, strings.TrimSpace(s[from:]))
}

// Or joins words: "a, b or c".
func Or(names []string) string {
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// YesNo is a bool in a table.
func YesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// Digits is the number of characters that n takes.
func Digits(n int) int { return len(strconv.Itoa(n)) }

// Brackets prints a coordinate as an index: [1,0,2]; that of a scalar is [()], as in NumPy.
func Brackets(coord []int) string { return "[" + cmp.Or(Ints(coord, ","), "()") + "]" }

// OrNull is a string in JSON; null where it is empty.
func OrNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// OrEmpty is a list in JSON, never null.
func OrEmpty(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}

// RawBytes are the bytes of a name that JSON cannot hold because it is not valid UTF-8, without what Redact removes; nil for other
// names.
func RawBytes(name string) []byte {
	if name = Redact(name); utf8.ValidString(name) {
		return nil
	}
	return []byte(name)
}
