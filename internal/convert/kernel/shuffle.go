package kernel

import (
	"math/bits"
	"sync/atomic"
)

// shuffle is the argument of a shuffling kernel. _asm relies on the order of the fields, one word each. Count input
// vectors of a block become count output vectors; input vector v is at src + srcAt[v].
type shuffle struct {
	dst              *byte
	dstAt            *int
	src              *byte
	srcAt            *int
	index            *byte // for every output vector, for every input vector: which of its bytes go where
	count            int   // at least 2
	blocks           int
	dstStep, srcStep int // bytes from block to block, or from lane to lane if lanes are separate
}

// shuffle moves blocks of width bytes of each row. The remainder is a block that overlaps the last one and writes the same
// bytes again.
func (p pixels) shuffle(width int, stream bool) {
	var packed [maxShuffled]int
	count, step := len(p.rows), 1
	for i := range count {
		packed[i] = i * width
	}
	s := shuffle{index: &program(count, p.size, width, p.join)[0], count: count}
	s.dstAt, s.srcAt, s.dstStep, s.srcStep = &p.rows[0], &packed[0], width, width*count
	if p.join {
		s.dstAt, s.srcAt, s.dstStep, s.srcStep = s.srcAt, s.dstAt, s.srcStep, s.dstStep
	}
	if width == 16 {
		step = 2
	}
	p.cut(s, width/p.size, step, stream)
}

// cut runs s, which moves step·elems elements of each row at once.
func (p pixels) cut(s shuffle, elems, step int, stream bool) {
	whole := p.n / (elems * step)
	p.runBlocks(s, 0, whole, stream, step)
	if rest := p.n - whole*elems*step; rest > 0 && whole > 0 {
		p.runBlocks(s, p.n-elems*step, 1, false, step)
	} else if rest > 0 { // fewer than two lanes: both do the same, twice
		s.dstStep, s.srcStep = 0, 0
		p.runBlocks(s, 0, 1, false, step)
		p.runBlocks(s, p.n-elems, 1, false, step)
	}
}

// runBlocks runs s on blocks from pixel first on.
func (p pixels) runBlocks(s shuffle, first, blocks int, stream bool, step int) {
	if blocks == 0 {
		return
	}
	packed, planar := &p.packed[first*len(p.rows)*p.size], &p.planar[first*p.size]
	s.dst, s.src, s.blocks = planar, packed, blocks
	if p.join {
		s.dst, s.src = packed, planar
	}
	s.run(step == 2, stream)
}

// maxShuffled is the maximum number of rows with index vectors: vbmiCost allows 10.
const maxShuffled = 16

// programs are the index vectors needed so far, by count, size, width of 16 or 64 bytes, and direction.
var programs [maxShuffled + 1][4][2][2]atomic.Pointer[[]byte]

// program returns count index vectors of width bytes for each of count output vectors. Byte b of index vector v is the
// position in input vector v of output byte b. Bit 7 marks bytes from other input vectors: VPSHUFB zeroes them. For width
// 64 the bit is inverted and marks the bytes from v: VPERMB cannot write zeros, so the bits become a mask.
func program(count, size, width int, join bool) []byte {
	at := &programs[count][bits.TrailingZeros(uint(size))][width/64][btoi(join)]
	if p := at.Load(); p != nil {
		return *p
	}
	p := make([]byte, count*count*width)
	for i := range p {
		from, byteOf := source(i/width/count, i%width, count, size, width, join)
		switch taken := from == i/width%count; {
		case taken && width == 64:
			p[i] = 0x80 | byte(byteOf)
		case taken:
			p[i] = byte(byteOf)
		case width != 64:
			p[i] = 0x80
		}
	}
	at.Store(&p)
	return p
}

// source returns the input vector, and the byte in it, that becomes byte b of output vector out. Packed, element j of pixel
// i is element i·count + j; planar, it is element i of vector j.
func source(out, b, count, size, width int, join bool) (vector, at int) {
	elem, rest := b/size, b%size
	if join {
		elem += out * width / size
		return elem % count, elem/count*size + rest
	}
	elem = elem*count + out
	return elem * size / width, elem*size%width + rest
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
