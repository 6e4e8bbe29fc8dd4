package kernel

import (
	"math"
	"unsafe"
)

// Nowhere stands in a table of rows for one that is not in the slice: a source row of padding, a destination row that
// nobody wants.
const Nowhere = math.MaxInt

// Elsewhere is what stands for rows that are Nowhere. It serves one goroutine.
type Elsewhere struct {
	pad, waste []byte
	src, dst   []int // tables in which rows have been found
}

// NewElsewhere makes rows of up to n bytes that hold nothing but pad, one item; they can be written to as well.
func NewElsewhere(pad []byte, n int) *Elsewhere {
	e := &Elsewhere{pad: make([]byte, n+len(pad)), waste: make([]byte, n+len(pad))}
	for i := range e.pad {
		e.pad[i] = pad[i%len(pad)]
	}
	return e
}

// found returns rows as offsets from the beginning of base: of those that are nowhere, that of other. Only assembly can
// follow them.
func found(rows []int, base, other []byte, table *[]int) []int {
	*table = append((*table)[:0], rows...)
	far := int(uintptr(unsafe.Pointer(unsafe.SliceData(other))) - uintptr(unsafe.Pointer(unsafe.SliceData(base))))
	for i, r := range *table {
		if r == Nowhere {
			(*table)[i] = far
		}
	}
	return *table
}

// plain is Transpose for tables with rows that are nowhere, without vectors.
func (e *Elsewhere) plain(dst []byte, dstRows []int, src []byte, srcRows []int, size int) {
	for i, d := range dstRows {
		if d == Nowhere {
			continue
		}
		for j, s := range srcRows {
			if s == Nowhere {
				copy(dst[d+j*size:][:size], e.pad)
			} else {
				copy(dst[d+j*size:][:size], src[s+i*size:])
			}
		}
	}
}
