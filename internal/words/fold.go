package words

import (
	"cmp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
)

// Fold keeps the blanks at the beginning of the line.
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

// Wrap sets words in lines of at most width columns, indented by two.
func Wrap(words []string, width int) string {
	var b strings.Builder
	column := 0
	for _, w := range words {
		if column == 0 || column+1+len(w) > width {
			if column > 0 {
				b.WriteByte('\n')
			}
			b.WriteByte(' ')
			column = 1
		}
		b.WriteString(" " + w)
		column += 1 + len(w)
	}
	return b.String()
}

// shownText is how many characters of a text a screen shows: more would bury the rest, and wrapping them takes time.
const shownText = 240

// Shorten cuts text to what a screen shows.
func Shorten(s string) string {
	if runes := []rune(s); len(runes) > shownText {
		return string(runes[:shownText]) + "…"
	}
	return s
}

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

// Or is a, b or c.
func Or(names []string) string {
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

func YesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func Digits(n int) int { return len(strconv.Itoa(n)) }

// Brackets print a coordinate as an index; that of a scalar is [()], as in NumPy.
func Brackets(coord []int) string { return "[" + cmp.Or(Ints(coord, ","), "()") + "]" }

func OrNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func OrEmpty(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}

// RawBytes are the bytes of a name that JSON cannot hold, because it is no UTF-8; nil for other names.
func RawBytes(name string) []byte {
	if utf8.ValidString(name) {
		return nil
	}
	return []byte(name)
}
