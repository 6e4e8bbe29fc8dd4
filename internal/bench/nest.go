package bench

import (
	"math/bits"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/bench/reader"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
)

// nest is the loops of a walk over a storage, in bytes:
//
//	for k in 0…n:
//	    for each part: part.nest, from part.at + k·step on
//
// and without parts, n rows of row bytes each, step apart. A dim that ends inside a block has two parts: the whole blocks
// and the remainder.
type nest struct {
	n, step int
	row     int
	parts   []part
}

// part is a nest and its offset.
type part struct {
	at int
	nest
}

// order returns the dims of a walk, outermost first: with the channels innermost, or the pixels of a channel. It fails with
// Usage if the layout has no channels or no pixels.
func (p Pattern) order(l tensor.Layout) ([]tensor.Dim, error) {
	order, ok := l.AccessOrder(p.Order() == Channel)
	switch {
	case l.Rank() == 0:
		return nil, fault.New(fault.Usage, "a scalar has no channels and no pixels")
	case !ok:
		return nil, fault.New(fault.Usage, "dims %s: channel-wise and spatial access need a dim C and a spatial dim", strings.Join(l.Names(), ", ")).
			WithHint("name the dims of a file with --layout, or describe a tensor with --shape 32,64,56,56")
	}
	dims := make([]tensor.Dim, len(order))
	for i, d := range order {
		dims[i] = l.Dim(d)
	}
	return dims, nil
}

// newNest makes the walk over all elements, the last dim fastest, every index increasing.
//
// Post: its rows, cut into elements, are at l.At of every coordinate, in the walk's order.
func newNest(dims []tensor.Dim, offset, itemSize int) part {
	body := []part{{nest: nest{n: 1, row: itemSize}}}
	for _, d := range slices.Backward(dims) {
		body = over(d.Digits, d.Size, itemSize, body)
	}
	switch len(body) {
	case 0:
		return part{}
	case 1:
		body[0].at += offset * itemSize
		return body[0]
	}
	return part{at: offset * itemSize, nest: nest{n: 1, parts: body}}
}

// over repeats a body for the indices 0…size−1 of the digits, the most significant digit outermost.
func over(digits []tensor.Digit, size, itemSize int, body []part) []part {
	top := digits[len(digits)-1]
	step := top.Stride * itemSize
	if len(digits) == 1 {
		return repeat(size, step, body)
	}
	lower := digits[:len(digits)-1]
	parts := repeat(size/top.Div, step, over(lower, top.Div, itemSize, body))
	for _, p := range over(lower, size%top.Div, itemSize, body) {
		p.at += size / top.Div * step
		parts = append(parts, p)
	}
	return parts
}

// repeat puts a loop around a body. Contiguous loops merge:
//
//	for i in 0…n: for j in 0…m: i·(m·s) + j·s   =   for k in 0…n·m: k·s
func repeat(n, step int, body []part) []part {
	switch {
	case n == 0 || len(body) == 0:
		return nil
	case n == 1:
		return body
	case len(body) > 1:
		return []part{{nest: nest{n: n, step: step, parts: body}}}
	}
	b := body[0]
	switch {
	case b.parts == nil && b.n == 1 && step == b.row:
		b.row *= n
	case b.n == 1:
		b.n, b.step = n, step
	case step == b.n*b.step:
		b.n *= n
	default:
		b = part{at: b.at, nest: nest{n: n, step: step, parts: []part{{nest: b.nest}}}}
	}
	return []part{b}
}

// rows calls f for every row, in the walk's order.
func (p part) rows(f func(at, bytes int)) {
	for k := range p.n {
		if p.parts == nil {
			f(p.at+k*p.step, p.row)
		}
		for _, inner := range p.parts {
			inner.at += p.at + k*p.step
			inner.rows(f)
		}
	}
}

// stretch is a part of a nest: loops around one call of the reader, which does two loops around short rows, or a loop around
// rows at listed offsets.
type stretch struct {
	at, n, step int
	inside      []stretch
	grid        reader.Grid    // if nothing is inside; its At is 0
	list        reader.RowList // instead of a grid, if it has offsets
}

// isGrid reports whether the stretch is one grid.
func (s *stretch) isGrid() bool { return s.inside == nil && s.list.Offsets == nil }

// Limits of one call of the reader: a list stays in L1 beside the rows.
const (
	maxRow  = tensor.CacheLine // bytes
	maxList = 512              // rows
)

// stretches cuts a nest into calls of the reader. A call costs about as much as fifty rows, so a loop around a few rows
// becomes one call: two loops if the rows are evenly spaced, otherwise a list of offsets.
func (p part) stretches() []stretch {
	switch {
	case p.n == 0:
		return nil
	case p.parts == nil:
		return p.rowStretches()
	}
	var inside []stretch
	for _, q := range p.parts {
		inside = append(inside, q.stretches()...)
	}
	if s := inside[0]; len(inside) == 1 && s.isGrid() && s.grid.N1 == 1 {
		s.at += p.at
		s.grid.N1, s.grid.Step1 = p.n, p.step
		return []stretch{s}
	}
	if list, row := p.listed(); list != nil && p.n > 1 {
		return []stretch{{at: p.at, list: reader.RowList{N: p.n, Step: p.step, Offsets: list, Row: row}}}
	}
	return []stretch{{at: p.at, n: p.n, step: p.step, inside: inside}}
}

// listed lists the rows of a loop's first iteration, cut to one length; nil if there are too many.
func (p part) listed() (list []int, row int) {
	row = maxRow
	once := part{nest: nest{n: 1, parts: p.parts}}
	total := once.bytes()
	once.lengths(func(n int) { row = min(row, n&-n) })
	if total/row > maxList {
		return nil, 0
	}
	once.rows(func(at, bytes int) {
		for b := 0; b < bytes; b += row {
			list = append(list, at+b)
		}
	})
	return list, row
}

// bytes is the total of all rows.
func (p part) bytes() int {
	total := 0
	for _, q := range p.parts {
		total += q.bytes()
	}
	if p.parts == nil {
		total = p.row
	}
	return p.n * total
}

// lengths calls f with the length of every row, once for each loop.
func (p part) lengths(f func(bytes int)) {
	if p.parts == nil {
		f(p.row)
	}
	for _, q := range p.parts {
		q.lengths(f)
	}
}

// rowStretches cuts rows into pieces whose lengths are powers of two: whole lines and a remainder. Several short rows that
// are not whole lines are cut into pieces of the remainder's length alone.
func (p part) rowStretches() []stretch {
	whole := p.row - p.row%maxRow
	if p.n > 1 && whole != p.row && p.row < maxList*maxRow/8 {
		whole = 0
	}
	var pieces []stretch
	for _, run := range [][2]int{{0, whole}, {whole, p.row}} {
		if n := run[1] - run[0]; n > 0 {
			piece := min(maxRow, 1<<bits.TrailingZeros(uint(n)))
			pieces = append(pieces, stretch{at: run[0], grid: reader.Grid{N1: p.n, Step1: p.step, N0: n / piece, Step0: piece, Row: piece}})
		}
	}
	switch {
	case len(pieces) == 1:
		return []stretch{pieces[0].flat(p.at)}
	case p.n == 1:
		return []stretch{pieces[0].flat(p.at), pieces[1].flat(p.at)}
	}
	for i := range pieces {
		pieces[i].grid.N1 = 1
	}
	return []stretch{{at: p.at, n: p.n, step: p.step, inside: pieces}}
}

// flat moves a grid, and swaps its loops if the inner one has a single row, which frees the outer one.
func (s stretch) flat(at int) stretch {
	s.at += at
	if g := &s.grid; g.N0 == 1 {
		g.N0, g.Step0, g.N1, g.Step1 = g.N1, g.Step1, 1, 0
	}
	return s
}
