package convert

import (
	"math"

	"github.com/tlayout/tlayout/internal/convert/kernel"
)

// Accesses are callbacks for a plan's memory accesses, in order: n bytes at byte at, of the source's storage or the destination's.
type Accesses struct {
	Read, Write func(at, n int)
}

// Elementwise visits the accesses of a plain loop over the strides, as in a library without a kernel for the conversion: element by
// element, in the order of the destination. It stops after limit elements, and returns their number.
func (p *Plan) Elementwise(limit int, a Accesses) (elems int) {
	for _, b := range p.Boxes {
		m := &matrix{item: p.ItemSize, copied: true}
		m.nest(scaled(nil, b.Loops, p.ItemSize))
		elems += m.visit(b, p.ItemSize, limit-elems, a)
	}
	return elems
}

// Tilewise visits the accesses of the plan when it writes a file on one thread, tile by tile, by kernels of whole cache lines. cache is the
// size of a core's own cache in bytes; a tile is half of it. It omits padding and the buffers of tiles. It stops with the tile that reaches
// limit elements, and returns their number.
func (p *Plan) Tilewise(cache, limit int, a Accesses) (elems int) {
	if p.ItemSize == 0 || p.Alloc == 0 {
		return 0
	}
	t := newTiling(max(1, cache/2/p.ItemSize), p)
	for k := 0; k < t.count() && elems < limit; k++ {
		boxes := t.cut(p, t.at(k))
		for i := range boxes {
			boxes[i].Loops = simplify(boxes[i].Loops)
		}
		for _, m := range p.moves(nil, boxes) {
			m.matrix.visit(m.box, p.ItemSize, math.MaxInt, a)
		}
		for _, b := range boxes {
			elems += elemsOf(b.Loops)
		}
	}
	return elems
}

// visit visits the blocks of a box, at most limit, and returns their number.
func (m *matrix) visit(b Box, itemSize, limit int, a Accesses) (blocks int) {
	at, index := m.start(b, itemSize, 0, nil)
	blocks = min(m.count(), limit)
	for range blocks {
		m.visitBlock(at, a)
		at.next(m, index, 1)
	}
	return blocks
}

// visitBlock visits a block in the order of its kernel, with vectors of a line's length:
//
//	copied   the run
//	tiles    for each line of columns: for each line of rows: by half lines of columns: those of every row, a line of every column
//	few      for each line of columns: the line of every row, all of each column
func (m *matrix) visitBlock(at position, a Accesses) {
	if m.copied {
		a.Read(at.src, m.item)
		a.Write(at.dst, m.item)
		return
	}
	rows, cols := at.block(m)
	strip := max(1, line/m.item)
	perLine := max(1, line/m.item)
	perStep := max(1, line/2/m.item)
	if m.few() {
		perLine = rows
		perStep = strip
	}
	for c := 0; c < cols; c += strip {
		for j := 0; j < rows; j += perLine {
			for i := c; i < min(c+strip, cols); i += perStep {
				m.visitTile(at.src+i*m.item, at.dst+j*m.item, m.rows.table[j:min(j+perLine, rows)], m.cols.table[i:min(i+perStep, cols)], a)
			}
		}
	}
}

// visitTile reads a part of each row as long as there are columns, and writes a part of each column as long as there are rows.
func (m *matrix) visitTile(src, dst int, rows, cols []int, a Accesses) {
	for _, at := range rows {
		if at != kernel.NoRow {
			a.Read(src+at, len(cols)*m.item)
		}
	}
	for _, at := range cols {
		if at != kernel.NoRow {
			a.Write(dst+at, len(rows)*m.item)
		}
	}
}
