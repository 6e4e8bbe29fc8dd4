package explain

import (
	"slices"

	"github.com/tlayout/tlayout/internal/tensor"
)

// Padding is why no element lies at an offset.
type Padding struct {
	Kind   PaddingKind
	Offset int
	Edge   int    // before and after: the offset of the first or the last element
	Outer  *Axis  // between: the offset lies between two steps of this axis; nil where none is known
	Over   *Term  // the digit that would run past its end; nil where none would. Of is its index of the dim
	Size   int    // of the dim that Over belongs to
	Rest   int    // what the smallest stride leaves over
	Would  []int  // the coordinate that would lie there, were the sizes larger; nil for none
	Split  []Term // block: the digits of the index that is past its dim's size
}

// PaddingKind is where padding lies.
type PaddingKind string

const (
	PadBefore  PaddingKind = "before"  // the first element
	PadAfter   PaddingKind = "after"   // the last element
	PadBetween PaddingKind = "between" // two steps of a dim: behind a row, for one
	PadBlock   PaddingKind = "block"   // in a block that the dim's size does not fill
	PadEmpty   PaddingKind = "empty"   // a storage without any element
)

// NewPadding explains an offset at which no element lies.
//
// Post: where Would is set, the layout's sum over its digits without regard to sizes is off, and a size is too small.
func NewPadding(l tensor.Layout, off int) Padding {
	low, high, ok := l.Span()
	r, divides := l.Divide(off)
	p := Padding{Kind: PadBetween, Offset: off, Rest: r.Rest}
	switch {
	case !ok:
		p.Kind = PadEmpty
	case off < low:
		p.Kind, p.Edge = PadBefore, low
	case divides && !pastFirst(l, r):
		p.divide(l, r, high)
	case off > high:
		p.Kind, p.Edge = PadAfter, high
	}
	return p
}

// pastFirst reports whether the offset lies past all steps of the largest stride, so that its indices mean nothing.
func pastFirst(l tensor.Layout, r tensor.Reading) bool {
	return len(r.Steps) == 0 || overflows(l, r.Steps[0])
}

func overflows(l tensor.Layout, s tensor.DivStep) bool {
	return s.Value >= l.Dim(s.Dim).Digits[s.Digit].Extent
}

// divide tells from the divisions which digit runs past its end, or that the smallest stride leaves something over.
func (p *Padding) divide(l tensor.Layout, r tensor.Reading, high int) {
	k := slices.IndexFunc(r.Steps, func(s tensor.DivStep) bool { return overflows(l, s) })
	switch {
	case k > 0:
		p.Outer = stepAxis(l, r.Steps[k-1])
		if p.Offset > high {
			p.Kind, p.Edge = PadAfter, high
		}
		p.overflow(l, r, r.Steps[k])
	case r.Rest != 0:
		p.Outer = stepAxis(l, r.Steps[len(r.Steps)-1])
	default: // nothing else is left: an index is past its dim's size
		d := 0
		for r.Coord[d] < l.Dim(d).Size {
			d++
		}
		p.Kind, p.Would, p.Size, p.Split = PadBlock, r.Coord, l.Dim(d).Size, Digits(l, d, r.Coord[d])
	}
}

// overflow notes which digit runs past its end, and which coordinate that would be.
func (p *Padding) overflow(l tensor.Layout, r tensor.Reading, s tensor.DivStep) {
	p.Over = &Term{*stepAxis(l, s), r.Coord[s.Dim], s.Value}
	p.Size = l.Dim(s.Dim).Size
	if p.Over.Last && r.Rest == 0 {
		p.Would = r.Coord
	}
}

func stepAxis(l tensor.Layout, s tensor.DivStep) *Axis {
	p := digitAxis(l, s.Dim, s.Digit)
	return &p
}
