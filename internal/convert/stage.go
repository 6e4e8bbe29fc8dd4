package convert

import (
	"slices"

	"github.com/tlayout/tlayout/internal/convert/kernel"
)

// stage is a buffer in which one worker puts tiles together, padding included.
type stage struct {
	plan   *Plan
	tiling tiling
	pad    []byte // one item
	mover  *mover
	buffer []byte
	places []Box // where the last tile had its elements
}

func newStage(p *Plan, t tiling, k *kernel.Kernels, src, pad []byte) *stage {
	s := &stage{plan: p, tiling: t, pad: pad, mover: newMover(k, nil, src, pad, false), buffer: make([]byte, t.elems()*p.ItemSize)}
	if p.Gaps {
		repeat(s.buffer, pad)
	}
	return s
}

// fill returns the tile's bytes, packed. They are valid until the next call.
func (s *stage) fill(w tile) []byte {
	s.mover.dst = s.buffer[:w.elems()*s.plan.ItemSize]
	var boxes []Box
	for _, b := range s.plan.Boxes {
		boxes = append(boxes, s.tiling.cut(b, w, w.packed(), 0)...)
	}
	if s.plan.Gaps && !samePlaces(boxes, s.places) {
		repeat(s.buffer, s.pad)
		s.places = boxes
	}
	s.mover.boxes(boxes, s.plan.ItemSize)
	return s.mover.dst
}

// samePlaces reports whether two lists of boxes write the same places, so that the others still hold the padding.
func samePlaces(a, b []Box) bool {
	return slices.EqualFunc(a, b, func(x, y Box) bool {
		return x.Dst == y.Dst && slices.EqualFunc(x.Loops, y.Loops, func(l, k Loop) bool { return l.N == k.N && l.Dst == k.Dst })
	})
}

// repeat fills dst with copies of item.
func repeat(dst, item []byte) {
	for n := copy(dst, item); n < len(dst); n *= 2 {
		copy(dst[n:], dst[:n])
	}
}
