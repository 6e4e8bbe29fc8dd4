package convert

import (
	"cmp"
	"math/bits"
	"runtime"
	"slices"

	"github.com/tlayout/tlayout/internal/convert/kernel"
)

// Options configure how to run a plan. The zero value uses all cores, the best kernels and no guard.
type Options struct {
	Kernels *kernel.Kernels
	Threads int
	// Guard wraps reads of the source, in the goroutine that reads.
	Guard func(func() error) error
	// Disk reads the source if it may not be in memory; otherwise nil. Run does not use it.
	Disk Disk
	// The size of tiles in bytes, nearBytes and windowBytes; tests make them small.
	tile, near, window int
	// Done is called with the number of bytes just written, from any goroutine.
	Done func(bytes int)
}

func (o Options) withDefaults() Options {
	o.Kernels = cmp.Or(o.Kernels, kernel.Best())
	cores := runtime.GOMAXPROCS(0)
	o.Threads = min(cmp.Or(o.Threads, cores), 16*cores)
	o.tile = cmp.Or(o.tile, tileBytes())
	o.near = cmp.Or(o.near, nearBytes)
	o.window = cmp.Or(o.window, windowBytes)
	if o.Done == nil {
		o.Done = func(int) {}
	}
	return o
}

// Run writes the destination's whole storage, dst, from the source's. It fills positions without an element with pad, the bytes of one
// element.
func (p *Plan) Run(dst, src, pad []byte, o Options) error {
	o = o.withDefaults()
	o.Disk = nil
	if p.ItemSize == 0 || p.Alloc == 0 {
		return nil
	}
	return p.run(dst, src, p.orZeros(pad), o, p.Stores(len(src), o.Kernels))
}

func (p *Plan) run(dst, src, pad []byte, o Options, stores kernel.Stores) error {
	if p.Gaps {
		return p.runPadded(dst, src, pad, o, stores)
	}
	return p.runBlocks(dst, src, pad, o, stores)
}

// piece is some blocks of a box: the unit of work of a thread.
type piece struct {
	move
	from, to int
}

// A piece is a sixteenth of a thread's share, but at least as many bytes of the destination as make the overhead worthwhile. A share is at
// least as large as a tile: starting a thread takes about as long as converting one.
const (
	pieceShare = 16
	pieceBytes = 128 << 10
)

// runBlocks moves the blocks of all boxes, in pieces. Each thread starts with its own share, so that a second run finds its data in the
// thread's caches.
func (p *Plan) runBlocks(dst, src, pad []byte, o Options, stores kernel.Stores) error {
	pieces := make([]piece, 0, len(p.Boxes))
	threads := min(o.Threads, max(1, len(dst)/o.tile))
	each := max(len(dst)/(pieceShare*threads), pieceBytes)
	var memory [4]move
	for _, m := range p.moves(memory[:0], p.Boxes) {
		n := m.matrix.count()
		many := max(1, int(float64(n)*float64(each)/float64(max(1, m.matrix.bytes()))))
		for from := 0; from < n; from += many {
			pieces = append(pieces, piece{m, from, min(n, from+many)})
		}
	}
	perThread := make([]*mover, threads)
	err := inShares(threads, len(pieces), o.Guard, func(thread int) func(int) error {
		m := newMover(p, o.Kernels, dst, src, pad, stores)
		perThread[thread] = m
		return func(k int) error {
			q := &pieces[k]
			m.run(q.matrix, q.box, q.from, q.to)
			o.Kernels.Fence()
			o.Done(part(len(dst), k+1, len(pieces)) - part(len(dst), k, len(pieces)))
			return nil
		}
	})
	for _, m := range perThread {
		if m != nil && err == nil {
			m.release()
		}
	}
	return err
}

// part returns k n-th parts of total.
func part(total, k, n int) int {
	high, low := bits.Mul64(uint64(total), uint64(k))
	q, _ := bits.Div64(high, low, uint64(n))
	return int(q)
}

// orZeros returns pad, or an element of zeros if there is none.
func (p *Plan) orZeros(pad []byte) []byte {
	if len(pad) == 0 {
		return make([]byte, p.ItemSize)
	}
	return pad
}

// runPadded assembles each tile in a buffer that holds the padding, and copies it to the destination.
func (p *Plan) runPadded(dst, src, pad []byte, o Options, stores kernel.Stores) error {
	t := newTiling(o.tile/p.ItemSize, p)
	return Parallel(o.Threads, t.count(), o.Guard, func(int) func(int) error {
		s := newStage(p, t, src, pad, o)
		return func(k int) error {
			w := t.at(k)
			tile, err := s.fill(w)
			if err != nil {
				return err
			}
			t.segments(w, func(storage, packed, n int) error {
				at := storage * p.ItemSize
				from := packed * p.ItemSize
				o.Kernels.Copy(dst[at:at+n*p.ItemSize], tile[from:from+n*p.ItemSize], stores)
				return nil
			})
			o.Kernels.Fence()
			o.Done(len(tile))
			return nil
		}
	})
}

// stage assembles tiles for one worker, padding included.
type stage struct {
	plan   *Plan
	tiling tiling
	source loader
	pad    []byte // one element
	mover  *mover
	buffer []byte
	filled []Box // the last tile's boxes; empty while the buffer is all padding
}

func newStage(p *Plan, t tiling, src, pad []byte, o Options) *stage {
	s := &stage{plan: p, tiling: t, source: newLoader(p, src, o), pad: pad,
		mover: newMover(p, o.Kernels, nil, nil, pad, kernel.Cached), buffer: make([]byte, t.elems()*p.ItemSize)}
	if p.Gaps {
		repeat(s.buffer, pad)
	}
	return s
}

// fill returns the tile's bytes, packed. They are valid until the next call.
func (s *stage) fill(w tile) ([]byte, error) { return s.move(w, s.tiling.boxes(s.plan, w)) }

// move fills a tile from its boxes.
func (s *stage) move(w tile, boxes []Box) ([]byte, error) {
	s.mover.dst = s.buffer[:w.elems()*s.plan.ItemSize]
	if s.plan.Gaps && !sameTargets(boxes, s.filled) {
		if len(s.filled) > 0 {
			repeat(s.buffer, s.pad)
		}
		s.filled = boxes
	}
	boxes, src, err := s.source.load(boxes, len(s.buffer))
	if err != nil {
		return nil, err
	}
	s.mover.src = src
	s.mover.boxes(boxes)
	return s.mover.dst, nil
}

// fetch starts reading what tile k needs, if it exists and is not in memory.
func (s *stage) fetch(k int) {
	if s.source.disk != nil && k < s.tiling.count() {
		s.source.fetch(s.tiling.boxes(s.plan, s.tiling.at(k)), len(s.buffer))
	}
}

// sameTargets reports whether two lists of boxes write the same positions, so that all others still contain the padding.
func sameTargets(a, b []Box) bool {
	return slices.EqualFunc(a, b, func(x, y Box) bool {
		return x.Dst == y.Dst && slices.EqualFunc(x.Loops, y.Loops, func(l, k Loop) bool { return l.N == k.N && l.Dst == k.Dst })
	})
}

// repeat fills dst with copies of item.
func repeat(dst, item []byte) {
	for n := copy(dst, item); n < len(dst); n *= 2 {
		copy(dst[n:], dst[:n])
	}
}
