package axes

import (
	"math"
	"math/rand/v2"
)

// Roughness says whether neighbors along an axis are more alike than any two elements of a line, whose other indices are the same:
//
//	d(i, j) = mean |x[i] − x[j]| over sampled lines
//	Ratio   = mean over i of d(i, i+1) / mean over i ≠ j of d(i, j)
//
// If the order of the indices means nothing, as of channels and noise, Ratio is near 1, and no smaller than that of shuffled indices.
type Roughness struct {
	Size  int     // of the axis
	Ratio float64 // NaN if the elements of no line differ
	Low   float64 // the smallest ratio of shuffled indices
}

// Bounds of roughness. They lie between the axes of images and activations, and those of weights, embeddings, tokens and noise (images_test.go):
// of 21,600 in 18 orders, none was given a wrong one.
const (
	MaxSmooth = 0.7
	MaxOfLow  = 0.85 // smooth: at most so much of Low too, because few indices can be in order by chance
	MinRough  = 0.8  // rough: a ratio between these says nothing
	MinSmooth = 8    // size: filters of 7 and less are smooth too

	window   = 16  // indices of an axis that are compared
	rounds   = 5   // each reads up to window rows along every axis but the innermost: at most 240, of 1 MiB in pages
	shuffles = 500 // for Low
)

// Smooth reports whether the values show an order of the axis, as of H and W.
func (r Roughness) Smooth() bool {
	return r.Size >= MinSmooth && r.Ratio <= MaxSmooth && r.Ratio <= MaxOfLow*r.Low
}

// Rough reports whether they show none, or the axis is too short for H or W.
func (r Roughness) Rough() bool {
	return r.Size < MinSmooth || r.Ratio >= MinRough && r.Ratio >= r.Low
}

// ramp reports whether the elements of each line have equal steps, as those of np.arange: mean |i − j| is (n+1)/3.
func (r Roughness) ramp() bool { return r.Ratio*float64(min(r.Size, window)+1) < 3.01 || r.Size == 1 }

// Reader fills row with an array's elements from start on along one axis, and returns false to end a sample.
type Reader func(start []int, row []float64) bool

// roughnesses samples an array that is not empty, the same in each run. read reads along the axis inner.
func roughnesses(shape []int, inner int, read Reader) []Roughness {
	rng := rand.New(rand.NewPCG(1, 2))
	start := make([]int, len(shape))
	sums := make([]square, len(shape))
	length := min(shape[inner], window)
	sample := func(axis int) bool {
		var rows, columns square
		n := min(shape[axis], window)
		for d, size := range shape {
			start[d] = rng.IntN(size)
		}
		start[axis], start[inner] = rng.IntN(shape[axis]-n+1), rng.IntN(shape[inner]-length+1)
		for i := range n {
			if !read(start, rows[i][:length]) {
				return false
			}
			start[axis]++
			for k, x := range rows[i] {
				columns[k][i] = x
			}
		}
		sums[axis].add(&rows, n, length)
		sums[inner].add(&columns, length, n)
		return true
	}
	for k := range rounds * len(shape) {
		if axis := k % len(shape); axis != inner && !sample(axis) {
			break
		}
	}
	axes := make([]Roughness, len(shape))
	for d, size := range shape {
		axes[d].Size = size
		axes[d].Ratio, axes[d].Low = sums[d].ratios(min(size, window), rng)
	}
	return axes
}

// square has an element for each pair of indices; as a sum, Σ |x[i] − x[j]| over lines.
type square [window][window]float64

// add adds the columns of x, lines of n indices. NaN and infinities do not count.
func (s *square) add(x *square, n, lines int) {
	for i := range n {
		for j := range n {
			for k := range lines {
				if d := math.Abs(x[i][k] - x[j][k]); d <= math.MaxFloat64 {
					s[i][j] += d
				}
			}
		}
	}
}

// ratios returns Ratio and Low of n indices.
func (s *square) ratios(n int, rng *rand.Rand) (ratio, low float64) {
	total := 0.0
	order := make([]int, n)
	for i := range order {
		order[i] = i
		for j := range order {
			total += s[i][j]
		}
	}
	along := func() (steps float64) { // n-1 of n(n-1) pairs
		for i := range n - 1 {
			steps += s[order[i]][order[i+1]]
		}
		return steps * float64(n) / total
	}
	ratio = along()
	low = math.Inf(1)
	for range shuffles {
		rng.Shuffle(n, func(i, j int) { order[i], order[j] = order[j], order[i] })
		low = min(low, along())
	}
	return ratio, low
}
