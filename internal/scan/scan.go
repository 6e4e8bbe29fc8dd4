// Package scan reads the small languages of layouts from left to right: tuples, calls, indices, types and literals. Its callers define
// what words mean and which texts are errors; see Scanner.
package scan

import (
	"strings"
	"unicode/utf8"
)

// Scanner reads a text. Some methods skip the blanks before what they read; after a failure, the rest is unread.
type Scanner struct {
	Text    string
	At      int    // index of the next byte
	Blanks  string // control characters and blanks between words; "": blanks, tabs and line ends
	Comment byte   // starts a comment up to the end of the line; 0: none

	closing []byte // pending closing brackets, outermost first
}

// Skip skips blanks and comments.
func (s *Scanner) Skip() {
	blanks := s.Blanks
	if blanks == "" {
		blanks = " \t\r\n"
	}
	for s.At < len(s.Text) {
		c := s.Text[s.At]
		if c != 0 && c == s.Comment {
			end := strings.IndexAny(s.Rest(), "\r\n")
			if end < 0 {
				end = len(s.Rest())
			}
			s.At += end
			continue
		}
		if c > ' ' || strings.IndexByte(blanks, c) < 0 {
			return
		}
		s.At++
	}
}

// Next skips blanks and returns the next byte; 0 at the end, and for a NUL.
func (s *Scanner) Next() byte {
	if s.Skip(); s.At < len(s.Text) {
		return s.Text[s.At]
	}
	return 0
}

// End skips blanks and reports whether the text ends.
func (s *Scanner) End() bool {
	s.Skip()
	return s.At == len(s.Text)
}

// Take skips blanks, and c if that comes next.
func (s *Scanner) Take(c byte) bool {
	if s.End() || s.Text[s.At] != c {
		return false
	}
	s.At++
	return true
}

// Rest returns the unread text.
func (s *Scanner) Rest() string { return s.Text[s.At:] }

// Char returns the next character, blanks included; "" at the end.
func (s *Scanner) Char() string {
	_, n := utf8.DecodeRuneInString(s.Rest())
	return s.Text[s.At : s.At+n]
}

// While reads the bytes that belong to a word, possibly none.
func (s *Scanner) While(belongs func(byte) bool) string {
	start := s.At
	for s.At < len(s.Text) && belongs(s.Text[s.At]) {
		s.At++
	}
	return s.Text[start:s.At]
}

// Name skips blanks and reads a name: letters, digits and _, not starting with a digit; "" if there is none.
func (s *Scanner) Name() string {
	s.Skip()
	n := NameLength(s.Rest())
	s.At += n
	return s.Text[s.At-n : s.At]
}

// Integer skips blanks and reads digits after an optional minus sign; "" if there are none.
func (s *Scanner) Integer() string {
	s.Skip()
	start := s.At
	if strings.HasPrefix(s.Rest(), "-") {
		s.At++
	}
	if s.While(IsDigit) == "" {
		s.At = start
	}
	return s.Text[start:s.At]
}

// List reads items separated by commas, and the closing bracket of a list whose opening one has been read. It allows and reports a
// trailing comma. item reads an item; unlisted returns the error if an item is followed by neither a comma nor the closing bracket.
func (s *Scanner) List(closing byte, item func() error, unlisted func(closing byte) error) (comma bool, err error) {
	s.closing = append(s.closing, closing)
	for !s.Take(closing) {
		if err := item(); err != nil {
			return false, err
		}
		comma = s.Take(',')
		if !comma && s.Next() != closing {
			return false, unlisted(closing)
		}
	}
	s.closing = s.closing[:len(s.closing)-1]
	return comma, nil
}

// Depth returns how many nested lists are being read.
func (s *Scanner) Depth() int { return len(s.closing) }

// Closing returns the missing brackets of the lists being read, innermost first.
func (s *Scanner) Closing() string {
	var due strings.Builder
	for k := len(s.closing) - 1; k >= 0; k-- {
		due.WriteByte(s.closing[k])
	}
	return due.String()
}

// NameLength returns how many bytes at the start of the text are a name.
func NameLength(text string) int {
	n := 0
	for n < len(text) && (IsLetter(text[n]) || n > 0 && IsDigit(text[n])) {
		n++
	}
	return n
}

// IsLetter reports whether a byte is an ASCII letter or _.
func IsLetter(c byte) bool { return c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z' }

// IsDigit reports whether a byte is a decimal digit.
func IsDigit(c byte) bool { return '0' <= c && c <= '9' }
