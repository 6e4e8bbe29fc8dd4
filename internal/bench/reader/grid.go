package reader

import "math/bits"

// Grid is N1 times N0 rows of Row bytes. The first one begins at At; along the outer loop they lie Step1 bytes apart,
// along the inner one Step0. Row is 1, 2, 4, 8, 16, 32 or 64; nothing is negative. Rows may overlap.
type Grid struct{ At, N1, Step1, N0, Step0, Row int }

// check panics unless g is a Grid with all rows in size bytes. N1 and N0 are not 0.
func (g Grid) check(size int) {
	if min(g.At, g.N1, g.Step1, g.N0, g.Step0) < 0 || !isRow(g.Row) {
		panic("reader: not a grid")
	}
	over1, last1 := bits.Mul64(uint64(g.N1-1), uint64(g.Step1))
	over0, last0 := bits.Mul64(uint64(g.N0-1), uint64(g.Step0))
	most := uint64(size)
	if over1|over0 != 0 || last1 > most || last0 > most || uint64(g.At)+last1+last0+uint64(g.Row) > most {
		panic("reader: rows outside of the memory")
	}
}
