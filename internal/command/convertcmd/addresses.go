package convertcmd

import (
	"cmp"
	"slices"

	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/tensor"
)

// An address program visits every element of two layouts once, with its two addresses. It is not the plan's: it knows neither boxes nor passes, tiles nor
// kernels, and merges no loops. The address of an element is the formula of the layout, offset + Σ over dims Σ over digits of (i/div mod extent)·stride,
// evaluated for each index of each dim alone. The dims are divided into three groups, rows, columns and the rest; the tables of a group are the sums of
// those of its dims, for every combination of indices. So each combination of a row, a column and the rest is one element, and no element is left out,
// whatever the strides are.
type addresses struct {
	rows, columns group
	rest          []axis
	src, dst      int // bytes before the first element
	tiles         int
}

// axis is a dim with its digits in both layouts, whose strides are in bytes.
type axis struct {
	dim      int // in the source; -1 for the numbers of an element
	size     int
	src, dst []tensor.Digit
}

// group is the dims of rows or columns, the first varies fastest. A tile has one part of the last one.
type group struct {
	axes  []axis
	part  int // indices of the last axis in a tile
	parts int
}

// A group takes dims until it has enough indices, so that short dims alone make no small tiles, and has at most maxGroup in a tile.
const (
	maxGroup      = 1024
	enoughColumns = 256
	enoughRows    = 64
)

// newAddresses returns the program for a layout and another one, whose dims are dims[i] of the first. An element is of numbers of unit bytes.
func newAddresses(from, to tensor.Layout, dims []int, size, unit int) *addresses {
	p := &addresses{src: from.Offset() * size, dst: to.Offset() * size}
	all := []axis{}
	if size > unit {
		numbers := []tensor.Digit{{Div: 1, Extent: size / unit, Stride: unit}}
		all = append(all, axis{-1, size / unit, numbers, numbers})
	}
	for i, k := range dims {
		if n := to.Dim(i).Size; n > 1 {
			all = append(all, axis{k, n, inBytes(from.Dim(k).Digits, size), inBytes(to.Dim(i).Digits, size)})
		}
	}
	near := func(digits func(axis) []tensor.Digit) []axis {
		return slices.SortedStableFunc(slices.Values(all), func(a, b axis) int {
			return cmp.Compare(ints.Abs(at(digits(a), 1)), ints.Abs(at(digits(b), 1)))
		})
	}
	bySource := near(func(a axis) []tensor.Digit { return a.src })
	byTarget := near(func(a axis) []tensor.Digit { return a.dst })
	taken := map[int]bool{}
	p.columns = newGroup(bySource, taken, enoughColumns)
	p.rows = newGroup(byTarget, taken, enoughRows)
	p.columns = p.columns.extended(bySource, taken, enoughColumns)
	for _, a := range slices.Backward(byTarget) {
		if !taken[a.dim] {
			p.rest = append(p.rest, a)
		}
	}
	p.tiles = p.rows.parts * p.columns.parts
	for _, a := range p.rest {
		p.tiles *= a.size
	}
	return p
}

// newGroup takes the first axis that is not taken, and further ones until it has enough indices.
func newGroup(from []axis, taken map[int]bool, enough int) group {
	g := group{part: 1, parts: 1}
	first := slices.IndexFunc(from, func(a axis) bool { return !taken[a.dim] })
	if first >= 0 {
		g = g.with(from[first], taken)
	}
	return g.extended(from, taken, enough)
}

// extended returns the group with further axes, until it has enough indices.
func (g group) extended(from []axis, taken map[int]bool, enough int) group {
	for _, a := range from {
		if !taken[a.dim] && g.parts == 1 && g.len() < enough {
			g = g.with(a, taken)
		}
	}
	return g
}

func (g group) with(a axis, taken map[int]bool) group {
	taken[a.dim] = true
	g.part = max(1, min(a.size, maxGroup/g.len()))
	g.axes = append(slices.Clip(g.axes), a)
	g.parts = (a.size + g.part - 1) / g.part
	return g
}

// len returns the number of indices in a whole part.
func (g group) len() int {
	n := 1
	for i, a := range g.axes {
		if i == len(g.axes)-1 {
			return n * g.part
		}
		n *= a.size
	}
	return n
}

// table is the addresses of a group's indices, in bytes, relative to that of index 0.
type table struct {
	src, dst []int
	part     int // that it is of; −1 at first
}

// fill sets the table to a part of the group.
func (t *table) fill(g group, part int) {
	if t.part == part && t.src != nil {
		return
	}
	t.part = part
	t.src = append(t.src[:0], 0)
	t.dst = append(t.dst[:0], 0)
	for k, a := range g.axes {
		from, to := 0, a.size
		if k == len(g.axes)-1 {
			from = part * g.part
			to = min(a.size, (part+1)*g.part)
		}
		before := len(t.src)
		for i := from; i < to; i++ {
			s, d := at(a.src, i), at(a.dst, i)
			for n := range before {
				t.src = append(t.src, t.src[n]+s)
				t.dst = append(t.dst, t.dst[n]+d)
			}
		}
		t.src = slices.Delete(t.src, 0, before)
		t.dst = slices.Delete(t.dst, 0, before)
	}
}

// tile sets both tables to those of tile n, and returns where it begins in both.
func (p *addresses) tile(n int, rows, columns *table) (src, dst int) {
	src = p.src
	dst = p.dst
	rows.fill(p.rows, n%p.rows.parts)
	n /= p.rows.parts
	columns.fill(p.columns, n%p.columns.parts)
	n /= p.columns.parts
	for _, a := range slices.Backward(p.rest) {
		src = src + at(a.src, n%a.size)
		dst = dst + at(a.dst, n%a.size)
		n /= a.size
	}
	return src, dst
}

// coord returns the indices of an element of tile n, in the order of the source's dims.
func (p *addresses) coord(n, row, column, rank int) []int {
	coord := make([]int, rank)
	set := func(a axis, i int) {
		if a.dim >= 0 {
			coord[a.dim] = i
		}
	}
	for _, x := range []struct {
		g group
		i int
	}{{p.rows, row}, {p.columns, column}} {
		part := n % x.g.parts
		n /= x.g.parts
		for k, a := range x.g.axes {
			if k == len(x.g.axes)-1 {
				set(a, part*x.g.part+x.i)
				break
			}
			set(a, x.i%a.size)
			x.i /= a.size
		}
	}
	for _, a := range slices.Backward(p.rest) {
		set(a, n%a.size)
		n /= a.size
	}
	return coord
}

// at returns where the digits place an index: Σ (i/div mod extent)·stride.
func at(digits []tensor.Digit, i int) int {
	sum := 0
	for _, g := range digits {
		if g.Div == 1 && i < g.Extent {
			sum += i * g.Stride
			continue
		}
		sum += i / g.Div % g.Extent * g.Stride
	}
	return sum
}

// inBytes returns digits with strides in bytes.
func inBytes(digits []tensor.Digit, size int) []tensor.Digit {
	digits = slices.Clone(digits)
	for i := range digits {
		digits[i].Stride *= size
	}
	return digits
}
