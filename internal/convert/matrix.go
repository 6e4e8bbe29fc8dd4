package convert

import (
	"cmp"
	"slices"

	"github.com/tlayout/tlayout/internal/convert/kernel"
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
// A run that both sides share is one wider item or, if it is longer, copied whole.
type matrix struct {
	kind       kind
	item       int // bytes that move as one
	rows, cols axis
	around     []around // outermost first
	backwards  bool     // some rows precede the first one
}

// kind says what a block is.
type kind int

const (
	copied        kind = iota // one item, a run of any length
	transposed                // rows and columns
	interleaved               // few rows become one: planes to pixels
	deinterleaved             // one row becomes few: pixels to planes
)

// around is a loop around the blocks. It may step from block to block of an axis, the last of which is shorter.
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
	maxGather  = 256               // bytes of the longest run that moves as several of them
	maxRows    = 512               // rows of a block, if there are enough columns
	blockBytes = 64 << 10          // bytes of a block: rows long enough to be prefetched, all of it in cache
	farRows    = 64                // rows of a block if each is in a page of its own: as many pages as a TLB holds
	page       = 4096              // bytes
	maxEntries = 2048              // rows or columns of a block: bounds the cost of its table
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
	if pad == 0 { // runs with padding after them are not copied whole
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

// widen makes the run that both sides share, if any, a wider item. A run of up to maxGather bytes may become several items,
// with a loop over them.
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
	limit := maxRows
	if n := len(loops); n > 0 && ints.Abs(loops[n-1].Src) >= page {
		limit = farRows
	}
	rows, loops := adjacent(loops, m.item, pad, limit)
	loops = bySrc(loops)
	between := unwanted(loops, m.item, room)
	cols, others := adjacent(loops, m.item, between, maxRows)
	width := elemsOf(cols) * m.item
	var rowBlocks, colBlocks Loop
	var restRows, restCols []Loop
	m.rows, rowBlocks, restRows = newAxis(rows, m.item, pad, max(limit, min(maxEntries, blockBytes/width)))
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

// axis is the rows or the columns of a matrix. They are contiguous on the near side and anywhere on the far one, where table
// has the byte offset of each entry of a block from the first, or NoRow: a row of padding, or an unwanted column.
type axis struct {
	n     int // entries in all
	table []int
}

// adjacent takes, from loops in falling order of Dst, those whose iterations are contiguous in the destination: the first
// steps by one item, the next by the length of the first and its padding, and so on, until they have limit iterations
// together. It returns them innermost first, then the others.
//
//	{N: 4·s, 16}{C: 1·t, 4}, items of 4 bytes, C = 4   →   4 iterations of C, then N steps by 4·4 = 16 bytes
//
// Loops that are contiguous in the source are left for the other axis, except a run with padding after it.
func adjacent(loops []Loop, item, pad, limit int) (taken, others []Loop) {
	next := item
	if n := len(loops); pad > 0 && (n == 0 || loops[n-1].Dst != item) { // a run of one
		taken, next, pad = []Loop{{N: 1, Dst: item}}, item+pad*item, 0
	}
	for k := len(loops) - 1; k >= 0; k-- {
		l := loops[k]
		if l.Dst != next || next >= limit*item || l.Src == item && (len(taken) > 0 || item < maxItem && pad == 0) {
			others = append([]Loop{l}, others...)
			continue
		}
		taken = append(taken, l)
		next = next*l.N + pad*item
		pad = 0
	}
	return taken, others
}

// newAxis makes the table of a block of about limit entries from adjacent loops, innermost first, with pad entries of
// padding after each run of the first. It returns the loop from block to block, which runs once if the axis is one block,
// and the loops left over.
func newAxis(loops []Loop, item, pad, limit int) (a axis, blocks Loop, others []Loop) {
	a, blocks = axis{n: 1, table: []int{0}}, Loop{N: 1}
	for k, l := range loops {
		turns := l.N
		if a.n*turns > limit+limit/2 {
			turns = evened(l.N, max(1, limit/a.n))
			blocks, others = Loop{ints.CeilDiv(l.N, turns), turns * l.Src, turns * a.n * item}, loops[k+1:]
		}
		a.repeat(turns, l.Src)
		a.n *= l.N
		if blocks.N > 1 {
			break // runs that are cut have nothing between them
		}
		for range pad {
			a.table = append(a.table, kernel.NoRow)
		}
		a.n, pad = a.n+pad, 0
	}
	return a, blocks, others
}

// repeat concatenates turns copies of the table, step bytes apart on the far side.
func (a *axis) repeat(turns, step int) {
	inner := a.table
	a.table = make([]int, 0, len(inner)*turns)
	for k := range turns {
		a.table = append(a.table, shifted(inner, k*step)...)
	}
}

// shifted adds by to every entry except NoRow.
func shifted(table []int, by int) []int {
	out := make([]int, len(table))
	for i, t := range table {
		if out[i] = t; t != kernel.NoRow {
			out[i] += by
		}
	}
	return out
}

// step is the distance between entries on the far side, if it is constant.
func (a axis) step() (bytes int, even bool) {
	if len(a.table) < 2 {
		return 0, false
	}
	for k, t := range a.table {
		if t != k*a.table[1] {
			return 0, false
		}
	}
	return a.table[1], true
}

// inverted exchanges the sides.
func inverted(loops []Loop) []Loop {
	out := make([]Loop, len(loops))
	for i, l := range loops {
		out[i] = l.inverted()
	}
	return out
}

func (l Loop) inverted() Loop { return Loop{l.N, l.Dst, l.Src} }

// unwanted is how many items of the source are between its runs, if they are few: they are read too, also after the last
// run, if room bytes follow it. Dst is the source here.
//
//	3 of 4 channels of each image   |c0 c1 c2 —|c0 c1 c2 —|…
func unwanted(loops []Loop, item, room int) int {
	n := len(loops)
	if n < 2 || loops[n-1].Dst != item {
		return 0
	}
	between := loops[n-2].Dst/item - loops[n-1].N
	if loops[n-2].Dst%item != 0 || between <= 0 || between > maxItem || between*item > room {
		return 0
	}
	return between
}

// narrow decides the kind of a matrix of few rows or few columns. Columns of the source between the wanted ones, or after
// them if room bytes follow the last one, are read too and go nowhere.
//
//	3 of 4 channels   |r0 g0 b0 a0|r1 g1 b1 a1|…   →   |r0 r1 …|  |g0 g1 …|  |b0 b1 …|  nowhere
func (m *matrix) narrow(room int) {
	few := maxItem / m.item
	if step, even := m.cols.step(); even && m.rows.n == len(m.rows.table) && m.rows.n < few && step == m.rows.n*m.item {
		m.kind = interleaved
	}
	if m.kind != transposed || m.cols.n >= few || m.cols.n != len(m.cols.table) {
		return
	}
	read := few
	step, even := m.rows.step()
	even = even && step%m.item == 0 && step >= m.cols.n*m.item && step < few*m.item
	if even {
		read = step / m.item
	}
	if (read-m.cols.n)*m.item > room {
		return
	}
	if even {
		m.kind = deinterleaved
	}
	for m.cols.n < read {
		m.cols.table = append(m.cols.table, kernel.NoRow)
		m.cols.n++
	}
}
