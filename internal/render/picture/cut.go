package picture

import (
	"math"
	"slices"
)

// cut chooses how many indices of each dim are shown, limit elements at most. The last two dims are rows and columns, the
// third from last is planes. need is how many indices of each dim a path needs.
//
// All dims begin with one index. Then counts grow as far as the limit allows: what the path needs, a plane of three by
// three, a second plane, whole planes if two of them fit, a third plane and a second index of each outer dim, larger
// planes, more of them, more of everything else.
//
//	(2,64,3,3), 256    2, 5, 3, 3: two images of planes 0…3 and 63
//	(8,64,56,56), 256  2, 3, 6, 6
func cut(shape []int, limit int, need []int) []int {
	c := &cutting{shape: shape, limit: limit, counts: make([]int, len(shape))}
	if limit == 0 || c.elements(shape) <= limit {
		return slices.Clone(shape)
	}
	for d := range c.counts {
		c.counts[d] = 1
	}
	for d, n := range slices.Backward(need) {
		c.raise(d, n)
	}
	c.first(len(shape) - 1)
	c.more(len(shape) - 1)
	for d, n := range c.counts {
		if n > 1 && n+1 == shape[d] {
			c.raise(d, shape[d]) // show the second index too if it fits
		}
	}
	return c.counts
}

type cutting struct {
	shape, counts []int
	limit         int
}

// first requests what a picture should show of dims 0…last.
func (c *cutting) first(last int) {
	c.raise(last, 3)
	c.raise(last-1, 3)
	c.raise(last-2, 2)
	c.raiseBoth(last-1, last, math.MaxInt)
	c.raise(last-2, 3)
	for d := last - 3; d >= 0; d-- {
		c.raise(d, 2)
	}
}

// more requests planes of up to a quarter of the limit, and a few more indices of outer dims.
func (c *cutting) more(last int) {
	for n := 4; 4*n*n <= c.limit && c.raiseBoth(last-1, last, n); n++ {
	}
	for d := last - 2; d >= 0; d-- {
		c.raise(d, max(2, c.limit/50))
	}
}

// elements returns the product of counts, at most limit+1.
func (c *cutting) elements(counts []int) int {
	n := 1
	for _, k := range counts {
		if k > 0 && n > c.limit/k {
			return c.limit + 1
		}
		n *= k
	}
	return n
}

// raise raises the count of a dim to n, as far as its size and the limit allow.
func (c *cutting) raise(d, n int) {
	if d < 0 {
		return
	}
	others := c.elements(c.counts) / c.counts[d]
	c.counts[d] = max(c.counts[d], min(n, c.shape[d], c.limit/others))
}

// raiseBoth raises the counts of two dims to n, as far as their sizes allow, or neither if that exceeds the limit.
func (c *cutting) raiseBoth(a, b, n int) bool {
	tried := slices.Clone(c.counts)
	for _, d := range []int{a, b} {
		if d >= 0 {
			tried[d] = max(tried[d], min(n, c.shape[d]))
		}
	}
	if c.elements(tried) > c.limit {
		return false
	}
	c.counts = tried
	return true
}

// pick is a shown index, or a number of skipped ones.
type pick struct{ index, skipped int }

// picks returns the first count−1 indices of a dim and the last one, with the skipped ones between; for a count of 1, the first.
func picks(size, count int) []pick {
	out := make([]pick, 0, count+1)
	for i := range count {
		if i == count-1 && i > 0 {
			if size > count {
				out = append(out, pick{skipped: size - count})
			}
			i = size - 1
		}
		out = append(out, pick{index: i})
	}
	if count == 1 && size > 1 {
		out = append(out, pick{skipped: size - 1})
	}
	return out
}
