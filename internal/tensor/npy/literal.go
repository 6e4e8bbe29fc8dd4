package npy

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/words"
)

// literals reads the header's text (valid UTF-8) as Python literals, from left to right. After the first error it
// behaves as if the text ended.
type literals struct {
	text  string
	pos   int   // bytes
	longs bool  // Python 2's "3L" is an int
	long  bool  // there was one
	err   error // the first one
}

// What peek finds besides punctuation characters, which it returns.
const (
	atEnd    = 0
	atString = 's'
	atInt    = 'n'
	atWord   = 'w' // True, False, None and everything else that looks like a name
)

// peek skips blanks and comments, and returns what comes next.
func (l *literals) peek() byte {
	l.skipBlanks()
	rest := l.text[l.pos:]
	switch {
	case rest == "":
		return atEnd
	case strings.IndexByte("{}[]():,-", rest[0]) >= 0:
		return rest[0]
	case isQuote(rest):
		return atString
	case isDigit(rest[0]):
		return atInt
	case !isWord(rest[0]):
		r, _ := utf8.DecodeRuneInString(rest)
		l.fail(l.pos, "unexpected character %q", r)
		return atEnd
	}
	word := rest[:wordLength(rest)]
	switch {
	case !isQuote(rest[len(word):]):
		return atWord
	case word != "u" && word != "U":
		l.fail(l.pos, "a string with the prefix %s", shorten(word))
		return atEnd
	}
	return atString
}

// skipBlanks steps over what Python ignores within brackets, comments included.
func (l *literals) skipBlanks() {
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

// word reads a name; peek must have found one.
func (l *literals) word() string {
	start := l.pos
	l.pos += wordLength(l.text[start:])
	return l.text[start:l.pos]
}

// maxDigits bounds the digits of an int: as many as the largest 64-bit number has.
const maxDigits = 20

// int reads a decimal int; peek must have found one. What exceeds 64 bits is math.MaxUint64, which every use refuses.
func (l *literals) int() uint64 {
	start := l.pos
	for l.pos < len(l.text) && isDigit(l.text[l.pos]) {
		l.pos++
	}
	digits := l.text[start:l.pos]
	if l.longs && strings.HasPrefix(l.text[l.pos:], "L") {
		l.long = true
		l.pos++
	}
	switch rest := l.text[l.pos:]; {
	case rest != "" && (isWord(rest[0]) || isDigit(rest[0]) || rest[0] == '.'):
		l.fail(start, "a number that is not a decimal integer")
	case len(digits) > 1 && digits[0] == '0':
		l.fail(start, "an integer with a leading zero")
	case len(digits) > maxDigits:
		l.fail(start, "an integer of %d digits", len(digits))
	}
	n, err := strconv.ParseUint(digits, 10, 64)
	if err != nil {
		return math.MaxUint64
	}
	return n
}

// string reads a quoted string, decoded; peek must have found one.
func (l *literals) string() string {
	start := l.pos
	l.pos += wordLength(l.text[start:]) // the prefix u
	quote := l.text[l.pos]
	l.pos++
	var b strings.Builder
	for l.pos < len(l.text) {
		switch c := l.text[l.pos]; c {
		case quote:
			l.pos++
			return b.String()
		case '\n', '\r':
			l.fail(start, "a string that does not end in its line")
		case 0:
			l.fail(l.pos, "a NUL byte in a string")
		case '\\':
			b.WriteRune(l.escape())
		default:
			b.WriteByte(c)
			l.pos++
		}
	}
	l.fail(start, "a string that does not end")
	return ""
}

// escapes are Python's one-letter escapes. A backslash before the end of a line, before a letter that means nothing,
// and names (\N{…}) are refused.
var escapes = map[byte]rune{
	'\\': '\\', '\'': '\'', '"': '"', 'a': '\a', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v',
}

// escape reads an escape sequence and returns its character.
func (l *literals) escape() rune {
	start := l.pos
	rest := l.text[start+1:]
	if rest == "" {
		l.fail(start, "an unfinished escape in a string")
		return 0
	}
	if plain, ok := escapes[rest[0]]; ok {
		l.pos += 2
		return plain
	}
	width, base := map[byte]int{'x': 2, 'u': 4, 'U': 8}[rest[0]], 16
	switch {
	case width > 0:
		rest = rest[1:]
	case '0' <= rest[0] && rest[0] <= '7':
		for base = 8; width < min(3, len(rest)) && '0' <= rest[width] && rest[width] <= '7'; {
			width++
		}
	default:
		l.fail(start, "an unknown escape in a string")
		return 0
	}
	digits := rest[:min(width, len(rest))]
	n, err := strconv.ParseUint(digits, base, 32)
	if err != nil || len(digits) < width || n > utf8.MaxRune || !utf8.ValidRune(rune(n)) {
		l.fail(start, "an escape in a string that is no character")
		return 0
	}
	l.pos = len(l.text) - len(rest) + width
	return rune(n)
}

func isQuote(s string) bool { return s != "" && (s[0] == '\'' || s[0] == '"') }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isWord(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' }

// wordLength is the number of bytes of the name that s starts with.
func wordLength(s string) int {
	n := 0
	for n < len(s) && (isWord(s[n]) || n > 0 && isDigit(s[n])) {
		n++
	}
	return n
}

// fail notes what is wrong at byte at of the text. It is told in characters, which in versions 1.0 and 2.0 are the bytes
// of the file's header.
func (l *literals) fail(at int, format string, args ...any) {
	err := fault.New(fault.Malformed, format, args...)
	err.Text = "header: " + err.Text + " at character " + strconv.Itoa(utf8.RuneCountInString(l.text[:at]))
	l.check(err)
}

// check notes an error, if there is one and it is the first.
func (l *literals) check(err error) {
	if err == nil {
		return
	}
	if l.err == nil {
		l.err = err
	}
	l.pos = len(l.text)
}

// shorten escapes text from the file and cuts it to a readable length.
func shorten(s string) string { return words.Quote(words.Cut(s, 61)) }
