package relate

import (
	"math"
	"slices"
	"strconv"
)

// Numbers of another engine are near, and how near is not known. A noisy lens measures it for each nest that is tried: along the line
// b = factor·a + offset that fits best, nine of ten pairs of a sample are at most level away, relative to
//
//	mean |b| + max(|factor·a|, |b|)
//
// so that neither the noise of an accumulator, which small numbers have too, nor rounding, which is relative, hides the other. Twice the level
// is the tolerance of the lens, by which chance is measured and elements are counted as under any other lens.
const (
	levelShare  = 0.9
	levelWithin = 2

	// minNoisy is the number of pairs that show a level.
	minNoisy = 16
	// maxNoisyChance is the share of shuffled pairs that may be within the tolerance; the correlation is then 0.99. Fewer pairs show
	// a level less exactly: after 12 and 48 of the sample, more may be.
	maxNoisyChance       = 0.25
	maxNoisyChanceOf12   = 0.8
	maxNoisyChanceOf48   = 0.6
	noisierWithout       = 1.5 // a factor, and then an offset, is one if the level without it is so much larger
	maxRivalLevel        = 2   // levels of other maps that explain as much, compared with the best one's
	toleranceOfChanged   = 4   // an element farther away, in tolerances, is another one
	shareOfRefittedPairs = 0.8
)

// Tolerance is how far numbers of B are from those of A, if they are near and not equal.
type Tolerance struct {
	Relative float64 `json:"relative_error"` // ‖b − a‖ / ‖b‖, of all elements but those that were changed; a with factor and addend
	MaxAbs   float64 `json:"largest_diff"`   // of an element
	Coord    []int   `json:"largest_at"`     // its coordinate in a
}

// Percent returns the relative error as text.
func (t *Tolerance) Percent() string { return strconv.FormatFloat(100*t.Relative, 'g', 2, 64) + " %" }

// Near accepts numbers with |b − a| ≤ ATol + RTol·|b|.
type Near struct{ RTol, ATol float64 }

// distances are how far elements of B are from those of A, under a noisy lens.
type distances struct {
	changed       int     // elements that are beyond the bound, or are not finite in one tensor alone
	squares, norm float64 // Σ (b − a)², Σ b²
	largest       float64
	largestAt     int // element of A that is farthest
}

func (e *distances) add(o distances) {
	e.changed += o.changed
	e.squares += o.squares
	e.norm += o.norm
	if o.largest > e.largest {
		e.largest = o.largest
		e.largestAt = o.largestAt
	}
}

// estimate returns the line that pairs are near, with the tolerance that they show, at least that of s, which is b's rounding.
func (s scale) estimate(xs, ys []float64) scale {
	mean := 0.0
	for _, y := range ys {
		mean += math.Abs(y) / float64(len(ys))
	}
	best := s.withLevel(1, 0, mean, xs, ys)
	for _, offset := range []bool{false, true} {
		line := s.leastSquares(xs, ys, offset)
		line = s.withLevel(line.factor, line.offset, mean, xs, ys)
		nearX, nearY := line.nearest(xs, ys)
		again := s.leastSquares(nearX, nearY, offset)
		again = s.withLevel(again.factor, again.offset, mean, xs, ys)
		if again.relative < line.relative {
			line = again
		}
		if noisierWithout*line.relative < best.relative {
			best = line
		}
	}
	best.relative = max(best.relative, s.relative)
	best.absolute = max(best.relative*mean, s.absolute)
	best.loose = 1
	return best
}

// withLevel returns a line with twice the level of the pairs.
func (s scale) withLevel(factor, offset, mean float64, xs, ys []float64) scale {
	distances := make([]float64, len(xs))
	for i, x := range xs {
		y := ys[i]
		distances[i] = math.Abs(factor*x+offset-y) / (mean + max(math.Abs(factor*x), math.Abs(y)))
	}
	slices.Sort(distances)
	level := distances[int(levelShare*float64(len(xs)-1))]
	if math.IsNaN(level) || factor == 0 {
		level = math.Inf(1)
	}
	s.factor = factor
	s.offset = offset
	s.relative = levelWithin * level
	s.absolute = levelWithin * level * mean
	return s
}

// leastSquares returns the line of least squares, through 0 or with an offset.
func (s scale) leastSquares(xs, ys []float64, offset bool) scale {
	var sx, sy, xx, xy float64
	n := float64(len(xs))
	for i, x := range xs {
		sx = sx + x
		sy = sy + ys[i]
		xx = xx + x*x
		xy = xy + x*ys[i]
	}
	if !offset {
		s.factor = xy / xx
		s.offset = 0
		return s
	}
	s.factor = (xy - sx*sy/n) / (xx - sx*sx/n)
	s.offset = (sy - s.factor*sx) / n
	return s
}

// nearest returns the pairs that are nearest to the line, most of them.
func (s *scale) nearest(xs, ys []float64) (nearX, nearY []float64) {
	distances := make([]float64, len(xs))
	for i, x := range xs {
		distances[i] = s.distance(x, ys[i])
	}
	bound := slices.Sorted(slices.Values(distances))[int(shareOfRefittedPairs*float64(len(xs)-1))]
	for i, x := range xs {
		if distances[i] <= bound {
			nearX = append(nearX, x)
			nearY = append(nearY, ys[i])
		}
	}
	return nearX, nearY
}

// shuffledChance returns the share of pairs within the tolerance if each a is paired with another one's b: of pairs without a zero, which may
// be most of an activation.
func (s *scale) shuffledChance(xs, ys []float64) float64 {
	n := len(xs)
	agreeing := 0.0
	shuffled := 0.0
	for _, by := range []int{n/2 + 1, n/3 + 1} {
		for i, x := range xs {
			if x == 0 || ys[i] == 0 {
				continue
			}
			shuffled++
			if s.distance(x, ys[(i+by)%n]) <= 1 {
				agreeing++
			}
		}
	}
	return agreeing / shuffled
}

// nears is holds under a noisy lens: it sets the line and its tolerance.
func (s *search) nears(f *found) bool {
	var xs, ys []float64
	for _, j := range s.positions {
		x, y, finite := s.pair(f, j)
		if !finite {
			continue
		}
		xs = append(xs, x)
		ys = append(ys, y)
		limit := 1.0
		switch len(xs) {
		case 12:
			limit = maxNoisyChanceOf12
		case 48:
			limit = maxNoisyChanceOf48
		}
		if limit < 1 && !s.within(xs, ys, limit) {
			return false
		}
	}
	if len(xs) < minNoisy || !s.within(xs, ys, maxNoisyChance) {
		return false
	}
	line := s.scale.estimate(xs, ys)
	f.scale = &line
	return line.levels(xs, ys) >= minDifferent
}

// within reports whether the tolerance that pairs show has at most a share of shuffled pairs.
func (s *search) within(xs, ys []float64, share float64) bool {
	if !s.options.Budget.Take(16 * len(xs)) {
		return false
	}
	line := s.scale.estimate(xs, ys)
	return line.shuffledChance(xs, ys) <= share
}

// measure adds up the distances of a run's elements, and returns how many are beyond the tolerance.
func (l *lens) measure(r run, sum *distances) (wrong int) {
	for j, i := r.from, r.offset; j < r.to; j, i = j+1, i+r.step {
		wordA := l.a.at(i)
		wordB := l.b.at(j)
		x, y := math.Float64frombits(wordA), math.Float64frombits(wordB)
		if !isFinite(x) || !isFinite(y) {
			if wordA != wordB {
				wrong++
				sum.changed++
			}
			continue
		}
		distance := math.Abs(l.scale.factor*x + l.scale.offset - y)
		tolerance := l.scale.tolerance(l.scale.factor*x, y)
		if distance > tolerance {
			wrong++
		}
		if distance > l.bound.orElse(toleranceOfChanged*tolerance, y) {
			sum.changed++
		}
		if distance > toleranceOfChanged*tolerance { // another element
			continue
		}
		sum.squares += distance * distance
		sum.norm += y * y
		if distance > sum.largest {
			sum.largest = distance
			sum.largestAt = i
		}
	}
	return wrong
}

// orElse returns how far b may be from a: by the bound, or without one, a distance.
func (n *Near) orElse(distance, b float64) float64 {
	if n == nil {
		return distance
	}
	return n.ATol + n.RTol*math.Abs(b)
}

// level returns how near the numbers of a noisy lens are; 0 of other lenses.
func (f *found) level() float64 {
	if !f.noisy {
		return 0
	}
	return f.scale.relative
}
