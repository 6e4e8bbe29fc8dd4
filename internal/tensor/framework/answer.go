package framework

import (
	"fmt"
	"slices"

	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// Answer is whether a framework takes a tensor as it lies, without a copy.
type Answer struct {
	OK  bool
	Why string // the reason of a no, or what to know of a yes
	As  As
}

// As says which dims the framework is told of.
type As string

// The values of As.
const (
	Logical  As = "logical"  // the tensor's own, in their own order
	Physical As = "physical" // the axes of memory
	Split    As = "split"    // a dim for each digit, beside the dim that it is of
)

func yes(as As, why string) Answer { return Answer{OK: true, Why: why, As: as} }

func no(format string, args ...any) Answer { return Answer{Why: fmt.Sprintf(format, args...)} }

const (
	noName  = "no name for it"
	noOrder = "its blocks are in no order"
)

// Offer is a tensor that is shown to a framework.
type Offer struct {
	Layout      tensor.Layout
	Orders      []notation.Format // the memory orders whose packed layout it is: several where strides cannot tell, none for gaps
	Order       *notation.Format  // that of its axes, gaps or not; nil where they are in none
	Overlapping tensor.Answer     // do two elements share an address, as Layout.Occupancy says; counting may be slow
	DType       dtype.Type
	FileShape   []int  // of the array in its file; nil without one
	Copy        string // the bytes of a copy, in words
}

// Among lists the orders whose names the framework may be told, where strides cannot tell them apart. Where the name goes
// with the shape of the memory it is the first alone.
func (f Framework) Among(orders []notation.Format) []notation.Format {
	if f.Physical && len(orders) > 1 {
		return orders[:1]
	}
	return orders
}

// named reports whether one of the offer's orders has a name in the framework.
func (f Framework) named(o Offer) bool {
	return slices.ContainsFunc(f.Among(o.Orders), func(g notation.Format) bool { return len(NamesIn(g, f.Name)) > 0 })
}

// blocked reports whether its order has blocks, even where a size needs one only, so that strides could say it.
func (o Offer) blocked() bool {
	_, plain := o.Layout.Strided()
	return !plain || len(o.Orders) > 0 && !o.Orders[0].Plain()
}

// axes are the sizes of memory's axes; nil where they are in no order.
func (o Offer) axes() []int {
	if o.FileShape != nil {
		return o.FileShape
	}
	if o.Order == nil {
		return nil
	}
	shape := []int{}
	for _, a := range o.Order.Axes() {
		shape = append(shape, o.Order.Digit(o.Layout, a).Extent)
	}
	return shape
}

// Dims are the sizes and strides, in elements, of the dims that a framework is told of. A tensor in blocks has no strides
// of its own dims: those are zero then.
func (o Offer) Dims(as As) tensor.Strided {
	s, _ := o.Layout.Strided()
	switch as {
	case Split:
		return notation.SplitDims(o.Layout)
	case Physical:
		s = tensor.Strided{Offset: o.Layout.Offset()}
		order := o.Order
		if len(o.Orders) > 0 {
			order = &o.Orders[0]
		}
		for _, a := range order.Axes() {
			g := order.Digit(o.Layout, a)
			s.Shape, s.Strides = append(s.Shape, g.Extent), append(s.Strides, g.Stride)
		}
	}
	return s
}
