package relate

import (
	"math/bits"
	"slices"

	"github.com/tlayout/tlayout/internal/ints"
)

// axis is a loop of A that B may have: n steps along a dim of A, in elements.
type axis struct{ dim, n, step int }

// maxShift is the farthest shift, in elements, that is tried where values repeat: a header of 4 KiB of bytes.
const maxShift = 4096

// guess tries the numerals that other mistakes make, until enough passed.
func (s *search) guess() {
	dims := axesOf(s.a.Shape)
	all := orders(len(dims), 6)
	_ = s.pitched(dims, all) && s.blocked(dims, true) && s.shifted(dims, orders(len(dims), 4), 64) && s.reread()
}

// axesOf returns the dims of a shape with a size over 1, outermost first, each with its dense step.
func axesOf(shape []int) []axis {
	var axes []axis
	step := 1
	for d, n := range slices.Backward(shape) {
		if n > 1 {
			axes = append(axes, axis{d, n, step})
		}
		step *= n
	}
	slices.Reverse(axes)
	return axes
}

// orders returns the orders of n axes: all of up to most, and of more those in which one axis moved, and the reverse.
func orders(n, most int) [][]int {
	if n <= most {
		return ints.Permutations(n)
	}
	all := [][]int{ints.Range(n)}
	for from := range n {
		for to := range n {
			if from != to {
				all = append(all, slices.Insert(slices.Delete(ints.Range(n), from, from+1), to, from))
			}
		}
	}
	back := ints.Range(n)
	slices.Reverse(back)
	return append(all, back)
}

// tryOrder tries axes in an order, outermost first, where those of the whole dims in a set of bits run backwards.
func (s *search) tryOrder(skip int, axes []axis, order []int, whole []axis, backwards uint64) bool {
	loops, base := make([]Loop, 0, len(axes)), 0
	for _, k := range slices.Backward(order) {
		x := axes[k]
		if backwards>>x.dim&1 == 1 {
			x.step = -x.step
		}
		loops = append(loops, Loop{x.n, x.step})
	}
	for _, x := range whole {
		if backwards>>x.dim&1 == 1 {
			base += (x.n - 1) * x.step
		}
	}
	return s.try(skip, base, loops)
}

// flips returns sets of dims that run backwards: none, one, all, and of up to 4 dims the rest.
func flips(dims []axis) []uint64 {
	union := func(chosen int) (set uint64) {
		for k, x := range dims {
			set |= uint64(chosen>>k&1) << x.dim
		}
		return set
	}
	all := 1<<len(dims) - 1
	sets := []uint64{0}
	for k := range dims {
		sets = append(sets, union(1<<k))
	}
	sets = append(sets, union(all))
	for chosen := 1; chosen < all && len(dims) <= 4; chosen++ {
		if bits.OnesCount(uint(chosen)) > 1 {
			sets = append(sets, union(chosen))
		}
	}
	return sets
}

// few returns the sets of flips of none, one and all dims.
func few(dims []axis) []uint64 { return flips(dims)[:len(dims)+2] }

// permuted tries A's dims in each order and direction, the simplest mistakes.
func (s *search) permuted() bool {
	dims := axesOf(s.a.Shape)
	return s.try(0, 0, []Loop{{s.lens.b.n, 1}}) && s.flipped(dims, orders(len(dims), 6))
}

func (s *search) flipped(dims []axis, orders [][]int) bool {
	for _, set := range flips(dims) {
		for _, order := range orders {
			if !s.tryOrder(0, dims, order, dims, set) {
				return false
			}
		}
	}
	return true
}

// pitched tries padding after each row, or plane, of an order; the last one may lack it.
func (s *search) pitched(dims []axis, orders [][]int) bool {
	n, m := s.lens.a.n, s.lens.b.n
	for _, order := range orders {
		row := 1
		for _, k := range slices.Backward(order) {
			row *= dims[k].n
			rows := n / row
			if m <= n || rows <= 1 {
				break
			}
			for _, pitch := range []int{ints.CeilDiv(m, rows), (m - row) / (rows - 1)} {
				axes, inner := slices.Clone(dims), row/dims[k].n
				if pitch%inner != 0 && !s.tryRows(order, dims, row, pitch) {
					return false
				}
				axes[k].n = pitch / inner
				for _, set := range few(dims) {
					if pitch%inner == 0 && !s.tryOrder(0, axes, order, dims, set) {
						return false
					}
				}
			}
		}
	}
	return true
}

// tryRows tries A's own rows of row elements at a pitch, where the pitch cuts an inner dim.
func (s *search) tryRows(order []int, dims []axis, row, pitch int) bool {
	return !slices.IsSorted(order) || s.try(0, 0, []Loop{{pitch, 1}, {s.lens.a.n / row, row}})
}

// blocked tries blocks of one dim, and of two of the same size.
func (s *search) blocked(dims []axis, inAnyOrder bool) bool {
	for _, size := range []int{2, 4, 8, 16, 32, 64} {
		for d := range dims {
			one := split(dims, d, size)
			if !s.tryBlocks(dims, one, inAnyOrder) {
				return false
			}
			for e := range dims {
				if e != d && !s.tryBlocks(dims, split(one, e, size), false) {
					return false
				}
			}
		}
	}
	return true
}

// split cuts axis d into blocks, which become the innermost axis.
func split(axes []axis, d, size int) []axis {
	axes = slices.Clone(axes)
	x := &axes[d]
	block := axis{x.dim, size, x.step}
	x.n, x.step = ints.CeilDiv(x.n, size), x.step*size
	return append(axes, block)
}

// tryBlocks tries blocked axes of as many positions as B has elements, in any order if they are up to 5.
func (s *search) tryBlocks(dims, axes []axis, inAnyOrder bool) bool {
	count := 1
	for _, x := range axes {
		count *= x.n
	}
	if count != s.lens.b.n {
		return true
	}
	all := [][]int{ints.Range(len(axes))}
	if inAnyOrder && len(axes) <= 5 {
		all = ints.Permutations(len(axes))
	}
	for _, set := range few(dims) {
		for _, order := range all {
			if !s.tryOrder(0, axes, order, dims, set) {
				return false
			}
		}
	}
	return true
}

// reread tries A's memory under the sizes of A and of B in any order, permuted; and permuted back, with gaps.
func (s *search) reread() bool {
	for _, shape := range [][]int{s.a.Shape, s.b.Shape} {
		sizes := axesOf(shape)
		all := orders(len(sizes), 5)
		for _, under := range all {
			read := make([]int, len(sizes))
			for k, d := range under {
				read[k] = sizes[d].n
			}
			dims, back := axesOf(read), make([]axis, len(sizes))
			for k, d := range under {
				back[d] = dims[k]
			}
			one := [][]int{ints.Range(len(back))}
			if len(sizes) <= 4 && !s.flipped(dims, all) || len(sizes) > 4 && !s.flipped(back, one) {
				return false
			}
			if s.scale == nil && (!s.pitched(back, one) || !s.blocked(back, false) || !s.shifted(back, one, 0)) {
				return false
			}
		}
	}
	return true
}

// shifted tries elements that begin later, after a header, or earlier; a short header before any order, up to a limit one dim backwards.
func (s *search) shifted(dims []axis, orders [][]int, backwards int) bool {
	n, most := s.lens.b.n, maxShift
	if backwards == 0 || s.scale != nil {
		most = 128
	}
	for by := 1; by <= min(most, n/2); by++ {
		if !s.try(0, -by, []Loop{{n, 1}}) || !s.try(0, by, []Loop{{n, 1}}) {
			return false
		}
		sets := few(dims)
		if by > backwards {
			sets = sets[:1]
		}
		for k := 0; by <= 128 && k < len(sets) && s.scale == nil; k++ {
			for _, order := range orders {
				if !s.tryOrder(by, dims, order, dims, sets[k]) {
					return false
				}
			}
		}
	}
	return true
}
