package npy

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/words"
)

// tokenKind is a punctuation character itself, or one of the kinds below.
type tokenKind rune

const (
	endToken    tokenKind = 0
	stringToken tokenKind = 's'
	intToken    tokenKind = 'n'
	wordToken   tokenKind = 'w' // True, False, None and what else looks like a name
)

type token struct {
	kind tokenKind
	text string // of a string, decoded; of anything else, as written
	n    uint64 // of an int
	pos  int    // where it starts, in bytes of the lexer's text
}

// lexer splits the header's text (valid UTF-8) into tokens.
type lexer struct {
	text  string
	pos   int  // bytes
	longs bool // Python 2's "3L" is an int
}

// maxDigits bounds the digits of an int: as many as the largest 64-bit number has.
const maxDigits = 20

// next returns the token at pos and steps over it.
func (l *lexer) next() (token, error) {
	l.skipBlanks()
	start := l.pos
	if start == len(l.text) {
		return token{kind: endToken, text: "the end", pos: start}, nil
	}
	switch c := l.text[start]; {
	case strings.IndexByte("{}[]():,-", c) >= 0:
		l.pos++
		return token{kind: tokenKind(c), text: string(c), pos: start}, nil
	case c == '\'' || c == '"':
		return l.string(start)
	case isDigit(c):
		return l.int()
	case isWord(c):
		return l.word()
	}
	r, _ := utf8.DecodeRuneInString(l.text[start:])
	return token{}, l.fail(start, "unexpected character %q", r)
}

// skipBlanks steps over what Python ignores within brackets, comments included.
func (l *lexer) skipBlanks() {
	for l.pos < len(l.text) {
		switch l.text[l.pos] {
		case ' ', '\t', '\n', '\r', '\f':
			l.pos++
		case '#':
			if end := strings.IndexAny(l.text[l.pos:], "\r\n"); end >= 0 {
				l.pos += end
			} else {
				l.pos = len(l.text)
			}
		default:
			return
		}
	}
}

// int reads a decimal int.
func (l *lexer) int() (token, error) {
	start := l.pos
	for l.pos < len(l.text) && isDigit(l.text[l.pos]) {
		l.pos++
	}
	digits := l.text[start:l.pos]
	if l.longs && strings.HasPrefix(l.text[l.pos:], "L") {
		l.pos++
	}
	switch {
	case l.pos < len(l.text) && (isWord(l.text[l.pos]) || isDigit(l.text[l.pos]) || l.text[l.pos] == '.'):
		return token{}, l.fail(start, "a number that is not a decimal integer")
	case len(digits) > 1 && digits[0] == '0':
		return token{}, l.fail(start, "an integer with a leading zero")
	case len(digits) > maxDigits:
		return token{}, l.fail(start, "an integer of %d digits", len(digits))
	}
	n, err := strconv.ParseUint(digits, 10, 64)
	if err != nil {
		n = math.MaxUint64 // 20 digits can exceed it; what uses the number has a lower limit
	}
	return token{kind: intToken, text: digits, n: n, pos: start}, nil
}

// word reads a name; the prefix u of a string belongs to the string.
func (l *lexer) word() (token, error) {
	start := l.pos
	for l.pos < len(l.text) && (isWord(l.text[l.pos]) || isDigit(l.text[l.pos])) {
		l.pos++
	}
	word := l.text[start:l.pos]
	if l.pos < len(l.text) && (l.text[l.pos] == '\'' || l.text[l.pos] == '"') {
		if word != "u" && word != "U" {
			return token{}, l.fail(start, "a string with the prefix %s", shorten(word))
		}
		return l.string(start)
	}
	return token{kind: wordToken, text: word, pos: start}, nil
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isWord(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' }

// fail makes the error for what stands at byte pos of the text. It is told in characters, which in versions 1.0 and
// 2.0 are the bytes of the file's header.
func (l *lexer) fail(pos int, format string, args ...any) error {
	err := fault.New(fault.Malformed, format, args...)
	err.Text = "header: " + err.Text + " at character " + strconv.Itoa(utf8.RuneCountInString(l.text[:pos]))
	return err
}

// shorten escapes text from the file and cuts it to a readable length.
func shorten(s string) string {
	const most = 60
	if len(s) <= most {
		return words.Quote(s)
	}
	for cut := most; ; cut-- {
		if utf8.RuneStart(s[cut]) {
			return words.Quote(s[:cut]) + "…"
		}
	}
}
