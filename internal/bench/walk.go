package bench

import (
	"bytes"

	"github.com/tlayout/tlayout/internal/bench/reader"
	"github.com/tlayout/tlayout/internal/fault"
)

// walk reads all elements in a pattern's order and adds them up, bit by bit modulo 2, which costs the same for every type
// and gives the same in every order.
type walk struct {
	reader    reader.Reader
	mem       []byte
	stretches []stretch
	lanes     reader.Lanes
	bytes     int // that were read
}

// stretch is a part of a nest: loops around what the reader takes at once, which is two loops around short rows, or a loop
// around rows at listed places.
type stretch struct {
	at, n, step int
	inside      []stretch
	grid        reader.Grid   // where nothing is inside; it begins at 0
	places      reader.Places // instead of a grid, where the list is not empty
}

func newWalk(r reader.Reader, mem []byte, p part) *walk {
	return &walk{reader: r, mem: mem, stretches: p.stretches()}
}

// pass reads everything once.
func (w *walk) pass() {
	w.lanes, w.bytes = reader.Lanes{}, 0
	w.run(0, w.stretches)
}

func (w *walk) run(at int, stretches []stretch) {
	for i := range stretches {
		switch s := &stretches[i]; {
		case s.inside != nil:
			for k := range s.n {
				w.run(at+s.at+k*s.step, s.inside)
			}
		case s.places.List != nil:
			p := s.places
			p.At = at + s.at
			w.reader.AddAt(&w.lanes, w.mem, p)
			w.bytes += p.N * len(p.List) * p.Row
		default:
			g := s.grid
			g.At = at + s.at
			w.reader.Add(&w.lanes, w.mem, g)
			w.bytes += g.N1 * g.N0 * g.Row
		}
	}
}

// check compares what the last pass added up, and how many bytes it read, with the values themselves.
func (w *walk) check(want []byte, elems int, it item) error {
	switch got := w.lanes.Sum(it.size); {
	case w.bytes != elems*it.size:
		return fault.New(fault.Resource, "a walk read %d bytes of %d", w.bytes, elems*it.size)
	case !bytes.Equal(got, want):
		return fault.New(fault.Resource, "a walk added up to %x, not to %x", got, want)
	}
	return nil
}

// sums adds up elements 0…n−1 as a walk does, the bytes of an item by their places.
func (it item) sums(n, places int) []byte {
	var odd [values]bool
	for i := range n {
		odd[value(i)] = !odd[value(i)]
	}
	sums := make([]byte, places)
	for v, code := range it.codes {
		for b, x := range code {
			if odd[v] {
				sums[b%places] ^= x
			}
		}
	}
	return sums
}
