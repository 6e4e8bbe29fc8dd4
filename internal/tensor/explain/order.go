package explain

import (
	"cmp"
	"math"
	"slices"

	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// Logical lists the axes of a layout in logical order of the dims, the most significant digit of each first. Where one
// stride a dim says it all, a dim has one axis.
//
// Post: Layout.At(i) = Layout.Offset + Σ (value of the axis for i) · Stride.
func Logical(l tensor.Layout) []Axis {
	var axes []Axis
	s, plain := l.Strided()
	for d := range l.Rank() {
		if plain {
			digit := tensor.Digit{Div: 1, Extent: s.Shape[d], Stride: s.Strides[d]}
			axes = append(axes, Axis{d, l.Dim(d).Name, true, digit})
			continue
		}
		for k := range slices.Backward(l.Dim(d).Digits) {
			axes = append(axes, digitAxis(l, d, k))
		}
	}
	return axes
}

// InMemory lists the same axes from the outermost to the innermost: in the order of the layout's format; by falling stride
// where it is nil, or has blocks of which one stride a dim says as much. Then an axis that does not move the address lies
// outside of all others.
func InMemory(l tensor.Layout, f *notation.Format) []Axis {
	axes := Logical(l)
	_, plain := l.Strided()
	if f == nil || plain && !f.Plain() {
		slices.SortStableFunc(axes, func(a, b Axis) int { return cmp.Compare(b.reach(), a.reach()) })
		return axes
	}
	rank := func(a Axis) int {
		return slices.IndexFunc(f.Axes(), func(b notation.Axis) bool { return a.Dim == b.Dim && a.Div == b.Div })
	}
	slices.SortStableFunc(axes, func(a, b Axis) int { return cmp.Compare(rank(a), rank(b)) })
	return axes
}

// Axes lists the axes of a format, outermost first, with the extents and strides of its layout. Where that is nil, strides
// are 0, and so are the extents that sizes would tell.
func Axes(f notation.Format, l *tensor.Layout) []Axis {
	axes := make([]Axis, len(f.Axes()))
	for i, a := range f.Axes() {
		g := tensor.Digit{Div: a.Div, Extent: a.Extent}
		if l != nil {
			g = axisDigit(l.Dim(a.Dim).Digits, a)
		}
		axes[i] = Axis{a.Dim, f.Names()[a.Dim], a.Extent == 0, g}
	}
	return axes
}

// axisDigit is the digit that an axis counts.
func axisDigit(digits []tensor.Digit, a notation.Axis) tensor.Digit {
	if a.Extent == 0 {
		return digits[len(digits)-1]
	}
	return digits[slices.IndexFunc(digits, func(g tensor.Digit) bool { return g.Div == a.Div && g.Extent == a.Extent })]
}

// digitAxis is digit k of dim d.
func digitAxis(l tensor.Layout, d, k int) Axis {
	dim := l.Dim(d)
	return Axis{d, dim.Name, k == len(dim.Digits)-1, dim.Digits[k]}
}

// reach orders axes of which no order is known.
func (a Axis) reach() int {
	if a.Stride == 0 {
		return math.MaxInt
	}
	return absolute(a.Stride)
}

func absolute(n int) int { return max(n, -n) }
