package bench

import (
	"bytes"
	"strconv"

	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// values is how many different values elements have: 0 to 15. They are few and whole, so that every type from uint8 on
// holds them and every sum of theirs exactly, in whatever order it is added up: results are compared bit by bit.
const values = 16

// value is that of the element with index i in logical order, row by row: the highest four bits of Knuth's
// multiplicative hash (The Art of Computer Programming, volume 3, section 6.4).
func value(i int) int { return int(uint32(i) * 2654435761 >> 28) }

// weight is the i-th of a convolution: an odd number from −7 to 7, for a weight of 0 would hide an element.
func weight(i int) int { return 2*(value(i)&mostWeight) - mostWeight }

const mostWeight = 7

// item is how elements of a type are written.
type item struct {
	dtype dtype.Type
	size  int            // bytes
	codes [values][]byte // the bytes of each value; for types that are no numbers, size bytes of the value
}

func newItem(d dtype.Type) item {
	it := item{dtype: d, size: d.ItemSize()}
	for v := range it.codes {
		code, err := d.ParseValue(strconv.Itoa(v))
		if err != nil {
			code = bytes.Repeat([]byte{byte(v)}, it.size)
		}
		it.codes[v] = code
	}
	return it
}

// fill writes the tensor row by row: element i holds value(i).
func (it item) fill(dst []byte) {
	for i := range len(dst) / it.size {
		copy(dst[i*it.size:], it.codes[value(i)])
	}
}
