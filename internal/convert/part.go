package convert

import (
	"iter"

	"github.com/tlayout/tlayout/internal/ints"
)

// Part is the plan of a part of the destination: its storage from one element to another, which becomes a storage of its own. Every
// position of it is written, padding too. A result that is too large for one disk, or one writer, is its parts side by side:
//
//	destination  |        part 0        |        part 1        |     part 2     |
//	source       ··|run|···|run|···|run|····        what part 1 reads of it, and no more
//
// Pre: 0 ≤ from ≤ to ≤ Alloc; both are multiples of Pitch, if there is one.
func (p *Plan) Part(from, to int) *Plan {
	t := tiling{pitch: []int{1}, radix: []int{p.Alloc}, size: []int{to - from}}
	part := &Plan{ItemSize: p.ItemSize, Alloc: to - from, Pitch: p.Pitch, Gaps: p.Gaps, choices: &choices{}}
	for _, b := range p.Boxes {
		part.Boxes = append(part.Boxes, t.cut(b, tile{[]int{from}, []int{to - from}}, []int{1}, 0)...)
	}
	return part
}

// Elems is how many elements of the source the plan moves.
func (p *Plan) Elems() int {
	n := 0
	for _, b := range p.Boxes {
		n += elemsOf(b.Loops)
	}
	return n
}

// Cuts are where the destination is cut into n parts along its outermost axis, of that many values each but the last; fewer parts if
// the axis has fewer values. extent is the axis's number of values in the destination's storage.
//
// Post: Cuts[0] = 0, Cuts[len-1] = Alloc, rising.
func (p *Plan) Cuts(extent, n int) []int {
	each := ints.CeilDiv(extent, max(1, n)) * (p.Alloc / max(1, extent))
	cuts := []int{0}
	for at := each; at < p.Alloc; at += each {
		cuts = append(cuts, at)
	}
	return append(cuts, p.Alloc)
}

// Reads are the ranges of the source, [from, to) in bytes, that a plan needs, where a gap of at most near bytes is read rather than left out: on a
// network, a request costs as much as some gap. Those of one box do not overlap.
func (p *Plan) Reads(near int) iter.Seq2[int, int] {
	return func(yield func(from, to int) bool) {
		for _, b := range p.Boxes {
			e := newExtract(b, p.ItemSize, near, 0)
			for at := range e.runs {
				if !yield(at, at+e.size) {
					return
				}
			}
		}
	}
}

// ReadCost is how many Reads there are, and their bytes, gaps included. It counts without listing them.
func (p *Plan) ReadCost(near int) (reads, bytes int64) {
	for _, b := range p.Boxes {
		e := newExtract(b, p.ItemSize, near, 0)
		n := int64(elemsOf(e.apart))
		reads += n
		bytes += n * int64(e.size)
	}
	return reads, bytes
}
