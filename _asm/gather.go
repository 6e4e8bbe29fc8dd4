package main

import (
	"github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// gathers makes kernels that copy rows from anywhere to memory where they are a pitch apart. A row is whole lines, then the line that
// ends with it, which may overlap those:
//
//	for row in rows: for at in 0, 64, …, 64·(lines-1), tail: dst[at, at+64) = src[row+first+at, …), then dst += pitch
func gathers(c *build.Context) {
	for _, s := range []isa{sse2, avx2, avx512} {
		begin(c, "gather"+isaNames[s], "gathering", "copies rows of lines of 64 bytes.")
		var dst, src, first, rows, many, lines, tail, pitch reg.Register
		words(c, &dst, &src, &first, &rows, &many, &lines, &tail, &pitch)
		c.ADDQ(first, src)
		from, at, left := c.GP64(), c.GP64(), c.GP64()
		c.Label("row")
		c.MOVQ(Mem{Base: rows}, from)
		c.ADDQ(src, from)
		c.XORQ(at, at)
		c.MOVQ(lines, left)
		c.TESTQ(left, left)
		c.JZ(LabelRef("tail"))
		c.Label("line")
		copyVectors(c, s, 64, Mem{Base: dst, Index: at, Scale: 1}, Mem{Base: from, Index: at, Scale: 1}, false)
		c.ADDQ(Imm(64), at)
		c.DECQ(left)
		c.JNZ(LabelRef("line"))
		c.Label("tail")
		copyVectors(c, s, 64, Mem{Base: dst, Index: tail, Scale: 1}, Mem{Base: from, Index: tail, Scale: 1}, false)
		c.ADDQ(pitch, dst)
		c.ADDQ(Imm(8), rows)
		c.DECQ(many)
		c.JNZ(LabelRef("row"))
		s.end(c)
	}
}

// neonGathers makes the same for arm64.
func neonGathers(c *neon) {
	const dst, src, first, rows, many, lines, tail, pitch = "R1", "R2", "R3", "R4", "R5", "R6", "R7", "R8"
	const from, at, to, left = "R9", "R10", "R11", "R12"
	four := "[" + bytesOf(0) + ", " + bytesOf(1) + ", " + bytesOf(2) + ", " + bytesOf(3) + "]"
	c.begin("gatherNEON", "gathering", "copies rows of lines of 64 bytes.")
	c.words(0, dst, src, first, rows, many, lines, tail, pitch)
	c.op("ADD", first, src)
	c.label("row")
	c.op("MOVD.P", offset(8, rows), from)
	c.op("ADD", src, from)
	c.op("ADD", tail, from, at)
	c.op("MOVD", dst, to)
	c.op("MOVD", lines, left)
	c.op("CBZ", left, "tail")
	c.label("line")
	c.op("VLD1.P", offset(64, from), four)
	c.op("VST1.P", four, offset(64, to))
	c.op("SUBS", "$1", left)
	c.op("BNE", "line")
	c.label("tail")
	c.op("VLD1", offset(0, at), four)
	c.op("ADD", tail, dst, to)
	c.op("VST1", four, offset(0, to))
	c.op("ADD", pitch, dst)
	c.op("SUBS", "$1", many)
	c.op("BNE", "row")
	c.end()
}
