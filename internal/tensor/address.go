package tensor

import (
	"cmp"
	"slices"

	"github.com/tlayout/tlayout/internal/ints"
)

// At returns the storage offset of a coordinate: the defining sum of the package. coord must lie inside the shape.
//
// Post: the result lies in Span.
func (l Layout) At(coord ...int) int {
	off := l.offset
	for d, i := range coord {
		off += l.dims[d].At(i)
	}
	return off
}

// At returns how far index i of the dim moves the address: Σ over digits ((i / div) mod extent) · stride.
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
// The highest index need not lie highest: with digits (4,2)<5:(1,24) it does, with (4,2)<5:(9,1) index 3 does. So two
// bounds are carried from the least significant digit up: of the digits so far when they run free, and when they
// count no further than the last index does. With one digit more, either that one stays below its last value q and the
// lower ones are free, or it is q and they are bound:
//
//	bound' = max(bound + q·stride, free + max over v < q of v·stride)
func (d Dim) span() (low, high int) {
	if d.Size == 0 {
		return 0, 0
	}
	freeLow, freeHigh := 0, 0
	for _, g := range d.Digits {
		q := (d.Size - 1) / g.Div % max(g.Extent, 1)
		last := q * g.Stride
		low, high = low+last, high+last
		if q > 0 {
			low = min(low, freeLow+min(0, last-g.Stride))
			high = max(high, freeHigh+max(0, last-g.Stride))
		}
		reach := (g.Extent - 1) * g.Stride
		freeLow, freeHigh = freeLow+min(0, reach), freeHigh+max(0, reach)
	}
	return low, high
}

// place is a digit together with the dim that it belongs to, and what the places after it can still add.
type place struct {
	Digit
	dim       int
	low, high int // bounds of the sum over the places after this one
}

// places lists the digits of all dims by falling size of stride, so that each choice is narrowed by the next.
func (l Layout) places() []place {
	var ps []place
	for i, d := range l.dims {
		for _, g := range d.Digits {
			ps = append(ps, place{Digit: g, dim: i})
		}
	}
	slices.SortStableFunc(ps, func(a, b place) int { return cmp.Compare(ints.Abs(b.Stride), ints.Abs(a.Stride)) })
	for k := len(ps) - 2; k >= 0; k-- {
		reach := (ps[k+1].Extent - 1) * ps[k+1].Stride
		ps[k].low = ps[k+1].low + min(0, reach)
		ps[k].high = ps[k+1].high + max(0, reach)
	}
	return ps
}

// findSteps bounds the work of one Find on layouts whose strides give no order to search in.
const findSteps = 1 << 16

// Find returns the coordinates that lie at a storage offset, at most limit of them: none for padding, several where
// elements overlap. complete is false where there may be more.
//
// Post: At(c) == off for every c returned; with complete, no other coordinate has At == off.
func (l Layout) Find(off, limit int) (coords [][]int, complete bool) {
	if l.numel == 0 || off < l.offset+l.low || off > l.offset+l.high {
		return nil, true
	}
	f := finder{layout: l, places: l.places(), coord: make([]int, len(l.dims)), limit: limit, steps: findSteps}
	f.search(0, off-l.offset)
	return f.found, !f.cut
}

type finder struct {
	layout Layout
	places []place
	coord  []int
	found  [][]int
	limit  int
	steps  int
	cut    bool
}

// search chooses a value for place k and all after it, such that they move the address by rest.
func (f *finder) search(k, rest int) {
	if f.steps--; f.steps < 0 || f.cut {
		f.cut = true
		return
	}
	if k == len(f.places) {
		f.accept(rest)
		return
	}
	p := f.places[k]
	from, to := p.values(rest)
	for v := from; v <= to && !f.cut; v++ {
		f.coord[p.dim] += v * p.Div
		if f.coord[p.dim] < f.layout.dims[p.dim].Size {
			f.search(k+1, rest-v*p.Stride)
		}
		f.coord[p.dim] -= v * p.Div
	}
}

func (f *finder) accept(rest int) {
	switch {
	case rest != 0:
	case len(f.found) == f.limit:
		f.cut = true
	default:
		f.found = append(f.found, slices.Clone(f.coord))
	}
}

// values returns the range of v with low ≤ rest − v·stride ≤ high: those that the places after this one can complete.
func (p place) values(rest int) (from, to int) {
	switch {
	case p.Stride == 0:
		return 0, p.Extent - 1
	case p.Stride > 0:
		from, to = ceilTo(rest-p.high, p.Stride), floorTo(rest-p.low, p.Stride)
	default:
		from, to = ceilTo(p.low-rest, -p.Stride), floorTo(p.high-rest, -p.Stride)
	}
	return max(from, 0), min(to, p.Extent-1)
}

func floorTo(a, b int) int {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

func ceilTo(a, b int) int { return -floorTo(-a, b) }
