package convert

import (
	"cmp"
	"slices"
	"sync"

	"github.com/tlayout/tlayout/internal/tensor"
)

// Reading is one of the two sources of Meet.
type Reading struct {
	Plan    *Plan
	Swizzle tensor.Swizzle // of the plan's source offsets
	Data    []byte         // the plan's source starts at byte From of it
	From    int
	Pages   Pages // pages of Data; nil if not mapped
}

// Pages are the pages of mapped memory. Offsets are its bytes. They are safe for concurrent use.
type Pages interface {
	// Read reads len(p) bytes without mapping them.
	Read(p []byte, from int) error
	// Release frees the memory of bytes, which may be read again.
	Release(from, to int)
}

// Meet iterates over two sources in one order, that of the storage that both plans would write without gaps: it calls meet for n
// consecutive elements of that order, starting at offset at, with those of either source. Each thread makes its own meet.
//
// Tiles have at most tileBytes per source, and a source that is already in that order is not copied. The memory of finished tiles is
// released.
func Meet(a, b Reading, tileBytes int, o Options, newMeet func(thread int) func(at, n int, x, y []byte) error) error {
	o = o.withDefaults()
	a.Plan, b.Plan = a.Plan.splitAs(b.Plan), b.Plan.splitAs(a.Plan)
	t := newTiling(tileBytes/max(a.Plan.ItemSize, b.Plan.ItemSize, 1), a.Plan, b.Plan)
	forA := newWindows(a, o.window)
	forB := newWindows(b, o.window)
	return Parallel(o.Threads, t.count(), o.Guard, func(thread int) func(int) error {
		x := reader{windows: forA, tiling: t, options: o}
		y := reader{windows: forB, tiling: t, options: o}
		meet := newMeet(thread)
		return func(k int) error {
			w := t.at(k)
			if err := cmp.Or(x.read(w), y.read(w)); err != nil {
				return err
			}
			err := t.segments(w, func(storage, packed, n int) error {
				return meet(storage, n, x.run(storage, packed, n), y.run(storage, packed, n))
			})
			o.Done(w.elems() * (a.Plan.ItemSize + b.Plan.ItemSize))
			return err
		}
	})
}

// splitAs returns the plan with its loops cut at the steps of another plan for the same destination, as if passes had not folded them.
func (p *Plan) splitAs(q *Plan) *Plan {
	cut := *p
	cut.Boxes = slices.Clone(p.Boxes)
	for _, l := range q.largest().Loops {
		for i := range cut.Boxes {
			cut.Boxes[i].Loops = splitAt(cut.Boxes[i].Loops, l.Dst)
		}
	}
	return &cut
}

// splitAt cuts the loop that passes a step of the destination in two, if it divides evenly. It is the inverse of fold:
//
//	{a·n, s→d} = {a, n·s→n·d}{n, s→d}, cut at n·d
func splitAt(loops []Loop, step int) []Loop {
	for i, l := range loops {
		if n, ok := l.turnsTo(step); ok {
			return slices.Concat(loops[:i], []Loop{{N: l.N / n, Src: n * l.Src, Dst: step}, {N: n, Src: l.Src, Dst: l.Dst}}, loops[i+1:])
		}
	}
	return loops
}

// turnsTo returns the turns of the loop that are a step of the destination; ok is false unless they are several, and the loop is several times
// as many.
func (l Loop) turnsTo(step int) (n int, ok bool) {
	if step <= l.Dst || step%l.Dst != 0 {
		return 0, false
	}
	n = step / l.Dst
	return n, l.N > n && l.N%n == 0
}

// reader reads tiles of one source. It is for one goroutine.
type reader struct {
	*windows
	tiling  tiling
	options Options
	touched []int  // windows read for the tile, to be added before the next
	stage   *stage // nil until needed
	tile    []byte // nil if the source is in order, and mapped
}

// smallBox is the number of elements below which copying them one by one is faster than choosing a matrix.
const smallBox = 256

// access is how a tile is read.
type access int

const (
	direct      access = iota // it is in order, and read through the map
	byElement                 // its elements are copied one by one
	byBlock                   // its blocks are moved, through the map
	withoutMaps               // its blocks are moved, from runs that are read: the map would map too much around short ones
)

// accessOf returns how to read a tile of some boxes.
func (r *reader) accessOf(w tile, boxes []Box) access {
	if r.Plan.ItemSize == 0 {
		return direct
	}
	if !r.Swizzle.IsZero() {
		return byElement
	}
	if len(r.touched) > maxWindows/2 {
		return withoutMaps
	}
	if r.Plan.InPlace() {
		return direct
	}
	if len(boxes)*smallBox > w.elems() {
		return byElement
	}
	return byBlock
}

// read reads a tile.
func (r *reader) read(w tile) (err error) {
	r.add(r.touched)
	p := r.Plan
	boxes := r.tiling.boxes(p, w)
	r.touched = r.windowsOf(boxes)
	r.tile = nil
	by := r.accessOf(w, boxes)
	if by == direct {
		return nil
	}
	if r.stage == nil {
		r.stage = newStage(p, r.tiling, r.Data[r.From:], nil, r.options)
	}
	source := &r.stage.source
	source.disk = nil
	switch by {
	case byElement:
		r.tile = r.stage.buffer[:w.elems()*p.ItemSize]
		for _, b := range boxes {
			b.gather(r.tile, source.src, p.ItemSize, r.Swizzle)
		}
		return nil
	case withoutMaps:
		source.disk = r.windows
	}
	r.tile, err = r.stage.move(w, boxes)
	return err
}

// run returns n elements of the tile, from its offsets in the whole order and in the tile.
func (r *reader) run(storage, packed, n int) []byte {
	size := r.Plan.ItemSize
	if r.tile == nil {
		return r.Data[r.From:][storage*size : (storage+n)*size]
	}
	return r.tile[packed*size : (packed+n)*size]
}

// gather copies the elements of a box one by one, from its offsets permuted by a swizzle. Groups of offsets that differ only in their
// lowest bits stay adjacent. The zero swizzle permutes nothing.
func (b Box) gather(dst, src []byte, itemSize int, z tensor.Swizzle) {
	if len(b.Loops) == 0 {
		b.Loops = []Loop{{N: 1}}
	}
	l := b.Loops[0]
	inner := b.Loops[1:]
	group := 1
	if l.Src == 1 && l.Dst == 1 {
		group = 1 << z.Base
	}
	for k, n := 0, 1; k < l.N; k += n {
		from, to := b.Src+k*l.Src, b.Dst+k*l.Dst
		if len(inner) > 0 {
			Box{Src: from, Dst: to, Loops: inner}.gather(dst, src, itemSize, z)
			continue
		}
		n = min(group-from&(group-1), l.N-k)
		copy(dst[to*itemSize:(to+n)*itemSize], src[z.Apply(from)*itemSize:])
	}
}

// windows tracks the parts of a source that were read since their memory was last released. The system maps about a window around a byte
// that is read. It is the Disk of a source that is to be read without mapping it.
type windows struct {
	Reading
	size   int // bytes per window
	lock   sync.Mutex
	mapped map[int]bool
}

const (
	windowBytes = 2 << 20
	maxWindows  = 16
)

// newWindows makes windows of at least size bytes, which a swizzle does not leave.
func newWindows(source Reading, size int) *windows {
	return &windows{Reading: source, size: max(size, source.Swizzle.Period()*source.Plan.ItemSize), mapped: map[int]bool{}}
}

// windowsOf returns the windows that boxes read.
func (w *windows) windowsOf(boxes []Box) (read []int) {
	size := w.Plan.ItemSize
	if w.Pages == nil || size == 0 {
		return nil
	}
	for _, b := range boxes {
		e := newExtract(b, size, w.size, 0)
		for at := range e.runs {
			at += w.From
			for k := at / w.size; k*w.size < at+e.size; k++ {
				read = append(read, k)
			}
		}
	}
	slices.Sort(read)
	return slices.Compact(read)
}

// add adds windows that were read, and releases the memory of many at once, including their neighbors.
func (w *windows) add(read []int) {
	w.lock.Lock()
	defer w.lock.Unlock()
	for _, k := range read {
		w.mapped[k] = true
	}
	if len(w.mapped) >= maxWindows {
		for k := range w.mapped {
			w.Pages.Release(max(0, k-1)*w.size, (k+2)*w.size)
		}
		clear(w.mapped)
	}
}

func (w *windows) Resident(int) bool { return false }
func (w *windows) Fetch(int, int)    {}
func (w *windows) Forget(int, int)   {}

func (w *windows) Read(p []byte, from int) error { return w.Pages.Read(p, w.From+from) }
