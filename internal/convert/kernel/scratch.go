package kernel

import (
	"math"
	"unsafe"
)

// NoRow marks an entry of a row table that is outside the slice: a source row of padding, or a destination row to
// discard.
const NoRow = math.MaxInt

// ScratchRows is memory that kernels read or write in place of NoRow. It serves one goroutine.
type ScratchRows struct {
	pad, waste []byte
	src, dst   []int // tables with NoRow resolved
}

// NewScratchRows returns source rows of up to n bytes filled with pad, one element, and as much memory for destination
// rows to discard.
func NewScratchRows(pad []byte, n int) *ScratchRows {
	s := &ScratchRows{pad: make([]byte, n+len(pad)), waste: make([]byte, n+len(pad))}
	for i := range s.pad {
		s.pad[i] = pad[i%len(pad)]
	}
	return s
}

// resolve returns rows as offsets from the start of base, with the offset of scratch for NoRow. Only assembly can
// follow that offset: it leaves the slice.
func resolve(rows []int, base, scratch []byte, table *[]int) []int {
	*table = append((*table)[:0], rows...)
	far := int(uintptr(unsafe.Pointer(unsafe.SliceData(scratch))) - uintptr(unsafe.Pointer(unsafe.SliceData(base))))
	for i, r := range *table {
		if r == NoRow {
			(*table)[i] = far
		}
	}
	return *table
}

// transpose is Transpose without vectors, for tables with NoRow.
func (s *ScratchRows) transpose(dst []byte, dstRows []int, src []byte, srcRows []int, size int) {
	for i, d := range dstRows {
		if d == NoRow {
			continue
		}
		for j, from := range srcRows {
			if from == NoRow {
				copy(dst[d+j*size:][:size], s.pad)
			} else {
				copy(dst[d+j*size:][:size], src[from+i*size:])
			}
		}
	}
}
