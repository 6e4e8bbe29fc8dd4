package kernel

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// fitsRegisters reports whether a kernel holds all vectors in registers: there are as many source as destination vectors, a few, and no padding.
func (p *program) fitsRegisters() bool {
	n := len(p.inputs)
	if n < minDense || n > maxDense || p.width < denseFrom {
		return false
	}
	padded := bytes.IndexByte(p.bases, 0xFF) >= 0
	return len(p.outs) == n && !padded
}

// makeDense arranges the index vectors for a kernel that holds all vectors in registers: for each destination vector, one index vector per
// source vector, in order. Those of 16 bytes stand beside the others, each twice, for both lanes of a register.
func (p *program) makeDense() {
	if !p.fitsRegisters() {
		return
	}
	n := len(p.inputs)
	if p.width == cacheLine {
		p.dense = n
		p.index = p.denseIndex(none64)
		p.sources = p.inputs
		return
	}
	if p.reps < p.together() {
		return
	}
	p.dense = n
	once := p.denseIndex(none16)
	for i := range n * n {
		own := once[i*p.width:][:p.width]
		p.twice = append(append(p.twice, own...), own...)
	}
}

// denseIndex returns the index vectors in that order; none selects no byte.
func (p *program) denseIndex(none []byte) []byte {
	n := len(p.inputs)
	index := bytes.Repeat(none, n*n)
	term := 0
	for o, out := range p.outs {
		for range out.terms {
			i := slices.Index(p.inputs, p.sources[term])
			copy(index[(o*n+i)*p.width:], p.index[term*p.width:][:p.width])
			term++
		}
	}
	return index
}

// pair merges two terms of a destination vector into one of two source vectors. An odd last term is paired with itself.
func (p *program) pair() {
	most := len(p.sources) + len(p.outs)
	sources := make([]int, 0, most)
	index := make([]byte, 0, most/2*p.width)
	term := 0
	for o := range p.outs {
		n := p.outs[o].terms
		for i := 0; i < n; i += 2 {
			own := p.sources[term:][:min(2, n-i)]
			sources = append(sources, own[0], own[len(own)-1])
			index = append(index, none64...)
			for k := range own {
				takeFrom(index[len(index)-p.width:], p.index[term*p.width:], k)
				term++
			}
		}
		p.outs[o].terms = (n + 1) / 2
	}
	p.sources = sources
	p.index = index
}

// takeFrom adds the bytes that own selects to the pair's index vector, as those of its first (0) or second (1) source vector.
func takeFrom(both, own []byte, second int) {
	const taken = 0x8080808080808080
	for i := 0; i < cacheLine; i += 8 {
		from := binary.LittleEndian.Uint64(own[i:])
		if second > 0 {
			from |= from & taken >> 1
		}
		binary.LittleEndian.PutUint64(both[i:], binary.LittleEndian.Uint64(both[i:])|from)
	}
}
