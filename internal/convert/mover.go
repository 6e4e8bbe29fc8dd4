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
}

type choice struct {
	loops     []Loop
	pad, room int
	matrix    *matrix
}

// maxChoices bounds the choices that a plan holds; further ones are made each time.
const maxChoices = 32

// matrixOf is how a box is run, one of the plan's or a part of one, in a source of srcBytes.
func (p *Plan) matrixOf(b Box, srcBytes int) *matrix {
	room := min(srcBytes-(b.lastSrc()+1)*p.ItemSize, maxRoom)
	p.choices.lock.RLock()
	m := p.choices.find(b, room)
	p.choices.lock.RUnlock()
	if m != nil {
		return m
	}
	m = newMatrix(b.Loops, b.Pad, p.ItemSize, room)
	return p.choices.hold(b, room, m)
}

// find returns what was chosen, nil if nothing was. The caller holds the lock.
func (c *choices) find(b Box, room int) *matrix {
	for i := range c.made {
		if m := &c.made[i]; m.room == room && m.pad == b.Pad && slices.Equal(m.loops, b.Loops) {
			return m.matrix
		}
	}
	return nil
}

// hold adds a choice, and returns the one to use: another goroutine may have made it meanwhile.
func (c *choices) hold(b Box, room int, m *matrix) *matrix {
	c.lock.Lock()
	defer c.lock.Unlock()
	if made := c.find(b, room); made != nil {
		return made
	}
	if len(c.made) < maxChoices {
		c.made = append(c.made, choice{b.Loops, b.Pad, room, m})
	}
	return m
}

// mover runs boxes from src to dst.
type mover struct {
	plan     *Plan // whose boxes these are, or are parts of
	kernels  *kernel.Kernels
	dst, src []byte
	pad      []byte // one element
	options  kernel.Options

	scratch *kernel.ScratchRows // nil until a matrix needs it
	longest int                 // bytes of its rows
}

// newMover makes a mover for one goroutine.
func newMover(p *Plan, k *kernel.Kernels, dst, src, pad []byte, stream bool) *mover {
	return &mover{plan: p, kernels: k, dst: dst, src: src, pad: pad,
		options: kernel.Options{Staging: kernel.NewStaging(), Stream: stream}}
}

// boxes copies what the boxes say.
func (m *mover) boxes(boxes []Box) {
	item := m.plan.ItemSize
	for _, b := range boxes {
		x := m.plan.matrixOf(b, len(m.src))
		m.options.Scratch = m.scratchFor(x)
		m.run(x, x.around, b.Src*item, b.Dst*item, x.rows.n, x.cols.n)
	}
}

// scratchFor is what the matrix's entries that are NoRow are read from and written to; nil if it has none.
func (m *mover) scratchFor(x *matrix) *kernel.ScratchRows {
	if !slices.Contains(x.rows.table, kernel.NoRow) && !slices.Contains(x.cols.table, kernel.NoRow) {
		return nil
	}
	if n := max(len(x.rows.table), len(x.cols.table)) * x.item; n > m.longest {
		m.scratch, m.longest = kernel.NewScratchRows(m.pad, n), n
	}
	return m.scratch
}

// run goes through the loops around the blocks. rows and cols are how many there are from here on.
func (m *mover) run(x *matrix, loops []around, src, dst, rows, cols int) {
	if len(loops) == 0 {
		m.block(x, src, dst, min(rows, len(x.rows.table)), min(cols, len(x.cols.table)))
		return
	}
	l := loops[0]
	for range l.N {
		m.run(x, loops[1:], src, dst, rows, cols)
		src, dst = src+l.Src, dst+l.Dst
		switch l.over {
		case overRows:
			rows -= len(x.rows.table)
		case overCols:
			cols -= len(x.cols.table)
		}
	}
}

// block hands one block to its kernel.
func (m *mover) block(x *matrix, src, dst, rows, cols int) {
	if x.kind == copied {
		m.kernels.Copy(m.dst[dst:dst+x.item], m.src[src:src+x.item], m.options)
		return
	}
	rowTable, colTable := x.rows.table[:rows], x.cols.table[:cols]
	if x.backwards {
		lowest := slices.Min(rowTable)
		rowTable, src = shifted(rowTable, -lowest), src+lowest
	}
	switch x.kind {
	case transposed:
		m.kernels.Transpose(m.dst[dst:], colTable, m.src[src:], rowTable, x.item, m.options)
	case interleaved:
		m.kernels.Interleave(m.dst[dst:], m.src[src:], rowTable, cols, x.item, m.options)
	case deinterleaved:
		m.kernels.Deinterleave(m.dst[dst:], colTable, m.src[src:], rows, x.item, m.options)
	}
}
