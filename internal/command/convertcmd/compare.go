//go:build !js

package convertcmd

import (
	"bytes"
	"slices"
	"sync/atomic"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/sorting"
	"github.com/tlayout/tlayout/internal/tensor"
)

// maxMarked limits the bitmap of offsets that hold elements: one bit per offset of the result.
const maxMarked = 1 << 30

// comparison checks a result: every element against the source, every offset without an element against the pad value.
type comparison struct {
	*task
	to        tensor.Layout // of the result
	want, got []byte
	swap      int                      // size of the numbers of which the source and the result have opposite byte orders; 0 if none
	shared    bool                     // other tensors may own the gaps between the result's elements
	threads   int                      // at least 1
	guard     func(func() error) error // of both files; nil for bytes in memory
	release   func()                   // unmaps what was read of both; may be nil
	elements  atomic.Int64             // compared so far
}

// run visits every element once, by an address program, and then the padding, in the order of offsets. Swizzled layouts, whose addresses are no sums, are
// visited element by element; so are layouts whose strides do not nest, of which a bitmap marks up to marked offsets.
func (c *comparison) run(marked int) error {
	l := c.to
	padded := !c.shared && l.Alloc() > l.Numel()
	digits, nested := nestedDigits(l)
	summed := l.Swizzle().IsZero() && c.from.Swizzle().IsZero()
	if l.Numel() == 0 {
		return c.padding(0, l.Alloc())
	}
	if !padded && summed {
		return c.byAddresses()
	}
	if !padded {
		return c.unordered(func(int) {})
	}
	if nested && summed {
		if err := c.byAddresses(); err != nil {
			return err
		}
		return c.gaps(digits)
	}
	if nested && l.Alloc() > marked {
		return c.ordered(digits)
	}
	return c.bitmap()
}

// bitmap visits the elements in logical order, and then the offsets that it has not marked.
func (c *comparison) bitmap() error {
	l := c.to
	taken := make([]uint64, (l.Alloc()+63)/64)
	if err := c.unordered(func(d int) { taken[d/64] |= 1 << (d % 64) }); err != nil {
		return err
	}
	for d := range l.Alloc() {
		if taken[d/64]>>(d%64)&1 == 0 {
			if err := c.padding(d, d+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// unordered visits the elements in logical order.
func (c *comparison) unordered(visit func(offset int)) error {
	dims := sameDims(c.from.Names(), c.to.Names())
	for coord, s := range c.from.Logical() {
		d := c.to.At(permuted(coord, dims)...)
		if err := c.element(coord, s, d); err != nil {
			return err
		}
		visit(d)
	}
	return nil
}

// digit is a tensor.Digit with the number of its dim.
type digit struct {
	tensor.Digit
	dim int
}

// nestedDigits returns the digits of l, largest stride first; ok is false if a stride does not exceed the reach of all smaller ones.
func nestedDigits(l tensor.Layout) (digits []digit, ok bool) {
	for i := range l.Rank() {
		for _, g := range l.Dim(i).Digits {
			if g.Extent > 1 {
				digits = append(digits, digit{g, i})
			}
		}
	}
	sorting.By(digits, func(a, b digit) int { return ints.Abs(b.Stride) - ints.Abs(a.Stride) })
	reach := 0
	for _, g := range slices.Backward(digits) {
		if ints.Abs(g.Stride) <= reach {
			return nil, false
		}
		reach += (g.Extent - 1) * ints.Abs(g.Stride)
	}
	return digits, l.Swizzle().IsZero() && l.Numel() > 0
}

// ordered visits the elements in the order of their offsets, by counting the nested digits of the result.
func (c *comparison) ordered(digits []digit) error {
	l := c.to
	dims := sameDims(c.from.Names(), l.Names())
	coord := make([]int, l.Rank())
	next := 0 // coord is in the source's dim order; next is the first offset not visited
	var count func(k int) error
	count = func(k int) error {
		if k == len(digits) {
			d := l.At(permuted(coord, dims)...)
			if err := c.padding(next, d); err != nil {
				return err
			}
			next = d + 1
			return c.element(coord, c.from.At(coord...), d)
		}
		g := digits[k]
		at := &coord[dims[g.dim]]
		size := l.Dim(g.dim).Size
		for n := range g.Extent {
			if g.Stride < 0 {
				n = g.Extent - 1 - n
			}
			first := *at
			if *at += n * g.Div; *at < size {
				if err := count(k + 1); err != nil {
					return err
				}
			}
			*at = first
		}
		return nil
	}
	if err := count(0); err != nil {
		return err
	}
	return c.padding(next, l.Alloc())
}

// element compares the element at offset s of the source with the one at offset d of the result.
func (c *comparison) element(coord []int, s, d int) error {
	size := c.dtype.ItemSize()
	c.elements.Add(1)
	if !c.same(c.want[s*size:(s+1)*size], c.got[d*size:(d+1)*size]) {
		return differs(coord)
	}
	return nil
}

func differs(coord []int) error {
	return fault.New(fault.Negative, "element %s differs", tensor.Tuple(coord))
}

// same compares two elements of the source and of the result.
func (c *comparison) same(want, got []byte) bool {
	if c.swap == 0 {
		return bytes.Equal(want, got)
	}
	for i := range want {
		if at := i % c.swap; want[i] != got[i-at+c.swap-1-at] {
			return false
		}
	}
	return true
}

// padding compares the offsets [from, to) of the result with the pad value.
func (c *comparison) padding(from, to int) error {
	size := c.dtype.ItemSize()
	for d := from; d < to; d++ {
		if !c.same(c.pad, c.got[d*size:(d+1)*size]) {
			return fault.New(fault.Negative, "padding at offset %d is not %s", d, c.dtype.FormatValue(c.pad))
		}
	}
	return nil
}

// permuted returns xs[order[0]], xs[order[1]], …; xs itself if the order is sorted or its length differs.
func permuted(xs, order []int) []int {
	if len(xs) != len(order) || slices.IsSorted(order) {
		return xs
	}
	out := make([]int, len(order))
	for i, k := range order {
		out[i] = xs[k]
	}
	return out
}
