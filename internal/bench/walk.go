package bench

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"

	"github.com/tlayout/tlayout/internal/bench/reader"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
)

// walk reads all elements in a pattern's order and adds them up, bit by bit modulo 2, which costs the same for every type
// and gives the same in every order.
type walk struct {
	reader    reader.Reader
	mem       []byte
	stretches []stretch
	lanes     reader.Lanes
}

func newWalk(r reader.Reader, mem []byte, p part) *walk {
	return &walk{reader: r, mem: mem, stretches: p.stretches()}
}

// pass reads everything once and adds it to the lanes. A tensor in the first cache takes some dozens of nanoseconds, so that
// what is one call to the reader goes there straight.
func (w *walk) pass() {
	if len(w.stretches) == 1 && w.stretches[0].isGrid() {
		w.reader.Add(&w.lanes, w.mem[w.stretches[0].at:], w.stretches[0].grid)
		return
	}
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
		default:
			g := s.grid
			g.At = at + s.at
			w.reader.Add(&w.lanes, w.mem, g)
		}
	}
}

// check lets the walk pass over noise, of which each element is another, and compares what it adds up with the sum of the
// elements one by one, each from where the layout says it lies. An element that is left out, or read twice, goes unnoticed
// where the noise of all such adds up to 0: once in 2³² for items of four bytes, and so it is for shorter ones, for which
// it is done again.
func (w *walk) check(l tensor.Layout, it item) error {
	for seed := range max(1, 4/it.size) {
		noise(w.mem, seed)
		w.lanes = reader.Lanes{}
		w.pass()
		got, want := w.lanes.Sum(it.size), sumOf(w.mem, l, it.size)
		noise(w.mem, seed) // takes it away again
		if !bytes.Equal(got, want) {
			return fault.New(fault.Resource, "a walk added up to %x, not to %x", got, want)
		}
	}
	return nil
}

// noise adds noise to memory modulo 2: added twice it is gone.
func noise(mem []byte, seed int) {
	source := rand.NewPCG(uint64(seed), 0)
	for ; len(mem) >= 8; mem = mem[8:] {
		binary.LittleEndian.PutUint64(mem, binary.LittleEndian.Uint64(mem)^source.Uint64())
	}
	for i := range mem {
		mem[i] ^= byte(source.Uint64())
	}
}

// sumOf adds up all elements modulo 2, as reader.Lanes.Sum does, one by one from where the layout says they lie.
func sumOf(mem []byte, l tensor.Layout, itemSize int) []byte {
	sum := make([]byte, len(new(reader.Lanes).Sum(itemSize)))
	piece := min(len(sum), 8) // which divides both
	var words [8]uint64
	eachRow(l, itemSize, func(at int, row []int) error { //nolint:errcheck // it returns none
		for _, move := range row {
			for b := 0; b < itemSize; b += piece {
				words[b%len(sum)/piece] ^= word(mem[at+move+b:], piece)
			}
		}
		return nil
	})
	for b := range sum {
		sum[b] = byte(words[b/piece] >> (b % piece * 8))
	}
	return sum
}

// word is the number in the first 1, 2, 4 or 8 bytes.
func word(mem []byte, bytes int) uint64 {
	switch bytes {
	case 1:
		return uint64(mem[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(mem))
	case 4:
		return uint64(binary.LittleEndian.Uint32(mem))
	}
	return binary.LittleEndian.Uint64(mem)
}
