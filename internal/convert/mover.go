package convert

import (
	"slices"
	"sync"

	"github.com/tlayout/tlayout/internal/convert/kernel"
)

// matrixCache maps the boxes of a plan, and their parts in tiles, to the matrices that run them. Each is made once: nests of equal loops
// run alike at any offset, and the tiles of a plan have few shapes. It is safe for concurrent use.
type matrixCache struct {
	lock   sync.RWMutex
	cached []cachedMatrix
	inline [1]cachedMatrix
}

// cachedMatrix is the matrix of a box, or of several fused boxes; nil if these are moved one by one.
type cachedMatrix struct {
	boxes  []Box
	matrix *matrix
}

// maxCached bounds the matrices that a plan caches; others are made each time.
const maxCached = 32

// move is a matrix and its position: the box that it moves, or the first of several.
type move struct {
	matrix *matrix
	box    Box
}

// moves appends the moves of boxes of the plan, or of parts of them: all together, or one by one.
func (p *Plan) moves(to []move, boxes []Box) []move {
	if m := p.together(boxes); m != nil {
		first := boxes[0]
		for _, b := range boxes {
			first.Dst = min(first.Dst, b.Dst)
		}
		return append(to, move{m, first})
	}
	for i := range boxes {
		to = append(to, move{p.matrixOf(boxes[i : i+1]), boxes[i]})
	}
	return to
}

// together returns the matrix of several fused boxes; nil if they are not fused.
func (p *Plan) together(boxes []Box) *matrix {
	if len(boxes) < 2 || len(boxes)*p.ItemSize >= chunkBytes { // a permutation has an item of each
		return nil
	}
	return p.matrixOf(boxes)
}

// matrixOf returns the cached or new matrix of boxes; nil if they are not fused.
func (p *Plan) matrixOf(boxes []Box) *matrix {
	p.matrices.lock.RLock()
	m, ok := p.matrices.find(boxes)
	p.matrices.lock.RUnlock()
	if ok {
		return m
	}
	return p.matrices.hold(boxes, newMatrix(boxes, p.ItemSize))
}

// find returns the cached matrix, if any. The caller holds the lock.
func (c *matrixCache) find(boxes []Box) (m *matrix, ok bool) {
	for i := range c.cached {
		if m := &c.cached[i]; sameBoxes(m.boxes, boxes) {
			return m.matrix, true
		}
	}
	return nil, false
}

// sameBoxes reports whether boxes differ from others only in their offsets.
func sameBoxes(boxes, others []Box) bool {
	return slices.EqualFunc(boxes, others, func(b, o Box) bool {
		moved := b.Src-boxes[0].Src == o.Src-others[0].Src && b.Dst-boxes[0].Dst == o.Dst-others[0].Dst
		return moved && b.Pad == o.Pad && slices.Equal(b.Loops, o.Loops)
	})
}

// hold adds a matrix, and returns the one to use: another goroutine may have added one meanwhile.
func (c *matrixCache) hold(boxes []Box, m *matrix) *matrix {
	c.lock.Lock()
	defer c.lock.Unlock()
	if other, ok := c.find(boxes); ok {
		return other
	}
	if c.cached == nil {
		c.cached = c.inline[:0]
	}
	if len(c.cached) < maxCached {
		c.cached = append(c.cached, cachedMatrix{boxes, m})
	}
	return m
}

// mover runs boxes from src to dst. It is for one goroutine.
type mover struct {
	plan     *Plan // the boxes are its own, or parts of them
	kernels  *kernel.Kernels
	stores   kernel.Stores
	worker   kernel.Worker
	dst, src []byte
	pad      []byte // one element

	index []int   // of the loops around the blocks
	loops [8]int  // memory for index
	moves []move  // memory for the moves of some boxes
	lists [4]jobs // whole blocks, and the last ones of rows, of columns and of both
}

// jobs are queued blocks of one shape.
type jobs struct {
	block *kernel.Block
	jobs  []kernel.Job
}

// A call moves at most this many blocks, and about this many bytes: a goroutine in a kernel cannot be stopped, and the garbage collector
// waits for it.
const (
	maxJobs  = 256
	jobBytes = 1 << 20
)

// movers pools movers with their memory: a small conversion takes less time than making one.
var movers = sync.Pool{New: func() any { return new(mover) }}

// newMover returns a mover for one goroutine.
func newMover(p *Plan, k *kernel.Kernels, dst, src, pad []byte, s kernel.Stores) *mover {
	m := movers.Get().(*mover) //nolint:errcheck,forcetypeassert // it contains nothing else
	m.plan = p
	m.kernels = k
	m.stores = s
	m.dst = dst
	m.src = src
	m.pad = pad
	m.index = m.loops[:0]
	return m
}

// release returns the mover to the pool, after all its jobs have run.
func (m *mover) release() {
	m.plan = nil
	m.kernels = nil
	m.dst = nil
	m.src = nil
	m.pad = nil
	m.moves = nil
	m.worker.Forget()
	movers.Put(m)
}

// boxes copies the boxes.
func (m *mover) boxes(boxes []Box) {
	m.moves = m.plan.moves(m.moves[:0], boxes)
	for _, x := range m.moves {
		m.run(x.matrix, x.box, 0, x.matrix.count())
	}
}

// run copies a range of a box's blocks, in the order of the loops around them.
func (m *mover) run(x *matrix, b Box, from, to int) {
	at, index := x.start(b, m.plan.ItemSize, from, m.index)
	m.index = index
	for left := to - from; left > 0; {
		n := min(left, x.equalBlocks(index))
		if x.copied {
			m.copy(x, at, n)
		} else {
			m.queue(x, at, n, left)
		}
		at.next(x, index, n)
		left -= n
	}
	if !x.copied {
		m.flush()
	}
}

// copy copies the items of n consecutive blocks of the innermost loop.
func (m *mover) copy(x *matrix, at position, n int) {
	step := x.innermost()
	if x.item < maxItem {
		copyFew(m.dst, m.src, x.item, at, n, step.Loop)
		return
	}
	for range n {
		m.kernels.Copy(m.dst[at.dst:at.dst+x.item], m.src[at.src:at.src+x.item], m.stores)
		at.dst = at.dst + step.Dst
		at.src = at.src + step.Src
	}
}

// copyFew copies n items of a few bytes inline: a call for each takes longer. Most are three channels of 1, 2 or 4 bytes.
func copyFew(dst, src []byte, item int, at position, n int, step Loop) {
	to := at.dst
	from := at.src
	for range n {
		switch item {
		case 3:
			*(*[3]byte)(dst[to:]) = *(*[3]byte)(src[from:])
		case 6:
			*(*[6]byte)(dst[to:]) = *(*[6]byte)(src[from:])
		case 12:
			*(*[12]byte)(dst[to:]) = *(*[12]byte)(src[from:])
		default:
			for i := range item {
				dst[to+i] = src[from+i]
			}
		}
		to += step.Dst
		from += step.Src
	}
}

// queue adds n consecutive blocks of the innermost loop, of left remaining, to the jobs of their shape, and runs these if there are many.
func (m *mover) queue(x *matrix, at position, n, left int) {
	rows, cols := at.block(x)
	which := 0
	if rows < len(x.rows.table) {
		which = 1
	}
	if cols < len(x.cols.table) {
		which += 2
	}
	l := &m.lists[which]
	if l.block == nil {
		l.block = x.block(m.kernels, rows, cols)
		l.jobs = slices.Grow(l.jobs, min(left, maxJobs))
	}
	limit := min(maxJobs, max(1, jobBytes/(rows*cols*x.item)))
	step := x.innermost()
	for n > 0 {
		batch := min(n, limit-len(l.jobs))
		for range batch {
			l.jobs = append(l.jobs, kernel.Job{Dst: at.dst, Src: at.src})
			at.dst = at.dst + step.Dst
			at.src = at.src + step.Src
		}
		if n -= batch; len(l.jobs) == limit {
			l.block.Run(&m.worker, m.dst, m.src, l.jobs, m.pad, m.stores)
			l.jobs = l.jobs[:0]
		}
	}
}

// flush runs the queued blocks.
func (m *mover) flush() {
	for i := range m.lists {
		if l := &m.lists[i]; l.block != nil {
			l.block.Run(&m.worker, m.dst, m.src, l.jobs, m.pad, m.stores)
			l.block = nil
			l.jobs = l.jobs[:0]
		}
	}
}
