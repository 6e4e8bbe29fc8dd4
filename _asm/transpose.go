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

// transposer is the state of a transposition kernel. With n = 16/size elements in a lane and L lanes, a group is
// L·n rows of the source; a step is n columns of a group and writes n vectors, each to a different destination row:
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

	dst, dstRows, src, srcRows, rows, cols reg.Register // arguments; dst and srcRows move from group to group
	from, to, left                         reg.Register // src and dstRows at a step; columns left
}

func (t *transposer) n() int { return 16 / t.size }

func transpose(c *build.Context, s isa, size int, stream bool) {
	name := fmt.Sprintf("transpose%d%s", size, isaNames[s])
	if stream {
		name += "Stream"
	}
	t := &transposer{Context: c, isa: s, size: size, stream: stream}
	begin(c, name, "block", fmt.Sprintf("transposes groups of %d rows by steps of %d columns.", int(s)*t.n(), t.n()))
	words(c, &t.dst, &t.dstRows, &t.src, &t.srcRows, &t.rows, &t.cols)
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

// offset loads entry i of a row table.
func (t *transposer) offset(table reg.Register, i int) reg.Register {
	at := t.GP64()
	t.MOVQ(Mem{Base: table, Disp: 8 * i}, at)
	return at
}
