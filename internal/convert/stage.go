package convert

import "slices"

// stage is where one worker puts tiles together, padding included.
type stage struct {
	plan   *Plan
	tiling tiling
	source loader
	pad    []byte // one item
	mover  *mover
	buffer []byte
	places []Box // where the last tile had its elements; none while the buffer holds nothing but padding
}

func newStage(p *Plan, t tiling, src, pad []byte, o Options) *stage {
	s := &stage{plan: p, tiling: t, source: newLoader(p, src, o), pad: pad,
		mover: newMover(p, o.Kernels, nil, nil, pad, false), buffer: make([]byte, t.elems()*p.ItemSize)}
	if p.Gaps {
		repeat(s.buffer, pad)
	}
	return s
}

// boxes are the parts of the plan's boxes that lie in a tile.
func (s *stage) boxes(w tile) []Box {
	var boxes []Box
	for _, b := range s.plan.Boxes {
		boxes = append(boxes, s.tiling.cut(b, w, w.packed(), 0)...)
	}
	return boxes
}

// fill returns the tile's bytes, packed. They are valid until the next call.
func (s *stage) fill(w tile) ([]byte, error) {
	s.mover.dst = s.buffer[:w.elems()*s.plan.ItemSize]
	boxes := s.boxes(w)
	if s.plan.Gaps && !samePlaces(boxes, s.places) {
		if len(s.places) > 0 {
			repeat(s.buffer, s.pad)
		}
		s.places = boxes
	}
	boxes, src, err := s.source.load(boxes, len(s.buffer))
	if err != nil {
		return nil, err
	}
	s.mover.src = src
	s.mover.boxes(boxes)
	return s.mover.dst, nil
}

// fetch has what tile k needs read, if there is one and it is not in memory.
func (s *stage) fetch(k int) {
	if s.source.disk != nil && k < s.tiling.count() {
		s.source.fetch(s.boxes(s.tiling.at(k)), len(s.buffer))
	}
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
