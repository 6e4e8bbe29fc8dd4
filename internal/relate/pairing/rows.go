package pairing

import (
	"cmp"
	"slices"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/relate"
	"github.com/tlayout/tlayout/internal/sorting"
	"github.com/tlayout/tlayout/internal/tensor"
)

// errRows is why a layout of rows is none of the storage; nobody reads it.
var errRows = fault.New(fault.Unsupported, "the rows have no such layout in their storage")

// throughRows returns the layout of a storage that an order of its elements in row-major order makes: offset o of l is element o of v in
// row-major order, and the result has the offset that v has for it. Digits of l are cut where they go on in v's next dim. It fails where a
// digit has no single stride in v.
func throughRows(l tensor.Layout, v tensor.Strided, alloc int) (tensor.Layout, error) {
	first := l.Offset()
	last := l.Offset()
	disjoint := digitsDisjoint(l)
	dims := make([]tensor.Dim, l.Rank())
	for d := range dims {
		x := l.Dim(d)
		dims[d] = tensor.Dim{Name: x.Name, Size: x.Size}
		for _, g := range x.Digits {
			cut, ok := cutAtDims(g, v)
			if !ok || !disjoint {
				return tensor.Layout{}, errRows
			}
			dims[d].Digits = append(dims[d].Digits, cut...)
			reach := (g.Extent - 1) * g.Stride
			first = first + min(0, reach)
			last = last + max(0, reach)
		}
	}
	if l.Numel() == 0 || first < 0 || last >= v.Numel() {
		return tensor.Layout{}, errRows
	}
	return tensor.New(dims, offsetOfRow(v, l.Offset()), alloc)
}

// digitsDisjoint reports whether the digits of a layout are those of a nest: each has a larger stride than the others below it reach, so
// that no sum of them carries.
func digitsDisjoint(l tensor.Layout) bool {
	var all []tensor.Digit
	for d := range l.Rank() {
		for _, g := range l.Dim(d).Digits {
			if g.Extent > 1 {
				all = append(all, g)
			}
		}
	}
	sorting.By(all, func(g, h tensor.Digit) int { return cmp.Compare(ints.Abs(g.Stride), ints.Abs(h.Stride)) })
	span := 1
	for _, g := range all {
		if ints.Abs(g.Stride) < span {
			return false
		}
		span = ints.Abs(g.Stride) * g.Extent
	}
	return true
}

// cutAtDims returns the digits of v's storage that a digit of its rows consists of.
func cutAtDims(g tensor.Digit, v tensor.Strided) (cut []tensor.Digit, ok bool) {
	if g.Extent <= 1 {
		return []tensor.Digit{{Div: g.Div, Extent: g.Extent}}, true
	}
	sign := cmp.Compare(g.Stride, 0)
	stride := ints.Abs(g.Stride)
	left := g.Extent
	div := g.Div
	next := 1
	for d, n := range slices.Backward(v.Shape) {
		step := next // rows from one index of the dim to the next one
		next = step * n
		if stride >= next { // the digit is of dims further out
			continue
		}
		if stride%step != 0 {
			return nil, false
		}
		inside := left // of the digit's extent, what is in this dim
		if stride*left > next {
			inside = next / stride
			if next%stride != 0 || left%inside != 0 {
				return nil, false
			}
		}
		cut = proceed(cut, tensor.Digit{Div: div, Extent: inside, Stride: sign * stride / step * v.Strides[d]})
		if inside == left {
			return cut, true
		}
		stride = next
		left = left / inside
		div = div * inside
	}
	return nil, false
}

// proceed adds a digit to those below it, as a part of the last one if that goes on at its stride.
func proceed(digits []tensor.Digit, g tensor.Digit) []tensor.Digit {
	if k := len(digits) - 1; k >= 0 && digits[k].Extent*digits[k].Stride == g.Stride {
		digits[k].Extent *= g.Extent
		return digits
	}
	return append(digits, g)
}

// offsetOfRow returns the offset of element i in row-major order.
func offsetOfRow(v tensor.Strided, i int) int {
	at := v.Offset
	for d, n := range slices.Backward(v.Shape) {
		at += i % n * v.Strides[d]
		i /= n
	}
	return at
}

// invert returns the inverse of a nest that visits each of a's elements once: loops of falling steps in a, with their steps in b.
func invert(loops []relate.Loop, offset int) (tensor.Layout, error) {
	type loop struct{ n, step, span int }
	var all []loop
	span := 1
	for _, l := range loops {
		x := loop{l.N, ints.Abs(l.Step), span}
		if l.Step < 0 {
			x.span = -span
			offset = offset + (l.N-1)*span
		}
		all = append(all, x)
		span *= l.N
	}
	sorting.By(all, func(x, y loop) int { return cmp.Compare(y.step, x.step) })
	rows := tensor.Strided{Offset: offset}
	for _, x := range all {
		rows.Shape = append(rows.Shape, x.n)
		rows.Strides = append(rows.Strides, x.span)
	}
	return rows.Layout(nil, tensor.Unbounded)
}
