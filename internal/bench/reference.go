package bench

import (
	"fmt"
	"slices"
	"strings"
)

// reference is the results of an operation by its definition: loops over logical indices, without a layout. It shares only
// value and weight with the operations.
type reference struct {
	sizes  [6]int    // of the results: N, C, D, H, W, and K per pixel; 1 for missing dims
	values []float64 // row-major
}

// newReference takes a pattern and logical dims that newOp accepts.
func newReference(p Pattern, names []string, shape []int) reference {
	t := newLogical(names, shape)
	n, c, d, h, w := t.n.size, t.c.size, t.d.size, t.h.size, t.w.size
	switch p {
	case Sum:
		return define(t.sum, n, 1, d, h, w, 1)
	case ArgMax:
		return define(t.argMax, n, 1, d, h, w, 1)
	case Conv1x1:
		return define(t.conv1x1, n, 1, d, h, w, filters)
	case MeanVar:
		return define(t.meanVar, 1, c, 1, 1, 1, 2)
	case MaxPool:
		return define(t.maxPool, n, c, d, h/2, w/2, 1)
	case Depthwise:
		return define(t.depthwise, n, c, d, h, w, 1)
	}
	panic("bench: " + string(p) + " has no definition")
}

// define lists out[n,c,d,h,w,k] for all indices below sizes.
func define(out func(n, c, d, h, w, k int) float64, sizes ...int) reference {
	r := reference{sizes: [6]int(sizes)}
	for n := range sizes[0] {
		for c := range sizes[1] {
			for d := range sizes[2] {
				for h := range sizes[3] {
					for w := range sizes[4] {
						for k := range sizes[5] {
							r.values = append(r.values, out(n, c, d, h, w, k))
						}
					}
				}
			}
		}
	}
	return r
}

// at is the index of result i, without dims of size 1: "[n=0 h=3 w=5]".
func (r reference) at(i int) string {
	var words []string
	for k, size := range slices.Backward(r.sizes[:]) {
		if size > 1 {
			words = append(words, fmt.Sprintf("%c=%d", "ncdhwk"[k], i%size))
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

// x is the element at logical indices.
func (t *logical) x(n, c, d, h, w int) float64 {
	return float64(value(n*t.n.stride + c*t.c.stride + d*t.d.stride + h*t.h.stride + w*t.w.stride))
}

// sum: Σ over c of x[n,c,d,h,w].
func (t *logical) sum(n, _, d, h, w, _ int) float64 {
	sum := 0.0
	for c := range t.c.size {
		sum += t.x(n, c, d, h, w)
	}
	return sum
}

// argMax: the first c with the maximum x[n,c,d,h,w].
func (t *logical) argMax(n, _, d, h, w, _ int) float64 {
	first := 0
	for c := range t.c.size {
		if t.x(n, c, d, h, w) > t.x(n, first, d, h, w) {
			first = c
		}
	}
	return float64(first)
}

// conv1x1: Σ over c of weight[k,c] · x[n,c,d,h,w].
func (t *logical) conv1x1(n, _, d, h, w, k int) float64 {
	sum := 0.0
	for c := range t.c.size {
		sum += float64(weight(k*t.c.size+c)) * t.x(n, c, d, h, w)
	}
	return sum
}

// meanVar: E[x[n,c,d,h,w]] over n, d, h and w for k = 0, E[x²] − E[x]² for k = 1.
func (t *logical) meanVar(_, c, _, _, _, k int) float64 {
	sum, squares := 0.0, 0.0
	for n := range t.n.size {
		for d := range t.d.size {
			for h := range t.h.size {
				for w := range t.w.size {
					x := t.x(n, c, d, h, w)
					sum += x
					squares += x * x
				}
			}
		}
	}
	count := float64(t.n.size * t.d.size * t.h.size * t.w.size)
	mean := sum / count
	if k == 0 {
		return mean
	}
	square := float64(mean * mean) // rounded, not fused with the subtraction
	return squares/count - square
}

// maxPool: the maximum of x[n,c,d,2h…2h+1,2w…2w+1].
func (t *logical) maxPool(n, c, d, h, w, _ int) float64 {
	return max(t.x(n, c, d, 2*h, 2*w), t.x(n, c, d, 2*h, 2*w+1), t.x(n, c, d, 2*h+1, 2*w), t.x(n, c, d, 2*h+1, 2*w+1))
}

// depthwise: Σ over i, j of weight[c,i,j] · x[n,c,d,h+i−1,w+j−1], with zero padding.
func (t *logical) depthwise(n, c, d, h, w, _ int) float64 {
	sum := 0.0
	for y := max(0, h-1); y <= min(h+1, t.h.size-1); y++ {
		for x := max(0, w-1); x <= min(w+1, t.w.size-1); x++ {
			i, j := y-h+1, x-w+1
			sum += float64(weight(9*c+3*i+j)) * t.x(n, c, d, y, x)
		}
	}
	return sum
}
