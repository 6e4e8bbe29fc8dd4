// Package dtype says what an element is: its type, how that is named, and the numbers that its bytes stand for.
//
//	Type     kind, byte order and size of an element; records, sub-arrays and ml_dtypes' floats among them
//	Parse    a type from NumPy's spellings: float32, <f4, M8[ns], [('a', '<i4')]
//	         an element as text (value.go), and a value as an element's bytes (fill.go)
//	         its number as a float64 (number.go), or exactly, as a Number (exact.go)
//	         is it finite? for many elements at once (finite.go); byte order (endian.go)
//
// Readers of numbers, NotFinite's aside, take little-endian bytes; LittleEnd swaps them.
package dtype

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
)

// Kind is the family a dtype belongs to, as NumPy's one-letter code.
type Kind byte

// The kinds. A structured dtype and a sub-array are Void.
const (
	Bool      Kind = 'b'
	Int       Kind = 'i'
	Uint      Kind = 'u'
	Float     Kind = 'f'
	Complex   Kind = 'c'
	Bytes     Kind = 'S' // byte string, padded with NUL
	Text      Kind = 'U' // UTF-32 text, padded with NUL, four bytes a code point
	Void      Kind = 'V' // raw bytes
	Datetime  Kind = 'M' // 64-bit count of a unit since 1970
	Timedelta Kind = 'm' // 64-bit count of a unit
)

// ByteOrder says which end of an item's numbers comes first.
type ByteOrder byte

// The byte orders. NoOrder belongs to items for which the question has no meaning: single bytes, S, V, records.
const (
	Little  ByteOrder = '<'
	Big     ByteOrder = '>'
	NoOrder ByteOrder = '|'
)

// String returns "little", "big" or "none".
func (o ByteOrder) String() string {
	switch o {
	case Little:
		return "little"
	case Big:
		return "big"
	}
	return "none"
}

// maxItemSize is the largest item in bytes. NumPy 1.x keeps the size in a C int, and wraps beyond it.
const maxItemSize = 1<<31 - 1

// Type says what one item of a tensor is: its size, family, byte order, and its fields where it has some.
// It is an immutable value; the zero DType is none, and no constructor returns it.
//
// Invariants: 0 <= size <= maxItemSize. At most one of record and sub is set, and then kind is Void.
type Type struct {
	kind   Kind
	order  ByteOrder
	ext    ext      // which type outside NumPy's own, 0 for none
	unit   timeUnit // Datetime, Timedelta
	step   int32    // units per count: 25 in M8[25s]; 0 for a generic unit
	size   int      // bytes
	record *dtypeRecord
	sub    *sub
}

// ItemSize returns the size of one item in bytes.
func (d Type) ItemSize() int { return d.size }

// Kind returns the family. bfloat16 and float8 are Float, complex32 is Complex.
func (d Type) Kind() Kind { return d.kind }

// Order returns the byte order; NoOrder for records and sub-arrays, whose fields have their own.
func (d Type) Order() ByteOrder { return d.order }

// String returns the name people use, without the byte order: "float32", "S5", "datetime64[ns]",
// "struct{a: int32, b: float64[2,2]}". Field names are escaped for a terminal.
func (d Type) String() string {
	switch {
	case d.record != nil:
		return d.record.String()
	case d.sub != nil:
		return d.sub.base.String() + dims(d.sub.shape)
	case d.ext != 0:
		return d.ext.spec().name
	}
	switch d.kind {
	case Bool:
		return "bool"
	case Int, Uint, Float, Complex:
		return stems[d.kind] + strconv.Itoa(d.size*8)
	case Text:
		return "U" + strconv.Itoa(d.size/4)
	case Bytes, Void:
		return string(d.kind) + strconv.Itoa(d.size)
	case Datetime, Timedelta:
		return stems[d.kind] + "64" + d.unitSuffix()
	}
	return "invalid"
}

var stems = map[Kind]string{
	Int: "int", Uint: "uint", Float: "float", Complex: "complex", Datetime: "datetime", Timedelta: "timedelta",
}

// Typestr returns NumPy's spelling with byte order and size, as in the array interface: "<f4", "|b1", "<U7"
// (code points), "<M8[ns]"; "|V" and the size in bytes for records and sub-arrays.
//
// Types outside NumPy are spelled as raw bytes with an order, "<V2" for bfloat16, which is what ml_dtypes registers
// for most of them. Its "<f1" (float8_e5m2) and "<c4" (complex32) are not used, for numpy.load refuses them.
func (d Type) Typestr() string {
	switch {
	case d.ext != 0:
		order := d.order
		if order == NoOrder {
			order = Little
		}
		return string(order) + "V" + strconv.Itoa(d.size)
	case d.kind == Text:
		return string(d.order) + "U" + strconv.Itoa(d.size/4)
	}
	return string(d.order) + string(d.kind) + strconv.Itoa(d.size) + d.unitSuffix()
}

// Opaque returns hint in place of d: the same bytes, read as another type. It serves files that cannot name their
// type, such as bfloat16 stored as V2. The error is of class Usage where the item sizes differ.
func (d Type) Opaque(hint Type) (Type, error) {
	if hint.size != d.size {
		return Type{}, fault.New(fault.Usage, "dtype %s has %d bytes per item, but the data has %d (%s)",
			hint, hint.size, d.size, d).WithHint("choose a dtype of %d bytes", d.size)
	}
	return hint, nil
}

// Equal reports whether both are the same type, byte order, field offsets and titles included.
func (d Type) Equal(o Type) bool {
	if d.record != nil && o.record != nil {
		return d.size == o.size && slices.EqualFunc(d.record.fields, o.record.fields, Field.equal)
	}
	if d.sub != nil && o.sub != nil {
		return slices.Equal(d.sub.shape, o.sub.shape) && d.sub.base.Equal(o.sub.base)
	}
	return d == o
}

// dims prints a shape as "[2,3]".
func dims(shape []int) string {
	parts := make([]string, len(shape))
	for i, n := range shape {
		parts[i] = strconv.Itoa(n)
	}
	return "[" + strings.Join(parts, ",") + "]"
}
