package graph

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/sorting"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// digit is a digit of a dim with more than one value, and its stride.
type digit struct{ dim, div, extent, stride int }

// digits returns the digits that move the address, the outermost first.
func digits(l tensor.Layout) []digit {
	var all []digit
	for d := range l.Rank() {
		for _, g := range l.Dim(d).Digits {
			if g.Extent > 1 && g.Stride != 0 {
				all = append(all, digit{d, g.Div, g.Extent, g.Stride})
			}
		}
	}
	sorting.By(all, func(a, b digit) int { return b.stride - a.stride })
	return all
}

// sameOrder reports whether two layouts of a shape have their elements in the same memory order. Padding does not count, nor dims of size 1,
// nor dims along which one of them repeats its elements.
func sameOrder(a, b tensor.Layout) bool {
	return sameOrderOf(a, b, func(digit) bool { return true })
}

// sameOrderOf is sameOrder for the digits that count.
func sameOrderOf(a, b tensor.Layout, counts func(digit) bool) bool {
	repeatedBy := func(l tensor.Layout) func(digit) bool {
		repeated := l.BroadcastDims()
		return func(g digit) bool { return slices.Contains(repeated, g.dim) || !counts(g) }
	}
	x := slices.DeleteFunc(digits(a), repeatedBy(b))
	y := slices.DeleteFunc(digits(b), repeatedBy(a))
	return slices.EqualFunc(x, y, func(g, h digit) bool {
		g.stride = h.stride
		return g == h
	})
}

// orderKey returns a text that is equal for layouts with the same order.
func orderKey(l tensor.Layout) string {
	all := digits(l)
	for i := range all {
		all[i].stride = 0
	}
	return fmt.Sprint(all)
}

// usualOrders are the memory orders with a name that people use; of those that fit a layout with dims of size 1, the first is its name.
var usualOrders = []string{"NCHW", "NHWC", "NCDHW", "NDHWC", "OIHW", "OHWI", "OIDHW", "ODHWI", "IOHW", "IHWO", "HWIO"}

// orderName returns a layout's memory order, the outermost dim first: by the names of its dims, NHWC, or without any by their numbers, 0,2,1.
func orderName(l tensor.Layout, dims string) string {
	s, plain := l.Strided()
	if !plain {
		return blockedName(l, dims)
	}
	order, _ := orderOf(l)
	if dims == "" {
		return numbered(order)
	}
	moving := movingOf(s, order)
	for _, usual := range usualOrders {
		named, ok := dimsOf(usual, dims)
		if ok && slices.Equal(movingOf(s, named), moving) {
			return usual
		}
	}
	var b strings.Builder
	for _, d := range order {
		b.WriteByte(dims[d])
	}
	return b.String()
}

// movingOf returns the dims of an order that move the address: those of more than one index that are not repeated.
func movingOf(s tensor.Strided, order []int) []int {
	return slices.DeleteFunc(slices.Clone(order), func(d int) bool { return s.Shape[d] == 1 || s.Strides[d] == 0 })
}

// dimsOf returns the dims of an order by their names; false if it has other dims.
func dimsOf(order, dims string) ([]int, bool) {
	if len(order) != len(dims) {
		return nil, false
	}
	numbers := make([]int, len(order))
	for i := range order {
		numbers[i] = strings.IndexByte(dims, order[i])
	}
	return numbers, isPermutation(numbers, len(dims))
}

// strideOf returns the stride by which a dim is ordered: one of size 1 is where C order would have it.
func strideOf(s tensor.Strided, d int) int {
	if s.Shape[d] != 1 {
		return s.Strides[d]
	}
	for next := d + 1; next < s.Rank(); next++ {
		if s.Shape[next] != 1 {
			return s.Strides[next] * s.Shape[next]
		}
	}
	return 1
}

// packedIn returns the dense layout of a shape in a memory order, outermost dim first.
func packedIn(order, shape []int) tensor.Layout {
	strides := make([]int, len(shape))
	next := 1
	for _, d := range slices.Backward(order) {
		strides[d] = next
		next *= max(shape[d], 1)
	}
	l, _ := strided(shape, strides) //nolint:errcheck // the sizes are those of a layout
	return l
}

// strided returns the layout of a shape with strides.
func strided(shape, strides []int) (tensor.Layout, error) {
	s, err := tensor.NewStrided(shape, strides, 0)
	if err != nil {
		return tensor.Layout{}, err
	}
	return s.Layout(nil, tensor.Unbounded)
}

// Strided returns the layout of a shape with strides, in elements. It fails if they overflow.
func Strided(shape, strides []int) (tensor.Layout, error) { return strided(shape, strides) }

// RowMajor returns the dense layout of a shape in C order. It fails if the sizes overflow.
func RowMajor(shape []int) (tensor.Layout, error) {
	s, err := tensor.Packed(shape)
	if err != nil {
		return tensor.Layout{}, err
	}
	return s.Layout(nil, tensor.Unbounded)
}

func numbered(order []int) string {
	var b strings.Builder
	for i, d := range order {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(d))
	}
	return b.String()
}

// blockedName returns the name of a layout with several digits in a dim: NCHW16c, or in letters of oneDNN's tags for dims without names.
func blockedName(l tensor.Layout, dims string) string {
	names := make([]string, l.Rank())
	for d := range names {
		names[d] = string(rune('A' + d))
		if dims != "" {
			names[d] = dims[d : d+1]
		}
	}
	renamed, err := l.Renamed(names, tensor.Unbounded)
	if err != nil {
		return notation.CuTe(l)
	}
	f, ok := notation.Of(renamed)
	if !ok {
		return notation.CuTe(l)
	}
	return f.String()
}

// orderOf returns the dims of a layout, the outermost first; false if a dim has several digits. Dims of size 1 have the places that C order or
// channels_last gives them, if that is the order of all others.
func orderOf(l tensor.Layout) ([]int, bool) {
	s, plain := l.Strided()
	if !plain {
		return nil, false
	}
	order := cOrder(l.Rank())
	slices.SortStableFunc(order, func(a, b int) int { return strideOf(s, b) - strideOf(s, a) })
	isUnit := func(d int) bool { return s.Shape[d] == 1 }
	moving := slices.DeleteFunc(slices.Clone(order), isUnit)
	for _, usual := range [][]int{cOrder(l.Rank()), channelsLast(l.Rank())} {
		if slices.Equal(slices.DeleteFunc(slices.Clone(usual), isUnit), moving) {
			return usual, true
		}
	}
	return order, true
}

// channelsLast returns the dims of PyTorch's channels_last: all in C order, but dim 1 innermost.
func channelsLast(rank int) []int {
	order := cOrder(rank)
	if rank < 3 {
		return order
	}
	return append(slices.Delete(order, 1, 2), 1)
}

// cOrder returns the dims in C order.
func cOrder(rank int) []int {
	order := make([]int, rank)
	for d := range order {
		order[d] = d
	}
	return order
}

// OrderName returns the memory order of a value, by the names or the numbers of its dims: NHWC, or 0,2,1. It is empty if it is unknown.
func (p *Program) OrderName(id ID) string {
	t := p.Tensor(id)
	if t == nil {
		return ""
	}
	return orderName(t.Layout, p.Values[id].Dims)
}
