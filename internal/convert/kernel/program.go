package kernel

import (
	"bytes"
	"unsafe"
)

// program moves bytes by shuffling vectors: every vector of the destination is the union of some vectors of the source, each
// with its bytes permuted. It is compiled from the addresses of a block's bytes, so that few channels, padding between them
// and ragged edges are all one case:
//
//	RGB to planes   in: |rgbr|gbrg|brgb|   out: |rrrr| = rgbr[0 3] | gbrg[2] | brgb[1] …
//
// A period, of some columns or some rows, is repeated along the block; the last one overlaps the one before it.
type program struct {
	block   *Block
	width   int // bytes of a vector
	outs    []out
	sources []int  // per term: its vector's offset in the source; two vectors for width 64, unless dense
	index   []byte // per term, width source indices; bit 7 marks the used (width 64; bit 6: of the second vector) or the unused (width 16)
	inputs  []int  // vectors of the source
	twice   []byte // index vectors of a dense kernel of 16 bytes
	bases   []byte // per out, width bytes: padding, otherwise zeros

	reps             int // periods
	cols             int // of a period along the columns, otherwise 0
	dstStep, srcStep int
	dstLast, srcLast int // of the last period, if it overlaps
	last             bool
	low, high        int   // bytes before and after the job's source position that it reads
	dense            int   // source vectors, if the kernel that holds them and their indices in registers runs it; otherwise 0
	lines            bool  // every vector is a line, if the block starts with one
	cost             int   // per destination line
	ahead            []int // lines of the next job's source to prefetch, an equal number per period
}

// out is a destination vector and its number of terms. One word each.
type out struct{ at, terms int }

// Programs of minDense to maxDense vectors run with all of them in registers.
const minDense, maxDense = 2, 4

// permutation is the argument of a program's kernel, see permuter in _asm. One word each, in this order.
type permutation struct {
	dst, src         *byte
	dstAt, srcAt     int  // bytes from each job to its first period
	jobs             *Job // advanced by the kernel
	many             int
	reps             int
	dstStep, srcStep int
	outs             *out
	count            int
	sources          *int
	index            *byte
	bases            *byte
	ahead            *int // lines of the next job to prefetch, this many per period
	aheadCount       int
	stream           int // 1 to write lines past the caches
	last             int // 1 if no job follows the last one
}

func (p *program) String() string    { return "program" }
func (p *program) writesLines() bool { return p.lines }

// run moves the blocks of the jobs. Those whose vectors reach outside the source move by elements.
func (p *program) run(w *Worker, dst, src []byte, jobs []Job, n int, pad []byte, s Stores) {
	stream := s == Streaming && p.lines && beginLines(dst, jobs[:n])
	outside := func(j Job) bool { return j.Src+p.low < 0 || j.Src+p.high > len(src) }
	for n > 0 {
		many := 0
		for many < n && !outside(jobs[many]) {
			many++
		}
		if many > 0 {
			p.runInside(w, dst, src, jobs, many, pad, stream)
		} else {
			p.block.byElements(dst, src, jobs[0], pad)
			many = 1
		}
		jobs = jobs[many:]
		n -= many
	}
}

// runInside runs the program on the first n jobs, whose vectors are inside the source.
func (p *program) runInside(w *Worker, dst, src []byte, jobs []Job, n int, pad []byte, stream bool) {
	bases := p.bases
	if p.block.padded {
		bases = w.basesOf(p, pad)
	}
	w.perm = permutation{src: unsafe.SliceData(src), dst: unsafe.SliceData(dst), outs: &p.outs[0], count: len(p.outs),
		sources: &p.sources[0], index: &p.index[0], bases: &bases[0]}
	if stream && len(p.ahead) > 0 { // in the caches, long runs of few rows need no help
		w.perm.ahead, w.perm.aheadCount = &p.ahead[0], len(p.ahead)/p.reps
	}
	if stream {
		w.perm.stream = 1
	}
	if n == len(jobs) {
		w.perm.last = 1
	}
	jobs = jobs[:n]
	w.permute(p, jobs, 0, 0, p.reps)
	if p.last {
		w.perm.ahead, w.perm.stream = nil, 0 // the last period overlaps the previous one
		w.permute(p, jobs, p.srcLast, p.dstLast, 1)
	}
}

// basesOf returns the program's bases with the element pad as padding; vectors start with an element. A worker caches those of its last
// program.
func (w *Worker) basesOf(p *program, pad []byte) []byte {
	padding := w.padding(pad, p.width)
	if w.basesFor == p && bytes.Equal(w.basesPad, pad) {
		return w.bases
	}
	w.bases = append(w.bases[:0], p.bases...)
	w.basesFor = p
	w.basesPad = append(w.basesPad[:0], pad...)
	for i, mask := range p.bases {
		w.bases[i] = mask & padding[i%p.width]
	}
	return w.bases
}

// adjacent reports whether each destination vector of a period is followed by that of the next.
func (p *program) adjacent() bool { return p.dstStep == p.width }

// together returns how many periods a dense kernel of 16 bytes moves at once.
func (p *program) together() int {
	if p.adjacent() {
		return 4
	}
	return 2
}

// permute runs the kernel on n periods of all jobs, the first of them srcAt and dstAt bytes after the job's position. The kernel of 16
// bytes moves two periods at once; it moves an odd last period twice.
func (w *Worker) permute(p *program, jobs []Job, srcAt, dstAt, n int) {
	w.perm.jobs, w.perm.many, w.perm.reps = &jobs[0], len(jobs), n
	w.perm.srcAt, w.perm.dstAt, w.perm.srcStep, w.perm.dstStep = srcAt, dstAt, p.srcStep, p.dstStep
	if p.width == cacheLine {
		w.perm.run(p.dense)
		return
	}
	if periods16 == 1 {
		w.perm.run16()
		return
	}
	if p.dense > 0 {
		n -= w.permuteDense(p, n)
		w.perm.jobs, w.perm.many = &jobs[0], len(jobs)
	}
	w.perm.stream = 0
	w.perm.reps = n / 2
	if n > 1 {
		w.perm.run16()
	}
	if n%2 == 1 { // once more, from the position of the last period
		w.perm.jobs, w.perm.many, w.perm.reps = &jobs[0], len(jobs), 1
		w.perm.srcAt += (n - 1) * p.srcStep
		w.perm.dstAt += (n - 1) * p.dstStep
		w.perm.srcStep, w.perm.dstStep = 0, 0
		w.perm.run16()
	}
}

// permuteDense runs a kernel that holds the vectors of 16 bytes of two or four periods in registers. It returns how many of n periods it moved.
func (w *Worker) permuteDense(p *program, n int) (moved int) {
	together := p.together()
	if n < together {
		return 0
	}
	moved = n / together * together
	sources, index := w.perm.sources, w.perm.index
	w.perm.reps, w.perm.sources, w.perm.index = n/together, &p.inputs[0], &p.twice[0]
	w.perm.runLanes(p.dense, p.adjacent())
	w.perm.sources, w.perm.index = sources, index
	w.perm.srcAt += moved * p.srcStep
	w.perm.dstAt += moved * p.dstStep
	return moved
}
