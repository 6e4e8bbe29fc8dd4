package bench

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"

	"github.com/tlayout/tlayout/internal/bench/reader"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
)

// walk reads all elements in a pattern's order and xors them, which costs the same for every type and has the same result in every order.
type walk struct {
	reader    reader.Reader
	mem       []byte
	stretches []stretch
	lanes     reader.Lanes
}

func newWalk(r reader.Reader, mem []byte, n nest) *walk {
	return &walk{reader: r, mem: mem, stretches: n.stretches()}
}

// pass reads everything once into the lanes. A tensor in L1 takes only tens of nanoseconds, so a walk of a single call goes directly to the
// reader.
func (w *walk) pass() {
	if len(w.stretches) == 1 && w.stretches[0].isGrid() {
		w.reader.Add(&w.lanes, w.mem[w.stretches[0].at:], w.stretches[0].grid)
		return
	}
	w.run(0, w.stretches)
}

func (w *walk) run(at int, stretches []stretch) {
	for i := range stretches {
		s := &stretches[i]
		if s.isGrid() {
			g := s.grid
			g.At = at + s.at
			w.reader.Add(&w.lanes, w.mem, g)
			continue
		}
		if s.inside == nil {
			p := s.list
			p.At = at + s.at
			w.reader.AddAt(&w.lanes, w.mem, p)
			continue
		}
		for k := range s.n {
			w.run(at+s.at+k*s.step, s.inside)
		}
	}
}

// check walks over noise and compares the result with the xor of the elements one by one, each from its offset in the layout. It misses
// omitted or repeated elements only if their noise xors to 0: with probability 2⁻³² for 4-byte elements, and for shorter ones too, since
// their check is repeated.
func (w *walk) check(l tensor.Layout, enc encoding) error {
	for seed := range max(1, 4/enc.size) {
		noise(w.mem, seed)
		w.lanes = reader.Lanes{}
		w.pass()
		got := w.lanes.Sum(enc.size)
		want := sumOf(w.mem, l, enc.size)
		noise(w.mem, seed) // removes it
		if !bytes.Equal(got, want) {
			return fault.New(fault.Resource, "checksum of the walk is %x, want %x", got, want)
		}
	}
	return nil
}

// noise xors memory with noise; a second call removes it.
func noise(mem []byte, seed int) {
	source := rand.NewPCG(uint64(seed), 0)
	for ; len(mem) >= 8; mem = mem[8:] {
		binary.LittleEndian.PutUint64(mem, binary.LittleEndian.Uint64(mem)^source.Uint64())
	}
	for i := range mem {
		mem[i] ^= byte(source.Uint64())
	}
}

// sumOf xors all elements like reader.Lanes.Sum, one by one from their offsets in the layout.
func sumOf(mem []byte, l tensor.Layout, itemSize int) []byte {
	sum := make([]byte, len(new(reader.Lanes).Sum(itemSize)))
	piece := min(len(sum), 8) // divides len(sum) and itemSize
	var words [8]uint64
	for at, row := range rowsOf(l, itemSize) {
		for _, move := range row {
			for b := 0; b < itemSize; b += piece {
				words[b%len(sum)/piece] ^= word(mem[at+move+b:], piece)
			}
		}
	}
	for b := range sum {
		sum[b] = byte(words[b/piece] >> (b % piece * 8))
	}
	return sum
}

// word returns the number in the first 1, 2, 4 or 8 bytes, little-endian.
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
