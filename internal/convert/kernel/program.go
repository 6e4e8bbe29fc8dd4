package kernel

import (
	"math/bits"
	"sync/atomic"
)

// maxShuffled is for how many rows there are index vectors at most: vbmiCost allows 10.
const maxShuffled = 16

// programs are the index vectors that were needed so far, by count, size and width of 16 or 64 bytes.
var programs [maxShuffled + 1][4][2][2]atomic.Pointer[[]byte]

// program returns count index vectors of width bytes for each of count vectors out. A byte of an index says which byte
// of that vector in comes here, with bit 7 set where that is not so: for width 64, which has no zeros, where it is so.
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

// source says which byte of which vector in becomes byte b of vector out o. Packed, item j of pixel i lies at item
// i·count + j of all; planar, it is item i of vector j.
func source(out, b, count, size, width int, join bool) (vector, at int) {
	item, rest := b/size, b%size
	if join {
		item += out * width / size
		return item % count, item/count*size + rest
	}
	item = item*count + out
	return item * size / width, item*size%width + rest
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
