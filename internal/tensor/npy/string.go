package npy

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// escapes are Python's one-letter escapes. A backslash before the end of a line, before a letter that means nothing,
// and names (\N{…}) are refused.
var escapes = map[byte]byte{
	'\\': '\\', '\'': '\'', '"': '"', 'a': '\a', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v',
}

// string reads a quoted string from pos, where the quote is; the token starts at start.
func (l *lexer) string(start int) (token, error) {
	quote := l.text[l.pos]
	l.pos++
	var b strings.Builder
	for l.pos < len(l.text) {
		c := l.text[l.pos]
		switch c {
		case quote:
			l.pos++
			return token{kind: stringToken, text: b.String(), pos: start}, nil
		case '\n', '\r':
			return token{}, l.fail(start, "a string that does not end in its line")
		case 0:
			return token{}, l.fail(l.pos, "a NUL byte in a string")
		case '\\':
			r, err := l.escape()
			if err != nil {
				return token{}, err
			}
			b.WriteRune(r)
		default:
			b.WriteByte(c)
			l.pos++
		}
	}
	return token{}, l.fail(start, "a string that does not end")
}

// escape reads the escape sequence at pos and returns the character it stands for.
func (l *lexer) escape() (rune, error) {
	start := l.pos
	l.pos++
	if l.pos == len(l.text) {
		return 0, l.fail(start, "an unfinished escape in a string")
	}
	c := l.text[l.pos]
	if plain, ok := escapes[c]; ok {
		l.pos++
		return rune(plain), nil
	}
	width, base := 0, 16
	switch {
	case c == 'x':
		width = 2
	case c == 'u':
		width = 4
	case c == 'U':
		width = 8
	case '0' <= c && c <= '7':
		width, base = octalWidth(l.text[l.pos:]), 8
		l.pos-- // there is no letter before the digits
	default:
		return 0, l.fail(start, "an unknown escape in a string")
	}
	l.pos++
	digits := l.text[l.pos:min(l.pos+width, len(l.text))]
	n, err := strconv.ParseUint(digits, base, 32)
	if err != nil || len(digits) < width || n > utf8.MaxRune || !utf8.ValidRune(rune(n)) {
		return 0, l.fail(start, "an escape in a string that is no character")
	}
	l.pos += width
	return rune(n), nil
}

// octalWidth returns how many octal digits s starts with, three at most.
func octalWidth(s string) int {
	n := 0
	for n < min(3, len(s)) && '0' <= s[n] && s[n] <= '7' {
		n++
	}
	return n
}
