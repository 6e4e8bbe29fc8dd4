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
	if t.stride() > 1 {
		t.strides()
	}
	t.Label("step")
	t.advance(1)
	t.JNZ(LabelRef("step"))
	t.Label("next")
	t.ADDQ(U32(8*group), t.srcRows)
	t.ADDQ(U32(16*int(t.isa)), t.dst)
	t.SUBQ(U32(group), t.rows)
	t.JNZ(LabelRef("group"))
}

// stride is how many steps are done together, as far as half of the registers hold them: the fewer times a line of the
// source is come back to, the less it matters if lines displace each other, as they do where rows lie powers of two
// apart.
func (t *transposer) stride() int {
	return max(1, min(4, t.isa.registers()/2/t.n()))
}

// strides goes on as long as there are columns for a stride, and to the next group if there are no more at all.
func (t *transposer) strides() {
	t.Label("stride")
	t.CMPQ(t.left, U32(t.stride()*t.n()))
	t.JLT(LabelRef("step"))
	t.advance(t.stride())
	t.JNZ(LabelRef("stride"))
	t.JMP(LabelRef("next"))
}

// advance does some steps.
func (t *transposer) advance(steps int) {
	t.prefetch(steps)
	t.steps(steps)
	t.ADDQ(U32(16*steps), t.from)
	t.ADDQ(U32(8*t.n()*steps), t.to)
	t.SUBQ(U32(t.n()*steps), t.left)
}

// prefetch fetches what lies ahead of this step in every row, once in 64 bytes.
func (t *transposer) prefetch(steps int) {
	skip := fmt.Sprintf("load%d", steps)
	t.TESTQ(t.ahead, t.ahead)
	t.JZ(LabelRef(skip))
	at := t.GP64()
	t.MOVQ(t.from, at)
	if steps < 4 {
		t.SUBQ(t.src, at)
		t.TESTQ(U32(63), at)
		t.JNZ(LabelRef(skip))
		t.MOVQ(t.from, at)
	}
	t.ADDQ(t.ahead, at)
	for r := range int(t.isa) * t.n() {
		t.PREFETCHT0(Mem{Base: at, Index: t.offset(t.srcRows, r), Scale: 1})
	}
	t.Label(skip)
}

// offset loads entry i of a row table.
func (t *transposer) offset(table reg.Register, i int) reg.Register {
	at := t.GP64()
	t.MOVQ(Mem{Base: table, Disp: 8 * i}, at)
	return at
}
