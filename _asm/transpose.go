package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func transposes(c *build.Context) {
	for _, s := range []isa{sse2, avx2, avx512} {
		for _, size := range []int{1, 2, 4, 8, 16} {
			transpose(c, s, size, false)
		}
	}
	for _, size := range []int{1, 2, 4, 8, 16} {
		transpose(c, avx512, size, true)
	}
}

// transposer is what one transposition kernel is made of. With n = 16/size items in a lane and L lanes, a group is
// L·n rows of the source; a step is n columns of a group and writes n vectors, each to another destination row:
//
//	              lane 0    lane 1    …                        lane 0            lane 1
//	register 0:   row 0     row n                destination 0: column 0 of rows  column 0 of rows
//	register 1:   row 1     row n+1       →                     0 … n-1           n … 2n-1
//	…                                            destination 1: column 1 …
//	register n-1: row n-1   row 2n-1             …
type transposer struct {
	*build.Context
	isa    isa
	size   int
	stream bool

	dst, dstRows, src, srcRows, rows, cols, ahead reg.Register // arguments; dst and srcRows move from group to group
	from, to, left                                reg.Register // src and dstRows at a step; columns left
}

func (t *transposer) n() int { return 16 / t.size }

func transpose(c *build.Context, s isa, size int, stream bool) {
	name := fmt.Sprintf("transpose%d%s", size, isaNames[s])
	if stream {
		name += "Stream"
	}
	t := &transposer{Context: c, isa: s, size: size, stream: stream}
	begin(c, name, "block", fmt.Sprintf("transposes groups of %d rows by steps of %d columns.", int(s)*t.n(), t.n()))
	words(c, &t.dst, &t.dstRows, &t.src, &t.srcRows, &t.rows, &t.cols, &t.ahead)
	t.from, t.to, t.left = t.GP64(), t.GP64(), t.GP64()
	t.groups()
	s.end(c)
}

func (t *transposer) groups() {
	group := int(t.isa) * t.n()
	t.Label("group")
	t.MOVQ(t.src, t.from)
	t.MOVQ(t.dstRows, t.to)
	t.MOVQ(t.cols, t.left)
	t.Label("step")
	t.prefetch()
	t.step()
	t.ADDQ(Imm(16), t.from)
	t.ADDQ(U32(8*t.n()), t.to)
	t.SUBQ(U32(t.n()), t.left)
	t.JNZ(LabelRef("step"))
	t.ADDQ(U32(8*group), t.srcRows)
	t.ADDQ(U32(16*int(t.isa)), t.dst)
	t.SUBQ(U32(group), t.rows)
	t.JNZ(LabelRef("group"))
}

// prefetch fetches what lies ahead of this step in every row, once in 64 bytes.
func (t *transposer) prefetch() {
	t.TESTQ(t.ahead, t.ahead)
	t.JZ(LabelRef("transpose"))
	at := t.GP64()
	t.MOVQ(t.from, at)
	t.SUBQ(t.src, at)
	t.TESTQ(U32(63), at)
	t.JNZ(LabelRef("transpose"))
	t.LEAQ(Mem{Base: t.from, Index: t.ahead, Scale: 1}, at)
	for r := range int(t.isa) * t.n() {
		t.PREFETCHT0(Mem{Base: at, Index: t.offset(t.srcRows, r), Scale: 1})
	}
	t.Label("transpose")
}

// offset loads entry i of a row table.
func (t *transposer) offset(table reg.Register, i int) reg.Register {
	at := t.GP64()
	t.MOVQ(Mem{Base: table, Disp: 8 * i}, at)
	return at
}

// row loads the rows r, r+n, r+2n … into the lanes of one register.
func (t *transposer) row(r int) (v reg.VecVirtual) {
	for l := range int(t.isa) {
		v = t.isa.lane(t.Context, v, l, Mem{Base: t.from, Index: t.offset(t.srcRows, r+l*t.n()), Scale: 1})
	}
	return v
}

// step transposes n columns. Where the registers do not hold n rows and what becomes of them, it is done in halves:
// the low halves of the rows give the first n/2 columns, the high halves the others.
func (t *transposer) step() {
	if 2*t.n() > t.isa.registers() {
		t.finish(t.half(t.isa.unpackLow, 0))
		t.finish(t.half(t.isa.unpackHigh, 1))
		return
	}
	rows := make(map[int]reg.VecVirtual)
	for r := range t.n() {
		rows[r] = t.row(r)
	}
	t.finish(rows, t.n())
}

// half is the first stage of the network, of which it keeps every other result.
func (t *transposer) half(unpack func(*build.Context, int, reg.VecVirtual, reg.VecVirtual) reg.VecVirtual,
	odd int) (rows map[int]reg.VecVirtual, rest int) {
	rows = make(map[int]reg.VecVirtual)
	for r := range t.n() / 2 {
		rows[2*r+odd] = unpack(t.Context, t.size, t.row(r), t.row(r+t.n()/2))
	}
	return rows, t.n() / 2
}

// finish runs the network to its end and stores the columns. A stage is a perfect shuffle of the items of all rows,
//
//	b[2i] = unpackLow(a[i], a[i+n/2]), b[2i+1] = unpackHigh(a[i], a[i+n/2])
//
// which moves the bits of an item's place (row, column) round by one; log2(n) of them swap row and column:
//
//	a0 = 00 01 02 03      00 20 01 21      00 10 20 30
//	a1 = 10 11 12 13  →   02 22 03 23  →   01 11 21 31
//	a2 = 20 21 22 23      10 30 11 31      02 12 22 32
//	a3 = 30 31 32 33      12 32 13 33      03 13 23 33
//
// rest is 2 to the number of stages that are left.
func (t *transposer) finish(rows map[int]reg.VecVirtual, rest int) {
	for ; rest > 1; rest /= 2 {
		next := make(map[int]reg.VecVirtual)
		for i := range t.n() / 2 {
			if a, ok := rows[i]; ok {
				b := rows[i+t.n()/2]
				next[2*i] = t.isa.unpackLow(t.Context, t.size, a, b)
				next[2*i+1] = t.isa.unpackHigh(t.Context, t.size, a, b)
			}
		}
		rows = next
	}
	for i := range t.n() {
		if v, ok := rows[i]; ok {
			to := Mem{Base: t.dst, Index: t.offset(t.to, i), Scale: 1}
			t.isa.store(t.Context, v, to, t.stream)
		}
	}
}
