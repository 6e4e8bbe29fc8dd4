package main

import (
	"github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// rowCopier copies rows with any start and end, each at least a line long, with stores that never cross a line: masked parts
// of a line at the start and at the end, and whole lines between.
//
//	line      |        line      |        line      |
//	      |head|       whole     |      tail|
type rowCopier struct {
	*build.Context
	dst, dstRows, src, pitch, rows, bytes reg.Register // arguments; dstRows and src move from row to row
	to, from, left                        reg.GPVirtual
}

func rowCopies(c *build.Context) {
	r := &rowCopier{Context: c}
	begin(c, "rowsAVX512Stream", "rows", "copies rows, whole lines of them past the caches.")
	words(c, &r.dst, &r.dstRows, &r.src, &r.pitch, &r.rows, &r.bytes)
	r.to, r.from, r.left = r.GP64(), r.GP64(), r.GP64()
	r.Label("row")
	r.MOVQ(Mem{Base: r.dstRows}, r.to)
	r.ADDQ(r.dst, r.to)
	r.MOVQ(r.src, r.from)
	r.MOVQ(r.bytes, r.left)
	r.head()
	r.whole()
	r.tail()
	r.ADDQ(U32(8), r.dstRows)
	r.ADDQ(r.pitch, r.src)
	r.DECQ(r.rows)
	r.JNZ(LabelRef("row"))
	avx512.end(c)
}

// head stores the row's part of its first line, if the row does not start with the line. It reads as many bytes before the
// row as the row starts after the line.
func (r *rowCopier) head() {
	off, ones, k := reg.RCX, r.GP64(), r.K()
	r.MOVQ(r.to, off)
	r.ANDQ(U32(63), off)
	r.JZ(LabelRef("whole"))
	r.SUBQ(off, r.to)
	r.SUBQ(off, r.from)
	r.MOVQ(I32(-1), ones)
	r.SHLQ(reg.CL, ones)
	r.KMOVQ(ones, k)
	r.masked(k)
	r.ADDQ(U32(64), r.to)
	r.ADDQ(U32(64), r.from)
	r.LEAQ(Mem{Base: r.left, Index: off, Scale: 1, Disp: -64}, r.left)
}

// masked copies the bytes of a line that k selects.
func (r *rowCopier) masked(k reg.Register) {
	v := r.ZMM()
	r.VMOVDQU64(Mem{Base: r.from}, v)
	r.VMOVDQU8(v, k, Mem{Base: r.to})
}

func (r *rowCopier) whole() {
	r.Label("whole")
	r.SUBQ(U32(64), r.left)
	r.JLT(LabelRef("tail"))
	v := r.ZMM()
	r.VMOVDQU64(Mem{Base: r.from}, v)
	avx512.store(r.Context, v, Mem{Base: r.to}, true)
	r.ADDQ(U32(64), r.to)
	r.ADDQ(U32(64), r.from)
	r.JMP(LabelRef("whole"))
}

// tail stores the row's part of the last line. It reads a whole line.
func (r *rowCopier) tail() {
	r.Label("tail")
	r.ADDQ(U32(64), r.left)
	r.JZ(LabelRef("end"))
	ones, k := r.GP64(), r.K()
	r.MOVQ(r.left, reg.RCX)
	r.MOVQ(I32(-1), ones)
	r.SHLQ(reg.CL, ones)
	r.NOTQ(ones)
	r.KMOVQ(ones, k)
	r.masked(k)
	r.Label("end")
}
