package convert

import (
	"cmp"
	"slices"

	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/tensor"
)

// matrix is the way a box is run: inner loops that make a matrix, which a kernel transposes block by block, and the
// loops around the blocks. All steps are bytes.
//
//	source: rows anywhere, columns side by side        destination: columns anywhere, rows side by side
//
//	row 0   |i=0|i=1|i=2|…                             column 0   |j=0|j=1|j=2|…
//	row 1   |i=0|i=1|i=2|…                             column 1   |j=0|j=1|j=2|…
//
// A run that both sides have in common is one wider item, or, where it is longer, copied as it is.
type matrix struct {
	kind       kind
	item       int // bytes that move as one
	rows, cols axis
	around     []around // outermost first
	backwards  bool     // some rows lie before the first one
}

// kind says what a block is.
type kind int

const (
	copied        kind = iota // one item, a run of any length
	transposed                // rows and columns
	interleaved               // few rows become one: planes to pixels
	deinterleaved             // one row becomes few: pixels to planes
)

// around is a loop around the blocks. It may go from one block of an axis to the next, of which the last is shorter.
type around struct {
	Loop
	over blockAxis
}

type blockAxis int

const (
	noAxis blockAxis = iota
	overRows
	overCols
)

const (
	maxItem    = 16                // bytes of the widest item that kernels move
	maxRoom    = maxItem * maxItem // bytes after the last one wanted that are read at most, see unwanted and narrow
	maxGather  = 256               // bytes of the longest run that is taken as several of them
	maxRows    = 512               // rows of a block, if there are enough columns
	blockBytes = 64 << 10          // bytes of a block: rows long enough to be fetched ahead, and all of it near
	farRows    = 64                // rows of a block, where each is in a page of its own: as many pages as are found without delay
	page       = 4096              // bytes
	maxEntries = 2048              // rows or columns of a block: what a table costs to be made
	line       = tensor.CacheLine
)

// newMatrix chooses how to run a nest of loops over elements of itemSize bytes, wherever it begins, with pad elements of
// padding after each run. room is how many bytes of the source follow the last one that is read; more than maxRoom make no
// difference.
func newMatrix(nest []Loop, pad, itemSize, room int) *matrix {
	m := &matrix{kind: transposed, item: itemSize}
	loops := make([]Loop, len(nest))
	for i, l := range nest {
		loops[i] = Loop{l.N, l.Src * itemSize, l.Dst * itemSize}
	}
	if pad == 0 { // what is padded behind every run is not copied by runs
		loops = m.widen(loops)
	}
	if !isItem(m.item) {
		m.kind = copied
	}
	if m.kind == transposed {
		loops = m.takeAxes(loops, pad, room)
	}
	for _, l := range loops {
		m.around = append(m.around, around{Loop: l})
	}
	slices.SortStableFunc(m.around, func(a, b around) int {
		return cmp.Compare(min(ints.Abs(b.Src), ints.Abs(b.Dst)), min(ints.Abs(a.Src), ints.Abs(a.Dst)))
	})
	if m.kind == transposed {
		m.narrow(room)
		m.backwards = slices.Min(m.rows.table) < 0
	}
	return m
}

// isItem reports whether kernels move items of that many bytes as one.
func isItem(bytes int) bool { return bytes <= maxItem && bytes&(bytes-1) == 0 }

// widen makes the run that both sides have in common, if there is one, a wider item. One of up to maxGather bytes may
// become several: then a loop over them stays.
func (m *matrix) widen(loops []Loop) []Loop {
	last := len(loops) - 1
	if last < 0 || loops[last].Src != m.item || loops[last].Dst != m.item {
		return loops
	}
	run := loops[last].N * m.item
	if run > maxItem && run <= maxGather && run%maxItem == 0 && maxItem%m.item == 0 {
		m.item = maxItem
		loops[last] = Loop{run / maxItem, maxItem, maxItem}
		return loops
	}
	m.item = run
	return loops[:last]
}

// takeAxes takes the loops that make rows and columns, and returns the others.
func (m *matrix) takeAxes(loops []Loop, pad, room int) []Loop {
	most := maxRows
	if n := len(loops); n > 0 && ints.Abs(loops[n-1].Src) >= page {
		most = farRows
	}
	rows, loops := adjacent(loops, m.item, pad, most)
	loops = bySrc(loops)
	between := unwanted(loops, m.item, room)
	cols, others := adjacent(loops, m.item, between, maxRows)
	width := elemsOf(cols) * m.item
	var rowBlocks, colBlocks Loop
	var restRows, restCols []Loop
	m.rows, rowBlocks, restRows = newAxis(rows, m.item, pad, max(most, min(maxEntries, blockBytes/width)))
	height := len(m.rows.table) * m.item
	m.cols, colBlocks, restCols = newAxis(cols, m.item, between, max(line/m.item, min(maxEntries, blockBytes/height)))
	if rowBlocks.N > 1 {
		m.around = append(m.around, around{rowBlocks, overRows})
	}
	if colBlocks.N > 1 {
		m.around = append(m.around, around{colBlocks.inverted(), overCols})
	}
	return slices.Concat(restRows, inverted(restCols), inverted(others))
}

// bySrc exchanges the sides of loops and puts them in falling order of the source.
func bySrc(loops []Loop) []Loop {
	loops = inverted(loops)
	slices.SortStableFunc(loops, func(a, b Loop) int { return cmp.Compare(b.Dst, a.Dst) })
	return loops
}
