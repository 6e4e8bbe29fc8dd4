package words

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Quote makes s safe to print: what a terminal might act on (controls, bidirectional marks, invalid UTF-8) is
// escaped as in Go source; printable text stays as it is. There are no quotes around the result.
func Quote(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		i += n
	}
	return b.String()
}

// Quoted is Quote in double quotes, for names in sentences.
func Quoted(s string) string { return `"` + Quote(s) + `"` }

// Nearest returns the name that s most likely misspells: at most two letters inserted, deleted or replaced, ignoring
// case; "" where none is that near.
func Nearest(s string, names []string) string {
	best, at := "", 3
	for _, name := range names {
		if d := Distance(strings.ToLower(s), strings.ToLower(name)); d < at && d < len(name) {
			best, at = name, d
		}
	}
	return best
}

// Distance is the Levenshtein distance of two strings, in bytes; len(a) where a is longer than any name.
func Distance(a, b string) int {
	if len(a) > 64 {
		return len(a)
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal, row[j+1] = row[j+1], min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
