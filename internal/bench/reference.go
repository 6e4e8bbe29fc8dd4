package bench

import (
	"fmt"
	"slices"
	"strings"
)

// reference is the results of an operation by its definition: loops over logical indices, without a layout. It shares
// value and weight with the operations, and nothing else.
type reference struct {
	sizes  [6]int    // N, C, D, H, W, and K of the results at one place; 1 for those that the results do not have
	values []float64 // row by row
}

// newReference takes a pattern and dims that newOp accepts; names and shape are the tensor's logical ones.
func newReference(p Pattern, names []string, shape []int) reference {
	t := newLogical(names, shape)
	n, c, d, h, w := t.n.size, t.c.size, t.d.size, t.h.size, t.w.size
	switch p {
	case Sum:
		return define(t.sum, n, 1, d, h, w, 1)
	case ArgMax:
		return define(t.argMax, n, 1, d, h, w, 1)
	case Conv1x1:
		return define(t.conv1x1, n, 1, d, h, w, Filters)
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

// at says where result i is, without dims of size 1: "[n=0 h=3 w=5]".
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
