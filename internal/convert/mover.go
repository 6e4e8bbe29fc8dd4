package convert

import (
	"slices"

	"github.com/tlayout/tlayout/internal/convert/kernel"
)

// mover runs matrices from src to dst.
type mover struct {
	kernels  *kernel.Kernels
	dst, src []byte
	pad      []byte // one item
	options  kernel.Options

	elsewhere *kernel.ScratchRows // nil until a matrix needs it
	longest   int                 // bytes of its rows
}

// newMover makes a mover for one goroutine.
func newMover(k *kernel.Kernels, dst, src, pad []byte, stream bool) *mover {
	return &mover{kernels: k, dst: dst, src: src, pad: pad, options: kernel.Options{Staging: kernel.NewStaging(), Stream: stream}}
}

func (m *mover) boxes(boxes []Box, itemSize int) {
	for _, b := range boxes {
		m.box(b, itemSize)
	}
}

// box copies what the box says.
func (m *mover) box(b Box, itemSize int) {
	x := newMatrix(b, itemSize, len(m.src))
	m.options.Scratch = m.elsewhereFor(&x)
	m.run(&x, x.around, x.src, x.dst, x.rows.n, x.cols.n)
}

// elsewhereFor stands for the matrix's rows and columns that are nowhere; nil if all are somewhere.
func (m *mover) elsewhereFor(x *matrix) *kernel.ScratchRows {
	if !slices.Contains(x.rows.table, kernel.NoRow) && !slices.Contains(x.cols.table, kernel.NoRow) {
		return nil
	}
	if n := max(len(x.rows.table), len(x.cols.table)) * x.item; n > m.longest {
		m.elsewhere, m.longest = kernel.NewScratchRows(m.pad, n), n
	}
	return m.elsewhere
}

// run goes through the loops around the blocks. rows and cols are how many there are from here on.
func (m *mover) run(x *matrix, loops []around, src, dst, rows, cols int) {
	if len(loops) == 0 {
		m.block(x, src, dst, min(rows, len(x.rows.table)), min(cols, len(x.cols.table)))
		return
	}
	l := loops[0]
	for range l.N {
		m.run(x, loops[1:], src, dst, rows, cols)
		src, dst = src+l.Src, dst+l.Dst
		switch l.over {
		case overRows:
			rows -= len(x.rows.table)
		case overCols:
			cols -= len(x.cols.table)
		}
	}
}

// block hands one block to its kernel.
func (m *mover) block(x *matrix, src, dst, rows, cols int) {
	if x.kind == copied {
		m.kernels.Copy(m.dst[dst:dst+x.item], m.src[src:src+x.item], m.options)
		return
	}
	rowTable, colTable := x.rows.table[:rows], x.cols.table[:cols]
	if x.backwards {
		least := slices.Min(rowTable)
		rowTable, src = shifted(rowTable, -least), src+least
	}
	switch x.kind {
	case transposed:
		m.kernels.Transpose(m.dst[dst:], colTable, m.src[src:], rowTable, x.item, m.options)
	case interleaved:
		m.kernels.Interleave(m.dst[dst:], m.src[src:], rowTable, cols, x.item, m.options)
	case deinterleaved:
		m.kernels.Deinterleave(m.dst[dst:], colTable, m.src[src:], rows, x.item, m.options)
	}
}
