package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	page  = 4096
	pages = 4
)

func copies(c *build.Context) {
	copyLines(c, false)
	copyLines(c, true)
	copyPages(c)
	copyBytes(c)
	fence(c)
}

// copyLines makes a kernel that copies lines of 64 bytes in order, past the caches if stream.
func copyLines(c *build.Context, stream bool) {
	name := "copyLinesAVX2"
	doc := "copies lines of 64 bytes."
	if stream {
		name = "streamLinesAVX2"
		doc = "copies to lines of 64 bytes, past the caches."
	}
	begin(c, name, "copying", doc)
	var dst, src, n reg.Register
	words(c, &dst, &src, &n)
	lines := func(n int) func() {
		return func() {
			copyVectors(c, 64*n, Mem{Base: dst}, Mem{Base: src}, stream)
			c.ADDQ(U32(uint32(64*n)), src)
			c.ADDQ(U32(uint32(64*n)), dst)
		}
	}
	counted(c, n, 4, lines(4), lines(1))
	end(c)
}

// copyVectors copies n bytes, loading up to eight vectors before storing the first.
func copyVectors(c *build.Context, n int, dst, src Mem, stream bool) {
	const width = 32
	for at := 0; at < n; at += 8 * width {
		var loaded []reg.VecVirtual
		for off := at; off < min(n, at+8*width); off += width {
			loaded = append(loaded, avx2.load(c, src.Offset(off)))
		}
		for i, v := range loaded {
			avx2.store(c, v, dst.Offset(at+i*width), stream)
		}
	}
}

// copyPages makes a kernel that copies rounds of four pages past the caches, two lines of each page in turn: on some processors, four read
// streams use more of the memory bandwidth than one.
func copyPages(c *build.Context) {
	begin(c, "streamPagesAVX2", "copying", "copies rounds of four pages to lines of 64 bytes, past the caches.")
	var dst, src, rounds reg.Register
	words(c, &dst, &src, &rounds)
	left := c.GP64()
	c.Label("round")
	c.MOVQ(U32(page/128), left)
	c.Label("lines")
	for p := range pages {
		from := Mem{Base: src, Disp: p * page}
		c.PREFETCHT0(from.Offset(2 * 128))
		c.PREFETCHT0(from.Offset(2*128 + 64))
		copyVectors(c, 128, Mem{Base: dst, Disp: p * page}, from, true)
	}
	c.ADDQ(U32(128), src)
	c.ADDQ(U32(128), dst)
	c.DECQ(left)
	c.JNZ(LabelRef("lines"))
	c.ADDQ(U32((pages-1)*page), src)
	c.ADDQ(U32((pages-1)*page), dst)
	c.DECQ(rounds)
	c.JNZ(LabelRef("round"))
	end(c)
}

// copyBytes makes a kernel that uses REP MOVSB, the processor's microcode.
func copyBytes(c *build.Context) {
	begin(c, "copyBytes", "copying", "copies bytes by REP MOVSB.")
	var dst, src, n reg.Register
	words(c, &dst, &src, &n)
	c.MOVQ(dst, reg.RDI)
	c.MOVQ(src, reg.RSI)
	c.MOVQ(n, reg.RCX)
	moved := []Op{reg.RDI, reg.RSI, reg.RCX} // avo does not support string instructions
	c.Instruction(&ir.Instruction{Opcode: "REP", Inputs: moved})
	c.Instruction(&ir.Instruction{Opcode: "MOVSB", Inputs: moved, Outputs: moved})
	c.RET()
}

func fence(c *build.Context) {
	c.Function("storeFence")
	c.Attributes(attr.NOSPLIT)
	c.SignatureExpr("func()")
	c.Doc("storeFence orders streaming stores before everything that follows.")
	c.SFENCE()
	c.RET()
}
