// Package dtype defines element types: their names, and the values of their bytes.
//
//	Type       kind, byte order and size of an element, including records, sub-arrays and the floats of ml_dtypes
//	Parse      a type from NumPy's spellings: float32, <f4, M8[ns]
//	typed.go   a type as users and frameworks write it: torch.float32, bf16; as compilers print it: s8, f8E5M2
//	value.go   an element as text, and text as an element
//	number.go  an element as a float64, or exactly, as a Number
//	narrow.go  elements below a byte: how many bytes they take, packed and unpacked
//	finite.go  the first infinity or NaN among many elements
//	endian.go  byte order
//
// Functions that read numbers take little-endian bytes, except for NotFinite; LittleEndian swaps them.
package dtype

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
)

// Kind is the family of a dtype: NumPy's one-letter code.
type Kind byte

// The kinds. A structured dtype and a sub-array are Void.
const (
	Bool      Kind = 'b'
	Int       Kind = 'i'
	Uint      Kind = 'u'
	Float     Kind = 'f'
	Complex   Kind = 'c'
	Bytes     Kind = 'S' // byte string, padded with NUL
	Text      Kind = 'U' // UTF-32 text, padded with NUL, four bytes per code point
	Void      Kind = 'V' // raw bytes
	Datetime  Kind = 'M' // 64-bit count of a unit since 1970
	Timedelta Kind = 'm' // 64-bit count of a unit
)

// ByteOrder is the byte order of an element's numbers.
type ByteOrder byte

// The byte orders. NoOrder is for single bytes, S, V and records.
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

// maxItemSize bounds an element in bytes. NumPy 1.x keeps the size in a C int, which wraps beyond it.
const maxItemSize = 1<<31 - 1

// Type is the type of an element: its size, family, byte order, and fields if it has any. It is immutable; the zero Type is invalid.
//
// Invariants: 0 <= size <= maxItemSize. At most one of record and sub is set, and then kind is Void.
type Type struct {
	kind     Kind
	order    ByteOrder
	ext      ext      // index of a type that NumPy lacks; 0: none
	unit     timeUnit // Datetime, Timedelta
	step     int32    // units per count: 25 in M8[25s]; 0: a generic unit
	unpacked bool     // values below a byte have a byte each
	size     int      // bytes
	record   *structure
	sub      *sub
}

// ItemSize returns the size of an element in bytes, as the program holds it: a byte for a value below a byte, whose size in a file is Bits.
func (d Type) ItemSize() int { return d.size }

// Kind returns the family. bfloat16 and float8 are Float, complex32 is Complex.
func (d Type) Kind() Kind { return d.kind }

// LittleEndian returns the same type in little-endian order.
func (d Type) LittleEndian() Type {
	if d.order == Big {
		d.order = Little
	}
	return d
}

// OtherOrder returns the same type in the other byte order; types without one, records and sub-arrays are unchanged.
func (d Type) OtherOrder() Type {
	switch d.order {
	case Big:
		d.order = Little
	case Little:
		d.order = Big
	}
	return d
}

// Order returns the byte order; NoOrder for records and sub-arrays, whose parts have their own.
func (d Type) Order() ByteOrder { return d.order }

// String returns the common name, without the byte order: "float32", "S5", "datetime64[ns]", "struct{a: int32, b: float64[2,2]}". Field
// names are escaped for a terminal.
func (d Type) String() string {
	if d.record != nil {
		return d.record.String()
	}
	if d.sub != nil {
		return d.sub.base.String() + dims(d.sub.shape)
	}
	if d.ext != 0 {
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
// Types outside NumPy are spelled as raw bytes with an order, "<V2" for bfloat16, as ml_dtypes registers most of them. Its "<f1"
// (float8_e5m2) and "<c4" (complex32) are not used, because numpy.load refuses them.
func (d Type) Typestr() string {
	if d.ext != 0 {
		order := d.order
		if order == NoOrder {
			order = Little
		}
		return string(order) + "V" + strconv.Itoa(d.size)
	}
	if d.kind == Text {
		return string(d.order) + "U" + strconv.Itoa(d.size/4)
	}
	return string(d.order) + string(d.kind) + strconv.Itoa(d.size) + d.unitSuffix()
}

// Opaque returns hint in place of d: the same bytes as another type. It is for files that cannot name their type, such as bfloat16
// stored as V2. The error is of class Usage if the itemsizes differ.
func (d Type) Opaque(hint Type) (Type, error) {
	if d.Equal(hint) {
		return hint, nil
	}
	if d.Packed() {
		if hint.Packed() && d.Bits() == hint.Bits() {
			return hint, nil
		}
		return Type{}, fault.New(fault.Usage, "dtype %s has %d bits per element, but the data has %d (%s)", hint, hint.Bits(), d.Bits(), d)
	}
	if hint.Packed() {
		if MayBeUnpacked(d) {
			return hint.AsUnpacked(), nil
		}
		return Type{}, fault.New(fault.Usage, "dtype %s is packed along the last axis of an array in C order, which this tensor is not", hint)
	}
	if hint.size != d.size {
		return Type{}, fault.New(fault.Usage, "dtype %s has %d bytes per element, but the data has %d (%s)",
			hint, hint.size, d.size, d).WithHint("choose a dtype of %d bytes", d.size)
	}
	return hint, nil
}

// Equal reports whether both types are the same, including byte order, field offsets and titles.
func (d Type) Equal(o Type) bool {
	if d.record != nil && o.record != nil {
		return d.size == o.size && slices.EqualFunc(d.record.fields, o.record.fields, Field.equal)
	}
	if d.sub != nil && o.sub != nil {
		return slices.Equal(d.sub.shape, o.sub.shape) && d.sub.base.Equal(o.sub.base)
	}
	return d == o
}

// dims returns a shape as "[2,3]".
func dims(shape []int) string {
	parts := make([]string, len(shape))
	for i, n := range shape {
		parts[i] = strconv.Itoa(n)
	}
	return "[" + strings.Join(parts, ",") + "]"
}
