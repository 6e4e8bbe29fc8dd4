package bench

import (
	"slices"

	"github.com/tlayout/tlayout/internal/tensor"
)

// moves has, for every dim, how many bytes each index moves the address. A dim that is missing has index 0 alone. The
// layout's offset is part of n.
type moves struct{ n, c, d, h, w []int }

func newMoves(l tensor.Layout, itemSize int) moves {
	m := moves{n: []int{0}, c: []int{0}, d: []int{0}, h: []int{0}, w: []int{0}}
	tables := []*[]int{&m.n, &m.c, &m.d, &m.h, &m.w}
	for i := range l.Rank() {
		d := l.Dim(i)
		*tables[slices.Index(opDims, d.Name)] = byteMoves(d, itemSize)
	}
	for k := range m.n {
		m.n[k] += l.Offset() * itemSize
	}
	return m
}
