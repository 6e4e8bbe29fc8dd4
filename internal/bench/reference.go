package bench

import (
	"fmt"
	"slices"
	"strings"
)

// reference holds the results of an operation by its definition: loops over logical indices, without a layout. It shares only value and
// weight with the operations.
type reference struct {
	sizes  [5]int    // of the results: N, C, D, H and W; 1 for missing dims
	values []float64 // row-major
}

// newReference computes the reference for a pattern and logical dims that newOp accepts.
func newReference(p Pattern, names []string, shape []int) reference {
	t := newLogical(names, shape)
	r, out := reference{sizes: [5]int{t.n.size, t.c.size, t.d.size, t.h.size, t.w.size}}, t.depthwise
	if p == Sum {
		r.sizes[1], out = 1, t.sum
	}
	for n := range r.sizes[0] {
		for c := range r.sizes[1] {
			for d := range r.sizes[2] {
				for h := range r.sizes[3] {
					for w := range r.sizes[4] {
						r.values = append(r.values, out(n, c, d, h, w))
					}
				}
			}
		}
	}
	return r
}

// at formats the index of result i, without dims of size 1: "[n=0 h=3 w=5]".
func (r reference) at(i int) string {
	var words []string
	for k, size := range slices.Backward(r.sizes[:]) {
		if size > 1 {
			words = append(words, fmt.Sprintf("%c=%d", "ncdhw"[k], i%size))
		}
		i /= size
	}
	slices.Reverse(words)
	return "[" + strings.Join(words, " ") + "]"
}

// logical is a tensor x with the values of data.go. A missing dim has size 1.
type logical struct{ n, c, d, h, w logicalDim }

// logicalDim is a dim of a row-major tensor.
type logicalDim struct{ size, stride int }

func newLogical(names []string, shape []int) logical {
	dim := func(name string) logicalDim {
		k := slices.Index(names, name)
		if k < 0 {
			return logicalDim{1, 0}
		}
		stride := 1
		for _, size := range shape[k+1:] {
			stride *= size
		}
		return logicalDim{shape[k], stride}
	}
	return logical{dim("N"), dim("C"), dim("D"), dim("H"), dim("W")}
}

// x returns the element at logical indices.
func (t *logical) x(n, c, d, h, w int) float64 {
	return float64(value(n*t.n.stride + c*t.c.stride + d*t.d.stride + h*t.h.stride + w*t.w.stride))
}

// sum returns Σ over c of x[n,c,d,h,w].
func (t *logical) sum(n, _, d, h, w int) float64 {
	sum := 0.0
	for c := range t.c.size {
		sum += t.x(n, c, d, h, w)
	}
	return sum
}

// depthwise returns Σ over i, j of weight[c,i,j] · x[n,c,d,h+i−1,w+j−1], with zero padding.
func (t *logical) depthwise(n, c, d, h, w int) float64 {
	sum := 0.0
	for y := max(0, h-1); y <= min(h+1, t.h.size-1); y++ {
		for x := max(0, w-1); x <= min(w+1, t.w.size-1); x++ {
			i, j := y-h+1, x-w+1
			sum += float64(weight(9*c+3*i+j)) * t.x(n, c, d, y, x)
		}
	}
	return sum
}
