package convert

import (
	"cmp"
	"slices"
	"sync"

	"github.com/klauspost/cpuid/v2"

	"github.com/tlayout/tlayout/internal/convert/kernel"
	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/tensor"
)

// matrix is the way to run a box: inner loops that form a matrix, which a kernel transposes block by block, and the loops around the
// blocks. All steps are bytes.
//
//	source: rows anywhere, columns side by side        destination: columns anywhere, rows side by side
//
//	row 0   |i=0|i=1|i=2|…                             column 0   |j=0|j=1|j=2|…
//	row 1   |i=0|i=1|i=2|…                             column 1   |j=0|j=1|j=2|…
//
// A run that both sides share is one wider item or, if it is longer, copied whole.
type matrix struct {
	item       int  // bytes that move together
	copied     bool // an item is a run of any length
	chunked    bool // a block is several small matrices, all rows
	rows, cols axis
	around     []around // outermost first
	first      int      // bytes from the box's first element to the row with the lowest offset

	lock   sync.Mutex
	blocks []block

	inline struct { // of few loops and one block
		around [4]around
		blocks [1]block
	}
}

// block is a prepared block of a matrix, or of the last rows or columns.
type block struct {
	kernels    *kernel.Kernels
	rows, cols int
	*kernel.Block
}

// block prepares a block of rows and columns for kernels, once.
func (m *matrix) block(k *kernel.Kernels, rows, cols int) *kernel.Block {
	m.lock.Lock()
	defer m.lock.Unlock()
	for i := range m.blocks {
		if b := &m.blocks[i]; b.kernels == k && b.rows == rows && b.cols == cols {
			return b.Block
		}
	}
	b := block{k, rows, cols, k.NewBlock(m.rows.table[:rows], m.cols.table[:cols], m.item)}
	m.blocks = append(m.blocks, b)
	return b.Block
}

// around is a loop around the blocks. It may step from block to block of an axis, whose last block may be shorter.
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
	maxItem    = 16  // bytes of the widest item that kernels move
	longestRun = 256 // bytes of the longest run that moves as several items
	maxRows    = 512 // iterations from which no further loop joins an axis
	rowBytes   = 256 // bytes per destination row of a block, or minRows rows, if there are that many; approximate
	minRows    = 64
	wholeBytes = 4096 // bytes up to which a destination row that is not a whole number of lines is not cut
	fewEntries = 2048 // columns of a block, and rows that may be cut, approximately: bounds the cost of their tables,
	fewShare   = 16   // as does requiring this many elements per entry;
	maxEntries = 16 << 10
	entryShare = 64 // more, if there are this many elements per entry
	line       = tensor.CacheLine
)

// A block's source is prefetched while the previous block is moved, and should still be in a cache when it is needed:
//
//	Intel  in the first: 7.0 ns a line of each side, 8.4 with blocks of 64 KiB (Sapphire Rapids, 64 channels of 2 bytes, NHWC to NCHW)
//	AMD    in the second, using an eighth of it: 3.0 ns, 4.0 with blocks of 32 KiB (Zen 4, 64 channels of 4 bytes, NCHW to NHWC)
//
// Small matrices have small blocks everywhere, so that threads can share them.
const (
	nearBlock  = 32 << 10
	blockShare = 64 // fraction of the matrix
)

// blockBytes returns about how much a block of a matrix of this many bytes reads.
func blockBytes(matrix int) int {
	if cpuid.CPU.VendorID != cpuid.AMD {
		return nearBlock
	}
	return max(nearBlock, min(ownCache()/8, matrix/blockShare))
}

// newMatrix picks the kernel shape for a box of elements of itemSize bytes, at any offset, or for several fused boxes; it returns nil if
// those cannot be fused.
func newMatrix(boxes []Box, itemSize int) *matrix {
	m := &matrix{item: itemSize}
	m.around = m.inline.around[:0]
	m.blocks = m.inline.blocks[:0]
	if len(boxes) == 1 {
		m.takeBox(boxes[0])
	} else if !m.takeTogether(boxes) {
		return nil
	}
	m.order()
	if !m.copied {
		m.fromLowest()
	}
	return m
}

// takeBox runs a single box.
func (m *matrix) takeBox(b Box) {
	loops := scaled(make([]Loop, 0, 8), b.Loops, m.item)
	if b.Pad == 0 { // runs with padding are not copied whole
		loops = m.widen(loops)
	}
	m.copied = !isItem(m.item)
	if m.copied {
		m.nest(loops)
	} else {
		m.takeAxes(loops, b.Pad)
	}
}

// scaled appends loops whose steps are in bytes.
func scaled(to, loops []Loop, itemSize int) []Loop {
	for _, l := range loops {
		to = append(to, Loop{N: l.N, Src: l.Src * itemSize, Dst: l.Dst * itemSize})
	}
	return to
}

// order sorts the loops around the blocks by falling steps.
func (m *matrix) order() {
	step := func(l around) int { return min(ints.Abs(l.Src), ints.Abs(l.Dst)) }
	slices.SortStableFunc(m.around, func(a, b around) int { return cmp.Compare(step(b), step(a)) })
}

// fromLowest makes the offsets of rows relative to the lowest one.
func (m *matrix) fromLowest() {
	m.first = m.rows.low
	if m.first == 0 {
		return
	}
	for i, at := range m.rows.table {
		if at != kernel.NoRow {
			m.rows.table[i] = at - m.first
		}
	}
}

// few reports whether there are fewer rows or columns than elements in a vector.
func (m *matrix) few() bool { return min(m.rows.n, m.cols.n)*m.item < maxItem }

// count returns the number of blocks.
func (m *matrix) count() int {
	n := 1
	for _, l := range m.around {
		n *= l.N
	}
	return n
}

// times returns the number of such matrices.
func (m *matrix) times() int {
	n := 1
	for _, l := range m.around {
		if l.over == noAxis {
			n *= l.N
		}
	}
	return n
}

// bytes returns the total bytes moved, with padding.
func (m *matrix) bytes() int {
	if m.copied {
		return m.times() * m.item
	}
	return m.times() * m.rows.n * m.cols.n * m.item
}

// position is the position of a block in bytes, and the number of rows and columns from there on.
type position struct{ src, dst, rows, cols int }

// start returns the position of a box's k-th block, and the index of the loops around it, in index if it has the capacity.
func (m *matrix) start(b Box, itemSize, k int, index []int) (position, []int) {
	at := position{b.Src*itemSize + m.first, b.Dst * itemSize, m.rows.n, m.cols.n}
	index = append(index[:0], make([]int, len(m.around))...)
	for i := len(m.around) - 1; i >= 0; i-- {
		index[i] = k % m.around[i].N
		k /= m.around[i].N
		at.step(m, i, index[i])
	}
	return at, index
}

// block returns the number of rows and columns of the block at this position.
func (at *position) block(m *matrix) (rows, cols int) {
	return min(at.rows, len(m.rows.table)), min(at.cols, len(m.cols.table))
}

// step moves by n iterations of a loop.
func (at *position) step(m *matrix, loop, n int) {
	l := &m.around[loop]
	at.src = at.src + n*l.Src
	at.dst = at.dst + n*l.Dst
	switch l.over {
	case overRows:
		at.rows -= n * len(m.rows.table)
	case overCols:
		at.cols -= n * len(m.cols.table)
	}
}

// innermost returns the innermost loop around the blocks.
func (m *matrix) innermost() around {
	if n := len(m.around); n > 0 {
		return m.around[n-1]
	}
	return around{Loop: Loop{N: 1}}
}

// equalBlocks returns how many blocks of the innermost loop, from the current one on, have the same number of rows and columns: the last one may
// have fewer.
func (m *matrix) equalBlocks(index []int) int {
	l := m.innermost()
	n := 1
	if len(index) > 0 {
		n = l.N - index[len(index)-1]
	}
	if l.over != noAxis && n > 1 {
		return n - 1
	}
	return n
}

// next advances by n blocks, at most to the end of the innermost loop; the last block is followed by the first.
func (at *position) next(m *matrix, index []int, n int) {
	for i := len(index) - 1; i >= 0; i, n = i-1, 1 {
		index[i] += n
		at.step(m, i, n)
		if index[i] < m.around[i].N {
			return
		}
		at.step(m, i, -index[i])
		index[i] = 0
	}
}

// isItem reports whether kernels move items of this many bytes as one.
func isItem(bytes int) bool { return bytes <= maxItem && bytes&(bytes-1) == 0 }

// widen turns the run that both sides share, if any, into a wider item. A run of up to longestRun bytes may become several items, with a
// loop over them.
func (m *matrix) widen(loops []Loop) []Loop {
	last := len(loops) - 1
	if last < 0 || loops[last].Src != m.item || loops[last].Dst != m.item {
		return loops
	}
	run := loops[last].N * m.item
	if last > 0 && isSqueezed(loops[last-1], run) {
		return loops
	}
	if n := widestItems(run, m.item); n > 0 {
		m.item = maxItem
		loops[last] = Loop{N: n, Src: maxItem, Dst: maxItem}
		return loops
	}
	m.item = run
	return loops[:last]
}

// isSqueezed reports whether a loop puts runs of a few bytes side by side that have others between them in the source: RGB of RGBA. Programs
// permute their elements together with those between; of another size than an item's, the runs would be copied one by one.
func isSqueezed(around Loop, run int) bool {
	few := run < maxItem && !isItem(run)
	return few && around.Dst == run && around.Src > run && around.Src <= maxItem
}

// widestItems returns as how many of the widest items a run moves; 0 if it is one item, or is copied whole.
func widestItems(run, item int) int {
	if run <= maxItem || run > longestRun {
		return 0
	}
	if run%maxItem != 0 || maxItem%item != 0 {
		return 0
	}
	return run / maxItem
}

// nest adds loops around the blocks.
func (m *matrix) nest(loops []Loop) {
	for _, l := range loops {
		m.around = append(m.around, around{Loop: l})
	}
}

// takeAxes takes the loops that form rows and columns, or several small matrices at once; the others go around the blocks. It rewrites
// loops.
func (m *matrix) takeAxes(loops []Loop, pad int) {
	all := append(make([]Loop, 0, 8), loops...)
	rows, loops := adjacent(make([]Loop, 0, 8), loops, m.item, pad)
	invert(loops)
	slices.SortStableFunc(loops, func(a, b Loop) int { return cmp.Compare(b.Dst, a.Dst) })
	between := unwanted(loops, m.item)
	run := runOf(loops, m.item)
	wasted := between > run
	if wasted && m.follow(all, elemsOf(rows)*run, pad) {
		between = 0
	}
	cols, others := adjacent(make([]Loop, 0, 8), loops, m.item, between)
	if between == 0 && !wasted {
		run = elemsOf(cols)
	}
	if m.takeChunk(all, elemsOf(rows)*run, pad) {
		return
	}
	m.cut(rows, cols, pad, between, elemsOf(all))
	invert(others)
	m.nest(others)
}

// cut cuts the rows and columns of a matrix of items elements into blocks, and adds the loops from block to block around them.
func (m *matrix) cut(rows, cols []Loop, pad, between, items int) {
	size := blockBytes(items * m.item)
	entries := max(min(fewEntries, items/fewShare), min(maxEntries, items/entryShare))
	limit := max(rowBytes/m.item, minRows)
	if row := elemsOf(rows) * m.item; row%line != 0 && row <= wholeBytes {
		limit = max(limit, elemsOf(rows))
	}
	width := elemsOf(cols) * m.item
	var rowBlocks, colBlocks Loop
	var restRows, restCols []Loop
	m.rows, rowBlocks, restRows = newAxis(rows, m.item, pad, max(limit, min(entries, size/width)))
	height := len(m.rows.table) * m.item
	m.cols, colBlocks, restCols = newAxis(cols, m.item, between, max(line/m.item, min(entries, size/height)))
	m.cols.dropLast(between)
	if rowBlocks.N > 1 {
		m.around = append(m.around, around{rowBlocks, overRows})
	}
	if colBlocks.N > 1 {
		m.around = append(m.around, around{colBlocks.inverted(), overCols})
	}
	m.nest(restRows)
	invert(restCols)
	m.nest(restCols)
}
