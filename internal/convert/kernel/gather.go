package kernel

import (
	"slices"
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

// piece is the tiles of some row groups and columns.
type piece struct {
	groups [2]int // from, to
	tiles  [2]int
	at     int // in a source row, bytes
	bytes  int
}

const (
	gatherLines = 4        // of a row, about
	gatherBytes = 20 << 10 // of all rows, at most
)

// gathering is the argument of a kernel, see gathers in _asm.
type gathering struct {
	dst, src *byte
	first    int // bytes from src to what rows count from; it may be before src, where every row is inside
	rows     *int
	many     int
	lines    int // before the last one
	tail     int // where that is in a row
	pitch    int
}

// ownSets is how many sets the first cache has: lines whose addresses are the same in their last twelve bits share one.
const ownSets = 64

// gathers reports whether more rows of a tile share a set than the first cache has ways, so that the next tile reads their lines anew. Kernels
// of AVX-512 read more of a line at once: twice as many.
func gathers(b *Block, s tileShape) bool {
	high, _ := s.of(b.size)
	near, most := min(high, len(b.srcRows)), max(8, cpuid.CPU.Cache.L1D/(ownSets*cacheLine))
	if s.level == AVX512 {
		most *= 2
	}
	return near > most && len(b.dstRows)*b.size >= cacheLine && share(b.srcRows[:near], most)
}

// share reports whether more than most rows begin in one set.
func share(rows []int, most int) bool {
	var count [ownSets]int
	for _, at := range rows {
		set := at / cacheLine % ownSets
		if count[set]++; count[set] > most {
			return true
		}
	}
	return false
}

// gather has the grid move tiles of gathered rows, piece by piece.
func (g *grid) gather() {
	b := g.block
	high, wide := g.shape.of(b.size)
	all, d := g.groups, &gathered{rows: slices.Clone(g.rows), pitch: (gatherLines | 1) * cacheLine}
	g.gathered = d
	rows := min(all.rows, max(1, gatherBytes/d.pitch/high))
	d.bytes = rows * high * d.pitch
	for r := range all.rows {
		for k := range high {
			d.rows[r*(high+1)+1+k] = (r%rows*high + k) * d.pitch
		}
	}
	width, cols := len(b.dstRows)*b.size, gatherLines*cacheLine/b.size/wide
	for c := 0; c < all.cols; c += cols {
		at := max(0, min(c*wide*b.size, width-cacheLine))
		for r := 0; r < all.rows; r += rows {
			p := piece{groups: [2]int{r, min(all.rows, r+rows)}, at: at, bytes: min(width, (c+cols)*wide*b.size) - at}
			p.tiles[0] = len(g.all.tiles)
			g.order(groups{r, c}, groups{p.groups[1], min(all.cols, c+cols)})
			p.tiles[1] = len(g.all.tiles)
			d.pieces = append(d.pieces, p)
		}
	}
}

// move runs a kernel on the first n tiles of all jobs but the last, where so many bytes of a source row are left.
func (d *gathered) move(w *Worker, g *grid, kernels *tileKernels, n, left int, dst, src []byte, jobs []Job, rows []int) {
	space := aligned(&w.space, d.bytes)
	high, _ := g.shape.of(g.block.size)
	for i, j := range jobs[:len(jobs)-1] {
		for _, p := range d.pieces {
			if p.tiles[0] >= n {
				break
			}
			at := min(p.at, left-cacheLine)
			bytes := min(p.at+p.bytes, left) - at
			w.gathering = gathering{src: unsafe.SliceData(src), first: j.Src + at, many: min(high, len(g.block.srcRows)),
				lines: (bytes - 1) / cacheLine, tail: bytes - cacheLine, pitch: d.pitch}
			for r := p.groups[0]; r < p.groups[1]; r++ {
				w.gathering.dst = &space[(r-p.groups[0])*high*d.pitch]
				w.gathering.rows = &rows[r*(high+1)+1]
				w.gathering.run(g.shape.level)
			}
			w.pieceJobs = [2]Job{{j.Dst, -at}, {Src: distance(src, space) + jobs[i+1].Src}}
			s := sweep{tiles: g.all.tiles[p.tiles[0]:min(n, p.tiles[1])]}
			if len(g.all.ahead) > 0 {
				s.ahead = g.all.ahead[len(g.all.ahead)/len(g.all.tiles)*p.tiles[0]:]
			}
			g.call(w, kernels, s, dst, space, w.pieceJobs[:], d.rows)
		}
	}
}
