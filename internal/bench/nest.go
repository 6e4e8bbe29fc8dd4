package bench

import (
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
)

// nest is the loops of a walk over a storage, in bytes. It equals
//
//	for k in 0…n:
//	    for each part: part.nest, from part.at + k·step on
//
// and without parts, n rows of row bytes each, step apart. A dim that ends inside a block has two parts: the whole
// blocks, and what is left.
type nest struct {
	n, step int
	row     int
	parts   []part
}

// part is a nest and where it begins.
type part struct {
	at int
	nest
}

// order returns the dims in the order in which a walk nests them, outermost first: the channels innermost, or the pixels
// of a channel. It fails with Usage where the layout has no channels or no pixels.
func (p Pattern) order(l tensor.Layout) ([]tensor.Dim, error) {
	order, ok := l.AccessOrder(p.Order() == Channel)
	switch {
	case l.Rank() == 0:
		return nil, fault.New(fault.Usage, "a scalar has no channels and no pixels")
	case !ok:
		return nil, fault.New(fault.Usage, "dims %s: channel-wise and spatial access need a dim C and one of pixels", strings.Join(l.Names(), ", ")).
			WithHint("--layout names the dims of a file, --shape 32,64,56,56 describes a tensor")
	}
	dims := make([]tensor.Dim, len(order))
	for i, d := range order {
		dims[i] = l.Dim(d)
	}
	return dims, nil
}

// newNest makes the walk over all elements, the last dim fastest, each dim's index in rising order.
//
// Post: its rows, cut into items, lie at l.At of every coordinate, in the walk's order.
func newNest(dims []tensor.Dim, offset, itemSize int) part {
	body := []part{{nest: nest{n: 1, row: itemSize}}}
	for _, d := range slices.Backward(dims) {
		body = over(d.Digits, d.Size, itemSize, body)
	}
	switch len(body) {
	case 0:
		return part{}
	case 1:
		body[0].at += offset * itemSize
		return body[0]
	}
	return part{at: offset * itemSize, nest: nest{n: 1, parts: body}}
}

// over repeats a body for the indices 0…size−1 of the digits, the most significant one outermost.
func over(digits []tensor.Digit, size, itemSize int, body []part) []part {
	top := digits[len(digits)-1]
	step := top.Stride * itemSize
	if len(digits) == 1 {
		return repeat(size, step, body)
	}
	lower := digits[:len(digits)-1]
	parts := repeat(size/top.Div, step, over(lower, top.Div, itemSize, body))
	for _, p := range over(lower, size%top.Div, itemSize, body) {
		p.at += size / top.Div * step
		parts = append(parts, p)
	}
	return parts
}

// repeat puts a loop around a body. Loops of which one goes on where the other ends are one:
//
//	for i in 0…n: for j in 0…m: i·(m·s) + j·s   =   for k in 0…n·m: k·s
func repeat(n, step int, body []part) []part {
	switch {
	case n == 0 || len(body) == 0:
		return nil
	case n == 1:
		return body
	case len(body) > 1:
		return []part{{nest: nest{n: n, step: step, parts: body}}}
	}
	b := body[0]
	switch {
	case b.parts == nil && b.n == 1 && step == b.row:
		b.row *= n
	case b.n == 1:
		b.n, b.step = n, step
	case step == b.n*b.step:
		b.n *= n
	default:
		b = part{at: b.at, nest: nest{n: n, step: step, parts: []part{{nest: b.nest}}}}
	}
	return []part{b}
}

// rows calls f for every row, in the walk's order.
func (p part) rows(f func(at, bytes int)) {
	for k := range p.n {
		if p.parts == nil {
			f(p.at+k*p.step, p.row)
		}
		for _, inner := range p.parts {
			inner.at += p.at + k*p.step
			inner.rows(f)
		}
	}
}
