package explain

import (
	"fmt"
	"slices"

	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// Padding is why an offset has no element.
type Padding struct {
	Kind   PaddingKind
	Offset int
	Edge   int    // before and after: the offset of the first or last element
	Outer  *Axis  // between: the offset is between two steps of this axis; nil: unknown
	Over   *Term  // the digit that exceeds its extent; nil: none. Of is the dim's index
	Size   int    // of the dim that Over belongs to
	Rest   int    // remainder of the smallest stride
	Would  []int  // the coordinate of the offset if the sizes were larger; nil: none
	Split  []Term // block: the digits of the index that exceeds its dim's size

	rows    bool // Outer is the rows of an image
	swizzle tensor.Swizzle
}

// PaddingKind is the place of the padding.
type PaddingKind string

const (
	PadBefore  PaddingKind = "before"  // the first element
	PadAfter   PaddingKind = "after"   // the last element
	PadBetween PaddingKind = "between" // two steps of a dim: after a row, for example
	PadBlock   PaddingKind = "block"   // in a partial block of a dim
	PadEmpty   PaddingKind = "empty"   // a storage without elements
)

// NewPadding explains an offset without an element. In a swizzled layout, it explains the offset before the swizzle, and Offset and
// Edge precede the swizzle too.
//
// Post: if Would is set, its offset by the layout's digits is Offset, and one of its indices exceeds its size.
func NewPadding(l tensor.Layout, off int) Padding {
	if z := l.Swizzle(); !z.IsZero() {
		p := NewPadding(l.Plain(), z.Inverse(off))
		p.swizzle = z
		return p
	}
	low, high, ok := l.Span()
	r, divides := l.Divide(off)
	p := Padding{Kind: PadBetween, Offset: off, Rest: r.Rest}
	if !ok {
		p.Kind = PadEmpty
		return p
	}
	if off < low {
		p.Kind = PadBefore
		p.Edge = low
		return p
	}
	if divides && !pastFirst(l, r) {
		p.divide(l, r, high)
		return p
	}
	if off > high {
		p.Kind = PadAfter
		p.Edge = high
	}
	return p
}

// pastFirst reports whether the offset is beyond all steps of the largest stride, so that no index can be derived.
func pastFirst(l tensor.Layout, r tensor.Reading) bool {
	return len(r.Steps) == 0 || overflows(l, r.Steps[0])
}

func overflows(l tensor.Layout, s tensor.DivStep) bool {
	return s.Value >= l.Dim(s.Dim).Digits[s.Digit].Extent
}

// divide finds the digit that exceeds its extent, or the remainder of the smallest stride.
func (p *Padding) divide(l tensor.Layout, r tensor.Reading, high int) {
	k := slices.IndexFunc(r.Steps, func(s tensor.DivStep) bool { return overflows(l, s) })
	if k > 0 {
		p.setOuter(l, r.Steps[k-1])
		if p.Offset > high {
			p.Kind = PadAfter
			p.Edge = high
		}
		p.overflow(l, r, r.Steps[k])
		return
	}
	if r.Rest != 0 {
		p.setOuter(l, r.Steps[len(r.Steps)-1])
		return
	}
	d := 0 // an index exceeds its dim's size
	for r.Coord[d] < l.Dim(d).Size {
		d++
	}
	p.Kind = PadBlock
	p.Would = r.Coord
	p.Size = l.Dim(d).Size
	p.Split = Digits(l, d, r.Coord[d])
}

// setOuter records the axis between whose steps the offset is.
func (p *Padding) setOuter(l tensor.Layout, s tensor.DivStep) {
	p.Outer = stepAxis(l, s)
	if p.Outer.Whole() {
		noun, _ := notation.DimNoun(l.Names(), p.Outer.Dim)
		p.rows = noun == "row"
	}
}

// overflow records the digit that exceeds its extent, and the coordinate it would have.
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

// String returns where the padding is and why, to follow "is padding": "between two rows: w would be 3, but W is 3".
func (p Padding) String() string {
	if z := p.swizzle; !z.IsZero() {
		p.swizzle = tensor.Swizzle{}
		return fmt.Sprintf("at offset %d before %s, %s", p.Offset, z, p.String())
	}
	switch p.Kind {
	case PadEmpty:
		return "because the tensor has no elements"
	case PadBefore:
		return fmt.Sprintf("before the first element, which is at offset %d", p.Edge)
	case PadBlock:
		return "in a block of " + p.block()
	case PadAfter:
		if p.Over == nil {
			return fmt.Sprintf("after the last element, which is at offset %d", p.Edge)
		}
		return "after the last element: " + p.over()
	}
	if p.Outer == nil {
		return "between elements: no coordinate has this offset"
	}
	if p.Over == nil {
		return fmt.Sprintf("%s: a step is %d elements, remainder %d", p.between(), p.Outer.Stride, p.Rest)
	}
	return p.between() + ": " + p.over()
}

func (p Padding) between() string {
	if p.rows {
		return "between two rows"
	}
	return "between two steps of " + p.Outer.Name()
}

// over returns which digit exceeds its extent.
func (p Padding) over() string {
	if !p.Over.Last {
		return fmt.Sprintf("%s would be %d, but ranges from 0 to %d", p.Over.Name(), p.Over.Value, p.Over.Extent-1)
	}
	if p.Rest != 0 {
		return fmt.Sprintf("past the last %s = %d", p.Over.Letter(), p.Size-1)
	}
	return fmt.Sprintf("%s would be %d, but %s is %d", p.Over.Letter(), p.Over.Of, p.Over.DimName, p.Size)
}

// block returns the digits of the index that exceeds its dim's size: "C: C//4 = 0 and C%4 = 3 would be c = 3, but C is 3".
func (p Padding) block() string {
	var digits []string
	for _, t := range p.Split {
		digits = append(digits, fmt.Sprintf("%s = %d", t.Name(), t.Value))
	}
	d := p.Split[0]
	return fmt.Sprintf("%s: %s would be %s = %d, but %s is %d", d.DimName, text.And(digits), d.Letter(), d.Of, d.DimName, p.Size)
}

// blocks is a dim whose last block has padding.
type blocks struct {
	Dim     int
	Name    string
	Size    int
	Count   int // of blocks
	Block   int // indices in a block
	Padding int // padding indices of the last block
}

// newBlocks returns the dims of a layout that do not fill their last block.
//
// Post: Size + Padding = Count · Block = l.PaddedShape()[Dim].
func newBlocks(l tensor.Layout) []blocks {
	var all []blocks
	for i, padded := range l.PaddedShape() {
		d := l.Dim(i)
		last := d.Digits[len(d.Digits)-1]
		if padding := padded - d.Size; padding > 0 {
			all = append(all, blocks{Dim: i, Name: d.Name, Size: d.Size, Count: last.Extent, Block: last.Div, Padding: padding})
		}
	}
	return all
}

// String returns "C is 62, in 4 blocks of 16: the last block has 2 padding channels". Dims other than channels have padding indices.
func (b blocks) String() string {
	singular := "index"
	many := "indices"
	switch b.Name {
	case "C", "O", "I":
		singular = "channel"
		many = "channels"
	}
	return fmt.Sprintf("%s is %d, in %s of %d: the last block has %d padding %s", b.Name, b.Size, text.Count(b.Count, "block"), b.Block,
		b.Padding, text.Plural(b.Padding, singular, many))
}

// PaddedBlocks returns a sentence for each dim that does not fill its last block.
func PaddedBlocks(l tensor.Layout) []string {
	var lines []string
	for _, b := range newBlocks(l) {
		lines = append(lines, b.String())
	}
	return lines
}
