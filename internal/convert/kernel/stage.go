package kernel

import "slices"

// gather is a method for source rows at multiples of many cache lines, which share a few sets of the first cache and evict each other: it copies
// the rows of a job side by side, and moves them from there by tiles. NHWC to NCHW of 2048 channels and 7 x 7 pixels takes 13 ns a line without
// it, 3 with it (Zen 4).
type gather struct {
	block *Block
	rows  []int // of the source
	pitch int   // bytes from row to row of the copy, not a multiple of two lines
}

// newGather returns the tiles of b on a copy of its source rows, or nil if they do not share sets.
func newGather(b *Block) method {
	width := len(b.dstRows) * b.size
	if b.padded || width < gatherFrom || !sharesSets(b.srcRows, 16/b.size*gatherLanes) {
		return nil
	}
	g := gather{rows: b.srcRows, pitch: ((width+cacheLine-1)/cacheLine | 1) * cacheLine}
	side := make([]int, len(b.srcRows))
	for i := range side {
		side[i] = i * g.pitch
	}
	g.block = b.kernels.newBlock(side, b.dstRows, b.size)
	m, ok := g.block.method.(*grid)
	if !ok {
		return nil
	}
	m.ahead = inTurn(sourceLines(b), len(m.ahead))
	return g
}

// A tile that writes lines reads a line of each of gatherLanes lanes of rows. Rows of less than gatherFrom bytes are not worth a copy of their own.
const (
	gatherLanes = 4
	gatherFrom  = 4 * cacheLine
	ways        = 8  // lines of a set of the first cache,
	sets        = 64 // which has this many on most processors
)

// sharesSets reports whether the first rows, many of them, need more than half of the lines of a set.
func sharesSets(rows []int, many int) bool {
	first := slices.Sorted(slices.Values(rows[:min(many, len(rows))]))
	var lines [sets]int
	for i, at := range first {
		if i == 0 || at/cacheLine != first[i-1]/cacheLine {
			lines[at/cacheLine%sets]++
		}
	}
	return slices.Max(lines[:]) > ways/2
}

func (g gather) String() string    { return g.block.Method() }
func (g gather) writesLines() bool { return g.block.method.writesLines() }

// run copies and moves the jobs one by one.
func (g gather) run(w *Worker, dst, src []byte, jobs []Job, n int, pad []byte, s Stores) {
	width := len(g.block.dstRows) * g.block.size
	w.gathered = slices.Grow(w.gathered[:0], len(g.rows)*g.pitch)[:len(g.rows)*g.pitch]
	for k, j := range jobs[:n] {
		for i, at := range g.rows {
			copy(w.gathered[i*g.pitch:][:width], src[j.Src+at:])
		}
		own := append(w.own[:0], Job{Dst: j.Dst})
		if k+1 < len(jobs) {
			own = append(own, Job{Src: distance(src, w.gathered) + jobs[k+1].Src}) // what tiles prefetch
		}
		g.block.method.run(w, dst, w.gathered, own, 1, pad, s)
	}
}

// stage runs a method that does not write whole lines, for adjacent destination rows: it moves jobs that follow each other into a buffer that
// stays in the caches, and streams that past them. A line that is written in part is fetched first, and one after the other.
type stage struct {
	block  *Block
	method method
}

// The buffer has stageBytes, or a job of up to maxStaged. Shorter ones than stagedFrom are not staged: they have too many edges.
const (
	stageBytes = 64 << 10
	stagedFrom = 2 << 10
	maxStaged  = 128 << 10
)

// newStage returns a method that stages what m moves, or m. Programs write in order, which needs no help.
func newStage(b *Block, m method) method {
	_, inOrder := m.(*program)
	if inOrder || !b.packed || m.writesLines() {
		return m
	}
	if size := b.bytes(); size < stagedFrom || size > maxStaged {
		return m
	}
	return stage{b, m}
}

func (t stage) String() string    { return t.method.String() }
func (t stage) writesLines() bool { return false }

// run moves the jobs, as many as fit into the buffer at once, if they stream.
func (t stage) run(w *Worker, dst, src []byte, jobs []Job, n int, pad []byte, s Stores) {
	if s != Streaming {
		t.method.run(w, dst, src, jobs, n, pad, s)
		return
	}
	size := t.block.bytes()
	fit := max(1, stageBytes/size)
	w.staged = slices.Grow(w.staged[:0], fit*size+cacheLine)[:fit*size+cacheLine]
	w.jobs = append(w.jobs[:0], jobs...)
	for from := 0; from < n; {
		first := jobs[from].Dst
		at := (pastLine(dst, first) - pastLine(w.staged, 0)) & (cacheLine - 1)
		to := from
		for to < min(n, from+fit) && jobs[to].Dst == first+(to-from)*size {
			w.jobs[to].Dst = at + (to-from)*size
			to++
		}
		t.method.run(w, w.staged, src, w.jobs[from:], to-from, pad, Cached)
		moved := (to - from) * size
		copyLines(dst[first:first+moved], w.staged[at:at+moved], true)
		from = to
	}
}
