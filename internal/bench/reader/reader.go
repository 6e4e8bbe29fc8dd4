package reader

import (
	"math/bits"
	"slices"

	"github.com/tlayout/tlayout/internal/convert/kernel"
)

// Reader reads with AVX2, or in plain Go.
type Reader struct{ vectors bool }

// For returns the Reader of k's level.
func For(k *kernel.Kernels) Reader { return Reader{vectors(k.Level)} }

// rows is the argument of a kernel of Add. _asm relies on the order of the fields, one word each.
type rows struct {
	lanes     *Lanes
	first     *byte
	n1, step1 int // at least one row
	n0, step0 int
}

// listed is the argument of a kernel of AddAt. _asm relies on the order of the fields, one word each.
type listed struct {
	lanes   *Lanes
	first   *byte
	n, step int // at least once
	list    *int
	count   int // at least one
}

// lines is the argument of a kernel that only reads. _asm relies on the order of the fields, one word each.
type lines struct {
	first *byte
	n     int // lines of lineSize bytes, or rounds
}

// Add xors rows of mem into the lanes, in this order:
//
//	for i in 0…N1: for j in 0…N0: for k in 0…Row: lanes[k] ⊕= mem[At + i·Step1 + j·Step0 + k]
//
// It reads no other byte. The loop over j is the fast one; an iteration over i costs some cycles. Add panics if a row is
// outside mem, or g is invalid.
func (r Reader) Add(lanes *Lanes, mem []byte, g Grid) {
	if g.N1 == 0 || g.N0 == 0 {
		return
	}
	g.check(len(mem))
	if !r.vectors {
		genericAdd(lanes, mem, g)
		return
	}
	b := rows{lanes: lanes, first: &mem[g.At], n1: g.N1, step1: g.Step1, n0: g.N0, step0: g.Step0}
	b.add(g.Row)
}

// AddAt xors rows at listed offsets into the lanes, in this order:
//
//	for i in 0…N: for offset in Offsets: for k in 0…Row: lanes[k] ⊕= mem[At + i·Step + offset + k]
//
// It reads no other byte of mem. AddAt panics if a row is outside mem, or p is invalid.
func (r Reader) AddAt(lanes *Lanes, mem []byte, p RowList) {
	if p.N == 0 || len(p.Offsets) == 0 {
		return
	}
	p.check(len(mem))
	if !r.vectors {
		genericAddAt(lanes, mem, p)
		return
	}
	b := listed{lanes: lanes, first: &mem[p.At], n: p.N, step: p.Step, list: &p.Offsets[0], count: len(p.Offsets)}
	b.add(p.Row)
}

// Way is one way to read memory.
type Way struct {
	Name string
	Run  func(mem []byte) // reads all whole cache lines
}

// Ways returns the ways to read n bytes, each the fastest on some processor:
//
//	load   in order
//	xor    in order, as Add does
//	pages  four pages in turn
func (r Reader) Ways(n int) []Way {
	ways := []Way{{"load", r.Load}, {"xor", r.addLines}}
	if r.vectors && n >= round {
		ways = append(ways, Way{"pages", r.loadPages})
	}
	return ways
}

// Load reads all whole cache lines of mem in order, and discards them.
func (r Reader) Load(mem []byte) {
	n := len(mem) / lineSize
	if n == 0 {
		return
	}
	if !r.vectors {
		genericLoad(mem[:n*lineSize])
		return
	}
	b := lines{first: &mem[0], n: n}
	loadLines(&b)
}

// addLines reads all whole cache lines of mem in order, and xors them.
func (r Reader) addLines(mem []byte) {
	var lanes Lanes
	r.Add(&lanes, mem, Grid{N1: 1, N0: len(mem) / lineSize, Step0: lineSize, Row: lineSize})
}

// round is the size of four pages, which loadPages reads in turn.
const round = 4 * 4096

// loadPages reads all whole cache lines of mem, four pages in turn, and discards them.
func (r Reader) loadPages(mem []byte) {
	if n := len(mem) / round; n > 0 {
		b := lines{first: &mem[0], n: n}
		loadPages(&b)
	}
	r.Load(mem[len(mem)/round*round:])
}

// Grid is N1·N0 rows of Row bytes starting at At, Step1 bytes apart in the outer loop and Step0 in the inner one. Row is 1, 2, 4, 8, 16, 32
// or 64; nothing is negative. Rows may overlap.
type Grid struct{ At, N1, Step1, N0, Step0, Row int }

// check panics unless g is valid, with all rows in size bytes. N1 and N0 are not 0.
func (g Grid) check(size int) {
	if min(g.At, g.N1, g.Step1, g.N0, g.Step0) < 0 || !isRow(g.Row) {
		panic("reader: invalid grid")
	}
	if reach(1, g.At)+reach(g.N1-1, g.Step1)+reach(g.N0-1, g.Step0)+uint64(g.Row) > uint64(size) {
		panic("reader: rows outside the memory")
	}
}

// reach returns the bytes that n steps reach, or maxReach if they reach farther: more than any memory has, and four of them do not overflow.
func reach(n, step int) uint64 {
	over, bytes := bits.Mul64(uint64(n), uint64(step))
	if over > 0 {
		return maxReach
	}
	return min(bytes, maxReach)
}

const maxReach = 1 << 61

// RowList is rows of Row bytes at listed offsets from At, N times, each time Step bytes further. Row is 1, 2, 4, 8, 16, 32 or
// 64; nothing is negative. Rows may overlap.
type RowList struct {
	At, N, Step int
	Offsets     []int
	Row         int
}

// check panics unless p is valid, with all rows in size bytes. N and Offsets are not empty.
func (p RowList) check(size int) {
	if min(p.At, p.N, p.Step, slices.Min(p.Offsets)) < 0 || !isRow(p.Row) {
		panic("reader: invalid list")
	}
	if reach(1, p.At)+reach(p.N-1, p.Step)+reach(1, slices.Max(p.Offsets))+uint64(p.Row) > uint64(size) {
		panic("reader: rows outside the memory")
	}
}

// isRow reports whether rows of n bytes have kernels.
func isRow(n int) bool { return n >= 1 && n <= lineSize && n&(n-1) == 0 }

// lineSize is the size of a cache line, and of an AVX-512 vector.
const lineSize = 64

// Lanes is the xor of all rows.
type Lanes [lineSize]byte

// Sum folds the lanes to the bytes of an element: byte k is the xor of all bytes read that are byte k of an element.
//
//	Sum(size)[k] = ⊕ lanes[i] for i mod size = k,    for size = 1, 2, 4, … 64 and rows of whole elements
//
// Elements of other sizes count as several elements of the largest power of two that divides the size, at most 64: of 4 bytes
// for size 12. Rows then have that length, and start at a multiple of it.
func (l *Lanes) Sum(size int) []byte {
	sum := make([]byte, min(size&-size, len(l)))
	for i, b := range l {
		sum[i%len(sum)] ^= b
	}
	return sum
}
