package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	page  = 4096
	pages = 4
)

func copies(c *build.Context) {
	copyStream(c)
	fence(c)
}

// copyStream copies whole rounds of four pages past the caches, two lines of each page in turn: four streams of reads
// keep the memory busier than one.
func copyStream(c *build.Context) {
	begin(c, "copyAVX2Stream", "stream", "copies rounds of four pages to lines of 64 bytes, past the caches.")
	var dst, src, rounds reg.Register
	words(c, &dst, &src, &rounds)
	left := c.GP64()
	c.Label("round")
	c.MOVQ(U32(page/128), left)
	c.Label("lines")
	for p := range pages {
		copyLines(c, Mem{Base: dst, Disp: p * page}, Mem{Base: src, Disp: p * page})
	}
	c.ADDQ(U32(128), src)
	c.ADDQ(U32(128), dst)
	c.DECQ(left)
	c.JNZ(LabelRef("lines"))
	c.ADDQ(U32((pages-1)*page), src)
	c.ADDQ(U32((pages-1)*page), dst)
	c.DECQ(rounds)
	c.JNZ(LabelRef("round"))
	avx2.end(c)
}

// copyLines copies 128 bytes, and prefetches those of two iterations later.
func copyLines(c *build.Context, dst, src Mem) {
	c.PREFETCHT0(src.Offset(2 * 128))
	c.PREFETCHT0(src.Offset(2*128 + 64))
	var parts [4]reg.VecVirtual
	for i := range parts {
		parts[i] = c.YMM()
		c.VMOVDQU(src.Offset(32*i), parts[i])
	}
	for i, v := range parts {
		avx2.store(c, v, dst.Offset(32*i), true)
	}
}

func fence(c *build.Context) {
	c.Function("storeFence")
	c.Attributes(attr.NOSPLIT)
	c.SignatureExpr("func()")
	c.Doc("storeFence orders streaming stores before everything that follows.")
	c.SFENCE()
	c.RET()
}
