package kernel

import (
	"unsafe"

	"github.com/klauspost/cpuid/v2"
)

// gathered copies a piece of the source rows, a few lines of each, to memory where they share no set of the first cache, and moves
// tiles from there. A cache has few lines for addresses that are the same in their last twelve bits: of rows that are a multiple of 4096
// bytes apart, each line is fetched again before the next tile needs it.
type gathered struct {
	rows   []int // row groups, as those of grid, of gathered rows
	pieces []piece
	pitch  int // bytes from row to row
	bytes  int // of the rows of a piece
}

// piece is the tiles of some rows and columns.
type piece struct {
	tiles [2]int // from, to
	rows  [2]int
	at    int // in a source row, bytes
	bytes int
}

const (
	gatherLines = 4        // of a row, about
	gatherBytes = 20 << 10 // of all rows, at most
)

// gathering is the argument of a kernel, see gathers in _asm.
type gathering struct {
	dst, src *byte
	rows     *int
	many     int
	lines    int // before the last one
	tail     int // where that is in a row
	pitch    int
}

// Lines whose addresses are the same in their last bits share a set of a cache. So many do in the first, and about so many in the second,
// of 8 ways of AMD's Zen 4 and 16 of Intel's Sapphire Rapids.
const (
	ownSets  = 64
	nextSets = 2048
)

// gathers reports whether more rows of a tile than twice the ways of the first cache share a set. Where more rows than the ways of the
// second one do, they are not in it either when they are gathered, and a tile waits less for them: it reads while it shuffles.
func gathers(b *Block, s tileShape) bool {
	ways := func(bytes, sets int) int { return max(8, bytes/(sets*cacheLine)) }
	near, most := min(s.rows*16/b.size, len(b.srcRows)), 2*ways(cpuid.CPU.Cache.L1D, ownSets)
	return near > most && !s.joined && len(b.dstRows)*b.size >= cacheLine && share(b.srcRows[:near], ownSets, most) &&
		!share(b.srcRows, nextSets, ways(cpuid.CPU.Cache.L2, nextSets))
}

// share reports whether more than most rows begin in one of so many sets.
func share(rows []int, sets, most int) bool {
	count := make([]uint16, sets)
	for _, at := range rows {
		set := at / cacheLine & (sets - 1)
		if count[set]++; int(count[set]) > most {
			return true
		}
	}
	return false
}

// newGathered orders the grid's tiles by pieces.
func newGathered(g *grid, b *Block, all groups) *gathered {
	high, wide := g.shape.rows*16/g.size, g.shape.cols*16/g.size
	d := &gathered{pitch: (gatherLines | 1) * cacheLine}
	rows := min(all.rows, max(1, gatherBytes/d.pitch/high))
	d.bytes = rows * high * d.pitch
	first := func(group int) int { return max(0, min(group*high, len(b.srcRows)-high)) }
	for r := range all.rows {
		d.rows = append(d.rows, g.rows[r*(high+1)])
		for k := range high {
			d.rows = append(d.rows, (min(first(r)+k, len(b.srcRows)-1)-first(r/rows*rows))*d.pitch)
		}
	}
	width, cols := len(b.dstRows)*g.size, gatherLines*cacheLine/g.size/wide
	for c := 0; c < all.cols; c += cols {
		at := max(0, min(c*wide*g.size, width-cacheLine))
		for r := 0; r < all.rows; r += rows {
			p := piece{at: at, bytes: min(width, (c+cols)*wide*g.size) - at}
			p.rows = [2]int{first(r), min(first(min(r+rows, all.rows)-1)+high, len(b.srcRows))}
			p.tiles[0] = len(g.all.tiles)
			g.order(groups{r, c}, groups{min(all.rows, r+rows), min(all.cols, c+cols)}, b.stores)
			p.tiles[1] = len(g.all.tiles)
			d.pieces = append(d.pieces, p)
		}
	}
	return d
}

// move runs a kernel on all jobs but the last.
func (d *gathered) move(w *Worker, g *grid, kernels *tileKernels, dst, src []byte, jobs []Job, rows []int) {
	space := w.spaceOf(d.bytes)
	for i, j := range jobs[:len(jobs)-1] {
		for _, p := range d.pieces {
			w.gathering = gathering{dst: &space[0], src: (*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(src)), j.Src+p.at)),
				rows: &rows[p.rows[0]], many: p.rows[1] - p.rows[0], lines: (p.bytes - 1) / cacheLine, tail: p.bytes - cacheLine, pitch: d.pitch}
			w.gathering.run(g.shape.level)
			w.pieceJobs = [2]Job{{j.Dst, -p.at}, {Src: distance(src, space) + jobs[i+1].Src}}
			s := sweep{tiles: g.all.tiles[p.tiles[0]:p.tiles[1]]}
			if len(g.all.ahead) > 0 {
				s.ahead = g.all.ahead[len(g.all.ahead)/len(g.all.tiles)*p.tiles[0]:]
			}
			g.call(w, kernels, s, dst, space, w.pieceJobs[:], d.rows)
		}
	}
}

// spaceOf is at least n bytes for gathered rows, from a line on.
func (w *Worker) spaceOf(n int) []byte {
	if len(w.space) < n {
		w.space = make([]byte, n+cacheLine)
		w.space = w.space[lineStart(w.space):]
	}
	return w.space
}
