package npy

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/scan"
	"github.com/tlayout/tlayout/internal/text"
)

// literals reads the header's text (valid UTF-8) as Python literals, from left to right. After the first error it
// behaves as if the text ended.
type literals struct {
	scan.Scanner
	longs   bool  // Python 2's "3L" is an int
	hasLong bool  // there was one
	err     error // the first error
}

// Results of peek other than punctuation characters.
const (
	atEnd    = 0
	atString = 's'
	atInt    = 'n'
	atWord   = 'w' // True, False, None and everything else that looks like a name
)

// peek skips blanks and comments, and returns what comes next.
func (l *literals) peek() byte {
	if l.End() {
		return atEnd
	}
	rest := l.Rest()
	if strings.IndexByte("{}[]():,-", rest[0]) >= 0 {
		return rest[0]
	}
	if isQuote(rest) {
		return atString
	}
	if scan.IsDigit(rest[0]) {
		return atInt
	}
	if !scan.IsLetter(rest[0]) {
		r, _ := utf8.DecodeRuneInString(rest)
		l.fail(l.At, "unexpected character %q", r)
		return atEnd
	}
	word := rest[:scan.NameLength(rest)]
	if !isQuote(rest[len(word):]) {
		return atWord
	}
	if word != "u" && word != "U" {
		l.fail(l.At, "unsupported string prefix %s", shorten(word))
		return atEnd
	}
	return atString
}

// maxDigits bounds the digits of an int to those of the largest 64-bit number.
const maxDigits = 20

// int reads a decimal int; peek must have found one. Larger than 64 bits is math.MaxUint64, which every use refuses.
func (l *literals) int() uint64 {
	start := l.At
	digits := l.While(scan.IsDigit)
	if l.longs && strings.HasPrefix(l.Rest(), "L") {
		l.hasLong = true
		l.At++
	}
	if wrong := l.wrongInt(digits); wrong != "" {
		l.fail(start, "%s", wrong)
	}
	n, err := strconv.ParseUint(digits, 10, 64)
	if err != nil {
		return math.MaxUint64
	}
	return n
}

// string reads a quoted string, decoded; peek must have found one.
func (l *literals) string() string {
	start := l.At
	l.Name() // the prefix u
	quote := l.Text[l.At]
	l.At++
	var b strings.Builder
	for l.At < len(l.Text) {
		switch c := l.Text[l.At]; c {
		case quote:
			l.At++
			return b.String()
		case '\n', '\r':
			l.fail(start, "a string not closed on its line")
		case 0:
			l.fail(l.At, "a NUL byte in a string")
		case '\\':
			b.WriteRune(l.escape())
		default:
			b.WriteByte(c)
			l.At++
		}
	}
	l.fail(start, "an unclosed string")
	return ""
}

// escapes are Python's one-letter escapes. Refused are a backslash before the end of a line or an undefined letter, and names (\N{…}).
var escapes = map[byte]rune{
	'\\': '\\', '\'': '\'', '"': '"', 'a': '\a', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v',
}

// escape reads an escape sequence and returns its character.
func (l *literals) escape() rune {
	start := l.At
	rest := l.Text[start+1:]
	if rest == "" {
		l.fail(start, "an unfinished escape in a string")
		return 0
	}
	if plain, ok := escapes[rest[0]]; ok {
		l.At += 2
		return plain
	}
	width := 0
	base := 16
	switch rest[0] {
	case 'x', 'u', 'U':
		width = map[byte]int{'x': 2, 'u': 4, 'U': 8}[rest[0]]
		rest = rest[1:]
	case '0', '1', '2', '3', '4', '5', '6', '7':
		base = 8
		octal := strings.TrimLeft(rest[:min(3, len(rest))], "01234567")
		width = min(3, len(rest)) - len(octal)
	default:
		l.fail(start, "an unknown escape in a string")
		return 0
	}
	digits := rest[:min(width, len(rest))]
	n, err := strconv.ParseUint(digits, base, 32)
	complete := err == nil && len(digits) == width
	if !complete || n > utf8.MaxRune || !utf8.ValidRune(rune(n)) {
		l.fail(start, "an escape in a string that is not a character")
		return 0
	}
	l.At = len(l.Text) - len(rest) + width
	return rune(n)
}

// continuesNumber reports whether a byte after digits makes them part of a longer number: 1.5, 1e3, 0x10.
func continuesNumber(b byte) bool { return b == '.' || scan.IsLetter(b) || scan.IsDigit(b) }

// wrongInt says what is wrong with digits that were read as an int, or nothing.
func (l *literals) wrongInt(digits string) string {
	if rest := l.Rest(); rest != "" && continuesNumber(rest[0]) {
		return "a number that is not a decimal integer"
	}
	if len(digits) > 1 && digits[0] == '0' {
		return "an integer with a leading zero"
	}
	if len(digits) > maxDigits {
		return fmt.Sprintf("an integer of %d digits", len(digits))
	}
	return ""
}

func isQuote(s string) bool { return s != "" && (s[0] == '\'' || s[0] == '"') }

// fail records what is wrong at byte at of the text. The error counts characters, which in versions 1.0 and 2.0 are the bytes of the
// file's header.
func (l *literals) fail(at int, format string, args ...any) {
	err := fault.New(fault.Malformed, format, args...)
	err.Text = "header: " + err.Text + " at character " + strconv.Itoa(utf8.RuneCountInString(l.Text[:at]))
	l.check(err)
}

// check records an error if it is the first.
func (l *literals) check(err error) {
	if err == nil {
		return
	}
	if l.err == nil {
		l.err = err
	}
	l.At = len(l.Text)
}

// shorten escapes text from the file and cuts it to a readable length.
func shorten(s string) string { return text.Quote(text.Cut(s, 61)) }
