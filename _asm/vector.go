package main

import (
	"github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// isa is an instruction set, as the width of its vectors in lanes of 16 bytes.
type isa int

const (
	avx2   isa = 2
	avx512 isa = 4
)

var isaNames = map[isa]string{avx2: "AVX2", avx512: "AVX512"}

// vector allocates a register.
func (s isa) vector(c *build.Context) reg.VecVirtual {
	if s == avx2 {
		return c.YMM()
	}
	return c.ZMM()
}

// load loads a whole vector.
func (s isa) load(c *build.Context, from Mem) reg.VecVirtual {
	v := s.vector(c)
	if s == avx2 {
		c.VMOVDQU(from, v)
	} else {
		c.VMOVDQU64(from, v)
	}
	return v
}

// store writes a vector, past the caches if stream.
func (s isa) store(c *build.Context, v reg.Register, to Mem, stream bool) {
	if stream {
		c.VMOVNTDQ(v, to)
		return
	}
	if s == avx2 {
		c.VMOVDQU(v, to)
		return
	}
	c.VMOVDQU64(v, to)
}

// The halves of a lane.
const low, high = 0, 1

// unpack interleaves the elements of one half of every lane of a and b: a0 b0 a1 b1 …
func (s isa) unpack(c *build.Context, size, half int, a, b reg.VecVirtual) reg.VecVirtual {
	v := s.vector(c)
	map[int][2]func(...Op){
		1: {c.VPUNPCKLBW, c.VPUNPCKHBW}, 2: {c.VPUNPCKLWD, c.VPUNPCKHWD},
		4: {c.VPUNPCKLDQ, c.VPUNPCKHDQ}, 8: {c.VPUNPCKLQDQ, c.VPUNPCKHQDQ},
	}[size][half](b, a, v)
	return v
}
