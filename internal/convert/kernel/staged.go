package kernel

import "unsafe"

// rows is the argument of a kernel that copies rows to any offsets by whole lines past the caches. One word each, in this order. The kernel
// reads up to 63 bytes before and after each source row.
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
	stagedBytes = 24 << 10  // bytes staged at once
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

// staged writes a block whose rows do not begin with a line past the caches: some columns at a time into staging memory, and from there
// by whole lines. A store that crosses a line costs two, and cannot go past the caches.
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
	s.many = min(stagedBytes/s.pitch, len(b.dstRows))
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
	cut.dstRows = offsets
	s.grid = newGrid(&cut, shape)
	return s
}

// run moves all jobs but the last.
func (s *staged) run(w *Worker, b *Block, dst, src []byte, jobs []Job) {
	stage := w.stage()
	room := unsafe.Slice(stage, stagedBytes)
	for i, j := range jobs[:len(jobs)-1] {
		for first := 0; first < len(b.dstRows); first += s.many {
			at := min(first, len(b.dstRows)-s.many)
			part := [2]Job{{0, j.Src + at*b.size}, {0, j.Src + (at+s.many)*b.size}}
			if at+s.many >= len(b.dstRows) {
				part[1].Src = jobs[i+1].Src
			}
			w.pair = part
			s.grid.call(w, Cached, true, room, src, w.pair[:], s.grid.rows)
			w.rowsOut = rows{dst: &dst[j.Dst], dstRows: &b.dstRows[at], src: stage, pitch: s.pitch, rows: s.many, bytes: s.row}
			if s.packed {
				w.rowsOut.rows, w.rowsOut.bytes = 1, s.many*s.row
			}
			w.rowsOut.run()
		}
	}
}
