package reader

import (
	"math/bits"
	"slices"

	"github.com/tlayout/tlayout/internal/convert/kernel"
)

// Reader reads with one instruction set.
type Reader struct{ level kernel.Level }

// For returns the Reader of the level that k has.
func For(k *kernel.Kernels) Reader { return Reader{k.Level} }

// rows is what a kernel works on that adds. _asm knows the order of the fields, which are words.
type rows struct {
	lanes     *Lanes
	first     *byte
	n1, step1 int // at least one row
	n0, step0 int
}

// places is what a kernel works on that adds rows at listed places. _asm knows the order of the fields, which are words.
type places struct {
	lanes   *Lanes
	first   *byte
	n, step int // at least once
	list    *int
	count   int // at least one
}

// lines is what a kernel works on that only reads. _asm knows the order of the fields, which are words.
type lines struct {
	first *byte
	n     int // of 64 bytes
}

// Add adds rows of mem to the lanes, in this order:
//
//	for i in 0…N1: for j in 0…N0: for k in 0…Row: lanes[k] ⊕= mem[At + i·Step1 + j·Step0 + k]
//
// It reads no other byte. The loop over j is the fast one; a turn of the one over i costs some cycles. Add panics where a
// row lies outside of mem or g is not a Grid.
func (r Reader) Add(lanes *Lanes, mem []byte, g Grid) {
	if g.N1 == 0 || g.N0 == 0 {
		return
	}
	g.check(len(mem))
	if r.level == kernel.Generic {
		genericAdd(lanes, mem, g)
		return
	}
	b := rows{lanes: lanes, first: &mem[g.At], n1: g.N1, step1: g.Step1, n0: g.N0, step0: g.Step0}
	b.add(r.level, g.Row)
}

// AddAt adds rows at listed places to the lanes, in this order:
//
//	for i in 0…N: for place in List: for k in 0…Row: lanes[k] ⊕= mem[At + i·Step + place + k]
//
// It reads no other byte of mem. AddAt panics where a row lies outside of mem or p are not Places.
func (r Reader) AddAt(lanes *Lanes, mem []byte, p Places) {
	if p.N == 0 || len(p.List) == 0 {
		return
	}
	p.check(len(mem))
	if r.level == kernel.Generic {
		genericAddAt(lanes, mem, p)
		return
	}
	b := places{lanes: lanes, first: &mem[p.At], n: p.N, step: p.Step, list: &p.List[0], count: len(p.List)}
	b.add(r.level, p.Row)
}

// Load reads every whole 64 bytes of mem, as fast as it can be done, and drops them.
func (r Reader) Load(mem []byte) {
	n := len(mem) / 64
	if n == 0 {
		return
	}
	if r.level == kernel.Generic {
		genericLoad(mem[:n*64])
		return
	}
	b := lines{first: &mem[0], n: n}
	b.load(r.level)
}

// Grid is N1 times N0 rows of Row bytes. The first one begins at At; along the outer loop they lie Step1 bytes apart,
// along the inner one Step0. Row is 1, 2, 4, 8, 16, 32 or 64; nothing is negative. Rows may overlap.
type Grid struct{ At, N1, Step1, N0, Step0, Row int }

// check panics unless g is a Grid with all rows in size bytes. N1 and N0 are not 0.
func (g Grid) check(size int) {
	if min(g.At, g.N1, g.Step1, g.N0, g.Step0) < 0 || !isRow(g.Row) {
		panic("reader: not a grid")
	}
	over1, last1 := bits.Mul64(uint64(g.N1-1), uint64(g.Step1))
	over0, last0 := bits.Mul64(uint64(g.N0-1), uint64(g.Step0))
	most := uint64(size)
	if over1|over0 != 0 || last1 > most || last0 > most || uint64(g.At)+last1+last0+uint64(g.Row) > most {
		panic("reader: rows outside of the memory")
	}
}

// Places are rows of Row bytes at listed places, N times. The places count from At on, the next time from Step bytes
// further. Row is 1, 2, 4, 8, 16, 32 or 64; nothing is negative. Rows may overlap.
type Places struct {
	At, N, Step int
	List        []int
	Row         int
}

// check panics unless p are Places with all rows in size bytes. N and List are not empty.
func (p Places) check(size int) {
	if min(p.At, p.N, p.Step, slices.Min(p.List)) < 0 || !isRow(p.Row) {
		panic("reader: not places")
	}
	over, last := bits.Mul64(uint64(p.N-1), uint64(p.Step))
	far, most := uint64(slices.Max(p.List)), uint64(size)
	if over != 0 || last > most || far > most || uint64(p.At)+last+far+uint64(p.Row) > most {
		panic("reader: rows outside of the memory")
	}
}

// isRow reports whether there are kernels for rows of so many bytes.
func isRow(n int) bool { return n >= 1 && n <= 64 && n&(n-1) == 0 }

// Lanes are sums modulo 2 of bits, by their place in a row: the exclusive or of all rows.
type Lanes [64]byte

// Sum folds the lanes to the bytes of an item: byte k is the sum modulo 2, bit by bit, of all bytes read that are byte k
// of an item of `item` bytes.
//
//	Sum(item)[k] = ⊕ over lanes with place mod item = k,    for item = 1, 2, 4, … 64 and rows of whole items
//
// Items of other sizes are taken for several items of their greatest power of two, at most 64: 4 bytes for item = 12. It
// is what rows may be long then, beginning at a whole number of them.
func (l *Lanes) Sum(item int) []byte {
	sum := make([]byte, min(item&-item, len(l)))
	for i, b := range l {
		sum[i%len(sum)] ^= b
	}
	return sum
}
