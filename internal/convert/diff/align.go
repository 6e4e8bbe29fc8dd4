package diff

import (
	"slices"

	"github.com/tlayout/tlayout/internal/tensor"
)

// Aligned returns b with its dims in the order of a's, and whether they were matched by name: they are where both have
// the same names, otherwise by their place.
func Aligned(a, b tensor.Layout) (l tensor.Layout, byName bool) {
	names := a.Names()
	byName = sameSet(names, b.Names())
	if !byName || slices.Equal(names, b.Names()) {
		return b, byName
	}
	dims := make([]tensor.Dim, len(names))
	for i, name := range names {
		dims[i] = b.Dim(slices.Index(b.Names(), name))
	}
	l, err := tensor.New(dims, b.Offset(), b.Alloc())
	if err != nil {
		panic(err) // the same dims were a layout before
	}
	return l, true
}

func sameSet(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// SameShape reports whether both have the same sizes, dim by dim in their order.
func SameShape(a, b tensor.Layout) bool { return slices.Equal(a.Shape(), b.Shape()) }

// Coord returns the coordinate of the element with that index in logical order.
func Coord(l tensor.Layout, index int) []int {
	coord := make([]int, l.Rank())
	for i := l.Rank() - 1; i >= 0; i-- {
		size := l.Dim(i).Size
		coord[i] = index % size
		index /= size
	}
	return coord
}
