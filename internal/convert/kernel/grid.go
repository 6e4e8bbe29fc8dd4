package kernel

import (
	"fmt"
	"iter"
	"math/bits"
	"slices"
	"unsafe"
)

// tileShape is the shape of a tile in lanes of 16 bytes, n = 16/size elements each: rows·n source rows by cols·n columns.
// Shapes of 1 or 2 rows on AVX-512 write several destination rows as one line: those must be adjacent.
type tileShape struct {
	rows, cols        int
	joined            bool
	level             Level
	cached, streaming *tileKernels // streaming is nil if there are none
	shifting          *tileKernels // of streaming stores, of rows that begin anywhere; nil if there are none
	masked            *tileKernels // of cached stores, of fewer rows; nil if there are none
}

// tileKernels are the kernels of a shape, by the logarithm of the size of elements; nil where there is none.
type tileKernels [5]func(*tiles)

func (s tileShape) String() string { return fmt.Sprintf("tiles %dx%d", s.rows, s.cols) }

// Costs of kernels are eighths of the time of a shuffle of 64 bytes, for a line of the destination. A store costs as much as a shuffle,
// and two shuffles of fewer bytes as one.
const shuffle = 8

// cost is what the shape's kernel costs for a block: log2(n) stages of a transposition, two to put lanes together, and its stores, for
// all that it moves twice as well.
func (s tileShape) cost(b *Block) int {
	high, wide := s.of(b.size)
	written := min(s.rows, s.level.lanes())
	if s.joined {
		written = s.level.lanes()
	}
	shuffles := (bits.Len(uint(16/b.size)) + 1) * 4 / s.level.lanes()
	if s.level < AVX512 {
		shuffles /= 2
	}
	rows, cols, wanted := len(b.srcRows), len(b.dstRows), 0
	for _, at := range b.dstRows {
		if at != NoRow {
			wanted++
		}
	}
	return shuffle * (shuffles + 4/written) * (rows + overlap(rows, high)) / rows * (cols + overlap(cols, wide)) / max(1, wanted)
}

// of is how many rows and columns a tile has, of elements of so many bytes.
func (s tileShape) of(size int) (rows, cols int) { return s.rows * 16 / size, s.cols * 16 / size }

// fetches reports whether the shape has a kernel that fetches ahead.
func (s tileShape) fetches() bool { return s.joined || s.rows*16 == cacheLine }

// writesLines reports whether every vector that the shape's kernel stores is a line, if the block begins with one.
func (s tileShape) writesLines(b *Block) bool {
	if s.joined {
		return b.dstRows[0]%cacheLine == 0
	}
	high, _ := s.of(b.size)
	within := func(at int) bool { return at != NoRow && at%cacheLine != 0 }
	return s.streaming != nil && len(b.srcRows)%high == 0 && !slices.ContainsFunc(b.dstRows, within)
}

// shapeFor is the first shape that the block is large enough for.
func (k *Kernels) shapeFor(b *Block) (tileShape, bool) {
	for _, s := range k.shapes {
		if s.fits(b) {
			return s, true
		}
	}
	return tileShape{}, false
}

// masks reports whether the block has fewer rows than the shape.
func (s tileShape) masks(b *Block) bool {
	high, _ := s.of(b.size)
	return len(b.srcRows) < high
}

// fits reports whether the block is large enough for the shape, and has the rows and columns that suit it.
func (s tileShape) fits(b *Block) bool {
	high, wide := s.of(b.size)
	rows, cols := len(b.srcRows), len(b.dstRows)
	switch {
	case s.cached[sizeLog(b.size)] == nil || cols < wide && (s.joined || cols <= wide/2):
		return false
	case cols < wide && s.cols == 1 && b.size == 4 && b.kernels.width > 0: // three columns, which programs move faster
		return false
	case rows < high && (s.masked == nil || rows <= high/2):
		return false
	case s.joined:
		return rows == high && b.packed
	case s.cols == squareCols:
		return overlap(cols, wide) <= overlap(cols, wide/2)+cols/overlapShare
	}
	return true
}

// Square tiles must not move more columns again, in the last group, than tiles of half as many columns would and this share of all.
const squareCols, overlapShare = 4, 16

// overlap is how many columns the last group of so many shares with the one before.
func overlap(cols, group int) int { return (group - cols%group) % group }

// sizeLog is the logarithm of the size of elements.
func sizeLog(size int) int { return bits.TrailingZeros(uint(size)) }

// tiles is the argument of a tile kernel, see tiler in _asm. One word each, in this order.
type tiles struct {
	dst, src *byte
	jobs     *Job // one more than many; moves on
	many     int
	tiles    *tile
	count    int
	rows     *int
	cols     *int
	ahead    *int
	carry    *byte // of kernels that shift, a line for each word of cols
	counting *byte
	mask     uint64 // of kernels of fewer rows, a bit for each element; of 8 bytes, if elements are larger
}

// tile is where its row group and its column group are in their tables, in bytes.
type tile struct{ rows, cols int }

// grid is a block cut into tiles of one shape. A remainder at an edge is a group that overlaps the one before it. The only row group, if
// it has fewer rows than the shape, has the last one several times, and these are not stored. The only column group, if it has fewer
// columns, is read beyond the end of each row, and what is there is not stored.
//
//	row group      where it goes in a destination row, then its source rows
//	column group   where it is in a source row, how many of its columns the group before has, then its destination rows
type grid struct {
	block      *Block
	shape      tileShape
	cached     *tileKernels // of the shape, or those of fewer rows
	rows, cols []int
	groups     groups // how many there are
	padding    []int  // where rows are NoRow
	reach      int    // bytes from a job's source up to which its rows are read beyond their end; 0 if they are not
	mask       uint64
	all        sweep
	lines      bool      // every vector stored is a line, if the block begins with one
	gathered   *gathered // nil if tiles read the source itself
}

// sweep is tiles in the order in which they are moved, and lines of the next block's source to prefetch meanwhile: as many as the
// tiles have, none if it is not far away.
type sweep struct {
	tiles []tile
	ahead []int
}

// newSweep prefetches lines while tiles of a shape are moved.
func (s tileShape) newSweep(tiles []tile, lines []int, size int) sweep {
	high, _ := s.of(size)
	return sweep{tiles, inTurn(lines, len(tiles)*high*s.cols/4)}
}

// newTiles cuts a block into tiles, which are gathered if that pays.
func newTiles(b *Block, s tileShape) *grid {
	g := newGrid(b, s)
	if gathers(b, s) {
		g.gather()
	} else {
		g.order(groups{}, g.groups)
	}
	if b.stores == Streaming {
		g.fetch()
	}
	return g
}

// newGrid cuts a block into groups of rows and of columns. Its tiles, one of each, come with order or gather.
func newGrid(b *Block, s tileShape) *grid {
	dstRows, reach := b.dstRows, 0
	high, wide := s.of(b.size)
	if len(dstRows) < wide {
		for _, at := range b.srcRows {
			if at != NoRow {
				reach = max(reach, at+wide*b.size)
			}
		}
		dstRows = append(slices.Clone(dstRows), slices.Repeat([]int{NoRow}, wide-len(dstRows))...)
	}
	rowGroups, colGroups := (len(b.srcRows)+high-1)/high, (len(dstRows)+wide-1)/wide
	g := &grid{block: b, shape: s, cached: s.cached, reach: reach, mask: 1<<(len(b.srcRows)*b.size/min(b.size, 8)) - 1}
	if len(b.srcRows) < high {
		g.cached = s.masked
	}
	n := rowGroups * (high + 1)
	tables := make([]int, n+colGroups*(wide+2))
	g.rows, g.cols = tables[:0:n], tables[n:n]
	for r := range rowGroups {
		at := max(0, min(r*high, len(b.srcRows)-high))
		g.rows = append(append(g.rows, at*b.size), b.srcRows[at:min(at+high, len(b.srcRows))]...)
		for len(g.rows)%(high+1) > 0 {
			g.rows = append(g.rows, g.rows[len(g.rows)-1])
		}
	}
	for c := range colGroups {
		at := min(c*wide, len(dstRows)-wide)
		g.cols = append(append(g.cols, at*b.size, c*wide-at), dstRows[at:at+wide]...)
	}
	for k, at := range g.rows {
		if at == NoRow {
			g.padding = append(g.padding, k)
		}
	}
	g.lines = s.writesLines(b)
	g.groups, g.all.tiles = groups{rowGroups, colGroups}, make([]tile, 0, rowGroups*colGroups)
	return g
}

// fetch has the kernel prefetch the source of the next block.
func (g *grid) fetch() {
	if g.shape.fetches() {
		g.all = g.shape.newSweep(g.all.tiles, sourceLines(g.block), g.block.size)
	}
}

// lineRun is how many lines of a destination row streaming stores write in turn: memory takes them faster than single lines
// of many rows. Measured: 7.7 instead of 8.7 ns a line of each side, from NCHW to NHWC of 64 channels.
const lineRun = 4

// groups are numbers of row groups and of column groups.
type groups struct{ rows, cols int }

// order appends the tiles of some row groups and column groups: by strips of columns, a line of each source row wide; in a strip by runs
// of row groups.
func (g *grid) order(from, to groups) {
	run, strip := 1, 4/g.shape.cols
	if g.block.stores == Streaming {
		run = lineRun
	}
	high, wide := g.shape.of(g.block.size)
	rowStep, colStep := 8*(high+1), 8*(wide+2)
	for c := from.cols; c < to.cols; c += strip {
		for r := from.rows; r < to.rows; r += run {
			for i := c; i < min(c+strip, to.cols); i++ {
				for k := r; k < min(r+run, to.rows); k++ {
					g.all.tiles = append(g.all.tiles, tile{k * rowStep, i * colStep})
				}
			}
		}
	}
}

// spacedBy reports whether the first row is at 0, and each so many bytes after the one before.
func spacedBy(rows []int, step int) bool {
	for i, at := range rows {
		if at != i*step {
			return false
		}
	}
	return true
}

func (g *grid) String() string { return g.shape.String() }

// run moves all jobs but the last. Those with rows of their own move one by one.
func (g *grid) run(w *Worker, dst, src []byte, jobs []Job, pad []byte) {
	for len(jobs) > 1 {
		n := 0
		for n < len(jobs)-1 && len(g.padding) == 0 && !g.outside(src, jobs[n]) {
			n++
		}
		if n > 0 {
			g.runRows(w, dst, src, jobs[:n+1], g.rows)
		} else {
			n = 1
			g.runRows(w, dst, src, jobs[:2], g.rowsOf(w, src, jobs[0], pad))
		}
		jobs = jobs[n:]
	}
}

// outside reports whether rows of a job are read beyond the source.
func (g *grid) outside(src []byte, j Job) bool { return g.reach > 0 && j.Src+g.reach > len(src) }

// rowsOf are the row groups of one job: with rows of padding in the place of those that are NoRow, and with a copy of the end of the source
// for those that would be read beyond it.
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
		high, _ := g.shape.of(g.block.size)
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

// runRows runs the kernel on all jobs but the last, with the given row groups. Streaming stores come with fetching
// ahead: where they pay, the source is far away too.
func (g *grid) runRows(w *Worker, dst, src []byte, jobs []Job, rows []int) {
	b := g.block
	all, whole := len(g.all.tiles), len(b.dstRows)*b.size
	if b.stores != Streaming || !g.lines {
		g.move(w, g.cached, all, whole, dst, src, jobs, rows)
		return
	}
	for head, some := range b.heads.of(dst, jobs) {
		switch {
		case head < 0:
			g.move(w, g.cached, all, whole, dst, src, some, rows)
		case g.shape.joined:
			g.behind(w, head, dst, src, some, rows)
		default:
			g.move(w, g.shape.streaming, all, whole, dst, src, some, rows)
		}
	}
}

// behind streams the whole tiles behind a head. The first and the last tile of the block move the other columns.
func (g *grid) behind(w *Worker, head int, dst, src []byte, jobs []Job, rows []int) {
	b := g.block
	all, cols := g.all.tiles, len(b.dstRows)
	_, wide := g.shape.of(b.size)
	n := (cols - head) / wide
	if head > 0 {
		g.call(w, g.cached, sweep{tiles: all[:1]}, dst, src, jobs, rows)
	}
	if head+n*wide < cols {
		g.call(w, g.cached, sweep{tiles: all[len(all)-1:]}, dst, src, jobs, rows)
	}
	g.move(w, g.shape.streaming, n, (cols-head)*b.size, dst[head*b.rowBytes():], src[head*b.size:], jobs, rows)
}

// move runs a kernel on the first n tiles of all jobs but the last, where so many bytes of a source row are left: of gathered rows if they
// are.
func (g *grid) move(w *Worker, kernels *tileKernels, n, left int, dst, src []byte, jobs []Job, rows []int) {
	if g.gathered != nil {
		g.gathered.move(w, g, kernels, n, left, dst, src, jobs, rows)
		return
	}
	g.call(w, kernels, sweep{g.all.tiles[:n], g.all.ahead}, dst, src, jobs, rows)
}

// call runs a kernel on all jobs but the last.
func (g *grid) call(w *Worker, kernels *tileKernels, s sweep, dst, src []byte, jobs []Job, rows []int) {
	if len(s.tiles) == 0 || len(jobs) < 2 {
		return
	}
	w.tiles = tiles{dst: unsafe.SliceData(dst), src: unsafe.SliceData(src), jobs: &jobs[0], many: len(jobs) - 1, tiles: &s.tiles[0],
		count: len(s.tiles), rows: &rows[0], cols: &g.cols[0], ahead: unsafe.SliceData(s.ahead), carry: unsafe.SliceData(w.carry), counting: &counting[0],
		mask: g.mask}
	kernels[sizeLog(g.block.size)](&w.tiles)
}

// columns are the words of the column groups that hold a destination row, each row once, and where it is.
func (g *grid) columns() iter.Seq2[int, int] {
	_, wide := g.shape.of(g.block.size)
	return func(yield func(int, int) bool) {
		for group := 0; group < len(g.cols); group += wide + 2 {
			for word := group + 2 + g.cols[group+1]; word < group+2+wide; word++ {
				if at := g.cols[word]; at != NoRow && !yield(word, at) {
					return
				}
			}
		}
	}
}

// distance is the offset of one slice from the other.
func distance(to, from []byte) int {
	return int(uintptr(unsafe.Pointer(unsafe.SliceData(to))) - uintptr(unsafe.Pointer(unsafe.SliceData(from))))
}
