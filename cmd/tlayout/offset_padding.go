package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/tensor"
)

// offsetPadding says why no element lies at a place.
type offsetPadding struct {
	Kind  paddingKind `json:"kind"`
	Why   string      `json:"why"`
	Would []int       `json:"would_be"` // the coordinate that would lie there, were the sizes larger; null for none
}

// paddingKind is where padding lies.
type paddingKind string

const (
	padBefore  paddingKind = "before"  // the first element
	padAfter   paddingKind = "after"   // the last element
	padBetween paddingKind = "between" // two steps of a dim: behind a row, for one
	padBlock   paddingKind = "block"   // in a block that the dim's size does not fill
	padEmpty   paddingKind = "empty"   // a storage without any element
)

// newOffsetPadding explains an offset at which nothing lies.
func newOffsetPadding(l tensor.Layout, off int) *offsetPadding {
	low, high, ok := l.Span()
	r, divides := l.Divide(off)
	switch {
	case !ok:
		return &offsetPadding{Kind: padEmpty, Why: "for the tensor has no elements"}
	case off < low:
		return &offsetPadding{Kind: padBefore, Why: fmt.Sprintf("before the first element, which is at offset %d", low)}
	case divides && !pastFirst(l, r):
		return padded(l, r, off > high)
	case off > high:
		return &offsetPadding{Kind: padAfter, Why: fmt.Sprintf("after the last element, which is at offset %d", high)}
	}
	return &offsetPadding{Kind: padBetween, Why: "between elements: no coordinate leads there"}
}

// pastFirst reports whether the offset lies past all steps of the largest stride, so that its indices mean nothing.
func pastFirst(l tensor.Layout, r tensor.Reading) bool {
	return len(r.Steps) == 0 || overflows(l, r.Steps[0])
}

func overflows(l tensor.Layout, s tensor.Division) bool {
	return s.Value >= l.Dim(s.Dim).Digits[s.Digit].Extent
}

// padded tells from the divisions which index runs past its end, or that the smallest stride leaves something over.
func padded(l tensor.Layout, r tensor.Reading, last bool) *offsetPadding {
	if k := slices.IndexFunc(r.Steps, func(s tensor.Division) bool { return overflows(l, s) }); k > 0 {
		p := &offsetPadding{Kind: padBetween, Why: betweenSteps(l, r.Steps[k-1])}
		if last {
			p.Kind, p.Why = padAfter, "after the last element"
		}
		p.overflow(l, r, r.Steps[k])
		return p
	}
	if s := r.Steps[len(r.Steps)-1]; r.Rest != 0 {
		return &offsetPadding{Kind: padBetween, Why: fmt.Sprintf("%s: a step is %d elements, and %d is left over",
			betweenSteps(l, s), s.Stride, r.Rest)}
	}
	d := 0 // nothing else is left: an index is past its dim's size
	for r.Coord[d] < l.Dim(d).Size {
		d++
	}
	dim, i := l.Dim(d), r.Coord[d]
	return &offsetPadding{Kind: padBlock, Would: r.Coord, Why: fmt.Sprintf("in a block of %s: %s would be %s = %d, but %s is %d",
		dim.Name, digitValues(dim, i), strings.ToLower(dim.Name), i, dim.Name, dim.Size)}
}

// overflow says which digit runs past its end, and which coordinate that would be.
func (p *offsetPadding) overflow(l tensor.Layout, r tensor.Reading, s tensor.Division) {
	d := l.Dim(s.Dim)
	switch i := r.Coord[s.Dim]; {
	case s.Digit < len(d.Digits)-1:
		p.Why += fmt.Sprintf(": %s would be %d, but runs from 0 to %d", digitName(d, s.Digit), s.Value, d.Digits[s.Digit].Extent-1)
	case r.Rest != 0:
		p.Why += fmt.Sprintf(": it is past %s = %d, the last", strings.ToLower(d.Name), d.Size-1)
	default:
		p.Would = r.Coord
		p.Why += fmt.Sprintf(": %s would be %d, but %s is %d", strings.ToLower(d.Name), i, d.Name, d.Size)
	}
}

func betweenSteps(l tensor.Layout, outer tensor.Division) string {
	name := digitName(l.Dim(outer.Dim), outer.Digit)
	if name == "H" {
		return "between two rows"
	}
	return "between two steps of " + name
}

// digitValues lists the digits of an index: "C//4 = 0 and C%4 = 3".
func digitValues(d tensor.Dim, i int) string {
	var parts []string
	for k := len(d.Digits) - 1; k >= 0; k-- {
		parts = append(parts, fmt.Sprintf("%s = %d", digitName(d, k), digitOf(d, k, i)))
	}
	return strings.Join(parts, " and ")
}
