package main

import (
	"github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func shuffles(c *build.Context) {
	shuffle(c, avx2, false, "shuffleAVX2", "makes vectors of two lanes, separate in memory, from others.")
	shuffle(c, avx512, false, "shuffleVBMI", "makes vectors of 64 bytes from others.")
	shuffle(c, avx512, true, "shuffleVBMIStream", "does what shuffleVBMI does, past the caches.")
}

// shuffler is a loop over blocks with as many output as input vectors. An output vector is the union of all input vectors,
// each shuffled by its own index vector, with zeros for bytes from others:
//
//	out[o] = index[o][0](in[0]) | index[o][1](in[1]) | …
type shuffler struct {
	*build.Context
	isa    isa
	stream bool

	dst, dstAt, src, srcAt, index, count, blocks reg.Register // arguments
	dstStep, srcStep                             reg.Register // … from block to block or from lane to lane
	at, to, outs, terms                          reg.Register // positions in index and dstAt; remaining counts
}

func shuffle(c *build.Context, s isa, stream bool, name, doc string) {
	h := &shuffler{Context: c, isa: s, stream: stream}
	begin(c, name, "shuffle", doc)
	words(c, &h.dst, &h.dstAt, &h.src, &h.srcAt, &h.index, &h.count, &h.blocks, &h.dstStep, &h.srcStep)
	h.at, h.to, h.outs, h.terms = c.GP64(), c.GP64(), c.GP64(), c.GP64()
	h.loop()
	s.end(c)
}

func (h *shuffler) loop() {
	h.Label("block")
	h.MOVQ(h.index, h.at)
	h.MOVQ(h.dstAt, h.to)
	h.MOVQ(h.count, h.outs)
	h.Label("out")
	h.MOVQ(U32(1), h.terms)
	out := h.first()
	h.Label("term")
	h.term(out)
	h.INCQ(h.terms)
	h.CMPQ(h.terms, h.count)
	h.JNE(LabelRef("term"))
	h.store(out)
	h.ADDQ(U32(8), h.to)
	h.DECQ(h.outs)
	h.JNZ(LabelRef("out"))
	h.advance(h.srcStep, h.src)
	h.advance(h.dstStep, h.dst)
	h.DECQ(h.blocks)
	h.JNZ(LabelRef("block"))
}

// advance moves on by a block. If lanes are separate, a block is two of them.
func (h *shuffler) advance(step, cursor reg.Register) {
	if h.isa == avx2 {
		h.LEAQ(Mem{Base: cursor, Index: step, Scale: 2}, cursor)
		return
	}
	h.ADDQ(step, cursor)
}

// first shuffles the first input vector. VPERMB cannot write zeros; bytes from other vectors are overwritten.
func (h *shuffler) first() reg.VecVirtual {
	off := h.GP64()
	h.MOVQ(Mem{Base: h.srcAt}, off)
	if h.isa == avx2 {
		return h.lanes(off)
	}
	index, out := h.ZMM(), h.ZMM()
	h.VMOVDQU64(h.next(), index)
	h.VPERMB(Mem{Base: h.src, Index: off, Scale: 1}, index, out)
	return out
}

// term merges the next input vector. Bit 7 of an index means a zero for VPSHUFB, and a byte to take for VPERMB.
func (h *shuffler) term(out reg.VecVirtual) {
	off := h.GP64()
	h.MOVQ(Mem{Base: h.srcAt, Index: h.terms, Scale: 8}, off)
	if h.isa == avx2 {
		h.VPOR(h.lanes(off), out, out)
		return
	}
	index, counts := h.ZMM(), h.K()
	h.VMOVDQU64(h.next(), index)
	h.VPMOVB2M(index, counts)
	h.VPERMB(Mem{Base: h.src, Index: off, Scale: 1}, index, counts, out)
}

// lanes shuffles the two lanes at src + off and srcStep after it.
func (h *shuffler) lanes(off reg.Register) reg.VecVirtual {
	index, in := h.YMM(), h.YMM()
	h.VBROADCASTI128(h.next(), index)
	h.VBROADCASTI128(Mem{Base: h.src, Index: off, Scale: 1}, in)
	h.ADDQ(h.srcStep, off)
	h.VINSERTI128(Imm(1), Mem{Base: h.src, Index: off, Scale: 1}, in, in)
	h.VPSHUFB(index, in, in)
	return in
}

// next is the next index vector.
func (h *shuffler) next() Mem {
	width := 16
	if h.isa == avx512 {
		width = 64
	}
	h.ADDQ(U32(width), h.at)
	return Mem{Base: h.at, Disp: -width}
}

func (h *shuffler) store(out reg.VecVirtual) {
	off := h.GP64()
	h.MOVQ(Mem{Base: h.to}, off)
	if h.isa == avx512 {
		h.isa.store(h.Context, out, Mem{Base: h.dst, Index: off, Scale: 1}, h.stream)
		return
	}
	h.VMOVDQU(out.AsX(), Mem{Base: h.dst, Index: off, Scale: 1})
	h.ADDQ(h.dst, off)
	h.VEXTRACTI128(Imm(1), out, Mem{Base: off, Index: h.dstStep, Scale: 1})
}
