package kernel

import "unsafe"

// rows is the argument of a kernel that copies rows to any offsets by whole lines past the caches. One word each, in this
// order. The kernel reads up to 63 bytes before and after each source row.
type rows struct {
	dst     *byte
	dstRows *int
	src     *byte
	pitch   int // bytes from one source row to the next
	rows    int
	bytes   int // of a row, at least a cache line
}

const (
	stagedFrom  = 128       // bytes of a row from which staging pays off
	stagedBytes = 20 << 10  // bytes staged at once
	stagedEdge  = cacheLine // bytes that may be read before the first and after the last row
)

// staging is memory that stays in the first cache.
type staging struct {
	bytes [stagedBytes + 3*stagedEdge]byte
	start int // offset of the first line
}

// stage is the worker's staging memory, from a line on.
func (w *Worker) stage() *byte {
	if w.staging == nil {
		w.staging = new(staging)
		w.staging.start = stagedEdge + lineStart(w.staging.bytes[stagedEdge:])
	}
	return &w.staging.bytes[w.staging.start]
}

// staged writes a block whose rows do not begin with a line past the caches: some columns at a time into staging memory, and
// from there by whole lines. A store that crosses a line costs two, and cannot go past the caches.
//
//	source → |row 0        |pitch    → destination      |…row 0…|
//	         |row 1        |                        |…row 1…|
type staged struct {
	grid   *grid // of many columns; the last ones overlap those before
	many   int
	pitch  int // bytes from row to row in staging memory
	row    int // bytes of a row that is copied, all of many columns if they follow each other
	packed bool
}

// newStaged cuts a block into columns that staging memory holds; nil if its rows are too short or too long for that.
func newStaged(b *Block) *staged {
	s := &staged{row: b.rowBytes(), packed: b.packed()}
	if s.pitch = s.row; !s.packed {
		s.pitch = (s.row + 127) &^ 63 // one line more, and not a power of two, so that rows do not conflict in the cache
	}
	s.many = s.columns(b)
	if b.kernels.Level != AVX512 || !s.packed && s.row < stagedFrom || s.many == 0 || s.many*s.row < stagedFrom {
		return nil
	}
	cut := *b
	cut.dstRows = b.dstRows[:s.many]
	shape, ok := b.kernels.shapeFor(&cut)
	if !ok || shape.level != AVX512 {
		return nil
	}
	offsets := make([]int, s.many)
	for i := range offsets {
		offsets[i] = i * s.pitch
	}
	cut.dstRows, cut.stores = offsets, Cached
	s.grid = newGrid(&cut, shape)
	s.grid.fetch(&cut)
	return s
}

// columns is how many columns are staged at once: about as many each time, so that the last ones overlap few of those before,
// and whole lines of source rows.
func (s *staged) columns(b *Block) int {
	all, line := len(b.dstRows), cacheLine/b.size
	most := min(stagedBytes/s.pitch, all)
	if most == all || most < line {
		return most
	}
	most -= most % line
	parts := (all + most - 1) / most
	return ((all+parts-1)/parts + line - 1) / line * line
}

// run moves all jobs but the last. Jobs that follow each other in the destination are staged together: a line that the ends
// of two runs share costs more than several whole lines.
func (s *staged) run(w *Worker, b *Block, dst, src []byte, jobs []Job) {
	bytes := s.many * s.row
	for i := 0; i < len(jobs)-1; {
		n := 1
		if s.packed && s.many == len(b.dstRows) {
			for i+n < len(jobs)-1 && jobs[i+n].Dst == jobs[i].Dst+n*bytes && (n+1)*bytes <= stagedBytes {
				n++
			}
		}
		if n > 1 || s.many == len(b.dstRows) {
			s.part(w, b, dst, src, jobs[i:i+n+1], 0)
			i += n
			continue
		}
		for first := 0; first < len(b.dstRows); first += s.many {
			at := min(first, len(b.dstRows)-s.many)
			next := Job{0, jobs[i].Src + (at+s.many)*b.size}
			if first+s.many >= len(b.dstRows) {
				next = jobs[i+1]
			}
			w.pair = [2]Job{{jobs[i].Dst, jobs[i].Src + at*b.size}, next}
			s.part(w, b, dst, src, w.pair[:], at)
		}
		i++
	}
}

// part stages the columns from one on of all jobs but the last, and writes them.
func (s *staged) part(w *Worker, b *Block, dst, src []byte, jobs []Job, column int) {
	stage := w.stage()
	w.stageJobs = w.stageJobs[:0]
	for i, j := range jobs {
		w.stageJobs = append(w.stageJobs, Job{i * s.many * s.row, j.Src})
	}
	s.grid.call(w, s.grid.shape.cached, s.grid.all, unsafe.Slice(stage, stagedBytes), src, w.stageJobs, s.grid.rows, s.grid.cols)
	w.rowsOut = rows{dst: &dst[jobs[0].Dst], dstRows: &b.dstRows[column], src: stage, pitch: s.pitch, rows: s.many, bytes: s.row}
	if s.packed {
		w.rowsOut.rows, w.rowsOut.bytes = 1, (len(jobs)-1)*s.many*s.row
	}
	w.rowsOut.run()
}
