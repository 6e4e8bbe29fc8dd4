package relate

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/ints"
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
	s := roundingOf(t)
	s.factor = 1
	return &s
}

// roundingOf returns the tolerances of a type: half a unit of the last place, and of the last place of the smallest numbers; more of float16 and
// wider types, whose factors and products may have been rounded, too. The line through two pairs of rounded numbers is off by a multiple of
// that: by more, the more digits the others have.
func roundingOf(t dtype.Type) scale {
	if t.Kind() != dtype.Float {
		return scale{absolute: 0.52, loose: 3} // rounded; or truncated, with another offset
	}
	name := t.String()
	switch t.ItemSize() {
	case 1:
		if strings.Contains(name, "e5m2") || strings.Contains(name, "e8m0") {
			return scale{relative: 1.0 / 8, absolute: math.Ldexp(1, -10), loose: 2}
		}
		return scale{relative: 1.0 / 16, absolute: math.Ldexp(1, -10), loose: 2}
	case 2:
		if name == "bfloat16" {
			return scale{relative: math.Ldexp(1, -8), loose: 4}
		}
		return scale{relative: math.Ldexp(1, -10), absolute: math.Ldexp(1, -24), loose: 8}
	}
	return scale{relative: math.Ldexp(1, -21), loose: 64}
}

// Rounding returns how far numbers may be from those that were rounded to a type.
func Rounding(t dtype.Type) Near {
	s := roundingOf(t)
	return Near{RTol: s.relative, ATol: s.absolute}
}

// near reports whether the words of two numbers agree. Infinities and NaN agree with themselves.
func (s *scale) near(a, b uint64) bool {
	x, y := math.Float64frombits(a), math.Float64frombits(b)
	if !isFinite(x) || !isFinite(y) {
		return a == b
	}
	return s.distance(x, y) <= 1
}

func isFinite(x float64) bool { return x-x == 0 }

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

// maxLines bounds the pairs through which lines are tried. Where minNearFirst of the pairs are near one, two of them are in 36 of 100 lines.
const maxLines = 64

// fit returns the scale that most pairs are near, at most so many tolerances away, if they are a share of all. Lines through two pairs propose
// it, and the pairs loosely near a line refine it.
func (s scale) fit(xs, ys []float64, share, tolerances float64) (best scale, ok bool) {
	enough := int(math.Ceil(share * float64(len(xs))))
	highest := 0
	try := func(c scale) {
		if n := c.agreeing(xs, ys, tolerances); n > highest && c.factor != 0 {
			best = c
			highest = n
		}
	}
	try(s)
	for k := 1; k < min(len(xs), maxLines) && highest < enough; k++ {
		if c := s.through(xs, ys, k/2, k); c.agreeing(xs, ys, s.loose) >= enough {
			pure, line := c.refined(xs, ys)
			_, again := line.refined(xs, ys)
			for _, x := range []scale{pure, c, line, again} {
				try(x)
			}
		}
	}
	for _, round := range best.rounded(xs, ys) {
		if round.agreeing(xs, ys, tolerances) >= highest {
			return round, highest >= enough
		}
	}
	return best, highest >= enough
}

// rounded returns lines of fewer digits near a line, those that people write first: +1, and a factor and an offset of one to six digits.
func (s scale) rounded(xs, ys []float64) []scale {
	isIdentity := s.factor == 1 && s.offset == 0
	if len(xs) == 0 || s.factor == 0 || isIdentity {
		return nil
	}
	sum := s
	sum.factor = 1
	addends := make([]float64, len(xs))
	for i, x := range xs {
		addends[i] = ys[i] - x
	}
	slices.Sort(addends)
	sum.offset = inDigits(addends[len(addends)/2], maxDigits)
	all := []scale{sum}
	for digits := 1; digits <= maxDigits; digits++ {
		product := s
		product.factor = inDigits(s.factor, digits)
		product.offset = 0
		line := s
		line.factor = inDigits(s.factor, digits)
		line.offset = inDigits(s.offset, digits)
		all = append(all, product, line)
	}
	return all
}

// maxDigits is the number of digits of a factor that people write.
const maxDigits = 6

// inDigits rounds a number to so many decimal digits.
func inDigits(x float64, digits int) float64 {
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'e', digits-1, 64), 64)
	return rounded
}

// levels counts the values of b that agree and can be told apart: each is farther than its tolerance from the one below.
func (s *scale) levels(xs, ys []float64) (n int) {
	last := math.Inf(-1)
	rising := slices.DeleteFunc(ints.Range(len(ys)), func(i int) bool { return s.distance(xs[i], ys[i]) > 1 })
	slices.SortFunc(rising, func(i, k int) int { return cmp.Compare(ys[i], ys[k]) })
	for _, i := range rising {
		if y := ys[i]; y-last > s.tolerance(s.factor*xs[i], y) {
			n++
			last = y
		}
	}
	return n
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
