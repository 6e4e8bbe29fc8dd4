package kernel

import (
	"math"
	"slices"
)

// Job is where one block is: bytes from the start of the destination and of the source.
type Job struct{ Dst, Src int }

// NoRow is the offset of a source row of padding, and of a destination row that is not written.
const NoRow = math.MaxInt

// Block is how blocks of one shape are moved: rows of the source at any offsets, each of adjacent elements, become columns of
// the destination, whose rows are anywhere too:
//
//	for j in Jobs: for i in dstRows: for k in srcRows: dst[j.Dst + dstRows[i] + k·size] = src[j.Src + srcRows[k] + i·size]
//
// for size bytes each, 1, 2, 4, 8 or 16. A source row has len(dstRows) elements, a destination row len(srcRows). Offsets are
// bytes and not negative; destination rows that are NoRow are left out. Destination rows do not overlap. It is made once, for
// one kind of stores; any number of goroutines run it.
type Block struct {
	kernels          *Kernels
	stores           Stores
	size             int
	srcRows, dstRows []int
	padded           bool   // a source row is NoRow
	partial          bool   // a destination row is NoRow
	packed           bool   // the destination rows follow each other without gaps, from the job's beginning on
	heads            *heads // nil if stores are cached

	program *program // by permutations of bytes; nil if not
	grid    *grid    // by tiles; nil if not
	shifted *shifted // by tiles whose rows are shifted to lines past the caches; nil if not
	staged  *staged  // in memory that stays in the caches, then by whole lines past them, where the grid does not write those; nil if not
}

// NewBlock chooses the kernel of a block. The tables are kept.
func (k *Kernels) NewBlock(srcRows, dstRows []int, size int, s Stores) *Block {
	b := &Block{kernels: k, stores: s, size: size, srcRows: srcRows, dstRows: dstRows, padded: slices.Contains(srcRows, NoRow),
		partial: slices.Contains(dstRows, NoRow), packed: spacedBy(dstRows, len(srcRows)*size)}
	if len(srcRows) == 0 || len(dstRows) == 0 {
		return b
	}
	if s == Streaming {
		b.heads = newHeads(b)
	}
	shape, tiles := k.shapeFor(b)
	limit := maxCost
	if tiles {
		limit = shape.cost(b)
		switch {
		case s == Streaming && shape.masks(b):
			limit = limit * 3 / 2 // they are staged, and what masked stores write is read late
		case shape.shifting != nil:
			limit = limit * 4 / 5 // they write past the caches wherever rows begin
		}
	}
	if p := newProgram(b, limit); p != nil {
		if b.program = p; s == Streaming && p.lines {
			lines := sourceLines(b)
			p.ahead = inTurn(lines, (len(lines)+p.reps-1)/p.reps*p.reps)
		}
		return b
	}
	if !tiles {
		return b
	}
	lines := shape.writesLines(b)
	if s == Streaming {
		if b.packed && !shape.joined {
			b.staged = newStaged(b)
		}
		if b.staged == nil && !lines && !b.padded {
			b.shifted = newShifted(b, shape)
		}
	}
	if lines || b.staged == nil && b.shifted == nil {
		if b.grid = newGrid(b, shape); gathers(b, shape) {
			b.grid.gather(b)
		} else {
			b.grid.order(groups{}, b.grid.groups, s)
		}
		if s == Streaming {
			b.grid.fetch(b)
		}
	}
	return b
}

// maxCost is more than any program costs: moving by elements costs more.
const maxCost = 1 << 20

// Method says how the block is moved: tiles 4x2, program, staged or shifted tiles 4x2, or elements.
func (b *Block) Method() string {
	switch {
	case b.program != nil:
		return "program"
	case b.grid != nil: // staged only where a job does not begin with a line
		return b.grid.shape.String()
	case b.staged != nil:
		return "staged " + b.staged.block.Method()
	case b.shifted != nil:
		return "shifted " + b.shifted.grid.shape.String()
	}
	return "elements"
}

// rowBytes is the length of a destination row.
func (b *Block) rowBytes() int { return len(b.srcRows) * b.size }

// Run moves the blocks of all jobs but the last: that is the one to come, whose source may be prefetched, or any other. pad
// is one element, for source rows that are NoRow.
func (b *Block) Run(w *Worker, dst, src []byte, jobs []Job, pad []byte) {
	if len(jobs) < 2 || len(b.srcRows) == 0 || len(b.dstRows) == 0 {
		return
	}
	switch {
	case b.program != nil:
		b.program.run(w, b, dst, src, jobs, pad)
	case b.grid != nil && b.staged != nil: // the grid writes lines only where jobs begin with one
		for head, some := range b.heads.of(dst, jobs) {
			if head == 0 {
				b.grid.run(w, b, dst, src, some, pad)
			} else {
				b.staged.run(w, b, dst, src, some, pad)
			}
		}
	case b.grid != nil:
		b.grid.run(w, b, dst, src, jobs, pad)
	case b.staged != nil:
		b.staged.run(w, b, dst, src, jobs, pad)
	case b.shifted != nil:
		b.shifted.run(w, dst, src, jobs)
	default:
		for _, j := range jobs[:len(jobs)-1] {
			b.byElements(dst, src, j, pad)
		}
	}
}

// Worker is the memory of one goroutine that runs blocks. Its zero value is ready; it grows when a block needs more.
type Worker struct {
	tiles     tiles
	perm      permutation
	pad       []byte // rows of padding
	padOf     []byte // whose element they repeat
	bases     []byte // with padding, of
	basesFor  *program
	basesPad  []byte
	rows      []int               // of a grid, for one job
	end       [2 * cacheLine]byte // of a source
	carry     []byte              // of a kernel that shifts
	space     []byte              // of gathered rows
	gathering gathering
	pieceJobs [2]Job
	staging   []byte // of staged blocks
	stageJobs []Job
}

// Forget drops what the worker knows of the memory that it worked on, so that nothing holds that.
func (w *Worker) Forget() {
	w.tiles, w.perm, w.gathering, w.basesFor = tiles{}, permutation{}, gathering{}, nil
}

// padding is at least n bytes that repeat the element pad.
func (w *Worker) padding(pad []byte, n int) []byte {
	if len(w.pad) < n || !slices.Equal(w.padOf, pad) {
		w.pad, w.padOf = make([]byte, n+len(pad)), slices.Clone(pad)
		for i := range w.pad {
			w.pad[i] = pad[i%len(pad)]
		}
	}
	return w.pad
}
