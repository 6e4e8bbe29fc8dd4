package diff

import (
	"bytes"
	"math"
	"slices"

	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// Rule decides which elements are the same. The zero Rule requires equal bits, ignoring byte order.
//
// A numeric rule requires equal numbers, exactly, whatever their types: NaN is NaN whatever its bits, −0 is 0, and a
// complex number with NaN in either part is NaN, all as in numpy.array_equal(a, b, equal_nan=True); numbers are not
// rounded to a common type. With a tolerance, finite numbers are the same if they are close, as in numpy.isclose:
//
//	|a − b| ≤ ATol + RTol·|b|
//
// in float64. Anything that is not a number is compared bit for bit. Records are compared field by field; bytes between
// fields are ignored, and so is the padding of an x87 float.
type Rule struct {
	Numeric    bool
	RTol, ATol float64
}

// comparison is a rule for two types.
type comparison struct {
	// same compares two elements in little-endian byte order, and measures their distance under a numeric rule.
	same comparer
	// stored: elements with equal stored bytes are the same; raw: elements with equal little-endian bytes are.
	stored, raw bool
	// swapA, swapB make a side's numbers little-endian; nil if they already are.
	swapA, swapB func([]byte)
	// readA, readB read numbers of types that float64 represents; nil if either type is not one.
	readA, readB func(dst []float64, items []byte)
}

// comparer compares two elements. distance is 0 or |a − b|; NaN if differing elements have no distance.
type comparer func(a, b []byte) (ok bool, distance float64)

// compare returns how to compare elements of two types; ok is false if they are not comparable.
func (r Rule) compare(a, b dtype.Type) (comparison, bool) {
	c := comparison{stored: a.Equal(b), raw: Alike(a, b), swapA: dtype.LittleEndian(a), swapB: dtype.LittleEndian(b)}
	if r.Numeric || c.raw {
		c.same = r.elements(a, b)
	}
	if r.Numeric {
		c.readA = dtype.Float64s(a)
		c.readB = dtype.Float64s(b)
	}
	if c.readA == nil || c.readB == nil {
		c.readA = nil
		c.readB = nil
	}
	return c, c.same != nil
}

// Comparable reports whether elements of both types can be compared under the rule.
func (r Rule) Comparable(a, b dtype.Type) bool {
	_, ok := r.compare(a, b)
	return ok
}

// Alike reports whether both are the same type, apart from byte order.
func Alike(a, b dtype.Type) bool {
	baseA, shapeA := a.Sub()
	baseB, shapeB := b.Sub()
	fieldsA := a.Fields()
	fieldsB := b.Fields()
	if a.ItemSize() != b.ItemSize() {
		return false
	}
	if shapeA != nil && shapeB != nil {
		return slices.Equal(shapeA, shapeB) && Alike(baseA, baseB)
	}
	if fieldsA != nil && fieldsB != nil {
		return slices.EqualFunc(fieldsA, fieldsB, func(f, g dtype.Field) bool {
			return f.Name == g.Name && f.Offset == g.Offset && Alike(f.DType, g.DType)
		})
	}
	return a.String() == b.String()
}

// elements returns how to compare elements of two types; nil if they have nothing in common.
func (r Rule) elements(a, b dtype.Type) comparer {
	baseA, shapeA := a.Sub()
	baseB, shapeB := b.Sub()
	fieldsA := a.Fields()
	fieldsB := b.Fields()
	if shapeA != nil && slices.Equal(shapeA, shapeB) {
		return r.subArrays(baseA, baseB, a.ItemSize())
	}
	if fieldsA != nil && len(fieldsA) == len(fieldsB) {
		return r.records(fieldsA, fieldsB)
	}
	if r.Numeric && dtype.IsNumber(a) && dtype.IsNumber(b) {
		return r.numbers(a, b)
	}
	if Alike(a, b) {
		return bitsOf(a)
	}
	return nil
}

// bitsOf compares bytes; for an x87 float, which occupies 12 or 16, the ten with its value.
func bitsOf(d dtype.Type) comparer {
	const x87 = 10 // bytes; no other float is longer
	part := d.ItemSize()
	used := part
	switch d.Kind() {
	case dtype.Float:
		used = min(part, x87)
	case dtype.Complex:
		part = part / 2
		used = min(part, x87)
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

// subArrays compares the elements of sub-arrays; a's has size bytes.
func (r Rule) subArrays(a, b dtype.Type, size int) comparer {
	compare := r.elements(a, b)
	if compare == nil {
		return nil
	}
	n, m := a.ItemSize(), b.ItemSize()
	return func(x, y []byte) (bool, float64) {
		all := true
		farthest := 0.0
		for i := 0; n > 0 && (i+1)*n <= size; i++ {
			ok, distance := compare(x[i*n:(i+1)*n], y[i*m:(i+1)*m])
			all = all && ok
			farthest = max(farthest, distance) // NaN if one is
		}
		return all, farthest
	}
}

// records compares records whose fields have the same names, in their order. Bytes between fields are ignored.
func (r Rule) records(fs, gs []dtype.Field) comparer {
	parts := make([]comparer, len(fs))
	for i := range fs {
		parts[i] = r.elements(fs[i].DType, gs[i].DType)
		if parts[i] == nil || fs[i].Name != gs[i].Name {
			return nil
		}
	}
	return func(x, y []byte) (bool, float64) {
		all := true
		farthest := 0.0
		for i, part := range parts {
			f := fs[i]
			g := gs[i]
			ok, distance := part(x[f.Offset:f.Offset+f.DType.ItemSize()], y[g.Offset:g.Offset+g.DType.ItemSize()])
			all = all && ok
			farthest = max(farthest, distance)
		}
		return all, farthest
	}
}

// numbers compares numbers of two types.
func (r Rule) numbers(a, b dtype.Type) comparer {
	if a.Kind() == dtype.Complex || b.Kind() == dtype.Complex {
		return r.complexes(a, b)
	}
	readA, narrowA := dtype.Float64(a)
	readB, narrowB := dtype.Float64(b)
	if narrowA && narrowB {
		return func(x, y []byte) (bool, float64) { return r.floats(readA(x), readB(y)) }
	}
	exactA := dtype.Exact(a)
	exactB := dtype.Exact(b)
	return func(x, y []byte) (bool, float64) {
		p, q := exactA(x), exactB(y)
		if p == q {
			return true, 0
		}
		distance := p.Distance(q)
		return r.close(distance, math.Abs(q.Float64())), distance
	}
}

func (r Rule) floats(a, b float64) (bool, float64) {
	if a == b || a != a && b != b {
		return true, 0
	}
	distance := math.Abs(a - b)
	return r.close(distance, math.Abs(b)), distance
}

// complexes compares complex numbers, or one with a real number. Their distance is Euclidean.
func (r Rule) complexes(a, b dtype.Type) comparer {
	partsA := dtype.Parts(a)
	partsB := dtype.Parts(b)
	return func(x, y []byte) (bool, float64) {
		re, im := partsA(x)
		re2, im2 := partsB(y)
		if re == re2 && im == im2 {
			return true, 0
		}
		nan := re.IsNaN() || im.IsNaN()
		nan2 := re2.IsNaN() || im2.IsNaN()
		if nan && nan2 {
			return true, 0
		}
		if nan || nan2 {
			return false, math.NaN()
		}
		distance := math.Hypot(re.Distance(re2), im.Distance(im2))
		return r.close(distance, math.Hypot(re2.Float64(), im2.Float64())), distance
	}
}

// close reports whether numbers at distance apart are within the tolerance. The conversion to float64 prevents a fused multiply-add, which
// some machines would use and which rounds once instead of twice.
func (r Rule) close(distance, b float64) bool {
	if tolerant := r.ATol > 0 || r.RTol > 0; !tolerant {
		return false
	}
	return distance <= math.MaxFloat64 && distance <= r.ATol+float64(r.RTol*b)
}
