package explain

import (
	"fmt"
	"slices"

	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/words"
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

// String says where the padding lies and why, as it goes on behind "is padding": "between two rows: w would be 3, but W
// is 3".
func (p Padding) String() string {
	switch {
	case p.Kind == PadEmpty:
		return "for the tensor has no elements"
	case p.Kind == PadBefore:
		return fmt.Sprintf("before the first element, which is at offset %d", p.Edge)
	case p.Kind == PadBlock:
		return "in a block of " + p.block()
	case p.Kind == PadAfter && p.Over == nil:
		return fmt.Sprintf("after the last element, which is at offset %d", p.Edge)
	case p.Kind == PadAfter:
		return "after the last element: " + p.over()
	case p.Outer == nil:
		return "between elements: no coordinate leads there"
	case p.Over == nil:
		return fmt.Sprintf("%s: a step is %d elements, and %d is left over", p.between(), p.Outer.Stride, p.Rest)
	}
	return p.between() + ": " + p.over()
}

func (p Padding) between() string {
	if p.Outer.Name() == "H" {
		return "between two rows"
	}
	return "between two steps of " + p.Outer.Name()
}

// over says which digit runs past its end.
func (p Padding) over() string {
	switch {
	case !p.Over.Last:
		return fmt.Sprintf("%s would be %d, but runs from 0 to %d", p.Over.Name(), p.Over.Value, p.Over.Extent-1)
	case p.Rest != 0:
		return fmt.Sprintf("it is past %s = %d, the last", p.Over.Letter(), p.Size-1)
	}
	return fmt.Sprintf("%s would be %d, but %s is %d", p.Over.Letter(), p.Over.Of, p.Over.DimName, p.Size)
}

// block writes the digits of the index that is past its dim's size: "C: C//4 = 0 and C%4 = 3 would be c = 3, but C is 3".
func (p Padding) block() string {
	var digits []string
	for _, t := range p.Split {
		digits = append(digits, fmt.Sprintf("%s = %d", t.Name(), t.Value))
	}
	d := p.Split[0]
	return fmt.Sprintf("%s: %s would be %s = %d, but %s is %d", d.DimName, words.And(digits), d.Letter(), d.Of, d.DimName, p.Size)
}

// Blocks is a dim that ends inside a block, of which the rest is padding.
type Blocks struct {
	Dim   int
	Name  string
	Size  int
	Count int // of blocks
	Block int // indices in a block
	Spare int // lanes of the last block that belong to no index
}

// NewBlocks lists the dims of a layout that end inside a block.
//
// Post: Size + Spare = Count · Block = l.PaddedShape()[Dim].
func NewBlocks(l tensor.Layout) []Blocks {
	var all []Blocks
	for i, padded := range l.PaddedShape() {
		d := l.Dim(i)
		last := d.Digits[len(d.Digits)-1]
		if spare := padded - d.Size; spare > 0 {
			all = append(all, Blocks{i, d.Name, d.Size, last.Extent, last.Div, spare})
		}
	}
	return all
}

// String tells of the padding: "C is 62, in 4 blocks of 16: the last 2 lanes are padding".
func (b Blocks) String() string {
	lanes := "lane is"
	if b.Spare > 1 {
		lanes = fmt.Sprintf("%d lanes are", b.Spare)
	}
	return fmt.Sprintf("%s is %d, in %s of %d: the last %s padding", b.Name, b.Size, words.Count(b.Count, "block"), b.Block, lanes)
}

// PaddedLanes tells of each dim that ends inside a block what the rest of the block holds.
func PaddedLanes(l tensor.Layout) []string {
	var lines []string
	for _, b := range NewBlocks(l) {
		lines = append(lines, b.String())
	}
	return lines
}
