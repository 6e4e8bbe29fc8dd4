package relate

import (
	"slices"

	"github.com/tlayout/tlayout/internal/ints"
)

// axis is a loop of A that B may have: n steps along a dim, of step elements of A. If the dim runs backwards, its index 0 is last elements
// further on; of the parts of a dim that is split, one has the dim's last.
type axis struct{ dim, n, step, last int }

// The farthest shifts that are tried where values repeat, in elements. Each is a nest, or two: what is compared before more of them is the
// time that they take.
const (
	maxShift       = 4096 // a header of 4 KiB of bytes
	maxShiftScaled = 128  // where a line is fitted to each
	maxShiftMoved  = 64   // before other orders: a header of 256 bytes of float32
)

// The dims of which all orders are tried; of more dims, those in which one is elsewhere. With the directions of the dims, a kind of mistake is
// some 10,000 nests: of six dims, 720 orders in 14 directions each.
const (
	allOrders        = 6
	allOrdersGaps    = 5 // with several pitches or sizes of blocks
	allOrdersReread  = 5
	allOrdersShifted = 4 // with each shift
)

// blockSizes are those of the channels of vector and matrix units, which layouts such as nChw16c are made for.
var blockSizes = [...]int{2, 4, 8, 16, 32, 64}

// permuted tries A's dims in each order and direction, the simplest mistakes.
func (s *search) permuted() bool {
	dims := axesOf(s.a.Shape)
	return s.try(0, []Loop{{s.b.n, 1}}) && s.tryAxes(dims, orders(len(dims), allOrders)) && s.turned(dims)
}

// turned tries two dims reversed: an image upside down, and the filter of a convolution that another library calls a correlation.
func (s *search) turned(dims []axis) bool {
	for i := range dims {
		for k := range i {
			reversed := func(x axis) bool { return x.dim == dims[i].dim || x.dim == dims[k].dim }
			if !s.tryOrder(dims, ints.Range(len(dims)), reversed) {
				return false
			}
		}
	}
	return true
}

// guess tries the nests that other mistakes make, until enough passed.
func (s *search) guess() {
	dims := axesOf(s.a.Shape)
	for _, more := range []func() bool{
		func() bool { return s.pitched(dims) },
		func() bool { return s.blocked(dims) },
		func() bool { return s.divided(dims) },
		func() bool { return s.tiled(dims) },
		func() bool { return s.reread(s.a.Shape, allOrdersReread) },
		func() bool { return s.reread(s.b.Shape, allOrdersReread) },
		func() bool { return s.shifted(dims) },
	} {
		if !more() {
			return
		}
	}
}

// axesOf returns the dims of a shape with a size over 1, outermost first, each with its dense step.
func axesOf(shape []int) []axis {
	var axes []axis
	step := 1
	for d, n := range slices.Backward(shape) {
		if n > 1 {
			axes = append(axes, axis{d, n, step, (n - 1) * step})
		}
		step *= n
	}
	slices.Reverse(axes)
	return axes
}

// orders returns the orders of n axes: all of up to most, and of more those in which one axis moved, and the reverse.
func orders(n, limit int) [][]int {
	if n <= limit {
		return ints.Permutations(n)
	}
	back := ints.Range(n)
	slices.Reverse(back)
	all := [][]int{ints.Range(n), back}
	for from := range n {
		for to := range n {
			if from != to {
				all = append(all, slices.Insert(slices.Delete(ints.Range(n), from, from+1), to, from))
			}
		}
	}
	return all
}

// tryAxes tries axes in some orders, outermost first, where no dim runs backwards, or all do, or one does, or all others.
func (s *search) tryAxes(axes []axis, orders [][]int) bool {
	for flipped := -1; flipped < len(axes); flipped++ { // the dim of this axis, or none
		for _, others := range []bool{false, true} {
			reversed := func(x axis) bool {
				ofFlipped := flipped >= 0 && x.dim == axes[flipped].dim
				return ofFlipped != others
			}
			for _, order := range orders {
				if !s.tryOrder(axes, order, reversed) {
					return false
				}
			}
		}
	}
	return true
}

// tryOrder tries axes in one order, outermost first, some of which run backwards.
func (s *search) tryOrder(axes []axis, order []int, reversed func(axis) bool) bool {
	loops := make([]Loop, len(order))
	base := 0
	for k, i := range order {
		x := axes[i]
		if reversed(x) {
			x.step = -x.step
			base = base + x.last
		}
		loops[len(order)-1-k] = Loop{x.n, x.step}
	}
	return s.try(base, loops)
}

// pitched tries padding after each row, or plane, of each order of A's dims; the last one may lack it.
func (s *search) pitched(dims []axis) bool {
	n, m := s.a.n, s.b.n
	for _, order := range orders(len(dims), allOrdersGaps) {
		row := 1
		for _, k := range slices.Backward(order) {
			inner := row
			row *= dims[k].n
			rows := n / row
			if m <= n || rows <= 1 {
				break
			}
			for _, pitch := range []int{ints.CeilDiv(m, rows), (m - row) / (rows - 1)} {
				axes := slices.Clone(dims)
				axes[k].n = pitch / inner
				if slices.IsSorted(order) && !s.try(0, []Loop{{pitch, 1}, {rows, row}}) { // A's own rows, at any pitch
					return false
				}
				if pitch%inner == 0 && !s.tryAxes(axes, [][]int{order}) {
					return false
				}
			}
		}
	}
	return true
}

// blocked tries a dim in blocks.
func (s *search) blocked(dims []axis) bool {
	for _, size := range blockSizes {
		for d, x := range dims {
			axes := append(slices.Clone(dims), axis{x.dim, size, x.step, 0})
			axes[d].n, axes[d].step = ints.CeilDiv(x.n, size), x.step*size
			if s.a.n/x.n*axes[d].n*size == s.b.n && !s.tryAxes(axes, orders(len(axes), allOrdersGaps)) {
				return false
			}
		}
	}
	return true
}

// maxHead bounds the heads of attention that are tried, in rows.
const maxHead = 512

// divided tries a dim whose parts are exchanged: the halves and the pairs of heads, as rotary embeddings have them, all rows in turn, and the two
// halves.
func (s *search) divided(dims []axis) bool {
	for d, x := range dims {
		for head := 4; head <= x.n; head++ {
			isTried := head <= maxHead || head == x.n
			if x.n%head != 0 || head%2 != 0 || !isTried {
				continue
			}
			outer := axis{x.dim, x.n / head, x.step * head, 0}
			for _, part := range []int{2, head / 2} {
				outermost, innermost := axis{x.dim, part, x.step, 0}, axis{x.dim, head / part, x.step * part, 0}
				axes := slices.Concat(dims[:d], []axis{outer, outermost, innermost}, dims[d+1:])
				if !s.tryOrder(axes, ints.Range(len(axes)), func(axis) bool { return false }) {
					return false
				}
			}
		}
		if x.n%2 != 0 {
			continue
		}
		halves := slices.Concat(dims[:d], []axis{{x.dim, 2, x.step * x.n / 2, x.step * x.n / 2}, {x.dim, x.n / 2, x.step, 0}}, dims[d+1:])
		reversed := func(y axis) bool { return y.last > 0 && y.dim == x.dim }
		if !s.tryOrder(halves, ints.Range(len(halves)), reversed) {
			return false
		}
	}
	return true
}

// tileSizes are the rows and columns of the tiles that matrix units read, and of the faces in them.
var tileSizes = [...]int{8, 16, 32, 64, 128}

// tiled tries the last two dims in tiles, and those of 32×32 in faces.
func (s *search) tiled(dims []axis) bool {
	if len(dims) < 2 {
		return true
	}
	outer := dims[:len(dims)-2]
	rows, columns := dims[len(dims)-2], dims[len(dims)-1]
	try := func(levels ...[2]int) bool {
		axes := slices.Clone(outer)
		heights, widths := rows.n, columns.n
		for _, level := range append(levels, [2]int{1, 1}) {
			if heights%level[0] != 0 || widths%level[1] != 0 {
				return true
			}
			axes = append(axes, axis{rows.dim, heights / level[0], rows.step * level[0], 0}, axis{columns.dim, widths / level[1], columns.step * level[1], 0})
			heights, widths = level[0], level[1]
		}
		return s.tryOrder(axes, ints.Range(len(axes)), func(axis) bool { return false })
	}
	for _, height := range tileSizes {
		for _, width := range tileSizes {
			if !try([2]int{height, width}) {
				return false
			}
		}
	}
	return try([2]int{32, 32}, [2]int{16, 16})
}

// shifted tries elements that begin later, after a header, or earlier; a short header also before other orders.
func (s *search) shifted(dims []axis) bool {
	n := s.b.n
	limit := maxShift
	if s.scale != nil {
		limit = maxShiftScaled
	}
	defer func() { s.skip = 0 }()
	for by := 1; by <= min(limit, n/2); by++ {
		s.skip = 0
		if !s.try(-by, []Loop{{n, 1}}) || !s.try(by, []Loop{{n, 1}}) {
			return false
		}
		if by > maxShiftMoved || s.scale != nil {
			continue
		}
		s.skip = by
		if !s.tryAxes(dims, orders(len(dims), allOrdersShifted)) || !s.reread(s.a.Shape, allOrdersShifted) {
			return false
		}
	}
	return true
}

// reread tries A's memory under the sizes of a shape in each order, of up to most, permuted back.
func (s *search) reread(shape []int, limit int) bool {
	sizes := axesOf(shape)
	for _, under := range orders(len(sizes), limit) {
		read := make([]int, len(sizes))
		for k, d := range under {
			read[k] = sizes[d].n
		}
		back := make([]axis, len(sizes))
		for k, x := range axesOf(read) {
			back[under[k]] = x
		}
		if !s.tryAxes(back, [][]int{ints.Range(len(back))}) {
			return false
		}
	}
	return true
}
