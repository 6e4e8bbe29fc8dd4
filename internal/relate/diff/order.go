package diff

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/tlayout/tlayout/internal/convert"
	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/tensor"
)

// order is the order in which elements of both sides are compared, each once: along dim d, coordinates i and i + size[d] are the same
// element on both sides. A dim broadcast on both sides has size 1.
type order struct {
	dims  []int // outermost first
	shape []int // by dim, like the following
	size  []int
	step  []int // per dim, in the logical index
}

// orderOf returns the memory order of the side with one stride per dim, a's if both have it.
func orderOf(a, b tensor.Layout) order {
	s, ok := a.Strided()
	if !ok {
		s, ok = b.Strided()
		if !ok {
			s = tensor.Strided{Strides: make([]int, a.Rank())} // the logical order
		}
	}
	o := order{shape: a.Shape(), size: a.Shape(), step: make([]int, a.Rank())}
	step := 1
	for d, size := range slices.Backward(o.shape) {
		o.dims = append(o.dims, d)
		o.size[d] = repeatsAfter(a.Dim(d), b.Dim(d))
		o.step[d] = step
		step *= size
	}
	slices.Reverse(o.dims)
	slices.SortStableFunc(o.dims, func(i, j int) int { return cmp.Compare(ints.Abs(s.Strides[j]), ints.Abs(s.Strides[i])) })
	return o
}

// repeatsAfter returns the number of coordinates after which both dims repeat their offsets, if it divides their size; otherwise their
// size.
func repeatsAfter(a, b tensor.Dim) int {
	if a.Size == 0 {
		return 0
	}
	if n := ints.LCM(period(a), period(b)); n <= a.Size && a.Size%n == 0 {
		return n
	}
	return a.Size
}

// period returns the number of coordinates after which the dim's digits repeat their offsets: later digits have stride 0.
func period(d tensor.Dim) int {
	n := d.Size
	for _, g := range slices.Backward(d.Digits) {
		if g.Stride != 0 && g.Extent > 1 {
			break
		}
		n = min(n, g.Div)
	}
	return n
}

// elems returns the number of compared elements.
func (o *order) elems() int { return ints.Product(o.size) }

// target returns the layout of the order: packed, with the dims' numbers as names.
func (o *order) target() (tensor.Layout, error) {
	sizes := make([]int, len(o.dims))
	names := make([]string, len(o.dims))
	for i, d := range o.dims {
		sizes[i], names[i] = o.size[d], strconv.Itoa(d)
	}
	packed, err := tensor.Packed(sizes)
	if err != nil {
		return tensor.Layout{}, err
	}
	return packed.Layout(names, tensor.Unbounded)
}

// reading returns how to read a side in the order.
func (o *order) reading(s Side, target tensor.Layout) (convert.Reading, error) {
	dims := make([]tensor.Dim, len(o.dims))
	for i, d := range o.dims {
		dims[i] = first(s.Layout.Dim(d), o.size[d])
		dims[i].Name = target.Dim(i).Name
	}
	low := 0
	item := s.DType.ItemSize()
	if s.Layout.Swizzle().IsZero() { // swizzles permute offsets from 0 on
		low, _, _ = s.Layout.Span()
	}
	plain, err := tensor.New(dims, s.Layout.Offset()-low, tensor.Unbounded)
	if err != nil {
		return convert.Reading{}, err
	}
	plan, err := convert.NewPlan(target, plain, item)
	return convert.Reading{Plan: plan, Swizzle: s.Layout.Swizzle(), Data: s.Data, From: low * item, Pages: s.Pages}, err
}

// first returns the first n coordinates of a dim, after which it repeats.
func first(d tensor.Dim, n int) tensor.Dim {
	if n == d.Size {
		return d
	}
	used := 1
	for used < len(d.Digits) && d.Digits[used].Div < n {
		used++
	}
	d.Size = n
	d.Digits = slices.Clone(d.Digits[:used])
	last := &d.Digits[used-1]
	last.Extent = ints.CeilDiv(n, last.Div)
	return d
}

// atLeast returns a lower bound on the logical indices of elements from … to of the order; exact for one element.
func (o *order) atLeast(from, to int) int {
	index := 0
	for _, d := range slices.Backward(o.dims) {
		coord := from % o.size[d]
		from, to = from/o.size[d], to/o.size[d]
		if from == to { // otherwise the dim restarts between them
			index += coord * o.step[d]
		}
	}
	return index
}

// all returns the result for all elements, from that for those of the order.
func (o *order) all(r Result, limit int) Result {
	times := 1
	for d, size := range o.shape {
		times *= size / o.size[d]
	}
	if times == 1 {
		return r
	}
	all := smallest{limit: limit}
	for i, index := range r.First { // each has a smaller one for every earlier element and repetition
		for k := 0; k < times && (i+1)*(k+1) <= limit; k++ {
			all.add(index + o.repetition(k))
		}
	}
	r.First = all.settle()
	r.Differing = times * r.Differing
	r.NotFinite = times * r.NotFinite
	return r
}

// repetition returns by how much the indices grow in the k-th repetition.
func (o *order) repetition(k int) int {
	index := 0
	for d, size := range slices.Backward(o.shape) {
		times := size / o.size[d]
		index += k % times * o.size[d] * o.step[d]
		k /= times
	}
	return index
}

// readings returns how to read both sides in the order.
func (o *order) readings(a, b Side) (both [2]convert.Reading, err error) {
	target, err := o.target()
	for i, s := range []Side{a, b} {
		if err == nil {
			both[i], err = o.reading(s, target)
		}
	}
	return both, err
}
