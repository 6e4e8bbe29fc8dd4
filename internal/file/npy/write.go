package npy

import (
	"encoding/binary"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

const (
	align        = 64 // the data starts at a multiple of this many bytes
	growthDigits = 21 // width NumPy reserves for the size that grows when data is appended
)

// AppendHeader appends to dst the whole header, from magic to newline, that np.save writes for such an array. The
// dimensions of a sub-array dtype go to the end of the shape.
//
// The result equals NumPy 1.24's byte for byte: room for the first size (the last in Fortran order) to grow, then padding of 1 to 64
// spaces (64, not 0, where the header is aligned already), then the oldest version that can hold it. Source: _write_array_header and
// _wrap_header in NumPy numpy/lib/format.py. Errors are Unsupported, or Malformed for an impossible shape.
func AppendHeader(dst []byte, d dtype.Type, fortran bool, shape []int) ([]byte, error) {
	h := Header{DType: d, Fortran: fortran, Shape: append([]int{}, shape...)}
	if err := checkWritable(&h); err != nil {
		return nil, err
	}
	order := "False"
	if fortran {
		order = "True"
	}
	text := "{'descr': " + Descr(h.DType) + ", 'fortran_order': " + order + ", 'shape': " + reprTuple(h.Shape) + ", }"
	if len(h.Shape) > 0 {
		grows := h.Shape[0]
		if fortran {
			grows = h.Shape[len(h.Shape)-1]
		}
		text += strings.Repeat(" ", max(0, growthDigits-len(strconv.Itoa(grows))))
	}
	return wrap(dst, text)
}

// checkWritable checks shape and dtype, and flattens a sub-array.
func checkWritable(h *Header) error {
	if h.DType.Kind() == 0 {
		return fault.New(fault.Unsupported, "a tensor without a dtype cannot be written as .npy")
	}
	if err := flatten(h); err != nil {
		return err
	}
	if len(h.Shape) > tensor.MaxRank {
		return fault.New(fault.Unsupported, "%d dimensions exceed the limit of .npy readers (%d)", len(h.Shape), tensor.MaxRank)
	}
	for _, n := range h.Shape {
		if n < 0 {
			return fault.New(fault.Malformed, "negative size %d in the shape", n)
		}
	}
	_, err := dataBytes(h.Shape, h.DType.ItemSize())
	return err
}

// wrap puts text between preamble and padding, in the oldest version that can hold it.
func wrap(dst []byte, text string) ([]byte, error) {
	latin1, ok := toLatin1(text)
	if ok {
		if total := paddedLength(10, len(latin1)); total <= math.MaxUint16 {
			dst = append(dst, Magic+"\x01\x00"...)
			dst = binary.LittleEndian.AppendUint16(dst, uint16(total))
			return appendPadded(dst, latin1, total), nil
		}
	}
	version := "\x02\x00"
	body := latin1
	if !ok {
		version = "\x03\x00"
		body = []byte(text)
	}
	total := paddedLength(12, len(body))
	if uint64(total) > math.MaxUint32 {
		return nil, fault.New(fault.Unsupported, "the header would have %d bytes, too many for .npy", total)
	}
	dst = append(dst, Magic+version...)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(total))
	return appendPadded(dst, body, total), nil
}

// paddedLength returns the header length in bytes, newline included, for a text of n bytes after the preamble.
func paddedLength(preamble, n int) int {
	n++ // newline
	return n + align - (preamble+n)%align
}

func appendPadded(dst, text []byte, total int) []byte {
	dst = append(dst, text...)
	for range total - len(text) - 1 {
		dst = append(dst, ' ')
	}
	return append(dst, '\n')
}

// toLatin1 encodes s with one byte per character, if possible.
func toLatin1(s string) ([]byte, bool) {
	out := make([]byte, 0, len(s))
	for _, r := range s {
		if r > 0xff || r == utf8.RuneError {
			return nil, false
		}
		out = append(out, byte(r))
	}
	return out, true
}

// Descr returns the dtype as a Python literal, spelled as NumPy's repr: '<f4', [('a', '<i4'), ('b', '<f8', (2, 2))].
// Gaps between fields and after them become unnamed entries of raw bytes. Source: _array_descr in NumPy
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
	end := 0
	comma := ""
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
		end = f.Offset + f.DType.ItemSize()
		comma = ", "
	}
	pad(d.ItemSize())
	r.WriteString("]")
}

// field writes (name, descr) or (name, descr, shape), with (title, name) for a titled name.
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

// string quotes s as Python's repr does: in single quotes unless only double quotes avoid an escape, escaping unprintable characters.
// Python and Go may disagree about characters newer than either's Unicode tables; both spellings are equivalent.
func (r *repr) string(s string) {
	quote := '\''
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		quote = '"'
	}
	r.WriteRune(quote)
	for _, c := range s {
		switch c {
		case quote, '\\':
			r.WriteRune('\\')
			r.WriteRune(c)
		case '\n':
			r.WriteString(`\n`)
		case '\r':
			r.WriteString(`\r`)
		case '\t':
			r.WriteString(`\t`)
		default:
			r.character(c)
		}
	}
	r.WriteRune(quote)
}

// character writes a character, or its shortest escape if it cannot be printed.
func (r *repr) character(c rune) {
	if unicode.IsPrint(c) {
		r.WriteRune(c)
		return
	}
	switch {
	case c < 0x100:
		r.escape('x', 2, c)
	case c < 0x10000:
		r.escape('u', 4, c)
	default:
		r.escape('U', 8, c)
	}
}

// escape writes \x41 and similar: letter and width hexadecimal digits.
func (r *repr) escape(letter byte, width int, c rune) {
	r.WriteByte('\\')
	r.WriteByte(letter)
	for shift := 4 * (width - 1); shift >= 0; shift -= 4 {
		r.WriteByte("0123456789abcdef"[c>>shift&15])
	}
}
