package bench

import (
	"math/bits"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/bench/reader"
	"github.com/tlayout/tlayout/internal/convert"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// nest is the loops of a walk over a storage, in bytes:
//
//	for k in 0…n:
//	    for each part: the part, from at + k·step + part.at on
//
// and without parts, n rows of row bytes each, step apart. A dim that ends inside a block has two parts: the whole blocks
// and the remainder.
type nest struct {
	at      int
	n, step int
	row     int
	parts   []nest
}

// order lists the dims of a walk, outermost first: with the channels innermost, or the pixels of a channel. It fails with
// Usage if the layout has no channels or no pixels.
func (p Pattern) order(l tensor.Layout) ([]int, error) {
	if l.Rank() == 0 {
		return nil, fault.New(fault.Usage, "a scalar has no channels or pixels")
	}
	order, ok := l.AccessOrder(p == Channel)
	if !ok {
		return nil, fault.New(fault.Usage, "dims %s: channel-wise and spatial access need a dim C and a spatial dim", strings.Join(l.Names(), ", ")).
			WithHint("name the dims of a file with --from, or describe a tensor with --shape 32,64,56,56")
	}
	return order, nil
}

// newNest makes the walk over all elements of a layout, in the pattern's order: a conversion into a dense tensor of that order,
// whose destinations are the steps of the walk. It fails as order does.
//
// Post: its rows, cut into elements, are at l.At of every coordinate, in the walk's order.
func newNest(p Pattern, l tensor.Layout, itemSize int) (nest, error) {
	order, err := p.order(l)
	if err != nil {
		return nest{}, err
	}
	dense, err := notation.Order(l.Names(), order).Bind(l.Shape())
	if err != nil {
		return nest{}, err
	}
	plan, err := convert.NewPlan(dense, l, itemSize)
	if err != nil {
		return nest{}, err
	}
	parts := inTurn(plan.Boxes, itemSize)
	if len(parts) == 1 {
		return parts[0], nil
	}
	return nest{n: min(1, len(parts)), parts: parts}, nil
}

// inTurn makes parts of boxes, in the order of their destinations. Boxes that take turns, as those of whole blocks and of the
// remainder do, become parts of the loop around them, which they share.
func inTurn(boxes []convert.Box, itemSize int) (parts []nest) {
	slices.SortFunc(boxes, func(a, b convert.Box) int { return a.Dst - b.Dst })
	for n := 0; len(boxes) > 0; boxes = boxes[n:] {
		last := boxes[0].Dst
		for n = 0; n < len(boxes) && boxes[n].Dst <= last; n++ {
			last = max(last, boxes[n].Last())
		}
		parts = append(parts, looped(boxes[:n], itemSize))
	}
	return parts
}

// looped puts the outermost loop of boxes, which they share, around the inner loops. Contiguous rows merge.
func looped(boxes []convert.Box, itemSize int) nest {
	at := boxes[0].Src * itemSize
	if len(boxes[0].Loops) == 0 {
		return nest{at: at, n: 1, row: itemSize}
	}
	loop := boxes[0].Loops[0]
	inside := slices.Clone(boxes)
	for i, b := range boxes {
		inside[i].Src, inside[i].Loops = b.Src-boxes[0].Src, b.Loops[1:]
	}
	step := loop.Src * itemSize
	body := inTurn(inside, itemSize)
	row := body[0].row
	if len(body) > 1 || body[0].parts != nil || body[0].n > 1 {
		return nest{at: at, n: loop.N, step: step, parts: body}
	}
	if step == row {
		return nest{at: at, n: 1, row: loop.N * row}
	}
	return nest{at: at, n: loop.N, step: step, row: row}
}

// rows calls f for every row, in the walk's order.
func (p nest) rows(f func(at, bytes int)) {
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

// stretch is a part of a nest: loops around one call of the reader, which itself runs two loops around short rows, or one around rows at
// listed offsets.
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
func (p nest) stretches() []stretch {
	if p.n == 0 {
		return nil
	}
	if p.parts == nil {
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
func (p nest) listed() (list []int, row int) {
	once := nest{n: 1, parts: p.parts}
	total, lengths := once.measure()
	row = min(maxRow, lengths&-lengths)
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

// measure returns the total of all rows, and a bit mask of their lengths.
func (p nest) measure() (bytes, lengths int) {
	if p.parts == nil {
		return p.n * p.row, p.row
	}
	for _, q := range p.parts {
		b, l := q.measure()
		bytes = bytes + p.n*b
		lengths = lengths | l
	}
	return bytes, lengths
}

// rowStretches cuts rows into pieces with power-of-two lengths: whole lines and a remainder. Several short rows that are not whole lines
// are cut into pieces of the remainder's length only.
func (p nest) rowStretches() []stretch {
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
	if len(pieces) == 1 {
		return []stretch{pieces[0].flat(p.at)}
	}
	if p.n == 1 {
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
		g.N0 = g.N1
		g.Step0 = g.Step1
		g.N1 = 1
		g.Step1 = 0
	}
	return s
}
