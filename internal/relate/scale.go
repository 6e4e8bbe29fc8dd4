package relate

import (
	"math"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// scale is b = factor·a + offset, within the rounding of B's type.
type scale struct {
	factor, offset float64
	relative       float64 // tolerance: of the magnitude of a term
	absolute       float64
	loose          float64 // tolerances of a scale that two pairs propose
}

func newScale(t dtype.Type) *scale {
	s := &scale{factor: 1, relative: math.Ldexp(1, -21), loose: 64}
	switch name, size := t.String(), t.ItemSize(); {
	case t.Kind() != dtype.Float:
		s.absolute = 0.52
		s.loose = 3 // rounded; or truncated, with another offset
	case strings.Contains(name, "e5m2"), strings.Contains(name, "e8m0"):
		s.relative = 1.0 / 8
		s.absolute = math.Ldexp(1, -10)
		s.loose = 2
	case size == 1:
		s.relative = 1.0 / 16
		s.absolute = math.Ldexp(1, -10)
		s.loose = 2
	case name == "bfloat16":
		s.relative = math.Ldexp(1, -8)
		s.loose = 4
	case size == 2:
		s.relative = math.Ldexp(1, -10)
		s.absolute = math.Ldexp(1, -24)
		s.loose = 8
	}
	return s
}

// near reports whether the words of two numbers agree. Infinities and NaN agree with themselves.
func (s *scale) near(a, b uint64) bool {
	x, y := math.Float64frombits(a), math.Float64frombits(b)
	if x-x != 0 || y-y != 0 {
		return a == b
	}
	return s.distance(x, y) <= 1
}

// distance returns how far y is from s of x, in tolerances.
func (s *scale) distance(x, y float64) float64 {
	term := s.factor * x
	if term+s.offset == y {
		return 0
	}
	return math.Abs(term+s.offset-y) / s.tolerance(term, y)
}

// tolerance returns how far y may be from the sum of a term and the offset.
func (s *scale) tolerance(term, y float64) float64 {
	return s.absolute + s.relative*max(math.Abs(term), math.Abs(y))
}

// agreeing counts the pairs at most some tolerances from s.
func (s *scale) agreeing(xs, ys []float64, tolerances float64) (n int) {
	for i, x := range xs {
		if s.distance(x, ys[i]) <= tolerances {
			n++
		}
	}
	return n
}

// fit returns the scale that most pairs are near, at most so many tolerances away, if they are a share of all. Lines through two pairs propose
// it, and the pairs loosely near a line refine it.
func (s scale) fit(xs, ys []float64, share, tolerances float64) (best scale, ok bool) {
	enough := int(math.Ceil(share * float64(len(xs))))
	most := 0
	try := func(c scale) {
		if n := c.agreeing(xs, ys, tolerances); n > most && c.factor != 0 {
			best = c
			most = n
		}
	}
	try(s)
	for k := 1; k < min(len(xs), 64) && most < enough; k++ {
		if c := s.through(xs, ys, k/2, k); c.agreeing(xs, ys, s.loose) >= enough {
			pure, line := c.refined(xs, ys)
			_, again := line.refined(xs, ys)
			for _, x := range []scale{pure, c, line, again} {
				try(x)
			}
		}
	}
	return best, most >= enough
}

// different counts the values of numbers.
func different(xs []float64) int {
	return len(slices.Compact(slices.Sorted(slices.Values(xs))))
}

// through returns the line through two pairs; of equal values it is none.
func (s scale) through(xs, ys []float64, i, k int) scale {
	s.factor = (ys[k] - ys[i]) / (xs[k] - xs[i])
	s.offset = ys[i] - s.factor*xs[i]
	return s
}

// refined returns the lines of least squares, in tolerances, through the pairs loosely near s: the one through 0, and the one with an offset. Of
// numbers of many magnitudes, the small ones determine the offset.
func (s scale) refined(xs, ys []float64) (pure, line scale) {
	weights := make([]float64, len(xs))
	var n, sx, sy, xx, xy float64
	for i, x := range xs {
		y := ys[i]
		if t := s.tolerance(s.factor*x, y); t > 0 && s.distance(x, y) <= s.loose {
			w := 1 / (t * t)
			weights[i] = w
			n = n + w
			sx = sx + w*x
			sy = sy + w*y
			xx = xx + w*x*x
			xy = xy + w*x*y
		}
	}
	pure = s
	line = s
	pure.factor = xy / xx
	pure.offset = 0
	centerX := sx / n
	centerY := sy / n
	var above, below float64
	for i, w := range weights {
		dx := xs[i] - centerX
		above = above + w*dx*(ys[i]-centerY)
		below = below + w*dx*dx
	}
	line.factor = above / below
	line.offset = centerY - line.factor*centerX
	return pure, line
}
