package kernel

import (
	"math"
	"slices"
)

// Job is the position of one block: bytes from the start of the destination and of the source.
type Job struct{ Dst, Src int }

// NoRow is the offset of a source row of padding, or of a destination row that is not written.
const NoRow = math.MaxInt

// Block is a shape of blocks and the method that moves them, by the loop in the package's comment. A source row has len(dstRows) elements
// of size bytes, a destination row len(srcRows). Offsets are non-negative bytes. Destination rows do not overlap; those that are NoRow are
// not written. Any number of goroutines may run a block.
type Block struct {
	kernels          *Kernels
	size             int
	srcRows, dstRows []int
	padded           bool // a source row is NoRow
	partial          bool // a destination row is NoRow
	packed           bool // destination rows are adjacent, from the job's start on
	method           method
}

// method moves the first n jobs, at least one, and may prefetch the source of the next.
type method interface {
	run(w *Worker, dst, src []byte, jobs []Job, n int, pad []byte, s Stores)
	writesLines() bool // whole lines only, if a job starts with one
	String() string
}

// NewBlock picks the method of a block. It keeps the tables.
func (k *Kernels) NewBlock(srcRows, dstRows []int, size int) *Block {
	b := k.newBlock(srcRows, dstRows, size)
	if b.empty() || !k.Streams() {
		return b
	}
	if g := newGather(b); g != nil {
		b.method = g
	}
	b.method = newStage(b, b.method)
	return b
}

// newBlock picks a method that reads the source and writes the destination where they are: a program if it costs less than tiles.
func (k *Kernels) newBlock(srcRows, dstRows []int, size int) *Block {
	b := &Block{kernels: k, size: size, srcRows: srcRows, dstRows: dstRows, padded: slices.Contains(srcRows, NoRow),
		partial: slices.Contains(dstRows, NoRow), packed: spacedBy(dstRows, len(srcRows)*size)}
	b.method = elements{b}
	if b.empty() {
		return b
	}
	shape, fits := k.shapeFor(b)
	limit := maxCost
	if fits {
		limit = shape.cost(b)
	}
	if p := newProgram(b, limit); p != nil {
		b.method = p
	} else if fits {
		b.method = newTiles(b, shape)
	}
	return b
}

// maxCost exceeds the cost of any program: moving by elements costs more.
const maxCost = 1 << 20

// bytes returns how many bytes a job moves.
func (b *Block) bytes() int { return len(b.srcRows) * len(b.dstRows) * b.size }

// startsLines reports whether each destination row that is written starts with a line, if the block does.
func (b *Block) startsLines() bool {
	return !slices.ContainsFunc(b.dstRows, func(at int) bool { return at != NoRow && at%cacheLine != 0 })
}

func (b *Block) empty() bool { return len(b.srcRows) == 0 || len(b.dstRows) == 0 }

// Method returns the name of the block's method: tiles 4x1, program, or elements.
func (b *Block) Method() string { return b.method.String() }

// Run moves the block of each job. pad is the element of source rows that are NoRow. Streaming applies if the method writes whole lines and every
// job starts with one, or if it is staged; call Fence afterwards.
func (b *Block) Run(w *Worker, dst, src []byte, jobs []Job, pad []byte, s Stores) {
	if len(jobs) > 0 && !b.empty() {
		b.method.run(w, dst, src, jobs, len(jobs), pad, s)
	}
}

// beginLines reports whether each job starts at a cache line of the destination.
func beginLines(dst []byte, jobs []Job) bool {
	for _, j := range jobs {
		if pastLine(dst, j.Dst) != 0 {
			return false
		}
	}
	return true
}

// Worker is the memory of one goroutine that runs blocks. Its zero value is ready; it grows as needed.
type Worker struct {
	tiles    tiles
	perm     permutation
	pad      []byte // rows of padding
	padOf    []byte // the element that they repeat
	bases    []byte // bases with padding,
	basesFor *program
	basesPad []byte
	gathered []byte              // source rows of a job, side by side
	own      [2]Job              // their job, and the next
	staged   []byte              // destinations of some jobs,
	jobs     []Job               // whose positions are there
	rows     []int               // of tiles, for one job
	end      [2 * cacheLine]byte // of a source
}

// Forget drops the worker's references to the memory of its last blocks.
func (w *Worker) Forget() {
	w.tiles = tiles{}
	w.perm = permutation{}
	w.basesFor = nil
}

// padding returns at least n bytes of repeated pad.
func (w *Worker) padding(pad []byte, n int) []byte {
	if len(w.pad) < n || !slices.Equal(w.padOf, pad) {
		w.pad = make([]byte, n+len(pad))
		w.padOf = slices.Clone(pad)
		for i := range w.pad {
			w.pad[i] = pad[i%len(pad)]
		}
	}
	return w.pad
}
