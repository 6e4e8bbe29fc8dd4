package pickle

import (
	"errors"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Protocols 0 and 1 write values as lines of text.

// maxDigits bounds the digits of an integer, as CPython does: sys.int_info.default_max_str_digits.
const maxDigits = 4300

// written makes a value of a line.
func (m *machine) written() (Value, error) {
	line, err := m.lineUpTo(math.MaxInt, nil)
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
	case opUnicode:
		v = String(rawUnicode(line))
	case opString:
		if s, ok := unquoted(line); ok {
			v = String(s)
		}
	}
	if v == nil {
		return nil, m.broken("%s is not its value", quoted(line))
	}
	return v, nil
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
	if len(line) > maxDigits {
		return nil
	}
	if n, ok := new(big.Int).SetString(line, 10); ok {
		return whole(n)
	}
	return nil
}

// rawUnicode decodes Latin-1 with \uXXXX and \UXXXXXXXX: Python's raw-unicode-escape, whose backslashes are escaped where they are written.
func rawUnicode(line string) string {
	var text strings.Builder
	for i := 0; i < len(line); i++ {
		if line[i] == '\\' && i+1 < len(line) {
			digits := 0
			switch line[i+1] {
			case 'u':
				digits = 4
			case 'U':
				digits = 8
			}
			if end := i + 2 + digits; digits > 0 && end <= len(line) {
				if r, err := strconv.ParseUint(line[i+2:end], 16, 32); err == nil && r <= utf8.MaxRune {
					text.WriteRune(rune(r))
					i = end - 1
					continue
				}
			}
		}
		text.WriteRune(rune(line[i]))
	}
	return text.String()
}

// unquoted reads what repr wrote of a str of Python 2.
func unquoted(line string) (string, bool) {
	line = strings.TrimSpace(line)
	if len(line) < 2 || line[0] != line[len(line)-1] || line[0] != '\'' && line[0] != '"' {
		return "", false
	}
	quote, rest := line[0], line[1:len(line)-1]
	var text []byte
	for rest != "" {
		if rest[0] != '\\' {
			text, rest = append(text, rest[0]), rest[1:]
			continue
		}
		r, _, tail, err := strconv.UnquoteChar(rest, quote)
		if err != nil || r > 0xff {
			return "", false
		}
		text, rest = append(text, byte(r)), tail
	}
	return string(text), true
}

// slot reads the number of a place in the memo.
func (m *machine) slot() (uint64, error) {
	line, err := m.lineUpTo(math.MaxInt, nil)
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseUint(line, 10, 32)
	if err != nil {
		return 0, m.broken("%s is not a place in the memo", quoted(line))
	}
	return n, nil
}
