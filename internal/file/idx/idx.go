// Package idx reads the headers of IDX files, the format of MNIST: two zeros, the number of a type, the number of dims, and a size of four bytes for
// each. All numbers are big-endian, the last dim varies fastest. (LeCun, Cortes and Burges, THE MNIST DATABASE, FILE FORMATS FOR THE MNIST DATABASE)
package idx

import (
	"encoding/binary"
	"math"

	"github.com/tlayout/tlayout/internal/file/array"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// types are the names of types by their numbers.
var types = map[byte]string{0x08: "uint8", 0x09: "int8", 0x0b: ">i2", 0x0c: ">i4", 0x0d: ">f4", 0x0e: ">f8"}

// maxRank bounds the dims: others recognize four zeros as the start of their own files.
const maxRank = 8

// Open reads the header of a file of size bytes with these first ones. Errors are Malformed.
func Open(head string, size int64) (*array.Array, error) {
	if len(head) < 4 || head[:2] != "\x00\x00" {
		return nil, array.Damaged("not an IDX file, which begins with two zeros")
	}
	name, known := types[head[2]]
	if !known {
		return nil, array.Damaged("type 0x%02x is none of IDX", head[2])
	}
	rank := int(head[3])
	begin := 4 + 4*rank
	if rank < 1 || rank > maxRank || len(head) < begin {
		return nil, array.Damaged("%d dims in a file of %d bytes", rank, size)
	}
	a := &array.Array{At: int64(begin)}
	var err error
	a.Type, err = dtype.Parse(name)
	if err != nil {
		return nil, err
	}
	for d := range rank {
		n := binary.BigEndian.Uint32([]byte(head[4+4*d:]))
		if n > math.MaxInt32 {
			return nil, array.Damaged("the size of dim %d is %d", d, n)
		}
		a.Shape = append(a.Shape, int(n))
	}
	bytes, err := a.Bytes()
	if err != nil {
		return nil, err
	}
	if a.At+bytes != size {
		return nil, array.Damaged("a shape of %d bytes behind a header of %d, in a file of %d", bytes, begin, size)
	}
	return a, nil
}

// Recognize reports whether a file of size bytes is exactly as long as its header says, with an element at least.
func Recognize(head string, size int64) bool {
	a, err := Open(head, size)
	return err == nil && size > a.At
}
