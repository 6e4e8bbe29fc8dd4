package kernel

import (
	"fmt"
	"math/bits"
	"slices"
	"unsafe"
)

// tileShape is the shape of a tile in lanes of 16 bytes, n = 16/size elements each: rows·n source rows by cols·n columns.
// Shapes of 1 or 2 rows on AVX-512 write several destination rows as one line: those must be adjacent.
type tileShape struct {
	rows, cols int
	level      Level
	kernels    *tileKernels
	even       *tileKernels // of evenly spaced source rows; of some sizes, or nil
}

// tileKernels are the kernels of a shape, by the logarithm of the element size.
type tileKernels [5]func(*tiles)

// joined reports whether a vector has several destination rows, which must be adjacent.
func (s tileShape) joined() bool { return s.rows < s.level.lanes() }

func (s tileShape) String() string { return fmt.Sprintf("tiles %dx%d", s.rows, s.cols) }

// Costs are per destination line, in eighths of a 64-byte shuffle. A store costs as much as such a shuffle, a shorter shuffle half.
const shuffle = 8

// cost returns the cost of the shape's kernel for a block: log2(n) stages of transposition, two to join lanes, and the stores, including
// what overlapping tiles move again.
func (s tileShape) cost(b *Block) int {
	high, wide := s.tileOf(b.size)
	written := min(s.rows, s.level.lanes())
	if s.joined() {
		written = s.level.lanes()
	}
	shuffles := (bits.Len(uint(16/b.size)) + 1) * 4 / s.level.lanes()
	if s.level < AVX512 {
		shuffles /= 2
	}
	rows := len(b.srcRows)
	cols := len(b.dstRows)
	wanted := 0
	for _, at := range b.dstRows {
		if at != NoRow {
			wanted++
		}
	}
	return shuffle * (shuffles + 4/written) * (rows + overlap(rows, high)) / rows * (cols + overlap(cols, wide)) / max(1, wanted)
}

// tileOf returns the rows and columns of a tile of elements of size bytes.
func (s tileShape) tileOf(size int) (rows, cols int) { return s.rows * 16 / size, s.cols * 16 / size }

// writesLines reports whether the shape's kernel stores whole cache lines only, if the block starts with one: a line, or several vectors that
// follow each other.
func (s tileShape) writesLines(b *Block) bool {
	high, wide := s.tileOf(b.size)
	if !s.level.streams() {
		return false
	}
	if s.joined() { // a tile starts with a line, unless it overlaps the previous one
		return b.dstRows[0]%cacheLine == 0 && len(b.dstRows)%wide == 0
	}
	if s.rows*16 < cacheLine {
		return b.packed && len(b.srcRows) == high && b.bytes()%cacheLine == 0
	}
	return len(b.srcRows)%high == 0 && b.startsLines()
}

// shapeFor returns the first shape that fits the block.
func (k *Kernels) shapeFor(b *Block) (tileShape, bool) {
	for _, s := range k.shapes {
		if s.fits(b) {
			return s, true
		}
	}
	return tileShape{}, false
}

// fits reports whether the block is large enough for the shape, with suitable rows and columns.
func (s tileShape) fits(b *Block) bool {
	high, wide := s.tileOf(b.size)
	rows, cols := len(b.srcRows), len(b.dstRows)
	if rows < high || cols < wide && !s.overlapsItself(b) {
		return false
	}
	if s.joined() {
		return rows == high && b.packed
	}
	return true
}

// overlapsItself reports whether the shape moves a block of fewer columns than it has, more than half of them, some of them twice.
func (s tileShape) overlapsItself(b *Block) bool {
	_, wide := s.tileOf(b.size)
	if s.joined() || b.kernels.width < cacheLine {
		return !s.joined()
	}
	threeOfFour := s.cols == 1 && b.size == 4 // programs of whole lines are faster
	return len(b.dstRows) > wide/2 && !threeOfFour
}

// overlap returns how many of cols columns the last group shares with the previous one.
func overlap(cols, group int) int { return (group - cols%group) % group }

// sizeLog returns the logarithm of the element size.
func sizeLog(size int) int { return bits.TrailingZeros(uint(size)) }

// tiles is the argument of a tile kernel, see tiler in _asm. One word each, in this order.
type tiles struct {
	dst, src *byte
	jobs     *Job // advanced by the kernel
	many     int
	tiles    *tile
	count    int
	rows     *int
	cols     *int
	ahead    *int
	stream   int // 1 to write lines past the caches
	last     int // 1 if no job follows the last one
	step     int // from a source row to the next, of even kernels
}

// tile is the byte offsets of a row group and a column group in their tables.
type tile struct{ rows, cols int }

// grid is a block cut into tiles of one shape. The last group of rows or columns overlaps the previous one. A block with fewer columns than
// a tile has one column group, which reads past the end of each row without storing that.
//
//	row group      where it goes in a destination row, then its source rows
//	column group   where it is in a source row, how many of its columns the group before has, how many there are up to the last that is
//	               written, then its destination rows
type grid struct {
	block      *Block
	shape      tileShape
	kernels    *tileKernels // of the shape, or its even ones
	rows, cols []int
	padding    []int // rows that are NoRow
	step       int   // from a source row to the next, if an even kernel moves them; otherwise 0
	reach      int   // how far from a job's source rows are read past their end; 0 if not
	tiles      []tile
	ahead      []int // lines of the next job's source to prefetch, an equal number per tile
	lines      bool  // every vector stored is a line, if the block starts with one
}

// colHeader is the number of words before the destination rows of a column group.
const colHeader = 3

// kernelsFor returns the shape's kernels for evenly spaced source rows and their distance in bytes, or else those for any rows.
func (s tileShape) kernelsFor(b *Block) (kernels *tileKernels, step int) {
	has := s.even != nil && s.even[sizeLog(b.size)] != nil
	if !has || b.padded || !evenly(b.srcRows, 1) {
		return s.kernels, 0
	}
	return s.even, b.srcRows[1] - b.srcRows[0] // a tile of 4 lanes has several rows
}

// upToLast returns the number of rows up to the last one that is not NoRow.
func upToLast(rows []int) int {
	n := len(rows)
	for n > 0 && rows[n-1] == NoRow {
		n--
	}
	return n
}

// newTiles cuts a block into tiles.
func newTiles(b *Block, s tileShape) *grid {
	g := &grid{block: b, shape: s, lines: s.writesLines(b)}
	high, wide := s.tileOf(b.size)
	dstRows := b.dstRows
	if len(dstRows) < wide {
		for _, at := range b.srcRows {
			if at != NoRow {
				g.reach = max(g.reach, at+wide*b.size)
			}
		}
		dstRows = append(slices.Clone(dstRows), slices.Repeat([]int{NoRow}, wide-len(dstRows))...)
	}
	rowGroups := (len(b.srcRows) + high - 1) / high
	colGroups := (len(dstRows) + wide - 1) / wide
	n := rowGroups * (high + 1)
	tables := make([]int, n+colGroups*(wide+colHeader))
	g.rows = tables[:0:n]
	g.cols = tables[n:n]
	for r := range rowGroups {
		at := min(r*high, len(b.srcRows)-high)
		g.rows = append(append(g.rows, at*b.size), b.srcRows[at:at+high]...)
	}
	for c := range colGroups {
		at := min(c*wide, len(dstRows)-wide)
		rows := dstRows[at : at+wide]
		g.cols = append(append(g.cols, at*b.size, c*wide-at, upToLast(rows)), rows...)
	}
	for k, at := range g.rows {
		if at == NoRow {
			g.padding = append(g.padding, k)
		}
	}
	g.kernels, g.step = s.kernelsFor(b)
	g.order(rowGroups, colGroups)
	if s.level.streams() && len(g.padding) == 0 { // most rows of a padded block are padding
		g.ahead = inTurn(sourceLines(b), len(g.tiles)*high*s.cols/4)
	}
	return g
}

// lineRun is how many lines of a destination row are written in turn. Measured on Sapphire Rapids, NCHW, NHWC and NCHW16 of 7 x 7 to 56 x
// 56: 7 % faster in the median than 4, 5 % than 1.
const lineRun = 2

// order lists the tiles strip by strip; a strip is one line of each source row wide. In a strip, lineRun row groups take turns.
func (g *grid) order(rowGroups, colGroups int) {
	high, wide := g.shape.tileOf(g.block.size)
	rowStep := 8 * (high + 1)
	colStep := 8 * (wide + colHeader)
	strip := 4 / g.shape.cols
	g.tiles = make([]tile, 0, rowGroups*colGroups)
	for c := 0; c < colGroups; c += strip {
		for r := 0; r < rowGroups; r += lineRun {
			for i := c; i < min(c+strip, colGroups); i++ {
				for k := r; k < min(r+lineRun, rowGroups); k++ {
					g.tiles = append(g.tiles, tile{k * rowStep, i * colStep})
				}
			}
		}
	}
}

// spacedBy reports whether row i is at i·step.
func spacedBy(rows []int, step int) bool {
	for i, at := range rows {
		if at != i*step {
			return false
		}
	}
	return true
}

func (g *grid) String() string    { return g.shape.String() }
func (g *grid) writesLines() bool { return g.lines }

// run moves the blocks of the jobs at once, except those that need their own table of rows.
func (g *grid) run(w *Worker, dst, src []byte, jobs []Job, n int, pad []byte, s Stores) {
	stream := 0
	if s == Streaming && g.lines && beginLines(dst, jobs[:n]) {
		stream = 1
	}
	for n > 0 {
		many := 0
		for many < n && len(g.padding) == 0 && !g.outside(src, jobs[many]) {
			many++
		}
		rows := g.rows
		kernels := g.kernels
		if many == 0 {
			many = 1
			rows = g.rowsOf(w, src, jobs[0], pad)
			kernels = g.shape.kernels
		}
		w.tiles = tiles{dst: unsafe.SliceData(dst), src: unsafe.SliceData(src), jobs: &jobs[0], many: many, tiles: &g.tiles[0],
			count: len(g.tiles), rows: &rows[0], cols: &g.cols[0], ahead: unsafe.SliceData(g.ahead), stream: stream, step: g.step}
		if many == len(jobs) {
			w.tiles.last = 1
		}
		kernels[sizeLog(g.block.size)](&w.tiles)
		jobs = jobs[many:]
		n -= many
	}
}

// outside reports whether rows of a job are read past the end of the source.
func (g *grid) outside(src []byte, j Job) bool { return g.reach > 0 && j.Src+g.reach > len(src) }

// rowsOf returns the row groups of one job. Rows that are NoRow point to padding, and rows that would be read past the source point to a
// copy of its end.
func (g *grid) rowsOf(w *Worker, src []byte, j Job, pad []byte) []int {
	w.rows = append(w.rows[:0], g.rows...)
	if len(g.padding) > 0 {
		fromPadding := distance(w.padding(pad, len(g.cols)*g.block.size), src) - j.Src
		for _, k := range g.padding {
			w.rows[k] = fromPadding
		}
	}
	if g.outside(src, j) {
		end := max(0, len(src)-cacheLine)
		copy(w.end[:], src[end:])
		fromEnd := distance(w.end[:], src) - end
		high, _ := g.shape.tileOf(g.block.size)
		for group := w.rows; len(group) > 0; group = group[high+1:] {
			for k, at := range group[1 : high+1] {
				if at >= end-j.Src && at+j.Src < len(src) {
					group[1+k] = at + fromEnd
				}
			}
		}
	}
	return w.rows
}

// distance returns the offset of one slice from another, in bytes.
func distance(to, from []byte) int {
	return int(uintptr(unsafe.Pointer(unsafe.SliceData(to))) - uintptr(unsafe.Pointer(unsafe.SliceData(from))))
}
