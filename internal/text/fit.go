package text

import (
	"cmp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"

	"github.com/tlayout/tlayout/internal/lazy"
)

// Printable replaces white space by blanks, and unprintable characters by U+FFFD: control characters, which terminals obey and XML forbids,
// bidirectional marks, and invalid UTF-8.
func Printable(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
	return strings.TrimSpace(s)
}

// Truncate shortens text to the given columns of a terminal, including the tail, which marks the cut.
func Truncate(s string, columns int, tail string) string {
	return displaywidth.TruncateString(s, columns, tail)
}

// Middle is Truncate that cuts the middle, because names differ at their ends.
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

// exponentOf returns the exponent of a number such as 1.5e-07, with its e; "" for other texts.
func exponentOf(s string) string {
	if m := scientific.Get().FindStringSubmatch(s); m != nil {
		return m[1]
	}
	return ""
}

// Lines wraps text between words into lines of at most columns. Unlike Fold it cuts longer words, for pictures and charts, where text must
// stay inside a frame.
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

// Blanks returns n blanks, or "" if n is negative.
func Blanks(n int) string { return strings.Repeat(" ", max(0, n)) }

// Bold makes text bold on a terminal with color.
func Bold(s string, color bool) string {
	if !color || s == "" {
		return s
	}
	return "\x1b[1m" + s + "\x1b[0m"
}

// MinColumns is the minimum width of the text layout, in columns.
const MinColumns = 40

// Fold wraps a line between words into lines of at most columns, indenting all but the first. It never cuts words, and keeps blanks at the
// start of the line.
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
		if i > 0 {
			if column+1+width > columns {
				b.WriteString("\n" + strings.Repeat(" ", indent))
				column = indent
			} else {
				b.WriteByte(' ')
				column++
			}
		}
		b.WriteString(word)
		column += width
	}
	return b.String()
}

// Cut shortens a text to n characters, the last of them "…". Unlike Truncate it also bounds zero-width characters, which a hostile file may
// contain.
func Cut(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

// Shorten cuts a text that shares a screen with others.
func Shorten(s string) string { return Cut(s, 241) }

// SplitNames splits at commas outside brackets.
func SplitNames(s string) (names []string) {
	depth := 0
	from := 0
	swizzle := false
	for i, r := range s {
		switch r {
		case '(', '{', '[':
			depth++
		case '<': // in Sw<3,3,3>; inside (2,(4,2)<5) it has no closing bracket
			if depth == 0 {
				depth = 1
				swizzle = true
			}
		case ')', '}', ']':
			depth--
		case '>':
			if swizzle {
				depth = depth - 1
				swizzle = false
			}
		case ',':
			if depth == 0 {
				names = append(names, strings.TrimSpace(s[from:i]))
				from = i + 1
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

// YesNo formats a bool for a table.
func YesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// Digits returns the number of characters in n.
func Digits(n int) int { return len(strconv.Itoa(n)) }

// Brackets formats a coordinate as an index: [1,0,2], or [()] for a scalar, as NumPy does.
func Brackets(coord []int) string { return "[" + cmp.Or(Ints(coord, ","), "()") + "]" }

// OrNull returns a string for JSON, nil if empty.
func OrNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// OrEmpty returns a list for JSON, never nil.
func OrEmpty(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}

// RawBytes returns the bytes of a name that JSON cannot hold because it is not valid UTF-8, without what Redact removes; nil for other
// names.
func RawBytes(name string) []byte {
	name = Redact(name)
	if utf8.ValidString(name) {
		return nil
	}
	return []byte(name)
}
