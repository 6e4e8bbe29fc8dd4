package diff

import (
	"bytes"
	"math"
	"slices"

	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// Rule says which items are the same. The zero Rule asks for equal bits, whichever end of a number comes first.
//
// A numeric rule asks for equal numbers, exactly, whatever their types: NaN is NaN whatever its bits, −0 is 0, and a
// complex number with NaN in either part is NaN, all as in numpy.array_equal(a, b, equal_nan=True); numbers are not
// rounded to a common type. With a tolerance, finite numbers are the same where they are close, as in numpy.isclose:
//
//	|a − b| ≤ ATol + RTol·|b|
//
// in float64. What is no number is compared bit for bit. Records are compared field by field, and what lies between the
// fields does not count; nor does what fills up an x87 float.
type Rule struct {
	Numeric    bool
	RTol, ATol float64
}

// comparison is a rule for two types.
type comparison struct {
	// same compares two items whose numbers are little end first. apart is their distance under a numeric rule.
	same same
	// stored: items with the same bytes are the same as they are stored; raw: once their numbers are little end first.
	stored, raw bool
	// swapA, swapB turn a side's numbers little end first; nil where they are.
	swapA, swapB func([]byte)
	// readA, readB read the numbers of two types that float64 holds; nil where one is no such.
	readA, readB func(dst []float64, items []byte)
}

// same compares two items. apart is 0 or |a − b|; NaN where items that are not the same have no distance.
type same func(a, b []byte) (ok bool, apart float64)

// compare returns how items of two types are compared; false where they cannot be.
func (r Rule) compare(a, b dtype.Type) (comparison, bool) {
	c := comparison{stored: a.Equal(b), raw: Alike(a, b), swapA: dtype.LittleEndian(a), swapB: dtype.LittleEndian(b)}
	if r.Numeric || c.raw {
		c.same = r.items(a, b)
	}
	if r.Numeric {
		c.readA, c.readB = dtype.Float64s(a), dtype.Float64s(b)
	}
	if c.readA == nil || c.readB == nil {
		c.readA, c.readB = nil, nil
	}
	return c, c.same != nil
}

// Comparable reports whether items of both types can be compared under the rule.
func (r Rule) Comparable(a, b dtype.Type) bool {
	_, ok := r.compare(a, b)
	return ok
}

// Alike reports whether both are the same type, but for byte orders.
func Alike(a, b dtype.Type) bool {
	baseA, shapeA := a.Sub()
	baseB, shapeB := b.Sub()
	fieldsA, fieldsB := a.Fields(), b.Fields()
	switch {
	case a.ItemSize() != b.ItemSize():
		return false
	case shapeA != nil && shapeB != nil:
		return slices.Equal(shapeA, shapeB) && Alike(baseA, baseB)
	case fieldsA != nil && fieldsB != nil:
		return slices.EqualFunc(fieldsA, fieldsB, func(f, g dtype.Field) bool {
			return f.Name == g.Name && f.Offset == g.Offset && Alike(f.DType, g.DType)
		})
	}
	return a.String() == b.String()
}

// items compares items of two types; nil where they have nothing in common.
func (r Rule) items(a, b dtype.Type) same {
	baseA, shapeA := a.Sub()
	baseB, shapeB := b.Sub()
	fieldsA, fieldsB := a.Fields(), b.Fields()
	switch {
	case shapeA != nil && slices.Equal(shapeA, shapeB):
		return r.subArrays(baseA, baseB, a.ItemSize())
	case fieldsA != nil && len(fieldsA) == len(fieldsB):
		return r.records(fieldsA, fieldsB)
	case r.Numeric && dtype.IsNumber(a) && dtype.IsNumber(b):
		return r.numbers(a, b)
	case Alike(a, b):
		return bitsOf(a)
	}
	return nil
}

// bitsOf compares bytes; of x87's floats, which lie in 12 or 16, the ten that mean something.
func bitsOf(d dtype.Type) same {
	part, used := d.ItemSize(), d.ItemSize()
	if d.Kind() == dtype.Complex {
		part, used = part/2, used/2
	}
	if (d.Kind() == dtype.Float || d.Kind() == dtype.Complex) && used > 10 {
		used = 10
	}
	return func(a, b []byte) (bool, float64) {
		for at := 0; at < len(a); at += part {
			if !bytes.Equal(a[at:at+used], b[at:at+used]) {
				return false, math.NaN()
			}
		}
		return true, 0
	}
}

// subArrays compares the items of sub-arrays; a's has size bytes.
func (r Rule) subArrays(a, b dtype.Type, size int) same {
	compare := r.items(a, b)
	if compare == nil {
		return nil
	}
	n, m := a.ItemSize(), b.ItemSize()
	return func(x, y []byte) (bool, float64) {
		all := verdict{ok: true}
		for i := 0; n > 0 && (i+1)*n <= size; i++ {
			all.and(compare(x[i*n:(i+1)*n], y[i*m:(i+1)*m]))
		}
		return all.ok, all.apart
	}
}

// records compares records whose fields have the same names, in their order. Bytes between fields do not count.
func (r Rule) records(fs, gs []dtype.Field) same {
	parts := make([]same, len(fs))
	for i := range fs {
		if parts[i] = r.items(fs[i].DType, gs[i].DType); parts[i] == nil || fs[i].Name != gs[i].Name {
			return nil
		}
	}
	return func(x, y []byte) (bool, float64) {
		all := verdict{ok: true}
		for i, part := range parts {
			f, g := fs[i], gs[i]
			all.and(part(x[f.Offset:f.Offset+f.DType.ItemSize()], y[g.Offset:g.Offset+g.DType.ItemSize()]))
		}
		return all.ok, all.apart
	}
}

// verdict is that of several parts: the same if all are, as far apart as the farthest.
type verdict struct {
	ok    bool
	apart float64
}

func (v *verdict) and(ok bool, apart float64) {
	v.ok = v.ok && ok
	v.apart = max(v.apart, apart) // NaN if one is
}
