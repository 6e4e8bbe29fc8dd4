package pickle

import (
	"errors"
	"io"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tlayout/tlayout/internal/fault"
)

// Protocols 0 and 1 write values as lines of text.

// maxDigits bounds the digits of an integer, as CPython does: sys.int_info.default_max_str_digits.
const maxDigits = 4300

// maxLine bounds the bytes of a line that is a number: a sign, digits, and the L of LONG.
const maxLine = maxDigits + 2

// digits reads a line that is a number.
func (m *machine) digits() (string, error) {
	return m.lineUpTo(maxLine, func() error {
		return fault.New(fault.Unsupported, "%s: a number of more than %d bytes", m.name(), maxLine)
	})
}

// written makes a value of a line.
func (m *machine) written() (Value, error) {
	if m.op == opUnicode || m.op == opString {
		return m.writtenText()
	}
	line, err := m.digits()
	if err != nil {
		return nil, err
	}
	var v Value
	switch m.op {
	case opInt, opLong:
		v = decimal(m.op, line)
	case opFloat:
		if f, err := strconv.ParseFloat(line, 64); err == nil || errors.Is(err, strconv.ErrRange) {
			v = Float(f)
		}
	}
	if v == nil {
		return nil, m.broken("%s is not its value", quoted(line))
	}
	return v, nil
}

// writtenText makes a string of a line.
func (m *machine) writtenText() (Value, error) {
	l, err := m.long()
	if err != nil {
		return nil, err
	}
	if m.op == opUnicode {
		return String(l.rawUnicode()), nil
	}
	line := l.slice(0, l.n)
	s, ok := unquoted(line)
	if !ok {
		return nil, m.broken("%s is not its value", quoted(line))
	}
	return String(s), nil
}

// longLine is a line of n bytes in parts of partBytes, of which only the last is shorter: a line that grew in one piece would take several
// times its bytes.
type longLine struct {
	parts [][]byte
	n     int
}

const partBytes = 1 << 16

// long reads a line of any length.
func (m *machine) long() (l longLine, err error) {
	var part []byte
	for m.at < m.size {
		b, err := m.r.ReadByte()
		if err == io.EOF {
			break
		}
		if err != nil {
			return l, err
		}
		m.at++
		if b == '\n' {
			l.parts = append(l.parts, part)
			return l, nil
		}
		if len(part) == partBytes {
			l.parts, part = append(l.parts, part), make([]byte, 0, partBytes)
		}
		part = append(part, b)
		l.n++
	}
	return l, m.broken("its line has no end")
}

func (l *longLine) byte(i int) byte { return l.parts[i/partBytes][i%partBytes] }

// slice is the bytes from one on, up to another.
func (l *longLine) slice(from, to int) string {
	var s strings.Builder
	s.Grow(to - from)
	for from < to {
		part := l.parts[from/partBytes][from%partBytes:]
		n := min(len(part), to-from)
		s.Write(part[:n])
		from += n
	}
	return s.String()
}

// decimal reads an integer, 00 and 01 of INT as bools; nil if it is none. A LONG may end in L.
func decimal(op opcode, line string) Value {
	switch {
	case op == opInt && (line == "00" || line == "01"):
		return Bool(line == "01")
	case op == opLong:
		line = strings.TrimSuffix(line, "L")
	}
	if n, err := strconv.ParseInt(line, 10, 64); err == nil {
		return Int(n)
	}
	if len(strings.TrimPrefix(line, "-")) > maxDigits {
		return nil
	}
	if n, ok := new(big.Int).SetString(line, 10); ok {
		return whole(n)
	}
	return nil
}

// rawUnicode decodes Latin-1 with \uXXXX and \UXXXXXXXX: Python's raw-unicode-escape, whose backslashes are escaped where they are written.
func (l *longLine) rawUnicode() string {
	size := 0
	for i := 0; i < l.n; {
		r, n := l.char(i)
		size, i = size+len(string(r)), i+n
	}
	var text strings.Builder
	text.Grow(size)
	for i := 0; i < l.n; {
		r, n := l.char(i)
		text.WriteRune(r)
		i += n
	}
	return text.String()
}

// char is the character at byte i, and how many bytes it has.
func (l *longLine) char(i int) (r rune, n int) {
	b := l.byte(i)
	if b != '\\' || i+1 == l.n {
		return rune(b), 1
	}
	switch l.byte(i + 1) {
	case 'u':
		n = 6
	case 'U':
		n = 10
	}
	if n > 0 && i+n <= l.n {
		if code, err := strconv.ParseUint(l.slice(i+2, i+n), 16, 32); err == nil && code <= utf8.MaxRune {
			return rune(code), n
		}
	}
	return rune(b), 1
}

// unquoted reads what repr wrote of a str of Python 2.
func unquoted(line string) (string, bool) {
	line = strings.TrimSpace(line)
	if len(line) < 2 || line[0] != line[len(line)-1] || line[0] != '\'' && line[0] != '"' {
		return "", false
	}
	quote, rest := line[0], line[1:len(line)-1]
	var text strings.Builder
	text.Grow(len(rest))
	for rest != "" {
		if rest[0] != '\\' {
			text.WriteByte(rest[0])
			rest = rest[1:]
			continue
		}
		r, _, tail, err := strconv.UnquoteChar(rest, quote)
		if err != nil || r > 0xff {
			return "", false
		}
		text.WriteByte(byte(r))
		rest = tail
	}
	return text.String(), true
}

// slot reads the number of a place in the memo.
func (m *machine) slot() (uint64, error) {
	line, err := m.digits()
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseUint(line, 10, 32)
	if err != nil {
		return 0, m.broken("%s is not a place in the memo", quoted(line))
	}
	return n, nil
}
