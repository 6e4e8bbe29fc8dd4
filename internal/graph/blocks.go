package graph

import (
	"slices"

	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/tensor"
)

// Merged returns a layout without blocks that are next to each other in memory, and without those of dims of size 1: TensorRT's NHWC8 is NHWC
// with padding.
func Merged(l tensor.Layout) tensor.Layout {
	dims := make([]tensor.Dim, l.Rank())
	for d := range dims {
		dims[d] = mergedDim(l.Dim(d))
	}
	m, err := l.With(dims, l.Offset(), l.Alloc())
	if err != nil {
		return l
	}
	return m
}

// mergedDim returns a dim in which each digit that begins where the one before ends is part of it; of size 1, it has one digit.
func mergedDim(dim tensor.Dim) tensor.Dim {
	digits := slices.Clone(dim.Digits[:1])
	for _, g := range dim.Digits[1:] {
		last := &digits[len(digits)-1]
		end, fits := tensor.Mul(last.Stride, last.Extent)
		if fits && g.Stride == end {
			digits[len(digits)-1] = tensor.Digit{Div: last.Div, Extent: last.Extent * g.Extent, Stride: last.Stride}
			continue
		}
		digits = append(digits, g)
	}
	if dim.Size <= 1 {
		digits = digits[:1]
	}
	last := &digits[len(digits)-1]
	last.Extent = ints.CeilDiv(dim.Size, last.Div)
	return tensor.Dim{Name: dim.Name, Size: dim.Size, Digits: digits}
}
