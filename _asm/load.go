package main

import (
	"github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// loadLines makes a kernel that only reads.
func loadLines(c *build.Context) {
	begin(c, "loadLines", "lines", "reads lines of 64 bytes.")
	var at, n reg.Register
	words(c, &at, &n)
	line := func(from Mem) {
		for off := 0; off < 64; off += 32 {
			avx2.load(c, from.Offset(off))
		}
	}
	counted(c, n, 8, func() {
		for i := range 8 {
			line(Mem{Base: at, Disp: 64 * i})
		}
		c.ADDQ(U32(8*64), at)
	}, func() {
		line(Mem{Base: at})
		c.ADDQ(Imm(64), at)
	})
	end(c)
}

// loadPages makes a kernel that only reads, four pages at a time, two lines of each in turn: on some processors, four streams from memory
// are faster than one.
func loadPages(c *build.Context) {
	begin(c, "loadPages", "lines", "reads rounds of four pages.")
	var at, rounds reg.Register
	words(c, &at, &rounds)
	left := c.GP64()
	c.Label("round")
	c.MOVQ(U32(page/128), left)
	c.Label("lines")
	for p := range pages {
		from := Mem{Base: at, Disp: p * page}
		c.PREFETCHT0(from.Offset(2 * 128))
		c.PREFETCHT0(from.Offset(2*128 + 64))
		for off := 0; off < 128; off += 32 {
			avx2.load(c, from.Offset(off))
		}
	}
	c.ADDQ(U32(128), at)
	c.DECQ(left)
	c.JNZ(LabelRef("lines"))
	c.ADDQ(U32((pages-1)*page), at)
	c.DECQ(rounds)
	c.JNZ(LabelRef("round"))
	end(c)
}

// counted makes a loop of left iterations, n at a time while possible.
func counted(c *build.Context, left reg.Register, n uint64, many, one func()) {
	c.SUBQ(Imm(n), left)
	c.JLT(LabelRef("rest"))
	c.Label("many")
	many()
	c.SUBQ(Imm(n), left)
	c.JGE(LabelRef("many"))
	c.Label("rest")
	c.ADDQ(Imm(n), left)
	c.JZ(LabelRef("done"))
	c.Label("one")
	one()
	c.DECQ(left)
	c.JNZ(LabelRef("one"))
	c.Label("done")
}
