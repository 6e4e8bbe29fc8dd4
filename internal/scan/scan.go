// Package scan reads the small languages of layouts from left to right: tuples, calls, indices, types and literals. What a word means, and
// what is wrong with a text, its users say; see Scanner.
package scan

import (
	"strings"
	"unicode/utf8"
)

// Scanner reads a text. Methods that say so skip the blanks before what they read; a failed one leaves what comes next unread.
type Scanner struct {
	Text    string
	At      int    // the byte that is read next
	Blanks  string // the control characters and blanks that may stand between words; "" for blanks, tabs and ends of lines
	Comment byte   // begins what is skipped up to the end of its line; 0 for none

	closing []byte // the closing brackets that are due, outermost first
}

// Skip skips blanks and comments.
func (s *Scanner) Skip() {
	blanks := s.Blanks
	if blanks == "" {
		blanks = " \t\r\n"
	}
	for s.At < len(s.Text) {
		switch c := s.Text[s.At]; {
		case c != 0 && c == s.Comment:
			end := strings.IndexAny(s.Rest(), "\r\n")
			if end < 0 {
				end = len(s.Rest())
			}
			s.At += end
		case c > ' ' || strings.IndexByte(blanks, c) < 0:
			return
		default:
			s.At++
		}
	}
}

// Next skips blanks and returns the byte that comes next; 0 at the end, and for a NUL.
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

// Take skips blanks, and c if it comes next.
func (s *Scanner) Take(c byte) bool {
	if s.End() || s.Text[s.At] != c {
		return false
	}
	s.At++
	return true
}

// Rest is the text that has not been read.
func (s *Scanner) Rest() string { return s.Text[s.At:] }

// Char is the character that comes next, blanks included; "" at the end.
func (s *Scanner) Char() string {
	_, n := utf8.DecodeRuneInString(s.Rest())
	return s.Text[s.At : s.At+n]
}

// While reads the bytes that belong to a word; they may be none.
func (s *Scanner) While(belongs func(byte) bool) string {
	start := s.At
	for s.At < len(s.Text) && belongs(s.Text[s.At]) {
		s.At++
	}
	return s.Text[start:s.At]
}

// Name skips blanks and reads a name: letters, digits and _, of which a digit is not the first; "" if none comes next.
func (s *Scanner) Name() string {
	s.Skip()
	n := NameLength(s.Rest())
	s.At += n
	return s.Text[s.At-n : s.At]
}

// Integer skips blanks and reads digits, and a minus sign right before them; "" if none come next.
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

// List reads items with commas between them, and the closing bracket of a list whose opening one has been read. A comma after the last item
// is allowed, and reported. item reads one; unlisted is the error where neither a comma nor the closing bracket follows it.
func (s *Scanner) List(closing byte, item func() error, unlisted func(closing byte) error) (comma bool, err error) {
	s.closing = append(s.closing, closing)
	for !s.Take(closing) {
		if err := item(); err != nil {
			return false, err
		}
		if comma = s.Take(','); !comma && s.Next() != closing {
			return false, unlisted(closing)
		}
	}
	s.closing = s.closing[:len(s.closing)-1]
	return comma, nil
}

// Depth is how many lists are being read, one in the other.
func (s *Scanner) Depth() int { return len(s.closing) }

// Closing are the brackets that the lists being read lack, in the order in which they are due.
func (s *Scanner) Closing() string {
	var due strings.Builder
	for k := len(s.closing) - 1; k >= 0; k-- {
		due.WriteByte(s.closing[k])
	}
	return due.String()
}

// NameLength is how many bytes of the text, from its start, are a name.
func NameLength(text string) int {
	n := 0
	for n < len(text) && (IsLetter(text[n]) || n > 0 && IsDigit(text[n])) {
		n++
	}
	return n
}

// IsLetter reports whether a byte is a letter of ASCII or _.
func IsLetter(c byte) bool { return c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z' }

// IsDigit reports whether a byte is a decimal digit.
func IsDigit(c byte) bool { return '0' <= c && c <= '9' }
