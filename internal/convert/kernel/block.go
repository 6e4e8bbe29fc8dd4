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
	method           method
}

// method is how blocks are moved:
//
//	program     by permutations of bytes
//	grid        by tiles
//	shifted     by tiles whose rows are shifted to lines past the caches
//	staged      in memory that stays in the caches, then by whole lines past them
//	elementwise element by element
type method interface {
	run(w *Worker, dst, src []byte, jobs []Job, pad []byte) // as Block.Run, of at least one block
	String() string
}

// NewBlock chooses the method of a block. The tables are kept.
func (k *Kernels) NewBlock(srcRows, dstRows []int, size int, s Stores) *Block {
	if !k.Streams() {
		s = Cached
	}
	b := &Block{kernels: k, stores: s, size: size, srcRows: srcRows, dstRows: dstRows, padded: slices.Contains(srcRows, NoRow),
		partial: slices.Contains(dstRows, NoRow), packed: spacedBy(dstRows, len(srcRows)*size)}
	if s == Streaming && !b.empty() {
		b.heads = newHeads(b)
	}
	b.method = b.choose()
	return b
}

func (b *Block) empty() bool { return len(b.srcRows) == 0 || len(b.dstRows) == 0 }

// choose takes a program if it costs less than tiles. Where stores are streamed, tiles are staged or shifted if they do not write lines.
func (b *Block) choose() method {
	if b.empty() {
		return elementwise{b}
	}
	stream := b.stores == Streaming
	shape, tiles := b.kernels.shapeFor(b)
	limit := maxCost
	if tiles {
		limit = shape.cost(b)
		switch {
		case stream && shape.masks(b):
			limit = limit * 3 / 2 // they are staged, and what masked stores write is read late
		case shape.shifting != nil:
			limit = limit * 4 / 5 // they write past the caches wherever rows begin
		}
	}
	if p := newProgram(b, limit); p != nil {
		return p
	}
	if !tiles {
		return elementwise{b}
	}
	lines := shape.writesLines(b)
	if stream && b.packed && !shape.joined {
		if s := newStaged(b); s != nil {
			if lines {
				s.lines = newTiles(b, shape)
			}
			return s
		}
	}
	if stream && !lines && !b.padded {
		if s := newShifted(b, shape); s != nil {
			return s
		}
	}
	return newTiles(b, shape)
}

// maxCost is more than any program costs: moving by elements costs more.
const maxCost = 1 << 20

// Method says how the block is moved: tiles 4x2, program, staged or shifted tiles 4x2, or elements.
func (b *Block) Method() string { return b.method.String() }

// rowBytes is the length of a destination row.
func (b *Block) rowBytes() int { return len(b.srcRows) * b.size }

// Run moves the blocks of all jobs but the last: that is the one to come, whose source may be prefetched, or any other. pad
// is one element, for source rows that are NoRow.
func (b *Block) Run(w *Worker, dst, src []byte, jobs []Job, pad []byte) {
	if len(jobs) > 1 && !b.empty() {
		b.method.run(w, dst, src, jobs, pad)
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
