package diff

import (
	"container/heap"
	"slices"

	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/tensor"
)

// repeats is how two tensors of one shape repeat together: along dim d, coordinates i and i + once[d] are the same element,
// on both sides. A dim that both broadcast repeats after 1. One period is compared, and the result counted for all.
type repeats struct{ shape, once []int }

func repeatsOf(a, b tensor.Layout) repeats {
	r := repeats{shape: a.Shape(), once: a.Shape()}
	for i, size := range r.shape {
		if size == 0 {
			continue
		}
		if n, ok := common(period(a.Dim(i)), period(b.Dim(i)), size); ok && size%n == 0 {
			r.once[i] = n
		}
	}
	return r
}

// period is the number of coordinates after which the dim's digits give the same offsets again: those after it have stride 0.
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

// common is the least common multiple of two numbers, if it is at most max.
func common(n, m, max int) (int, bool) {
	if n%m == 0 {
		return n, true
	}
	if m > max/n {
		return m, m%n == 0
	}
	return ints.LCM(n, m), true
}

// count is how often one period occurs.
func (r repeats) count() int { return ints.Product(r.shape) / ints.Product(r.once) }

// first is the layout of one period.
func (r repeats) first(l tensor.Layout) (tensor.Layout, error) {
	dims := make([]tensor.Dim, l.Rank())
	for i := range dims {
		if dims[i] = l.Dim(i); r.once[i] == r.shape[i] {
			continue
		}
		d, n := &dims[i], r.once[i]
		used := slices.IndexFunc(d.Digits, func(g tensor.Digit) bool { return g.Div >= n })
		d.Digits = slices.Clone(d.Digits)
		if used >= 0 {
			d.Digits = d.Digits[:max(1, used)]
		}
		last := &d.Digits[len(d.Digits)-1]
		d.Size, last.Extent = n, ints.CeilDiv(n, last.Div)
	}
	return l.With(dims, l.Offset(), l.Alloc())
}

// all is the result about whole tensors, from that about one period.
func (r repeats) all(one Result, limit int) Result {
	n := r.count()
	if n == 1 {
		return one
	}
	one.Differing, one.NotFinite = n*one.Differing, n*one.NotFinite
	one.ApartAt = r.index(one.ApartAt, false)
	one.First = r.smallest(one.First, limit)
	return one
}

// index is the logical index of an element of the first period, or if period of the first element of a period.
func (r repeats) index(k int, period bool) int {
	index, weight := 0, 1
	for d, size := range slices.Backward(r.shape) {
		radix, step := r.once[d], weight
		if period {
			radix, step = size/r.once[d], r.once[d]*weight
		}
		index += k % radix * step
		k /= radix
		weight *= size
	}
	return index
}

// smallest are the smallest limit indices of the given elements of the first period, which rise, in all periods. An element of
// a period has the sum of its index in the first one and that of the period's first element, and both rise.
func (r repeats) smallest(elements []int, limit int) (all []int) {
	n := r.count()
	var next sums
	push := func(element, period int) {
		if element < len(elements) && period < n {
			heap.Push(&next, sum{r.index(elements[element], false) + r.index(period, true), element, period})
		}
	}
	push(0, 0)
	for len(all) < limit && len(next) > 0 {
		s := heap.Pop(&next).(sum)
		all = append(all, s.index)
		if push(s.element, s.period+1); s.period == 0 {
			push(s.element+1, 0)
		}
	}
	return all
}

// sum is the index of an element, which is the element-th of those given, in a period. sums is a heap of them.
type sum struct{ index, element, period int }

type sums []sum

func (s sums) Len() int           { return len(s) }
func (s sums) Less(i, j int) bool { return s[i].index < s[j].index }
func (s sums) Swap(i, j int)      { s[i], s[j] = s[j], s[i] }
func (s *sums) Push(x any)        { *s = append(*s, x.(sum)) }
func (s *sums) Pop() any {
	last := len(*s) - 1
	x := (*s)[last]
	*s = (*s)[:last]
	return x
}
