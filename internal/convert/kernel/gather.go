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

// sets is how many sets the first cache has, for lines in turn, ways how many lines each holds.
const sets = 64

func ways() int { return max(8, cpuid.CPU.Cache.L1D/(sets*cacheLine)) }

// gathers reports whether more rows than the first cache has ways for begin in one of its sets, among those that a tile reads: twice as many
// if it reads whole lines, else of all row groups that are moved before the rest of a line.
func gathers(b *Block, s tileShape) bool {
	if s.joined || len(b.dstRows)*b.size < cacheLine {
		return false
	}
	near, most := s.rows*16/b.size, ways()
	if s.cols == squareCols {
		most *= 2
	} else if b.stores == Streaming {
		near *= lineRun
	}
	if near = min(near, len(b.srcRows)); near <= most {
		return false
	}
	var count [sets]int
	for _, at := range b.srcRows[:near] {
		set := at / cacheLine & (sets - 1)
		if count[set]++; count[set] > most {
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
	space := w.gatherSpace(d)
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

// gatherSpace is memory for gathered rows, from a line on.
func (w *Worker) gatherSpace(d *gathered) []byte {
	if len(w.space) < gatherBytes {
		w.space = make([]byte, gatherBytes+2*cacheLine)
		w.space = w.space[lineStart(w.space):]
	}
	return w.space
}
