package dtype

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/text"
)

// Field is one named part of a structured dtype. Offset is in bytes from the start of the element. Title is NumPy's
// second name, usually empty.
type Field struct {
	Name, Title string
	DType       Type
	Offset      int
}

func (f Field) equal(o Field) bool {
	return f.Name == o.Name && f.Title == o.Title && f.Offset == o.Offset && f.DType.Equal(o.DType)
}

// structure holds the fields of a structured dtype, by ascending offset and without overlap.
type structure struct{ fields []Field }

// sub is a sub-array: an element of several base elements, in C order.
type sub struct {
	base  Type
	shape []int
}

// Fields returns the fields by ascending offset; nil if d is not structured. Bytes that no field covers are padding.
func (d Type) Fields() []Field {
	if d.record == nil {
		return nil
	}
	return slices.Clone(d.record.fields)
}

// Sub returns base and shape of a sub-array; shape is nil for other types.
func (d Type) Sub() (Type, []int) {
	if d.sub == nil {
		return Type{}, nil
	}
	return d.sub.base, slices.Clone(d.sub.shape)
}

// StructOf returns a structured dtype of itemSize bytes. The fields must ascend without overlap (gaps are padding), and names and
// titles must be unique. An unnamed field must not be plain bytes: in a .npy header that means padding. Errors are Malformed, or
// Unsupported if the element is too large.
func StructOf(fields []Field, itemSize int) (Type, error) {
	if itemSize < 0 || itemSize > maxItemSize {
		return Type{}, tooLarge()
	}
	seen := make(map[string]bool, len(fields))
	end := 0
	for _, f := range fields {
		if f.Offset < end {
			return Type{}, fault.New(fault.Malformed, "field %s overlaps the previous one", quote(f.Name))
		}
		if f.DType.size > itemSize-f.Offset {
			return Type{}, fault.New(fault.Malformed, "field %s exceeds its element", quote(f.Name))
		}
		if f.DType.isPlainBytes() && f.Name == "" && f.Title == "" {
			return Type{}, fault.New(fault.Malformed, "an unnamed field of plain bytes")
		}
		if err := claim(seen, f); err != nil {
			return Type{}, err
		}
		end = f.Offset + f.DType.size
	}
	r := &structure{fields: append([]Field{}, fields...)}
	return Type{kind: Void, order: NoOrder, size: itemSize, record: r}, nil
}

// claim marks the field's name and title as used.
func claim(seen map[string]bool, f Field) error {
	if seen[f.Name] {
		return fault.New(fault.Malformed, "duplicate field name %s", quote(f.Name))
	}
	seen[f.Name] = true
	if f.Title == "" {
		return nil
	}
	if seen[f.Title] {
		return fault.New(fault.Malformed, "duplicate field title %s", quote(f.Title))
	}
	seen[f.Title] = true
	return nil
}

// isPlainBytes reports whether d is Void without field names; a sub-array counts, as in NumPy.
func (d Type) isPlainBytes() bool { return d.kind == Void && d.record == nil }

// ArrayOf returns a sub-array dtype of elements of base, in C order. An empty shape returns base. Errors are Malformed for negative
// sizes and for a base without bytes, Unsupported if the element is too large.
func ArrayOf(base Type, shape []int) (Type, error) {
	if base.size == 0 {
		return Type{}, fault.New(fault.Malformed, "a sub-array of %s, whose elements have 0 bytes", base)
	}
	if len(shape) == 0 {
		return base, nil
	}
	size := uint64(base.size)
	for _, n := range shape {
		if n < 0 {
			return Type{}, fault.New(fault.Malformed, "negative sub-array size %d", n)
		}
		hi, lo := bits.Mul64(size, uint64(n))
		if hi != 0 || lo > maxItemSize || n > maxItemSize {
			return Type{}, tooLarge()
		}
		size = lo
	}
	return Type{kind: Void, order: NoOrder, size: int(size), sub: &sub{base, slices.Clone(shape)}}, nil
}

func tooLarge() error {
	return fault.New(fault.Unsupported, "an element would exceed %d bytes", maxItemSize)
}

func (r *structure) String() string {
	parts := make([]string, len(r.fields))
	for i, f := range r.fields {
		parts[i] = text.Quote(f.Name) + ": " + f.DType.String()
	}
	return "struct{" + strings.Join(parts, ", ") + "}"
}

// Placed is String with the byte offset of each field and the itemsize.
//
//	struct{a: uint8 @0, b: uint8 @2; 4 bytes}
func (d Type) Placed() string {
	if d.sub != nil {
		return d.sub.base.Placed() + dims(d.sub.shape)
	}
	if d.record == nil {
		return d.String()
	}
	parts := make([]string, len(d.record.fields))
	for i, f := range d.record.fields {
		parts[i] = fmt.Sprintf("%s: %s @%d", text.Quote(f.Name), f.DType.Placed(), f.Offset)
	}
	return fmt.Sprintf("struct{%s; %s}", strings.Join(parts, ", "), text.Count(d.size, "byte"))
}

// quote quotes text from a file for an error, shortened.
func quote(s string) string { return text.Quoted(text.Cut(s, 61)) }
