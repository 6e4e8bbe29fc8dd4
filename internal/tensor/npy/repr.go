package npy

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// Descr returns the dtype as a Python literal, spelled as NumPy's repr: '<f4', [('a', '<i4'), ('b', '<f8', (2, 2))].
// Gaps between fields and behind them become unnamed entries of raw bytes. Source: _array_descr in NumPy
// numpy/core/_internal.py.
func Descr(d dtype.Type) string {
	var r repr
	r.descr(d)
	return r.String()
}

// repr writes Python literals.
type repr struct{ strings.Builder }

func (r *repr) descr(d dtype.Type) {
	if base, shape := d.Sub(); shape != nil {
		r.WriteString("(")
		r.descr(base)
		r.WriteString(", " + reprTuple(shape) + ")")
		return
	}
	fields := d.Fields()
	if fields == nil {
		r.string(d.Typestr())
		return
	}
	r.WriteString("[")
	end, comma := 0, ""
	pad := func(to int) {
		if to > end {
			r.WriteString(comma + "('', '|V" + strconv.Itoa(to-end) + "')")
			comma = ", "
		}
	}
	for _, f := range fields {
		pad(f.Offset)
		r.WriteString(comma)
		r.field(f)
		end, comma = f.Offset+f.DType.ItemSize(), ", "
	}
	pad(d.ItemSize())
	r.WriteString("]")
}

// field writes (name, descr) or (name, descr, shape), with (title, name) for a name that has a title.
func (r *repr) field(f dtype.Field) {
	r.WriteString("(")
	if f.Title != "" {
		r.WriteString("(")
		r.string(f.Title)
		r.WriteString(", ")
		r.string(f.Name)
		r.WriteString(")")
	} else {
		r.string(f.Name)
	}
	r.WriteString(", ")
	if base, shape := f.DType.Sub(); shape != nil {
		r.descr(base)
		r.WriteString(", " + reprTuple(shape) + ")")
		return
	}
	r.descr(f.DType)
	r.WriteString(")")
}

// reprTuple prints "()", "(3,)", "(2, 3)".
func reprTuple(shape []int) string {
	parts := make([]string, len(shape))
	for i, n := range shape {
		parts[i] = strconv.Itoa(n)
	}
	if len(parts) == 1 {
		return "(" + parts[0] + ",)"
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

// string quotes s as Python's repr does: single quotes unless only double quotes avoid an escape, and escapes for what
// does not print. Python and Go may disagree about characters newer than either's Unicode tables; both spellings mean
// the same.
func (r *repr) string(s string) {
	quote := '\''
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		quote = '"'
	}
	r.WriteRune(quote)
	for _, c := range s {
		switch {
		case c == quote || c == '\\':
			r.WriteRune('\\')
			r.WriteRune(c)
		case c == '\n':
			r.WriteString(`\n`)
		case c == '\r':
			r.WriteString(`\r`)
		case c == '\t':
			r.WriteString(`\t`)
		case unicode.IsPrint(c):
			r.WriteRune(c)
		case c < 0x100:
			r.escape('x', 2, c)
		case c < 0x10000:
			r.escape('u', 4, c)
		default:
			r.escape('U', 8, c)
		}
	}
	r.WriteRune(quote)
}

// escape writes \x41 and its like: letter and width hexadecimal digits.
func (r *repr) escape(letter byte, width int, c rune) {
	r.WriteByte('\\')
	r.WriteByte(letter)
	for shift := 4 * (width - 1); shift >= 0; shift -= 4 {
		r.WriteByte("0123456789abcdef"[c>>shift&15])
	}
}
