package notation

import (
	"fmt"
	"slices"

	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
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
	Orders      []Format      // the memory orders whose packed layout it is: several where strides cannot tell, none for gaps
	Order       *Format       // that of its axes, gaps or not; nil where they are in none
	Overlapping tensor.Answer // do two elements share an address, as Layout.Occupancy says; counting may be slow
	DType       dtype.Type
	FileShape   []int  // of the array in its file; nil without one
	Copy        string // the bytes of a copy, in words
}

// Among lists the orders whose names the framework may be told, where strides cannot tell them apart. Where the name goes
// with the shape of the memory it is the first alone.
func (f Framework) Among(orders []Format) []Format {
	if f.Physical && len(orders) > 1 {
		return orders[:1]
	}
	return orders
}

// named reports whether one of the offer's orders has a name in the framework.
func (f Framework) named(o Offer) bool {
	return slices.ContainsFunc(f.Among(o.Orders), func(g Format) bool { return len(g.NamesIn(f.Name)) > 0 })
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

// Packs reports whether a layout is the packed one of the format, strides of axes of size 1 aside.
func (f Format) Packs(l tensor.Layout) bool {
	packed, err := f.Bind(l.Shape())
	if err != nil || l.Numel() == 0 {
		return err == nil
	}
	for i := range l.Rank() {
		a, b := l.Dim(i).Digits, packed.Dim(i).Digits
		if !slices.EqualFunc(a, b, func(a, b tensor.Digit) bool {
			return a.Extent == b.Extent && (a.Extent <= 1 || a.Stride == b.Stride)
		}) {
			return false
		}
	}
	return true
}

// Digit is the layout's digit that an axis of the format counts.
func (f Format) Digit(l tensor.Layout, a Axis) tensor.Digit {
	digits := l.Dim(a.Dim).Digits
	if a.Extent == 0 {
		return digits[len(digits)-1]
	}
	return digits[slices.IndexFunc(digits, func(g tensor.Digit) bool { return g.Div == a.Div && g.Extent == a.Extent })]
}

// SplitDims makes a dim of every digit, the most significant first: N, C//16, C%16, H, W. It has the padding too.
func SplitDims(l tensor.Layout) tensor.Strided {
	s := tensor.Strided{Offset: l.Offset()}
	for d := range l.Rank() {
		for _, g := range slices.Backward(l.Dim(d).Digits) {
			s.Shape, s.Strides = append(s.Shape, g.Extent), append(s.Strides, g.Stride)
		}
	}
	return s
}

// DigitAxes are a dim's axes, the most significant first.
func (f Format) DigitAxes(d int) []Axis {
	axes := slices.DeleteFunc(slices.Clone(f.axes), func(a Axis) bool { return a.Dim != d })
	slices.SortStableFunc(axes, func(a, b Axis) int { return b.Div - a.Div })
	return axes
}

// Dims are the sizes and strides, in elements, of the dims that a framework is told of. A tensor in blocks has no strides
// of its own dims: those are zero then.
func (o Offer) Dims(as As) tensor.Strided {
	s, _ := o.Layout.Strided()
	switch as {
	case Split:
		return SplitDims(o.Layout)
	case Physical:
		s = tensor.Strided{Offset: o.Layout.Offset()}
		order := o.Order
		if len(o.Orders) > 0 {
			order = &o.Orders[0]
		}
		for _, a := range order.axes {
			g := order.Digit(o.Layout, a)
			s.Shape, s.Strides = append(s.Shape, g.Extent), append(s.Strides, g.Stride)
		}
	}
	return s
}
