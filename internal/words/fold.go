package words

import (
	"cmp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
)

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
	depth, from := 0, 0
	for i, r := range s {
		switch r {
		case '(', '{', '[':
			depth++
		case ')', '}', ']':
			depth--
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

// RawBytes are the bytes of a name that JSON cannot hold because it is not valid UTF-8; nil for other names.
func RawBytes(name string) []byte {
	if utf8.ValidString(name) {
		return nil
	}
	return []byte(name)
}
