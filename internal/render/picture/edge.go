package picture

import (
	"cmp"
	"slices"

	"github.com/tlayout/tlayout/internal/tensor"
)

// Edges tells how many axes of a layout's memory order start over at a storage offset, in elements: 0 within a run of the
// innermost one, 1 where that one begins again, which is where a block does, 2 and more further out. Before the first
// element and in an empty tensor it is 0.
//
//	nchw4 of (2,64,3,3): strides 1, 4, 12, 36, 576    0 at 3, 1 at 4, 2 at 12, 3 at 36, 4 at 576, 5 at 0
//
// The distance from the first address in use is divided by the strides, the largest first. Where nothing is left over
// after one of them, all axes inside it are at their beginning. Axes that do not move the address have no part in this,
// nor have those whose steps fall among those of the axes inside.
func Edges(l tensor.Layout) func(offset int) int {
	low, _, ok := l.Span()
	strides := nestedStrides(l)
	return func(offset int) int {
		rest := offset - low
		if !ok || rest < 0 {
			return 0
		}
		k := len(strides)
		for ; k > 0 && rest > 0; k-- {
			rest %= strides[k-1]
		}
		if rest > 0 {
			return 0
		}
		return k
	}
}

// nestedStrides lists, by rising size, the strides that lead past everything that smaller ones reach.
func nestedStrides(l tensor.Layout) []int {
	var digits []tensor.Digit // a block that only padding fills is one too
	for d := range l.Rank() {
		digits = append(digits, l.Dim(d).Digits...)
	}
	digits = slices.DeleteFunc(digits, func(g tensor.Digit) bool { return g.Extent < 2 || g.Stride == 0 })
	slices.SortFunc(digits, func(a, b tensor.Digit) int { return cmp.Compare(absolute(a.Stride), absolute(b.Stride)) })
	var strides []int
	reach := 0
	for _, g := range digits {
		if s := absolute(g.Stride); s > reach {
			strides = append(strides, s)
		}
		reach += (g.Extent - 1) * absolute(g.Stride)
	}
	return strides
}

func absolute(n int) int { return max(n, -n) }
