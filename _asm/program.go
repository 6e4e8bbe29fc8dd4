package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func programs(c *build.Context) {
	permute(c, avx2, "permuteAVX2", "runs a program on vectors of 16 bytes, two periods at once.")
	permute(c, avx512, "permuteVBMI", "runs a program on vectors of 64 bytes.")
	for count := 2; count <= maxDense; count++ {
		dense(c, count)
		denseLanes(c, count, false)
		denseLanes(c, count, true)
	}
}

// permuter is the state of a kernel that runs a program:
//
//	for job in jobs: for rep in reps: for out in outs:
//	    v = bases[out]
//	    for term in out's terms: v |= the vector at job.src + rep·srcStep + sources[term], its bytes permuted by index[term]
//	    vector at job.dst + rep·dstStep + out.at = v
//
// A term of 64 bytes has two sources, whose bytes are permuted together.
type permuter struct {
	*build.Context
	isa isa

	b                     reg.Register // argument; jobs and many move in memory
	dst, src              reg.GPVirtual
	dstStep, srcStep      reg.GPVirtual
	reps, outs, left      reg.GPVirtual
	sources, index, bases reg.GPVirtual
	terms                 reg.GPVirtual
	nextSrc, ahead        reg.GPVirtual // the next job's source, and the offset of its next line; of 64 bytes
}

// Fields of the argument, in bytes.
const (
	permDst, permSrc, permDstAt, permSrcAt, permJobs, permMany, permReps             = 0, 8, 16, 24, 32, 40, 48
	permDstStep, permSrcStep, permOuts, permCount, permSources, permIndex, permBases = 56, 64, 72, 80, 88, 96, 104
	permAhead, permAheadCount, permStream, permLast                                  = 112, 120, 128, 136
)

func permute(c *build.Context, s isa, name, doc string) {
	p := newPermuter(c, s, name, doc)
	p.bases = c.GP64()
	p.loop()
	end(c)
}

// newPermuter begins a kernel and loads what all of its jobs share.
func newPermuter(c *build.Context, s isa, name, doc string) *permuter {
	p := &permuter{Context: c, isa: s}
	begin(c, name, "permutation", doc)
	p.b = c.Load(c.Param("b"), c.GP64())
	for _, r := range []*reg.GPVirtual{&p.dst, &p.src, &p.dstStep, &p.srcStep, &p.reps, &p.outs, &p.left, &p.sources, &p.index, &p.terms} {
		*r = c.GP64()
	}
	if s == avx512 {
		p.nextSrc = c.GP64()
		p.ahead = c.GP64()
	}
	p.MOVQ(p.field(permDstStep), p.dstStep)
	p.MOVQ(p.field(permSrcStep), p.srcStep)
	return p
}

func (p *permuter) field(at int) Mem { return Mem{Base: p.b, Disp: at} }

func (p *permuter) loop() {
	p.Label("job")
	p.beginJob()
	p.beginPeriod()
	p.MOVQ(p.field(permOuts), p.outs)
	p.MOVQ(p.field(permCount), p.left)
	p.MOVQ(p.field(permSources), p.sources)
	p.MOVQ(p.field(permIndex), p.index)
	p.MOVQ(p.field(permBases), p.bases)
	p.Label("out")
	p.MOVQ(Mem{Base: p.outs, Disp: 8}, p.terms)
	v := p.base()
	p.Label("term")
	if p.isa == avx2 {
		p.term(v)
	} else {
		p.pair(v)
	}
	p.ADDQ(U32(p.width()), p.index)
	p.DECQ(p.terms)
	p.JNZ(LabelRef("term"))
	p.store(v, 0)
	p.ADDQ(U32(p.width()), p.bases)
	p.ADDQ(Imm(16), p.outs)
	p.DECQ(p.left)
	p.JNZ(LabelRef("out"))
	p.endPeriod()
}

// beginJob loads the job's destination and source, and the next job's source.
func (p *permuter) beginJob() {
	p.MOVQ(p.field(permJobs), p.outs)
	p.MOVQ(Mem{Base: p.outs}, p.dst)
	p.ADDQ(p.field(permDst), p.dst)
	p.ADDQ(p.field(permDstAt), p.dst)
	p.MOVQ(Mem{Base: p.outs, Disp: 8}, p.src)
	p.ADDQ(p.field(permSrc), p.src)
	p.ADDQ(p.field(permSrcAt), p.src)
	if p.isa == avx512 {
		p.nextJob()
	}
}

// nextJob finds what to prefetch: nothing after the last job.
func (p *permuter) nextJob() {
	p.MOVQ(p.field(permMany), p.nextSrc)
	p.XORQ(p.ahead, p.ahead)
	p.CMPQ(p.nextSrc, p.field(permLast))
	p.JE(LabelRef("lastJob"))
	p.MOVQ(Mem{Base: p.outs, Disp: 24}, p.nextSrc)
	p.ADDQ(p.field(permSrc), p.nextSrc)
	p.MOVQ(p.field(permAhead), p.ahead)
	p.Label("lastJob")
}

// beginPeriod begins the loop over periods.
func (p *permuter) beginPeriod() {
	p.MOVQ(p.field(permReps), p.reps)
	p.Label("rep")
	if p.isa == avx512 {
		p.prefetch()
	}
}

// endPeriod advances to the next period, or two.
func (p *permuter) endPeriod() {
	p.advance(p.srcStep, p.src)
	p.advance(p.dstStep, p.dst)
	p.nextPeriod()
}

// nextPeriod goes to the next period, and after the last one to the next job.
func (p *permuter) nextPeriod() {
	p.DECQ(p.reps)
	p.JNZ(LabelRef("rep"))
	p.DECQ(p.field(permMany))
	p.JZ(LabelRef("done"))
	p.ADDQ(U32(16), p.field(permJobs)) // not past the last job, where the garbage collector could see it
	p.JMP(LabelRef("job"))
	p.Label("done")
}

// prefetch prefetches some lines of the next job's source.
func (p *permuter) prefetch() {
	p.TESTQ(p.ahead, p.ahead)
	p.JZ(LabelRef("fetched"))
	p.MOVQ(p.field(permAheadCount), p.left)
	p.Label("line")
	p.MOVQ(Mem{Base: p.ahead}, p.terms)
	p.PREFETCHT0(Mem{Base: p.nextSrc, Index: p.terms, Scale: 1})
	p.ADDQ(Imm(8), p.ahead)
	p.DECQ(p.left)
	p.JNZ(LabelRef("line"))
	p.Label("fetched")
}

// width returns the bytes of an index vector.
func (p *permuter) width() int {
	if p.isa == avx2 {
		return 16
	}
	return 64
}

// advance advances by one period, or by two.
func (p *permuter) advance(step, cursor reg.Register) {
	p.ADDQ(step, cursor)
	if p.isa == avx2 {
		p.ADDQ(step, cursor)
	}
}

// base starts a vector.
func (p *permuter) base() reg.VecVirtual {
	if p.isa == avx2 {
		v := p.YMM()
		p.VBROADCASTI128(Mem{Base: p.bases}, v)
		return v
	}
	v := p.ZMM()
	p.VMOVDQU64(Mem{Base: p.bases}, v)
	return v
}

// source loads a source vector of 16 bytes of two periods.
func (p *permuter) source(at Mem) reg.VecVirtual {
	off := p.GP64()
	v := p.YMM()
	p.MOVQ(at, off)
	p.ADDQ(p.src, off)
	p.VBROADCASTI128(Mem{Base: off}, v)
	p.VINSERTI128(Imm(1), Mem{Base: off, Index: p.srcStep, Scale: 1}, v, v)
	return v
}

// term adds bytes of a source vector: an index with bit 7 selects a zero.
func (p *permuter) term(v reg.VecVirtual) {
	index := p.YMM()
	p.VBROADCASTI128(Mem{Base: p.index}, index)
	in := p.source(Mem{Base: p.sources})
	p.VPSHUFB(index, in, in)
	p.VPOR(in, v, v)
	p.ADDQ(Imm(8), p.sources)
}

// pair adds bytes of two source vectors: an index without bit 7 selects a zero, one with bit 6 a byte of the second.
func (p *permuter) pair(v reg.VecVirtual) {
	first := p.GP64()
	second := p.GP64()
	index := p.ZMM()
	taken := p.K()
	in := p.ZMM()
	p.VMOVDQU64(Mem{Base: p.index}, index)
	p.MOVQ(Mem{Base: p.sources}, first)
	p.VMOVDQU64(Mem{Base: p.src, Index: first, Scale: 1}, in)
	p.MOVQ(Mem{Base: p.sources, Disp: 8}, second)
	p.VPMOVB2M(index, taken)
	p.VPERMI2B_Z(Mem{Base: p.src, Index: second, Scale: 1}, in, taken, index) // merging into v would wait for the previous pair
	p.VPORQ(index, v, v)
	p.ADDQ(Imm(16), p.sources)
}

// store writes a destination vector: of 64 bytes past the caches, if the argument says so.
func (p *permuter) store(v reg.VecVirtual, out int) {
	to := p.to(out)
	if p.isa == avx2 {
		off := to.Index
		p.ADDQ(p.dst, off)
		p.VMOVDQU(v.AsX(), Mem{Base: off})
		p.VEXTRACTI128(Imm(1), v, Mem{Base: off, Index: p.dstStep, Scale: 1})
		return
	}
	bothStores(p.Context, p.field(permStream), fmt.Sprint(out), func(stream bool) { p.isa.store(p.Context, v, to, stream) })
}

// maxDense is how many source and destination vectors, with their index vectors, the registers hold.
const maxDense = 4

// dense makes a permuting kernel with as many destination as source vectors, without padding, where each destination vector may have bytes
// of all source vectors: source and index vectors stay in registers. The index vectors of a destination vector are consecutive, in the
// order of sources.
func dense(c *build.Context, count int) {
	name := fmt.Sprintf("dense%dVBMI", count)
	doc := fmt.Sprintf("runs a program that makes %d vectors out of as many.", count)
	p := newPermuter(c, avx512, name, doc)
	p.MOVQ(p.field(permSources), p.sources)
	p.MOVQ(p.field(permIndex), p.index)
	indices := make([][]reg.VecVirtual, count)
	masks := make([][]reg.Register, count)
	for o := range count {
		for i := range count {
			v := p.ZMM()
			p.VMOVDQU64(Mem{Base: p.index, Disp: 64 * (o*count + i)}, v)
			indices[o] = append(indices[o], v)
			masks[o] = append(masks[o], nil)
			if i > 0 && count*(count-1) < 7 {
				k := p.K()
				p.VPMOVB2M(v, k)
				masks[o][i] = k
			}
		}
	}
	p.Label("job")
	p.beginJob()
	p.MOVQ(p.field(permOuts), p.outs)
	p.beginPeriod()
	var in []reg.VecVirtual
	for i := range count {
		off := p.GP64()
		v := p.ZMM()
		p.MOVQ(Mem{Base: p.sources, Disp: 8 * i}, off)
		p.VMOVDQU64(Mem{Base: p.src, Index: off, Scale: 1}, v)
		in = append(in, v)
	}
	for o := range count {
		v := p.ZMM()
		p.VPERMB(in[0], indices[o][0], v)
		for i := 1; i < count; i++ {
			k := masks[o][i]
			if k == nil {
				k = p.K()
				p.VPMOVB2M(indices[o][i], k)
			}
			p.VPERMB(in[i], indices[o][i], k, v)
		}
		p.store(v, o)
	}
	p.endPeriod()
	end(c)
}

// denseLanes makes the kernel of AVX2 for as many destination as source vectors of 16 bytes, where each destination vector may have bytes of all
// source vectors. The lanes of a register are two periods. If a destination vector of the next period follows that of this one, the kernel moves
// four periods at once, and writes a line of each; otherwise two, whose vectors it writes in the order of their addresses.
func denseLanes(c *build.Context, count int, adjacent bool) {
	name, doc := fmt.Sprintf("dense%dAVX2", count), fmt.Sprintf("makes %d vectors of 16 bytes out of as many, two periods at once.", count)
	pairs := 1
	if adjacent {
		name, doc = fmt.Sprintf("adjacent%dAVX2", count), fmt.Sprintf("makes %d vectors of 16 bytes out of as many, four periods at once.", count)
		pairs = 2
	}
	p := newPermuter(c, avx2, name, doc)
	p.MOVQ(p.field(permSources), p.sources)
	p.MOVQ(p.field(permIndex), p.index)
	p.Label("job")
	p.beginJob()
	p.MOVQ(p.field(permOuts), p.outs)
	p.beginPeriod()
	in := make([][]reg.VecVirtual, pairs)
	for pair := range pairs {
		for i := range count {
			in[pair] = append(in[pair], p.source(Mem{Base: p.sources, Disp: 8 * i}))
		}
		p.advance(p.srcStep, p.src)
	}
	bothStores(c, p.field(permStream), "", func(stream bool) {
		if adjacent {
			p.storeLines(in, stream)
		} else {
			p.storeVectors(in[0], stream)
		}
	})
	for range pairs {
		p.advance(p.dstStep, p.dst)
	}
	p.nextPeriod()
	end(c)
}

// lanesOf returns a destination vector of two periods.
func (p *permuter) lanesOf(in []reg.VecVirtual, out int) reg.VecVirtual {
	v := p.YMM()
	p.VPSHUFB(Mem{Base: p.index, Disp: 32 * out * len(in)}, in[0], v)
	for i := 1; i < len(in); i++ {
		part := p.YMM()
		p.VPSHUFB(Mem{Base: p.index, Disp: 32 * (out*len(in) + i)}, in[i], part)
		p.VPOR(part, v, v)
	}
	return v
}

// to returns the address of a destination vector.
func (p *permuter) to(out int) Mem {
	off := p.GP64()
	p.MOVQ(Mem{Base: p.outs, Disp: 16 * out}, off)
	return Mem{Base: p.dst, Index: off, Scale: 1}
}

// storeLines writes a line of each destination vector, of four periods.
func (p *permuter) storeLines(in [][]reg.VecVirtual, stream bool) {
	for out := range in[0] {
		to := p.to(out)
		for pair := range in {
			p.isa.store(p.Context, p.lanesOf(in[pair], out), to.Offset(32*pair), stream)
		}
	}
}

// storeVectors writes the destination vectors of a period, then those of the next.
func (p *permuter) storeVectors(in []reg.VecVirtual, stream bool) {
	var outs []reg.VecVirtual
	for out := range in {
		v := p.lanesOf(in, out)
		p.isa.store(p.Context, v.AsX(), p.to(out), stream)
		outs = append(outs, v)
	}
	next := p.GP64()
	p.LEAQ(Mem{Base: p.dst, Index: p.dstStep, Scale: 1}, next)
	for out, v := range outs {
		to := p.to(out)
		to.Base = next
		high := p.XMM()
		p.VEXTRACTI128(Imm(1), v, high)
		p.isa.store(p.Context, high, to, stream)
	}
}
