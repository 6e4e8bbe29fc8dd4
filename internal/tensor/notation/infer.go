package notation

import (
	"cmp"
	"slices"

	"github.com/tlayout/tlayout/internal/tensor"
)

// Agrees reports whether the layout's digits lie in the format's order, gaps allowed: each axis steps over all that the
// axes after it reach, and every digit that moves the address is one of the axes.
func (f Format) Agrees(l tensor.Layout) bool {
	moving := 0
	for d := range l.Rank() {
		for _, g := range l.Dim(d).Digits {
			if g.Extent > 1 && g.Stride != 0 {
				moving++
			}
		}
	}
	inner := 0
	for _, a := range slices.Backward(f.axes) {
		at := slices.IndexFunc(l.Dim(a.Dim).Digits, func(g tensor.Digit) bool {
			return g.Div == a.Div && g.Extent > 1 && g.Stride != 0 && (a.Extent == 0 || a.Extent == g.Extent)
		})
		if at < 0 {
			continue
		}
		g := l.Dim(a.Dim).Digits[at]
		if g.Stride <= inner {
			return false
		}
		inner += (g.Extent - 1) * g.Stride
		moving--
	}
	return moving == 0
}

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
	return f.WithoutUnits(), true
}
