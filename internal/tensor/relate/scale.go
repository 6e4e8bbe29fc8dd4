package relate

import (
	"math"
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
		s.absolute, s.loose = 0.52, 3 // rounded; or truncated, with another offset
	case size == 1:
		s.loose = 2
		s.relative, s.absolute = 1.0/16, math.Ldexp(1, -10)
		if strings.Contains(name, "e5m2") || strings.Contains(name, "e8m0") {
			s.relative = 1.0 / 8
		}
	case name == "bfloat16":
		s.relative, s.loose = math.Ldexp(1, -8), 4
	case size == 2:
		s.relative, s.absolute, s.loose = math.Ldexp(1, -10), math.Ldexp(1, -24), 8
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
	return math.Abs(term+s.offset-y) / (s.absolute + s.relative*max(math.Abs(term), math.Abs(y)))
}

// fit returns the scale that a share of the pairs agrees with; false if there is none, or fewer than four values show it. Lines through two
// pairs propose it, and the pairs near a line refine it.
func (s scale) fit(xs, ys []float64, share float64) (scale, bool) {
	enough := share * float64(len(xs))
	best, agree := s, 0
	try := func(c scale) {
		n := 0
		for i, x := range xs {
			if c.distance(x, ys[i]) <= 1 {
				n++
			}
		}
		if n > agree && c.factor != 0 && c.factor-c.factor == 0 && c.offset-c.offset == 0 {
			best, agree = c, n
		}
	}
	try(s)
	for k := 0; k+8 <= len(xs) && k < 64 && float64(agree) < enough; k += 8 {
		low, high := k, k
		for i := k; i < k+8; i++ {
			if xs[i] < xs[low] {
				low = i
			}
			if xs[i] > xs[high] {
				high = i
			}
		}
		c := s
		c.factor = (ys[high] - ys[low]) / (xs[high] - xs[low])
		c.offset = ys[low] - c.factor*xs[low]
		for _, i := range []int{low, high} {
			through := s
			through.factor = ys[i] / xs[i]
			try(through)
		}
		try(c)
		try(c.refined(xs, ys))
	}
	seen := map[float64]bool{}
	for i, x := range xs {
		if best.distance(x, ys[i]) <= 1 {
			seen[x] = true
		}
	}
	return best, len(seen) >= 4 && float64(agree) >= enough
}

// promising reports whether a line through two of eight pairs is near five of them.
func (s scale) promising(xs, ys []float64) bool {
	flat := true
	for k := 1; k < 8; k++ {
		c := s
		c.factor = (ys[k] - ys[k/2]) / (xs[k] - xs[k/2])
		c.offset = ys[k] - c.factor*xs[k]
		flat = flat && xs[k] == xs[0]
		if xs[k] != xs[k/2] && near(c, xs, ys) >= 5 {
			return true
		}
	}
	return flat
}

// near counts the pairs loosely near a scale.
func near(s scale, xs, ys []float64) (n int) {
	for i, x := range xs {
		if s.distance(x, ys[i]) <= s.loose {
			n++
		}
	}
	return n
}

// refined returns the line of least squares through the pairs loosely near.
func (s scale) refined(xs, ys []float64) scale {
	var n, sx, sy, sxx, sxy float64
	for i, x := range xs {
		if s.distance(x, ys[i]) <= s.loose {
			n, sx, sy = n+1, sx+x, sy+ys[i]
		}
	}
	mx, my := sx/n, sy/n
	for i, x := range xs {
		if s.distance(x, ys[i]) <= s.loose {
			sxx, sxy = sxx+(x-mx)*(x-mx), sxy+(x-mx)*(ys[i]-my)
		}
	}
	s.factor = sxy / sxx
	s.offset = my - s.factor*mx
	return s
}
