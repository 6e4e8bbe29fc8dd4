package diff

import (
	"slices"
	"strconv"

	"github.com/tlayout/tlayout/internal/convert"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/tensor"
)

// gatherer packs the tiles of one side. It serves one goroutine.
type gatherer struct {
	side    Side
	item    int // bytes
	swap    func([]byte)
	tiling  tiling
	options convert.Options
	plans   map[uint64]*tilePlan // by the tile's edge: tiles of one size are packed alike
	buffer  []byte
}

// tilePlan packs tiles of one size. Its source is their storage from the lowest element to the highest.
type tilePlan struct {
	plan      *convert.Plan // nil if elements are fetched one by one
	low, high int           // the lowest and highest offset of the tile's elements relative to its first
	inPlace   bool          // the tile is one run already
}

func newGatherer(t tiling, s Side, swap func([]byte), o convert.Options) *gatherer {
	o.Threads, o.Guard, o.Disk, o.Done = 1, nil, nil, nil
	return &gatherer{side: s, item: s.DType.ItemSize(), swap: swap, tiling: t, options: o, plans: map[uint64]*tilePlan{}}
}

// pack returns the elements of a tile, packed in the tiling's order. They are valid until the next call.
func (g *gatherer) pack(w tile) ([]byte, error) {
	if g.item == 0 {
		return nil, nil
	}
	p, err := g.planFor(w)
	if err != nil {
		return nil, err
	}
	src := g.side.Data
	if p.plan != nil && !g.swizzled() {
		first := g.side.Layout.At(w.lo...)
		src = src[(first+p.low)*g.item : (first+p.high+1)*g.item]
	}
	if p.inPlace {
		return src, nil
	}
	dst := g.bytes(w.elems() * g.item)
	if p.plan == nil {
		g.walk(dst, w)
	} else if err := p.plan.Run(dst, src, nil, g.options); err != nil {
		return nil, err
	}
	return dst, nil
}

// release gives back the memory of a tile that was one run: no other tile is in its pages, but those at its ends.
func (g *gatherer) release(w tile) {
	p := g.plans[w.edge]
	if g.side.Release == nil || p == nil || !p.inPlace {
		return
	}
	first := g.side.Layout.At(w.lo...)
	g.side.Release((first+p.low)*g.item, (first+p.high+1)*g.item)
}

// littleEndian returns the elements of a tile with their numbers in little-endian byte order.
func (g *gatherer) littleEndian(items []byte) []byte {
	if g.swap == nil || len(items) == 0 {
		return items
	}
	dst := g.bytes(len(items))
	if &dst[0] != &items[0] { // was packed in place
		copy(dst, items)
	}
	g.swap(dst)
	return dst
}

func (g *gatherer) bytes(n int) []byte {
	if len(g.buffer) < n {
		g.buffer = make([]byte, n)
	}
	return g.buffer[:n]
}

// walk fetches the elements of a tile one by one.
func (g *gatherer) walk(dst []byte, w tile) {
	coord := slices.Clone(w.lo)
	for range w.elems() {
		at := g.side.Layout.At(coord...) * g.item
		dst = dst[copy(dst, g.side.Data[at:at+g.item]):]
		for _, d := range slices.Backward(g.tiling.order) {
			if coord[d]++; coord[d] < w.lo[d]+w.n[d] {
				break
			}
			coord[d] = w.lo[d]
		}
	}
}

// swizzled reports whether the same tile elsewhere has other offsets, so that it needs a plan of its own.
func (g *gatherer) swizzled() bool { return !g.side.Layout.Swizzle().IsZero() }

func (g *gatherer) planFor(w tile) (*tilePlan, error) {
	if g.swizzled() {
		return g.newPlan(w)
	}
	p := g.plans[w.edge]
	if p == nil {
		var err error
		if p, err = g.newPlan(w); err != nil {
			return nil, err
		}
		g.plans[w.edge] = p
	}
	return p, nil
}

func (g *gatherer) newPlan(w tile) (*tilePlan, error) {
	if g.tiling.walk {
		return &tilePlan{}, nil
	}
	dims, sizes := g.dims(w)
	p := &tilePlan{}
	source, err := g.source(p, dims, w)
	if err != nil {
		return nil, err
	}
	packed, err := tensor.Packed(sizes)
	if err != nil {
		return nil, err
	}
	target, err := packed.Layout(source.Names(), tensor.Unbounded)
	if err != nil {
		return nil, err
	}
	p.plan, err = convert.NewPlan(target, source, g.item)
	if fault.ClassOf(err) == fault.Unsupported && err != nil {
		return &tilePlan{}, nil
	}
	if err != nil {
		return nil, err
	}
	p.inPlace = !g.swizzled() && isOneRun(p.plan)
	return p, nil
}

// source is the layout of a tile: in its own storage, or, swizzled, in that of the side.
func (g *gatherer) source(p *tilePlan, dims []tensor.Dim, w tile) (tensor.Layout, error) {
	if l := g.side.Layout; g.swizzled() {
		return l.With(dims, l.Plain().At(w.lo...), l.Alloc())
	}
	l, err := tensor.New(dims, 0, tensor.Unbounded)
	if err != nil {
		return l, err
	}
	p.low, p.high, _ = l.Span()
	return tensor.New(dims, -p.low, tensor.Unbounded)
}

// dims are those of a tile, in the order in which it is packed: the layout's digits, as far as the tile reaches.
func (g *gatherer) dims(w tile) (dims []tensor.Dim, sizes []int) {
	for _, d := range g.tiling.order {
		dim := tensor.Dim{Name: strconv.Itoa(d), Size: w.n[d], Digits: slices.Clone(g.side.Layout.Dim(d).Digits)}
		last := &dim.Digits[len(dim.Digits)-1]
		last.Extent = ints.CeilDiv(dim.Size, last.Div)
		dims, sizes = append(dims, dim), append(sizes, dim.Size)
	}
	return dims, sizes
}

// isOneRun reports whether a plan copies one contiguous run.
func isOneRun(p *convert.Plan) bool {
	if len(p.Boxes) != 1 || p.Boxes[0].Src != 0 {
		return false
	}
	loops := p.Boxes[0].Loops
	return len(loops) == 0 || len(loops) == 1 && loops[0].Src == 1 && loops[0].Dst == 1
}
