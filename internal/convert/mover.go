package convert

import (
	"slices"
	"sync"

	"github.com/tlayout/tlayout/internal/convert/kernel"
)

// choices are the matrices that run a plan's boxes and the parts of them in tiles. Each is chosen once: nests of equal loops
// run alike wherever they begin, and the tiles of a plan have few shapes. It serves many goroutines.
type choices struct {
	lock sync.RWMutex
	made []choice
	room [1]choice
}

// choice is the matrix of a box, or of several that it moves together; nil if these are moved one by one.
type choice struct {
	boxes  []Box
	matrix *matrix
}

// maxChoices bounds the choices that a plan holds; further ones are made each time.
const maxChoices = 32

// move is a matrix and where it begins: the box that it moves, or the first of several.
type move struct {
	matrix *matrix
	box    Box
}

// moves appends how boxes of the plan, or parts of them, are moved: all together, or one by one.
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

// together is how several boxes are moved at once; nil if they are not.
func (p *Plan) together(boxes []Box) *matrix {
	if len(boxes) < 2 || len(boxes)*p.ItemSize >= chunkBytes { // each has an item of a permutation
		return nil
	}
	return p.matrixOf(boxes)
}

// matrixOf is what was chosen for boxes, before or now; nil if they do not move together.
func (p *Plan) matrixOf(boxes []Box) *matrix {
	p.choices.lock.RLock()
	m, ok := p.choices.find(boxes)
	p.choices.lock.RUnlock()
	if ok {
		return m
	}
	return p.choices.hold(boxes, newMatrix(boxes, p.ItemSize))
}

// find returns what was chosen, if something was. The caller holds the lock.
func (c *choices) find(boxes []Box) (m *matrix, ok bool) {
	for i := range c.made {
		if m := &c.made[i]; sameBoxes(m.boxes, boxes) {
			return m.matrix, true
		}
	}
	return nil, false
}

// sameBoxes reports whether boxes differ from others only in where they begin.
func sameBoxes(boxes, others []Box) bool {
	return slices.EqualFunc(boxes, others, func(b, o Box) bool {
		return b.Pad == o.Pad && b.Src-boxes[0].Src == o.Src-others[0].Src && b.Dst-boxes[0].Dst == o.Dst-others[0].Dst && slices.Equal(b.Loops, o.Loops)
	})
}

// hold adds a choice, and returns the one to use: another goroutine may have made it meanwhile.
func (c *choices) hold(boxes []Box, m *matrix) *matrix {
	c.lock.Lock()
	defer c.lock.Unlock()
	if made, ok := c.find(boxes); ok {
		return made
	}
	if c.made == nil {
		c.made = c.room[:0]
	}
	if len(c.made) < maxChoices {
		c.made = append(c.made, choice{boxes, m})
	}
	return m
}

// mover runs boxes from src to dst. It serves one goroutine.
type mover struct {
	plan     *Plan // whose boxes these are, or are parts of
	kernels  *kernel.Kernels
	stores   kernel.Stores
	worker   kernel.Worker
	dst, src []byte
	pad      []byte // one element

	index []int   // of the loops around the blocks
	loops [8]int  // room for index
	moves []move  // room for those of some boxes
	lists [4]jobs // of whole blocks, and of the last ones of rows, of columns and of both
}

// jobs are blocks of one shape that wait for their kernel.
type jobs struct {
	block *kernel.Block
	jobs  []kernel.Job
}

// A call moves so many blocks at most, and about so many bytes: a goroutine in a kernel cannot be stopped, and the garbage collector waits for
// it.
const (
	maxJobs  = 256
	jobBytes = 1 << 20
)

// movers are those that are done, with their memory: a small conversion takes less time than making one.
var movers = sync.Pool{New: func() any { return new(mover) }}

// newMover is a mover for one goroutine.
func newMover(p *Plan, k *kernel.Kernels, dst, src, pad []byte, s kernel.Stores) *mover {
	m := movers.Get().(*mover) //nolint:errcheck,forcetypeassert // it holds nothing else
	m.plan, m.kernels, m.stores, m.dst, m.src, m.pad = p, k, s, dst, src, pad
	m.index = m.loops[:0]
	return m
}

// done lets others use the mover, which has run all that it was given.
func (m *mover) done() {
	m.plan, m.kernels, m.dst, m.src, m.pad, m.moves = nil, nil, nil, nil, nil, nil
	m.worker.Forget()
	movers.Put(m)
}

// boxes copies what the boxes say.
func (m *mover) boxes(boxes []Box) {
	m.moves = m.plan.moves(m.moves[:0], boxes)
	for _, one := range m.moves {
		m.run(one.matrix, one.box, 0, one.matrix.count())
	}
}

// run copies some of the blocks of a box, in the order of the loops around them.
func (m *mover) run(x *matrix, b Box, from, to int) {
	at, index := x.start(b, m.plan.ItemSize, from, m.index)
	m.index = index
	for left := to - from; left > 0; {
		n := min(left, x.alike(index))
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

// copy copies the items of n blocks that follow each other in the innermost loop.
func (m *mover) copy(x *matrix, at position, n int) {
	step := x.innermost()
	for range n {
		m.kernels.Copy(m.dst[at.dst:at.dst+x.item], m.src[at.src:at.src+x.item], m.stores)
		at.dst, at.src = at.dst+step.Dst, at.src+step.Src
	}
}

// queue adds n blocks that follow each other in the innermost loop, of so many to come, to those of their shape, and runs them if they are
// many.
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
	most, step := min(maxJobs, max(1, jobBytes/(rows*cols*x.item))), x.innermost()
	for n > 0 {
		some := min(n, most-len(l.jobs))
		for range some {
			l.jobs = append(l.jobs, kernel.Job{Dst: at.dst, Src: at.src})
			at.dst, at.src = at.dst+step.Dst, at.src+step.Src
		}
		if n -= some; len(l.jobs) == most {
			l.block.Run(&m.worker, m.dst, m.src, l.jobs, m.pad, m.stores)
			l.jobs = l.jobs[:0]
		}
	}
}

// flush runs the blocks that wait.
func (m *mover) flush() {
	for i := range m.lists {
		if l := &m.lists[i]; l.block != nil {
			l.block.Run(&m.worker, m.dst, m.src, l.jobs, m.pad, m.stores)
			l.block, l.jobs = nil, l.jobs[:0]
		}
	}
}
