package convert

import (
	"math/bits"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/ints"
)

// Part is a plan for some elements of a destination, and the storage of its source. All parts of a destination have its Alloc and ItemSize.
type Part struct {
	*Plan
	Src  []byte
	Disk Disk // reads Src if it may not be in memory; otherwise nil
}

// Gather assembles a destination that several plans write together, in order, in windows of at most memory bytes, and calls emit for each with the
// position of its first element. The window is valid until emit returns.
//
// It fails with Malformed if an element is written twice or by no part.
func Gather(parts []Part, alloc, itemSize int, memory int64, o Options, emit func(at int, window []byte) error) error {
	o = o.withDefaults()
	t := tiling{pitch: []int{1}, radix: []int{alloc}, size: []int{max(1, min(alloc, int(memory)/max(1, itemSize)))}}
	if alloc == 0 {
		return nil
	}
	buffer := make([]byte, t.size[0]*itemSize)
	sources := make([]loader, len(parts))
	for i, p := range parts {
		o.Disk = p.Disk
		sources[i] = newLoader(p.Plan, p.Src, o)
	}
	o.Disk = nil
	for k := range t.count() {
		w := t.at(k)
		window := buffer[:w.elems()*itemSize]
		written := written{make([]uint64, ints.CeilDiv(w.elems(), 64)), 0}
		for i, p := range parts {
			boxes := t.boxes(p.Plan, w)
			if len(boxes) == 0 {
				continue
			}
			if !written.add(boxes) {
				return fault.New(fault.Malformed, "two pieces write element %d", w.lo[0]+written.twice)
			}
			boxes, src, err := sources[i].load(boxes, len(window))
			if err != nil {
				return err
			}
			for k := range boxes {
				boxes[k].Pad = 0 // other parts write there
			}
			inside := Plan{ItemSize: itemSize, Alloc: w.elems(), Boxes: boxes, matrices: p.matrices}
			if err := inside.runBlocks(window, src, make([]byte, itemSize), o, inside.Stores(len(p.Src), o.Kernels)); err != nil {
				return err
			}
		}
		if hole := written.hole(w.elems()); hole >= 0 {
			return fault.New(fault.Malformed, "no piece writes element %d", w.lo[0]+hole)
		}
		if err := emit(w.lo[0], window); err != nil {
			return err
		}
	}
	return nil
}

// written has a bit for each element of a window.
type written struct {
	bits  []uint64
	twice int // an element that was written twice
}

// add marks the elements that boxes write; false if one was.
func (m *written) add(boxes []Box) bool {
	for _, b := range boxes {
		if !m.addLoops(b.Dst, b.Loops) {
			return false
		}
	}
	return true
}

func (m *written) addLoops(at int, loops []Loop) bool {
	if len(loops) == 0 {
		return m.addRun(at, 1)
	}
	l := loops[0]
	if len(loops) == 1 && l.Dst == 1 {
		return m.addRun(at, l.N)
	}
	for k := range l.N {
		if !m.addLoops(at+k*l.Dst, loops[1:]) {
			return false
		}
	}
	return true
}

// addRun marks n consecutive elements.
func (m *written) addRun(at, n int) bool {
	for n > 0 {
		word := at / 64
		from := at % 64
		length := min(n, 64-from)
		mask := ^uint64(0) >> (64 - length) << from
		if both := m.bits[word] & mask; both != 0 {
			m.twice = word*64 + bits.TrailingZeros64(both)
			return false
		}
		m.bits[word] |= mask
		at += length
		n -= length
	}
	return true
}

// hole returns the first of n elements that is not marked; −1 without one.
func (m *written) hole(n int) int {
	for at := 0; at < n; at += 64 {
		first := at + bits.TrailingZeros64(^m.bits[at/64])
		if first < min(n, at+64) {
			return first
		}
	}
	return -1
}
