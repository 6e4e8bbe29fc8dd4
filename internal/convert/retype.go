package convert

import (
	"cmp"
	"slices"

	"github.com/tlayout/tlayout/internal/convert/kernel"
	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/tensor"
)

// Caster converts the values of elements of one type to those of another. Both slices hold as many elements, and begin at a multiple of their
// size. It is safe for concurrent use.
type Caster interface {
	// Run converts elements of one channel.
	Run(dst, src []byte, channel int)
	// Mixed converts elements of several: element i is of channel base + channels[i].
	Mixed(dst, src []byte, base int, channels []int)
}

// Retyping copies the elements of a tensor from its source layout to its destination layout, and converts their values on the way: each tile
// is moved by the kernels, in the source's type, into the order of the destination, converted within the cache, and stored. Positions of the
// destination without an element are not written.
//
//	src ─ plan ─► tile ─ Caster ─► tile of the result ─ copy, or spread ─► dst
type Retyping struct {
	plan     *Plan // from the source into the order of tiles
	channels *Plan // from channels, as offsets, into that order; nil: there is one
	spread   *Plan // from the destination into that order, to be run backwards; nil if that order is the destination's storage
	itemSize int   // bytes of an element of the destination
}

// NewRetyping plans to convert elements of srcItem bytes to elements of dstItem bytes. The index of dim channelDim of dst is an element's
// channel; −1: all are of channel 0. Errors are those of NewPlan.
func NewRetyping(dst, src tensor.Layout, dstItem, srcItem, channelDim int) (*Retyping, error) {
	r := &Retyping{itemSize: dstItem}
	plan, err := NewPlan(dst, src, srcItem)
	if err != nil {
		return nil, err
	}
	order := dst
	if plan.Elems() != plan.Alloc {
		order, err = compact(dst)
		if err != nil {
			return nil, err
		}
		plan, err = NewPlan(order, src, srcItem)
		if err != nil {
			return nil, err
		}
		r.spread, err = NewPlan(order, dst, dstItem)
		if err != nil {
			return nil, err
		}
	}
	r.plan = plan
	if channelDim < 0 {
		return r, nil
	}
	channels, err := channelsOf(dst, channelDim)
	if err != nil {
		return nil, err
	}
	r.channels, err = NewPlan(order, channels, 1)
	return r, err
}

// channelsOf returns the layout whose offsets are the indices of one dim.
func channelsOf(l tensor.Layout, dim int) (tensor.Layout, error) {
	dims := make([]tensor.Dim, l.Rank())
	for i := range dims {
		d := l.Dim(i)
		stride := 0
		if i == dim {
			stride = 1
		}
		dims[i] = tensor.Dim{Name: d.Name, Size: d.Size, Digits: []tensor.Digit{{Div: 1, Extent: d.Size, Stride: stride}}}
	}
	return tensor.New(dims, 0, tensor.Unbounded)
}

// compact returns a layout in the same memory order without gaps, but for the padding of blocks.
func compact(l tensor.Layout) (tensor.Layout, error) {
	dims := make([]tensor.Dim, l.Rank())
	var digits []*tensor.Digit
	for i := range dims {
		dims[i] = l.Dim(i)
		dims[i].Digits = slices.Clone(dims[i].Digits)
		for k := range dims[i].Digits {
			digits = append(digits, &dims[i].Digits[k])
		}
	}
	slices.SortStableFunc(digits, func(a, b *tensor.Digit) int {
		return cmp.Or(cmp.Compare(ints.Abs(a.Stride), ints.Abs(b.Stride)), cmp.Compare(a.Extent, b.Extent))
	})
	step := 1
	for _, g := range digits {
		g.Stride = step
		product, ok := tensor.Mul(step, max(1, g.Extent))
		if !ok {
			return tensor.Layout{}, tooManyPieces()
		}
		step = product
	}
	return tensor.New(dims, 0, tensor.Unbounded)
}

// Run converts the elements of src, in dst, by a caster.
func (r *Retyping) Run(dst, src []byte, c Caster, o Options) error {
	o = o.withDefaults()
	o.Disk = nil
	if r.plan.Elems() == 0 {
		return nil
	}
	plans := []*Plan{r.plan}
	for _, p := range []*Plan{r.channels, r.spread} {
		if p != nil {
			plans = append(plans, p)
		}
	}
	t := newTiling(o.tile/(r.plan.ItemSize+r.itemSize), cutAlike(plans)...)
	stores := kernel.Cached
	if o.Kernels.Streams() && len(dst)+len(src) > sharedCache() {
		stores = kernel.Streaming
	}
	matrices := new(matrixCache)
	return Parallel(o.Threads, t.count(), o.Guard, func(int) func(int) error {
		w := &retyper{Retyping: r, plans: plans, caster: c, dst: dst, stage: newStage(plans[0], t, src, r.plan.orZeros(nil), o),
			result: make([]byte, r.resultElems(t, stores)*r.itemSize), stores: stores, kernels: o.Kernels}
		if r.spread != nil {
			w.scatters = newMover(&Plan{ItemSize: r.itemSize, matrices: matrices}, o.Kernels, dst, nil, nil, stores)
		}
		return w.tile
	})
}

// streamBytes is the size of parts that are streamed: of 32 KiB and more, streaming pays.
const streamBytes = 32 << 10

// resultElems returns the number of elements that are converted before they are stored.
func (r *Retyping) resultElems(t tiling, stores kernel.Stores) int {
	if !r.isWhole() {
		return t.elems()
	}
	if stores == kernel.Streaming {
		return min(t.elems(), streamBytes/r.itemSize)
	}
	return 0
}

// cutAlike cuts the loops of all plans, which are for the same destination, at each other's steps.
func cutAlike(plans []*Plan) []*Plan {
	for i := range plans {
		for k := range plans {
			if i != k {
				plans[i] = plans[i].splitAs(plans[k])
			}
		}
	}
	return plans
}

// retyper converts tiles, for one goroutine.
type retyper struct {
	*Retyping
	plans    []*Plan // cut alike: plan, then channels and spread if there are
	caster   Caster
	dst      []byte
	stage    *stage
	result   []byte // of a tile, or of a part that is streamed; empty if elements are converted into the destination
	stores   kernel.Stores
	kernels  *kernel.Kernels
	mixed    []int  // channels of consecutive elements
	scatters *mover // from result to dst
}

// tile converts the k-th tile.
func (r *retyper) tile(k int) error {
	t := &r.stage.tiling
	w := t.at(k)
	moved, err := r.stage.fill(w)
	if err != nil {
		return err
	}
	defer r.kernels.Fence()
	if r.isWhole() {
		return t.segments(w, func(storage, packed, n int) error {
			r.store(storage, r.of(moved, r.plan.ItemSize, packed, n), n)
			return nil
		})
	}
	result := r.result[:w.elems()*r.itemSize]
	if r.channels == nil {
		r.caster.Run(result, moved, 0)
	} else {
		for _, b := range t.boxes(r.plans[1], w) {
			r.cast(result, moved, b)
		}
	}
	if r.spread != nil {
		r.scatter(result, t.boxes(r.plans[len(r.plans)-1], w))
		return nil
	}
	return t.segments(w, func(storage, packed, n int) error {
		r.kernels.Copy(r.of(r.dst, r.itemSize, storage, n), r.of(result, r.itemSize, packed, n), r.stores)
		return nil
	})
}

// isWhole reports whether elements are converted and stored in whole segments of tiles: of one channel, without gaps.
func (r *Retyping) isWhole() bool { return r.channels == nil && r.spread == nil }

// store converts n elements of one channel to a segment of the destination: into it, or through the first cache past all of them.
func (r *retyper) store(storage int, moved []byte, n int) {
	part := n
	if r.stores == kernel.Streaming {
		part = len(r.result) / r.itemSize
	}
	for at := 0; at < n; at += part {
		m := min(part, n-at)
		dst := r.of(r.dst, r.itemSize, storage+at, m)
		src := r.of(moved, r.plan.ItemSize, at, m)
		if r.stores == kernel.Cached {
			r.caster.Run(dst, src, 0)
			continue
		}
		result := r.result[:len(dst)]
		r.caster.Run(result, src, 0)
		r.kernels.Copy(dst, result, r.stores)
	}
}

// scatter copies the elements of a tile to the destination. The boxes lead from there into the tile.
func (r *retyper) scatter(result []byte, boxes []Box) {
	for i, b := range boxes {
		invert(b.Loops)
		boxes[i] = Box{Src: b.Dst, Dst: b.Src, Loops: b.Loops}.forwards()
		boxes[i].Loops = simplify(boxes[i].Loops)
	}
	r.scatters.src = result
	r.scatters.boxes(boxes)
}

const (
	minRun   = 32   // elements of one channel that are worth a call
	maxMixed = 1024 // elements of a call for several
)

// cast converts the elements of a box whose sources are channels.
func (r *retyper) cast(dst, src []byte, b Box) {
	n := b.channelRun()
	if n >= minRun {
		each(b.Loops[:len(b.Loops)-1], b.Src, b.Dst, func(channel, at int) {
			r.caster.Run(r.of(dst, r.itemSize, at, n), r.of(src, r.plan.ItemSize, at, n), channel)
		})
		return
	}
	outer, turn, turns := r.mix(b.Loops)
	n = len(r.mixed) / turns // elements of a turn
	each(outer, b.Src, b.Dst, func(channel, at int) {
		for k := 0; k < turn.N; k += turns {
			n := n * min(turns, turn.N-k)
			from := at + k*turn.Dst
			r.caster.Mixed(r.of(dst, r.itemSize, from, n), r.of(src, r.plan.ItemSize, from, n), channel+k*turn.Src, r.mixed[:n])
		}
	})
}

// channelRun returns how many consecutive elements of one channel the innermost loop has; 0 if none.
func (b Box) channelRun() int {
	if len(b.Loops) == 0 {
		return 0
	}
	l := b.Loops[len(b.Loops)-1]
	if l.Src != 0 || l.Dst != 1 {
		return 0
	}
	return l.N
}

// of returns n elements from an index on.
func (*retyper) of(b []byte, size, at, n int) []byte { return b[at*size : (at+n)*size] }

// mix lists the channels of the consecutive elements of the inner loops, relative to that of the first one: of several turns of a loop, and all
// of those inside it. It returns that loop, and those around it.
func (r *retyper) mix(loops []Loop) (outer []Loop, turn Loop, turns int) {
	r.mixed = append(r.mixed[:0], 0)
	turn = Loop{N: 1}
	turns = 1
	for k, l := range slices.Backward(loops) {
		n := len(r.mixed)
		if l.Dst != n || turns < turn.N {
			return loops[:k+1], turn, turns
		}
		turn = l
		turns = min(l.N, max(1, maxMixed/n))
		for k := 1; k < turns; k++ {
			for _, channel := range r.mixed[:n] {
				r.mixed = append(r.mixed, channel+k*l.Src)
			}
		}
	}
	return nil, turn, turns
}

// each calls f with the offsets of each iteration of a nest.
func each(loops []Loop, src, dst int, f func(src, dst int)) {
	if len(loops) == 0 {
		f(src, dst)
		return
	}
	l := loops[0]
	for k := range l.N {
		each(loops[1:], src+k*l.Src, dst+k*l.Dst, f)
	}
}
