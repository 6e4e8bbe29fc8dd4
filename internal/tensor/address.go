package tensor

import (
	"cmp"
	"slices"

	"github.com/tlayout/tlayout/internal/ints"
)

// At returns the storage offset of a coordinate: the defining sum of the package. coord must be inside the shape.
//
// Post: the result is in Span.
func (l Layout) At(coord ...int) int {
	off := l.offset
	for d, i := range coord {
		off += l.dims[d].At(i)
	}
	return l.swizzle.Apply(off)
}

// At returns the address offset of index i of the dim: Σ over digits ((i / div) mod extent) · stride.
func (d Dim) At(i int) int {
	off := 0
	for k, g := range d.Digits {
		v := i / g.Div
		if k < len(d.Digits)-1 {
			v %= g.Extent
		}
		off += v * g.Stride
	}
	return off
}

// span returns the lowest and the highest At over the dim; (0, 0) for an empty one.
//
// The highest index need not have the highest offset: with digits (4,2)<5:(1,24) it has, with (4,2)<5:(9,1) index 3
// has. So two bounds are carried from the least significant digit up: free, over all values of the digits so far, and
// bound, over those up to the last index. With one more digit, either that one is below its last value q and the lower
// ones are free, or it is q and they are bound:
//
//	bound' = max(bound + q·stride, free + max over v < q of v·stride)
func (d Dim) span() (low, high int) {
	if d.Size == 0 {
		return 0, 0
	}
	freeLow := 0
	freeHigh := 0
	for _, g := range d.Digits {
		q := (d.Size - 1) / g.Div % max(g.Extent, 1)
		last := q * g.Stride
		low = low + last
		high = high + last
		if q > 0 {
			low = min(low, freeLow+min(0, last-g.Stride))
			high = max(high, freeHigh+max(0, last-g.Stride))
		}
		reach := (g.Extent - 1) * g.Stride
		freeLow = freeLow + min(0, reach)
		freeHigh = freeHigh + max(0, reach)
	}
	return low, high
}

// level is a digit with its dim, and the bounds of what later levels can add.
type level struct {
	Digit
	dim       int
	low, high int // bounds of the sum over later levels
}

// levels returns the digits of all dims by falling |stride|, so that each choice narrows the next.
func (l Layout) levels() []level {
	var ps []level
	for i, d := range l.dims {
		for _, g := range d.Digits {
			ps = append(ps, level{Digit: g, dim: i})
		}
	}
	slices.SortStableFunc(ps, func(a, b level) int { return cmp.Compare(ints.Abs(b.Stride), ints.Abs(a.Stride)) })
	for k := len(ps) - 2; k >= 0; k-- {
		reach := (ps[k+1].Extent - 1) * ps[k+1].Stride
		ps[k].low = ps[k+1].low + min(0, reach)
		ps[k].high = ps[k+1].high + max(0, reach)
	}
	return ps
}

// findSteps bounds the work of one Find if the strides do not nest.
const findSteps = 1 << 16

// Find returns the coordinates of the elements at a storage offset, at most limit of them: none for padding, several
// where elements overlap. complete is false if there may be more.
//
// Post: At(c) == off for every c returned; with complete, no other coordinate has At == off.
func (l Layout) Find(off, limit int) (coords [][]int, complete bool) {
	off = l.swizzle.Inverse(off)
	if l.numel == 0 || off < l.offset+l.low || off > l.offset+l.high {
		return nil, true
	}
	f := finder{layout: l, levels: l.levels(), coord: make([]int, len(l.dims)), limit: limit, steps: findSteps}
	f.search(0, off-l.offset)
	return f.found, !f.cut
}

type finder struct {
	layout Layout
	levels []level
	coord  []int
	found  [][]int
	limit  int
	steps  int
	cut    bool
}

// search chooses values for level k and all later ones that move the address by rest.
func (f *finder) search(k, rest int) {
	if f.steps--; f.steps < 0 || f.cut {
		f.cut = true
		return
	}
	if k == len(f.levels) {
		f.accept(rest)
		return
	}
	p := f.levels[k]
	from, to := p.values(rest, rest)
	for v := from; v <= to && !f.cut; v++ {
		f.coord[p.dim] += v * p.Div
		if f.coord[p.dim] < f.layout.dims[p.dim].Size {
			f.search(k+1, rest-v*p.Stride)
		}
		f.coord[p.dim] -= v * p.Div
	}
}

func (f *finder) accept(rest int) {
	if rest != 0 {
		return
	}
	if len(f.found) == f.limit {
		f.cut = true
		return
	}
	f.found = append(f.found, slices.Clone(f.coord))
}

// values returns the range of v for which later levels can make one of the rests from minRest to maxRest: low ≤ rest − v·stride ≤ high.
func (p level) values(minRest, maxRest int) (from, to int) {
	if p.Stride == 0 {
		return 0, p.Extent - 1
	}
	if p.Stride > 0 {
		from = ints.CeilDiv(minRest-p.high, p.Stride)
		to, _ = ints.FloorDiv(maxRest-p.low, p.Stride)
	} else {
		from = ints.CeilDiv(p.low-maxRest, -p.Stride)
		to, _ = ints.FloorDiv(p.high-minRest, -p.Stride)
	}
	return max(from, 0), min(to, p.Extent-1)
}

// DivStep is one division of a Reading: the rest before it is Value·Stride + Rest, with 0 ≤ Rest < Stride.
type DivStep struct {
	Dim, Digit int // the digit that Value is of
	Stride     int
	Value      int // may exceed the digit's extent: then the offset has no element
	Rest       int
}

// Reading is a storage offset in mixed radix: its digits count strides.
type Reading struct {
	Steps []DivStep // by falling stride, without digits of extent 1 or stride 0
	Coord []int     // the indices of the values, even beyond a size; 0 for dims without a step
	Rest  int       // remainder of the smallest stride
}

// Divide reads an offset by successive division by the strides, largest first. ok is false if that does not find the element: the
// tensor is empty, a stride is negative, off is before Offset, or the strides do not nest (see Occupancy).
//
//	rest = off − Offset; for each stride s, falling: value = rest div s; rest = rest mod s
//
// The offset of a swizzled layout is un-swizzled first: off below is Swizzle().Inverse(off).
//
// Post: off = Offset + Σ Value·Stride + Rest. There is an element at off if and only if Rest is 0, each Value is less than its digit's
// extent, and Coord is inside the shape. It is the one at Coord, shared with those that differ only in digits of stride 0.
func (l Layout) Divide(off int) (r Reading, ok bool) {
	off = l.swizzle.Inverse(off)
	var moving []level // by falling stride
	var digits []Digit
	for _, p := range l.levels() {
		if p.Extent <= 1 || p.Stride == 0 {
			continue
		}
		if p.Stride < 0 {
			return Reading{}, false
		}
		moving = append(moving, p)
		digits = append(digits, p.Digit)
	}
	if l.numel == 0 || off < l.offset || !nested(digits) {
		return Reading{}, false
	}
	r.Coord = make([]int, len(l.dims))
	r.Rest = off - l.offset
	for _, p := range moving {
		v := r.Rest / p.Stride
		r.Rest %= p.Stride
		r.Steps = append(r.Steps, DivStep{p.dim, p.digit(l), p.Stride, v, r.Rest})
		r.Coord[p.dim] += v * p.Div
	}
	return r, true
}

// digit returns the level's position among its dim's digits. Digits of extent 1 share their Div with the next one.
func (p level) digit(l Layout) int {
	for k, g := range l.dims[p.dim].Digits {
		if g == p.Digit {
			return k
		}
	}
	panic("tensor: a level without a digit")
}

// Sharing returns the number of elements at each offset in use, if the strides other than those of broadcast dims nest; otherwise ok is
// false.
//
//	(1000,1000,3):(0,0,1)    10⁶ elements at each of 3 offsets
func (l Layout) Sharing() (n int, ok bool) {
	if o := l.Plain().occupancy(0); o.Unique > 0 {
		return l.numel / o.Unique, true
	}
	return 0, false
}
