package convert

import (
	"slices"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
)

// Loop repeats what is inside it N times; each time the source moves by Src elements and the destination by Dst.
type Loop struct{ N, Src, Dst int }

// Box is a nest of loops, outermost first, from a first element on. It equals
//
//	for k0 in 0…n0: for k1 in 0…n1: …: dst[Dst + Σ k·dst] = src[Src + Σ k·src]
//
// and behind every run of the innermost loop come Pad elements of padding in the destination.
type Box struct {
	Src, Dst int
	Loops    []Loop
	Pad      int
}

// lastSrc is the greatest offset that the box reads.
func (b Box) lastSrc() int {
	at := b.Src
	for _, l := range b.Loops {
		at += max(0, (l.N-1)*l.Src)
	}
	return at
}

// Plan copies every element of a tensor from its source layout to its destination layout, offsets in elements.
//
// Invariants: every offset lies inside its storage; no two copies write the same element.
type Plan struct {
	Boxes    []Box
	ItemSize int  // bytes
	Alloc    int  // elements of the destination's storage
	Pitch    int  // elements from one run with padding to the next; 0 where boxes write no padding
	Gaps     bool // the destination's storage has positions that neither elements nor the boxes' padding are written to

	choices *choices
}

// maxBoxes bounds the plan's size for layouts whose blocks share no common measure.
const maxBoxes = 1 << 16

// NewPlan pairs the dims of both layouts by name.
//
// Post: the boxes visit the pair (src.At(i), dst.At(i)) of every coordinate i once, and no other.
//
// It fails with Usage where dims or sizes differ or the destination's elements would overlap, and with Unsupported
// where the blocks of both layouts share no common measure that is small enough.
func NewPlan(dst, src tensor.Layout, itemSize int) (*Plan, error) {
	dims, err := pairDims(dst, src)
	if err != nil {
		return nil, err
	}
	return planOf(dims, dst, src, itemSize), nil
}

// planOf nests the parts of all dims into boxes.
func planOf(dims [][]Box, dst, src tensor.Layout, itemSize int) *Plan {
	boxes := []Box{{Src: src.Offset(), Dst: dst.Offset()}}
	for _, parts := range dims {
		boxes = product(boxes, parts)
	}
	for i := range boxes {
		boxes[i].Loops = simplify(boxes[i].Loops)
	}
	p := &Plan{Boxes: boxes, ItemSize: itemSize, Alloc: dst.Alloc(), Gaps: dst.Alloc() != dst.Numel(), choices: &choices{}}
	p.padRuns()
	return p
}

// pairDims pairs the digits of every dim of src with those of its namesake in dst. It returns, for each dim, the parts
// that it is cut into, of which every box has one.
func pairDims(dst, src tensor.Layout) ([][]Box, error) {
	if err := checkPair(dst, src); err != nil {
		return nil, err
	}
	dims, boxes := make([][]Box, src.Rank()), 1
	for i := range dims {
		d := src.Dim(i)
		parts, err := splitDim(d.Size, d.Digits, dst.Dim(slices.Index(dst.Names(), d.Name)).Digits)
		if err == nil && len(parts)*boxes > maxBoxes {
			err = tooManyPieces()
		}
		if err != nil {
			return nil, fault.In("dim "+d.Name, err)
		}
		dims[i], boxes = parts, boxes*len(parts)
	}
	return dims, nil
}

func tooManyPieces() error {
	return fault.New(fault.Unsupported, "its blocks in the two layouts share no small common multiple").
		WithHint("convert in two steps, with a layout without blocks in between")
}

func checkPair(dst, src tensor.Layout) error {
	names := src.Names()
	for i, name := range dst.Names() {
		at := slices.Index(names, name)
		if at < 0 || dst.Rank() != src.Rank() {
			return fault.New(fault.Usage, "the layouts have different dims: from %v, to %v", names, dst.Names())
		}
		if dst.Dim(i).Size != src.Dim(at).Size {
			return fault.New(fault.Usage, "dim %s has size %d in one layout and %d in the other", name,
				src.Dim(at).Size, dst.Dim(i).Size)
		}
	}
	switch {
	case !src.InBounds():
		return fault.New(fault.Usage, "the source layout %s reaches outside of its %d elements", src, src.Alloc())
	case !dst.InBounds():
		return fault.New(fault.Usage, "the target layout %s reaches outside of its %d elements", dst, dst.Alloc())
	case dst.Occupancy().Overlapping != tensor.No:
		return fault.New(fault.Usage, "elements of the target layout %s would overwrite each other", dst)
	}
	return nil
}

// product nests every part of a dim inside every box.
func product(boxes, parts []Box) []Box {
	out := make([]Box, 0, len(boxes)*len(parts))
	for _, b := range boxes {
		for _, p := range parts {
			out = append(out, Box{Src: b.Src + p.Src, Dst: b.Dst + p.Dst, Loops: slices.Concat(b.Loops, p.Loops)})
		}
	}
	return out
}

// InPlace reports whether every element has the same offset on both sides, so that no copy is needed.
func (p *Plan) InPlace() bool {
	return !slices.ContainsFunc(p.Boxes, func(b Box) bool {
		return b.Src != b.Dst || slices.ContainsFunc(b.Loops, func(l Loop) bool { return l.Src != l.Dst })
	})
}
