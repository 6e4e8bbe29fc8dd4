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
type Box struct {
	Src, Dst int
	Loops    []Loop
}

// Plan copies every element of a tensor from its source layout to its destination layout, offsets in elements.
//
// Invariants: every offset lies inside its storage; no two copies write the same element.
type Plan struct {
	Boxes    []Box
	ItemSize int  // bytes
	Alloc    int  // elements of the destination's storage
	Gaps     bool // the destination's storage has places that no element is copied to
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
	if err := checkPair(dst, src); err != nil {
		return nil, err
	}
	boxes := []Box{{Src: src.Offset(), Dst: dst.Offset()}}
	for i := range src.Rank() {
		d := src.Dim(i)
		parts, err := splitDim(d.Size, d.Digits, dst.Dim(slices.Index(dst.Names(), d.Name)).Digits)
		if err == nil && len(parts)*len(boxes) > maxBoxes {
			err = tooManyPieces()
		}
		if err != nil {
			return nil, fault.In("dim "+d.Name, err)
		}
		boxes = product(boxes, parts)
	}
	for i := range boxes {
		boxes[i].Loops = simplify(boxes[i].Loops)
	}
	return &Plan{Boxes: boxes, ItemSize: itemSize, Alloc: dst.Alloc(), Gaps: dst.Alloc() != dst.Numel()}, nil
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
			out = append(out, Box{b.Src + p.Src, b.Dst + p.Dst, slices.Concat(b.Loops, p.Loops)})
		}
	}
	return out
}
