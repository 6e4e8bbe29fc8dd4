package diff

import (
	"cmp"
	"math"
	"slices"

	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/tensor"
)

// tileBytes is the size of a tile: those of both sides fit a core's own cache together.
const tileBytes = 512 << 10

// tiling cuts a shape into boxes of coordinates that are the same on both sides.
//
// A dim is cut at multiples of both sides' largest blocks, so that a tile's digits are those of its layout. A tile begins as
// one block and grows in the memory order of the side with the shorter runs.
type tiling struct {
	shape []int
	size  []int // of a tile
	order []int // the dims, outermost first, as a tile is packed
	walk  bool  // blocks are too large for a tile, or offsets are swizzled: elements are fetched one by one
}

// tile is one of them: along each dim, the coordinates from lo on, n of them.
type tile struct {
	lo, n []int
	edge  uint64 // bit d: the tile is the last along dim d, and may be smaller
}

// newTiling makes tiles of at most so many bytes, or of one element.
func newTiling(a, b Side, bytes int) tiling {
	return tilingOf(a.Layout, b.Layout, max(1, bytes/max(a.DType.ItemSize(), b.DType.ItemSize(), 1)))
}

// tilingOf makes tiles of at most elems elements.
func tilingOf(a, b tensor.Layout, elems int) tiling {
	t := tiling{shape: a.Shape(), size: make([]int, a.Rank()), order: packedOrder(a, b)}
	blocks := make([]int, a.Rank())
	for i, size := range t.shape {
		blocks[i] = min(size, ints.LCM(lastDiv(a.Dim(i)), lastDiv(b.Dim(i))))
		t.size[i] = blocks[i]
	}
	if elemsOf(t.size, elems) > elems || !a.Swizzle().IsZero() || !b.Swizzle().IsZero() {
		t.walk = true
		for i := range blocks {
			blocks[i], t.size[i] = 1, 1
		}
	}
	sides := []reach{reachOf(a), reachOf(b)}
	for elemsOf(t.size, elems) <= elems/2 {
		shorter := sides[0]
		if sides[1].run(t.size) < shorter.run(t.size) {
			shorter = sides[1]
		}
		if !shorter.grow(t.size, t.shape, blocks) {
			break
		}
	}
	for i := range t.size { // leave no thin remainder
		parts := ints.CeilDiv(t.shape[i], t.size[i])
		t.size[i] = min(t.shape[i], ints.CeilDiv(ints.CeilDiv(t.shape[i], parts), blocks[i])*blocks[i])
	}
	return t
}

func lastDiv(d tensor.Dim) int { return d.Digits[len(d.Digits)-1].Div }

// elemsOf is the number of elements of a box, or some number above limit.
func elemsOf(sizes []int, limit int) int {
	n := 1
	for _, s := range sizes {
		if n > limit/s {
			return limit + 1
		}
		n *= s
	}
	return n
}

// packedOrder is the memory order of the side that has one stride a dim, a's if both do.
func packedOrder(a, b tensor.Layout) []int {
	s, ok := a.Strided()
	if !ok {
		if s, ok = b.Strided(); !ok {
			s = tensor.Strided{Strides: make([]int, a.Rank())} // the logical order
		}
	}
	order := make([]int, a.Rank())
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(ints.Abs(s.Strides[j]), ints.Abs(s.Strides[i])) })
	return order
}

// reach is the digits of a layout, nearest in memory first, each as far as it counts along its dim.
type reach []struct{ dim, div, end, stride int }

func reachOf(l tensor.Layout) reach {
	var r reach
	for i := range l.Rank() {
		d := l.Dim(i)
		for _, g := range d.Digits {
			end := d.Size
			if g.Extent < ints.CeilDiv(d.Size, g.Div) {
				end = g.Div * g.Extent
			}
			stride := ints.Abs(g.Stride)
			if stride == 0 {
				stride = math.MaxInt // a broadcast dim makes no run longer
			}
			r = append(r, struct{ dim, div, end, stride int }{i, g.Div, end, stride})
		}
	}
	slices.SortStableFunc(r, func(x, y struct{ dim, div, end, stride int }) int { return cmp.Compare(x.stride, y.stride) })
	return r
}

// run is how many elements of a tile are contiguous, if the layout is dense.
func (r reach) run(size []int) int {
	n := 1
	for _, g := range r {
		n *= ints.CeilDiv(min(g.end, size[g.dim]), g.div)
		if size[g.dim] < g.end {
			break
		}
	}
	return n
}

// grow makes a tile up to twice as large, in whole blocks; false if it is the whole tensor.
func (r reach) grow(size, shape, blocks []int) bool {
	for _, g := range r {
		if d := g.dim; size[d] < g.end {
			end := min(shape[d], ints.CeilDiv(g.end, blocks[d])*blocks[d])
			size[d] = min(end, 2*size[d])
			return true
		}
	}
	return false
}

func (t *tiling) count() int {
	n := 1
	for i := range t.shape {
		n *= ints.CeilDiv(t.shape[i], t.size[i])
	}
	return n
}

// at returns the k-th tile in the order in which tiles are packed.
func (t *tiling) at(k int) tile {
	w := tile{lo: make([]int, len(t.shape)), n: make([]int, len(t.shape))}
	for _, d := range slices.Backward(t.order) {
		parts := ints.CeilDiv(t.shape[d], t.size[d])
		if k%parts == parts-1 {
			w.edge |= 1 << d
		}
		w.lo[d] = k % parts * t.size[d]
		w.n[d] = min(t.size[d], t.shape[d]-w.lo[d])
		k /= parts
	}
	return w
}

func (w tile) elems() int { return ints.Product(w.n) }

// index is the logical index of the tile's e-th element, as it is packed.
func (t *tiling) index(w tile, e int) int {
	coord := make([]int, 0, tensor.MaxRank)[:len(t.shape)]
	for _, d := range slices.Backward(t.order) {
		coord[d] = w.lo[d] + e%w.n[d]
		e /= w.n[d]
	}
	index := 0
	for d, i := range coord {
		index = index*t.shape[d] + i
	}
	return index
}
