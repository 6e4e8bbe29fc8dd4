package reader

import (
	"math/bits"
	"slices"
)

// Places are rows of Row bytes at listed places, N times. The places count from At on, the next time from Step bytes
// further. Row is 1, 2, 4, 8, 16, 32 or 64; nothing is negative. Rows may overlap.
type Places struct {
	At, N, Step int
	List        []int
	Row         int
}

// check panics unless p are Places with all rows in size bytes. N and List are not empty.
func (p Places) check(size int) {
	if min(p.At, p.N, p.Step, slices.Min(p.List)) < 0 || !isRow(p.Row) {
		panic("reader: not places")
	}
	over, last := bits.Mul64(uint64(p.N-1), uint64(p.Step))
	far, most := uint64(slices.Max(p.List)), uint64(size)
	if over != 0 || last > most || far > most || uint64(p.At)+last+far+uint64(p.Row) > most {
		panic("reader: rows outside of the memory")
	}
}

// isRow reports whether there are kernels for rows of so many bytes.
func isRow(n int) bool { return n >= 1 && n <= 64 && n&(n-1) == 0 }
