package kernel

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// makeDense arranges the index vectors for a kernel with all vectors in registers: of each vector of the destination those
// for all vectors of the source, in their order, if there are as many of both and no padding.
func (p *program) makeDense() {
	n := len(p.inputs)
	if p.width != cacheLine || len(p.outs) != n || n < minDense || n > maxDense || bytes.IndexByte(p.bases, 0xFF) >= 0 {
		return
	}
	p.dense = n
	inOrder := len(p.sources) == n*n
	for term, source := range p.sources {
		inOrder = inOrder && source == p.inputs[term%n]
	}
	if inOrder {
		return
	}
	index := make([]byte, n*n*p.width)
	term := 0
	for o, out := range p.outs {
		for range out.terms {
			i := slices.Index(p.inputs, p.sources[term])
			copy(index[(o*n+i)*p.width:], p.index[term*p.width:][:p.width])
			term++
		}
	}
	p.index, p.sources = index, p.inputs
}

// pair makes terms of two vectors of the source: for all of them, where a kernel holds them in registers, or for those that the vector of
// the destination has bytes of.
func (p *program) pair() {
	if p.holds(len(p.sources)) {
		p.held = (len(p.inputs) + 1) / 2 * 2
	}
	most := len(p.sources) + len(p.outs)
	if p.held > 0 {
		most = p.held * len(p.outs)
	}
	sources, index := make([]int, 0, most), make([]byte, 0, most/2*p.width)
	for o, term := 0, 0; o < len(p.outs); o++ {
		n := p.outs[o].terms
		own, ownIndex := p.sources[term:term+n], p.index[term*p.width:]
		term += n
		vectors := own
		if p.held > 0 {
			vectors = p.inputs
		}
		for i := 0; i < len(vectors); i += 2 {
			pair := vectors[i:min(i+2, len(vectors))]
			sources = append(sources, pair[0], pair[len(pair)-1])
			index = append(index, none64...)
			for k, source := range pair {
				if at := slices.Index(own, source); at >= 0 {
					takeFrom(index[len(index)-p.width:], ownIndex[at*p.width:], k)
				}
			}
		}
		p.outs[o].terms = (len(vectors) + 1) / 2
	}
	if p.held > 0 {
		sources = append(slices.Clone(p.inputs), p.inputs[len(p.inputs)-1])
	}
	p.sources, p.index = sources, index
}

// takeFrom adds the bytes that an index vector takes to those of a pair, of its first or its second vector.
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

// holds reports whether a kernel that holds all vectors of the source is the faster one for so many terms.
func (p *program) holds(terms int) bool {
	n := len(p.inputs)
	return n <= maxHeld && heldCost*n+heldStore < termCost*terms/len(p.outs)+loopStore
}
