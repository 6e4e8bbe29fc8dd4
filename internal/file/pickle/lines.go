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

// digits reads a line with a number.
func (m *machine) digits() (string, error) {
	return m.lineUpTo(maxLine, func() error {
		return fault.New(fault.Unsupported, "%s: a number of more than %d bytes", m.name(), maxLine)
	})
}

// written makes a value from a line.
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
		return nil, m.broken("invalid value %s", quoted(line))
	}
	return v, nil
}

// writtenText makes a string from a line.
func (m *machine) writtenText() (Value, error) {
	l, err := m.readLong()
	if err != nil {
		return nil, err
	}
	if m.op == opUnicode {
		return String(l.rawUnicode()), nil
	}
	line := l.slice(0, l.n)
	s, ok := unquoted(line)
	if !ok {
		return nil, m.broken("invalid value %s", quoted(line))
	}
	return String(s), nil
}

// longLine is a line of n bytes in parts of partBytes, except for the shorter last one: growing in one piece would take several times
// its bytes.
type longLine struct {
	parts [][]byte
	n     int
}

const partBytes = 1 << 16

// readLong reads a line of any length.
func (m *machine) readLong() (l longLine, err error) {
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
			l.parts = append(l.parts, part)
			part = make([]byte, 0, partBytes)
		}
		part = append(part, b)
		l.n++
	}
	return l, m.broken("its line is not terminated")
}

func (l *longLine) byte(i int) byte { return l.parts[i/partBytes][i%partBytes] }

// slice returns the bytes [from, to).
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

// decimal reads an integer, 00 and 01 of INT as bools; nil if invalid. A LONG may end in L.
func decimal(op opcode, line string) Value {
	switch op {
	case opInt:
		if line == "00" || line == "01" {
			return Bool(line == "01")
		}
	case opLong:
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

// rawUnicode decodes Latin-1 with \uXXXX and \UXXXXXXXX: Python's raw-unicode-escape, with backslashes escaped by the writer.
func (l *longLine) rawUnicode() string {
	size := 0
	for i := 0; i < l.n; {
		r, n := l.char(i)
		size = size + len(string(r))
		i = i + n
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

// char returns the character at byte i and its number of bytes.
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

// unquoted decodes the repr of a Python 2 str.
func unquoted(line string) (string, bool) {
	line = strings.TrimSpace(line)
	if len(line) < 2 {
		return "", false
	}
	quote := line[0]
	if quote != '\'' && quote != '"' || line[len(line)-1] != quote {
		return "", false
	}
	rest := line[1 : len(line)-1]
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

// slot reads the number of a memo entry.
func (m *machine) slot() (uint64, error) {
	line, err := m.digits()
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseUint(line, 10, 32)
	if err != nil {
		return 0, m.broken("invalid memo index %s", quoted(line))
	}
	return n, nil
}
