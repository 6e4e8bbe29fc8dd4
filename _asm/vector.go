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
// allocator takes an unwritten part for one that is still live. AVX-512 has masked loads for that.
func (s isa) lane(c *build.Context, v reg.VecVirtual, lane int, from Mem) reg.VecVirtual {
	switch {
	case s == sse2:
		v = c.XMM()
		c.MOVOU(from, v)
	case lane == 0:
		v = c.YMM()
		c.VBROADCASTI128(from, v)
	default:
		c.VINSERTI128(Imm(uint64(lane)), from, v, v)
	}
	return v
}

// store writes a whole vector, past the caches if stream.
func (s isa) store(c *build.Context, v reg.VecVirtual, to Mem, stream bool) {
	switch {
	case stream && s == sse2:
		c.MOVNTO(v, to)
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

// The halves of a lane.
const low, high = 0, 1

// unpack interleaves the elements of one half of every lane of a and b: a0 b0 a1 b1 …
func (s isa) unpack(c *build.Context, size, half int, a, b reg.VecVirtual) reg.VecVirtual {
	v := s.vector(c)
	if s == sse2 {
		c.MOVO(a, v)
		map[int][2]func(Op, Op){
			1: {c.PUNPCKLBW, c.PUNPCKHBW}, 2: {c.PUNPCKLWL, c.PUNPCKHWL},
			4: {c.PUNPCKLLQ, c.PUNPCKHLQ}, 8: {c.PUNPCKLQDQ, c.PUNPCKHQDQ},
		}[size][half](b, v)
		return v
	}
	map[int][2]func(...Op){
		1: {c.VPUNPCKLBW, c.VPUNPCKHBW}, 2: {c.VPUNPCKLWD, c.VPUNPCKHWD},
		4: {c.VPUNPCKLDQ, c.VPUNPCKHDQ}, 8: {c.VPUNPCKLQDQ, c.VPUNPCKHQDQ},
	}[size][half](b, a, v)
	return v
}
