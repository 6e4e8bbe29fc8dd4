package notation

import (
	"cmp"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/text"
)

// HasFormat reports whether a layout is an order of named dims, Format.
func (l Layout) HasFormat() bool { return l.Own == NotOwn && l.Exact == nil && l.Sized == nil }

// CountsBytes reports whether the layout is another one for elements of other sizes, of which Format is that of two bytes.
func (l Layout) CountsBytes() bool { return l.inBytes != nil }

// For returns the layout for a tensor of these sizes, which a layout of shared memory needs, and elements of this many bits: as ForRank and
// ForElements, and Exact in place of Sized.
func (l Layout) For(sizes []int, bits int) (Layout, error) {
	if l.Sized == nil {
		l, err := l.ForElements(bits)
		return l.ForRank(len(sizes)), err
	}
	exact, err := l.Sized(sizes)
	return Layout{Exact: &exact}, err
}

// Holds returns the error for elements of another type than those of the printed type that the layout is from.
func (l *Layout) Holds(element string) error {
	if l == nil || l.Element == "" || l.Element == element {
		return nil
	}
	return fault.New(fault.Usage, "the type's elements are %s, not %s", l.Element, element).WithHint("remove --dtype, or write a layout without a type")
}

// NeedsSizes returns the error for a layout of shared memory without the sizes of its tensor; nil for other layouts.
func (l *Layout) NeedsSizes() error {
	if l == nil || l.Sized == nil {
		return nil
	}
	if l.Lacks != nil {
		return l.Lacks
	}
	return fault.New(fault.Usage, "a layout of shared memory takes its sizes from --shape").
		WithHint("add --shape %s --dtype float16", cmp.Or(text.Ints(l.Shape, ","), "8,64"))
}
