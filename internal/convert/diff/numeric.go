package diff

import (
	"math"

	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// numbers compares numbers of two types.
func (r Rule) numbers(a, b dtype.Type) same {
	if a.Kind() == dtype.Complex || b.Kind() == dtype.Complex {
		return r.complexes(a, b)
	}
	readA, narrowA := dtype.Float64(a)
	readB, narrowB := dtype.Float64(b)
	if narrowA && narrowB {
		return func(x, y []byte) (bool, float64) { return r.floats(readA(x), readB(y)) }
	}
	exactA, exactB := dtype.Exact(a), dtype.Exact(b)
	return func(x, y []byte) (bool, float64) {
		p, q := exactA(x), exactB(y)
		if p == q {
			return true, 0
		}
		apart := p.Distance(q)
		return r.close(apart, math.Abs(q.Float64())), apart
	}
}

func (r Rule) floats(a, b float64) (bool, float64) {
	if a == b || a != a && b != b {
		return true, 0
	}
	apart := math.Abs(a - b)
	return r.close(apart, math.Abs(b)), apart
}

// complexes compares complex numbers, or one with a real number. Their distance is that in the plane.
func (r Rule) complexes(a, b dtype.Type) same {
	partsA, partsB := dtype.Parts(a), dtype.Parts(b)
	return func(x, y []byte) (bool, float64) {
		re, im := partsA(x)
		re2, im2 := partsB(y)
		nan, nan2 := re.IsNaN() || im.IsNaN(), re2.IsNaN() || im2.IsNaN()
		switch {
		case nan && nan2 || re == re2 && im == im2:
			return true, 0
		case nan || nan2:
			return false, math.NaN()
		}
		apart := math.Hypot(re.Distance(re2), im.Distance(im2))
		return r.close(apart, math.Hypot(re2.Float64(), im2.Float64())), apart
	}
}

// close reports whether numbers that far apart are within the tolerance. The conversion keeps the product and the sum
// from being rounded once only, as some machines would.
func (r Rule) close(apart, b float64) bool {
	return (r.ATol > 0 || r.RTol > 0) && apart <= math.MaxFloat64 && apart <= r.ATol+float64(r.RTol*b)
}
