package text

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Quote makes s safe to print: it escapes what a terminal might obey (controls, bidirectional marks, invalid UTF-8) as in Go source;
// printable text is unchanged. It removes possible secrets from URLs, as Redact does, including URLs within a sentence. It adds no quotes.
func Quote(s string) string {
	s = redactAll(s)
	var b strings.Builder
	for i := 0; i < len(s); {
		_, n := utf8.DecodeRuneInString(s[i:])
		b.WriteString(quoteCharacter(s[i : i+n]))
		i += n
	}
	return b.String()
}

// quoteCharacter escapes a character that is not printable, or an invalid byte.
func quoteCharacter(char string) string {
	r, n := utf8.DecodeRuneInString(char)
	if r == utf8.RuneError && n == 1 {
		return fmt.Sprintf(`\x%02x`, char[0])
	}
	if unicode.IsPrint(r) {
		return char
	}
	if r < 0x100 {
		return fmt.Sprintf(`\x%02x`, r)
	}
	if r <= 0xffff {
		return fmt.Sprintf(`\u%04x`, r)
	}
	return fmt.Sprintf(`\U%08x`, r)
}

// Quoted is Quote in double quotes, for names in sentences.
func Quoted(s string) string { return `"` + Quote(s) + `"` }

// Nearest returns the name that s most likely misspells or abbreviates, ignoring case, or "". It allows one mistake, or two in names of at
// least six letters: a letter inserted, deleted or replaced, or two neighbors exchanged.
func Nearest(s string, names []string) string {
	limit := 1 + min(1, len(s)/6)
	best := ""
	at := limit + 1
	for _, name := range names {
		if n := len(s) - len(name); n > limit || n < -limit {
			continue // the distance is at least n
		}
		if d := Distance(strings.ToLower(s), strings.ToLower(name)); d < at && d < len(name) {
			best = name
			at = d
		}
	}
	if best == "" && len(s) > 1 {
		best = completion(s, names)
	}
	return best
}

// completion returns the only name that starts with s, or "" if none or several do.
func completion(s string, names []string) string {
	only := ""
	for _, name := range names {
		if len(name) > len(s) && strings.EqualFold(name[:len(s)], s) {
			if only != "" {
				return ""
			}
			only = name
		}
	}
	return only
}

// Distance returns the number of letters to insert, delete, replace or exchange with their neighbor to turn a into b, editing each letter
// once (optimal string alignment), in bytes; len(a) if a is longer than any name.
func Distance(a, b string) int {
	if len(a) > 64 {
		return len(a)
	}
	row := make([]int, len(b)+1)
	last := make([]int, len(b)+1)
	before := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, last, row = last, row, before
		row[0] = i + 1
		for j := range len(b) {
			cost := last[j]
			if a[i] != b[j] {
				cost++
			}
			row[j+1] = min(cost, last[j+1]+1, row[j]+1)
			if exchanged(a, b, i, j) {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}

// exchanged reports whether a has two neighbors that end at i, and b the same in the other order that end at j.
func exchanged(a, b string, i, j int) bool {
	if i == 0 || j == 0 {
		return false
	}
	return a[i] == b[j-1] && a[i-1] == b[j]
}
