package notation

import (
	"cmp"
	"slices"

	"github.com/tlayout/tlayout/internal/tensor"
)

// Of returns the memory order of a layout: its digits by falling stride. ok is false where the strides do not nest,
// so that no order of axes says where elements lie. Gaps between the axes do not matter.
func Of(l tensor.Layout) (f Format, ok bool) {
	type digit struct {
		Axis
		extent, stride int
	}
	var digits []digit
	for d := range l.Rank() {
		gs := l.Dim(d).Digits
		for k, g := range gs {
			a := digit{Axis{d, g.Div, g.Extent}, g.Extent, g.Stride}
			if k == len(gs)-1 {
				a.Extent = 0
			}
			digits = append(digits, a)
		}
	}
	slices.SortStableFunc(digits, func(a, b digit) int { return cmp.Compare(b.stride, a.stride) })
	f.names = l.Names()
	inner := 0
	for _, d := range slices.Backward(digits) {
		if d.extent > 1 && d.stride <= inner {
			return Format{}, false
		}
		inner += max(0, d.extent-1) * d.stride
	}
	for _, d := range digits {
		f.axes = append(f.axes, d.Axis)
	}
	return f.withoutUnits(), true
}
