package main

import (
	"github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// isa is an instruction set by the width of its vectors, in lanes of 16 bytes.
type isa int

const (
	sse2   isa = 1
	avx2   isa = 2
	avx512 isa = 4
)

var isaNames = map[isa]string{sse2: "SSE2", avx2: "AVX2", avx512: "AVX512"}

// registers is the number of vector registers.
func (s isa) registers() int {
	if s == avx512 {
		return 32
	}
	return 16
}

// lane loads 16 bytes into a lane of v; the first one makes a new register. It fills all lanes, because avo's register
// allocator takes an unwritten part for one that is still live.
func (s isa) lane(c *build.Context, v reg.VecVirtual, lane int, from Mem) reg.VecVirtual {
	switch {
	case s == sse2:
		v = c.XMM()
		c.MOVOU(from, v)
	case s == avx2 && lane == 0:
		v = c.YMM()
		c.VBROADCASTI128(from, v)
	case s == avx2:
		c.VINSERTI128(Imm(uint64(lane)), from, v, v)
	case lane == 0:
		v = c.ZMM()
		c.VBROADCASTI32X4(from, v)
	default:
		c.VINSERTI32X4(Imm(uint64(lane)), from, v, v)
	}
	return v
}

// store writes a whole vector, past the caches if stream.
func (s isa) store(c *build.Context, v reg.VecVirtual, to Mem, stream bool) {
	switch {
	case stream:
		c.VMOVNTDQ(v, to)
	case s == sse2:
		c.MOVOU(v, to)
	case s == avx2:
		c.VMOVDQU(v, to)
	default:
		c.VMOVDQU64(v, to)
	}
}

// unpackLow interleaves the elements of the low halves of every lane of a and b: a0 b0 a1 b1 …
func (s isa) unpackLow(c *build.Context, size int, a, b reg.VecVirtual) reg.VecVirtual {
	if s == sse2 {
		return unpackSSE2(c, size, 0, a, b)
	}
	return unpackAVX(c, s, size, 0, a, b)
}

// unpackHigh is unpackLow for the high halves.
func (s isa) unpackHigh(c *build.Context, size int, a, b reg.VecVirtual) reg.VecVirtual {
	if s == sse2 {
		return unpackSSE2(c, size, 1, a, b)
	}
	return unpackAVX(c, s, size, 1, a, b)
}

func unpackSSE2(c *build.Context, size, high int, a, b reg.VecVirtual) reg.VecVirtual {
	unpack := map[int][2]func(Op, Op){
		1: {c.PUNPCKLBW, c.PUNPCKHBW}, 2: {c.PUNPCKLWL, c.PUNPCKHWL},
		4: {c.PUNPCKLLQ, c.PUNPCKHLQ}, 8: {c.PUNPCKLQDQ, c.PUNPCKHQDQ},
	}[size]
	v := c.XMM()
	c.MOVO(a, v)
	unpack[high](b, v)
	return v
}

func unpackAVX(c *build.Context, s isa, size, high int, a, b reg.VecVirtual) reg.VecVirtual {
	unpack := map[int][2]func(...Op){
		1: {c.VPUNPCKLBW, c.VPUNPCKHBW}, 2: {c.VPUNPCKLWD, c.VPUNPCKHWD},
		4: {c.VPUNPCKLDQ, c.VPUNPCKHDQ}, 8: {c.VPUNPCKLQDQ, c.VPUNPCKHQDQ},
	}[size]
	v := c.YMM()
	if s == avx512 {
		v = c.ZMM()
	}
	unpack[high](b, a, v)
	return v
}
