package bench

import (
	"math/bits"

	"github.com/tlayout/tlayout/internal/bench/reader"
)

// stretch is a part of a nest: loops around what the reader takes at once, which is two loops around short rows, or a loop
// around rows at listed places.
type stretch struct {
	at, n, step int
	inside      []stretch
	grid        reader.Grid   // where nothing is inside; it begins at 0
	places      reader.Places // instead of a grid, where the list is not empty
}

// isGrid reports whether the stretch is one grid.
func (s *stretch) isGrid() bool { return s.inside == nil && s.places.List == nil }

// What the reader takes at once: rows of up to longestRow bytes, and lists of up to longestList of them, which stay in the
// first cache beside what they list.
const (
	longestRow  = 64
	longestList = 512
)

// stretches cuts a nest into what the reader takes. A call costs about as much as fifty rows, so where a loop goes around
// a few rows, both go into one call: as two loops where the rows lie evenly, and as a list of places where they do not.
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
		return []stretch{{at: p.at, places: reader.Places{N: p.n, Step: p.step, List: list, Row: row}}}
	}
	return []stretch{{at: p.at, n: p.n, step: p.step, inside: inside}}
}

// listed lists the rows inside a loop's first turn, cut to one length; nil where they are too many.
func (p part) listed() (list []int, row int) {
	row = longestRow
	once := part{nest: nest{n: 1, parts: p.parts}}
	total := once.bytes()
	once.lengths(func(n int) { row = min(row, n&-n) })
	if total/row > longestList {
		return nil, 0
	}
	once.rows(func(at, bytes int) {
		for b := 0; b < bytes; b += row {
			list = append(list, at+b)
		}
	})
	return list, row
}

// bytes are those of all rows.
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

// rowStretches cuts rows into pieces whose lengths are powers of two: whole lines, and what is left of them. Where there
// are several rows that are not whole lines, all pieces are as long as what is left.
func (p part) rowStretches() []stretch {
	whole := p.row - p.row%longestRow
	if p.n > 1 && whole != p.row && p.row < longestList*longestRow/8 {
		whole = 0
	}
	var pieces []stretch
	for _, run := range [][2]int{{0, whole}, {whole, p.row}} {
		if n := run[1] - run[0]; n > 0 {
			piece := min(longestRow, 1<<bits.TrailingZeros(uint(n)))
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

// flat moves a grid and leaves its outer loop free where the inner one has a single row.
func (s stretch) flat(at int) stretch {
	s.at += at
	if g := &s.grid; g.N0 == 1 {
		g.N0, g.Step0, g.N1, g.Step1 = g.N1, g.Step1, 1, 0
	}
	return s
}
