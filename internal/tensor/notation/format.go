package notation

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/sorting"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// Axis is a physical axis: its index is (i / Div) mod Extent for index i of a dim. Extent 0 is the open end, i / Div, as long as the
// dim's size requires.
type Axis struct {
	Dim    int // position in logical order
	Div    int
	Extent int
}

// Format is a memory order: physical axes, outermost first. It is immutable; make one with Parse or Order.
type Format struct {
	names []string // of the dims, in logical order
	axes  []Axis
}

// Order returns the Format without blocks for dims in this order, outermost first, as positions in names.
func Order(names []string, order []int) Format {
	f := Format{names: names, axes: make([]Axis, len(order))}
	for k, d := range order {
		f.axes[k] = Axis{Dim: d, Div: 1}
	}
	return f
}

// RowMajor returns the Format with the last dim fastest.
func RowMajor(names []string) Format {
	return Order(names, ints.Range(len(names)))
}

// Names returns the dims' names in logical order.
func (f Format) Names() []string { return f.names }

// Rank returns the number of dims.
func (f Format) Rank() int { return len(f.names) }

// Axes returns the physical axes, outermost first. They must not be changed.
func (f Format) Axes() []Axis { return f.axes }

// Plain reports whether no dim is split into blocks.
func (f Format) Plain() bool { return len(f.axes) == len(f.names) }

// Rename gives the dims other names, as many: the positional ABCD16b becomes NCHW16c.
func (f Format) Rename(names []string) Format { return Format{names, f.axes} }

// Over returns the same order of the same dims in another logical order; ok is false for other dims.
func (f Format) Over(names []string) (Format, bool) {
	if len(names) != len(f.names) {
		return Format{}, false
	}
	g := Format{names: names, axes: slices.Clone(f.axes)}
	for k, a := range g.axes {
		g.axes[k].Dim = slices.Index(names, f.names[a.Dim])
		if g.axes[k].Dim < 0 {
			return Format{}, false
		}
	}
	return g, true
}

// PhysicalShape returns the extents of the physical axes for the given logical sizes.
//
// Post: their product is the format's storage size, padding included.
func (f Format) PhysicalShape(sizes []int) ([]int, error) {
	if len(sizes) != f.Rank() {
		return nil, fault.New(fault.Usage, "layout %s has %d dims (%s), the shape %s has %d",
			f, f.Rank(), strings.Join(f.names, ", "), tensor.Tuple(sizes), len(sizes)).
			WithHint("give a size for each of %s, or a layout with %s", strings.Join(f.names, ","), text.Count(len(sizes), "dim"))
	}
	shape := make([]int, len(f.axes))
	for k, a := range f.axes {
		shape[k] = a.Extent
		if a.Extent == 0 {
			shape[k] = ints.CeilDiv(sizes[a.Dim], a.Div)
		}
	}
	_, err := tensor.Numel(shape)
	return shape, err
}

// LogicalShape inverts PhysicalShape, except for padding, which a physical shape does not show: each dim has its padded size.
//
// Post: PhysicalShape of the result is physical again.
func (f Format) LogicalShape(physical []int) ([]int, error) {
	if len(physical) != len(f.axes) {
		err := fault.New(fault.Usage, "layout %s has %d physical axes (%s), the file's shape %s has %d",
			f, len(f.axes), f.Explicit(), tensor.Tuple(physical), len(physical))
		if len(physical) == f.Rank() {
			return nil, err.WithHint("if the shape is that of the dims, read the elements as bytes: --raw --skip HEADER --shape %s --dtype TYPE",
				text.Ints(physical, ","))
		}
		return nil, err.WithHint("use a layout with %d axes, or c to keep the file's axes", len(physical))
	}
	sizes := make([]int, f.Rank())
	for k, a := range f.axes {
		if a.Extent != 0 && physical[k] != a.Extent {
			return nil, fault.New(fault.Usage, "axis %d of layout %s is %s and requires size %d, but the file's shape %s has %d",
				k, f, f.axisName(a), a.Extent, tensor.Tuple(physical), physical[k])
		}
		if a.Extent == 0 {
			sizes[a.Dim] = physical[k] * a.Div
			if physical[k] != 0 && sizes[a.Dim]/physical[k] != a.Div {
				return nil, fault.New(fault.Unsupported, "dim %s of %d blocks of %d overflows a 64-bit address", f.names[a.Dim], physical[k], a.Div)
			}
		}
	}
	return sizes, nil
}

// Bind returns the dense layout of the format for logical sizes: physical axes in row-major order, each dim rounded up to whole blocks.
//
// Post: no two elements share an address; Alloc is the product of PhysicalShape.
func (f Format) Bind(sizes []int) (tensor.Layout, error) {
	shape, err := f.PhysicalShape(sizes)
	if err != nil {
		return tensor.Layout{}, err
	}
	packed, err := tensor.Packed(shape)
	if err != nil {
		return tensor.Layout{}, err
	}
	return f.Place(sizes, shape, packed.Strides, 0, packed.Numel())
}

// Place returns the layout of the format for logical sizes over physical axes with these extents and strides, in a storage of alloc
// elements. An extent may exceed what the size requires; the rest is padding.
func (f Format) Place(sizes, extents, strides []int, offset, alloc int) (tensor.Layout, error) {
	dims := make([]tensor.Dim, f.Rank())
	for d := range dims {
		dims[d] = tensor.Dim{Name: f.names[d], Size: sizes[d]}
	}
	for _, k := range f.digitOrder() {
		a := f.axes[k]
		g := tensor.Digit{Div: a.Div, Extent: a.Extent, Stride: strides[k]}
		if a.Extent == 0 {
			g.Extent = ints.CeilDiv(sizes[a.Dim], a.Div)
			if g.Extent > extents[k] {
				return tensor.Layout{}, fault.New(fault.Usage, "dim %s of size %d requires %d along axis %d, which has %d",
					f.names[a.Dim], sizes[a.Dim], g.Extent, k, extents[k])
			}
		}
		dims[a.Dim].Digits = append(dims[a.Dim].Digits, g)
	}
	return tensor.New(dims, offset, alloc)
}

// digitOrder returns the axes' positions with the least significant digit of each dim first.
func (f Format) digitOrder() []int {
	order := ints.Range(len(f.axes))
	slices.SortStableFunc(order, func(i, j int) int { return leastSignificantFirst(f.axes[i], f.axes[j]) })
	return order
}

// Reversed returns the format with its axes reversed: the memory order of a Fortran-order file with these axes.
//
// Post: reversed twice, it is f again.
func (f Format) Reversed() Format {
	axes := slices.Clone(f.axes)
	slices.Reverse(axes)
	return Format{f.names, axes}
}

// Steps reports whether a step along each axis moves the elements of a layout as far as in the format's dense layout. It rejects most
// formats and allocates nothing. It is true for an empty layout, and false for another number of dims.
func (f Format) Steps(l tensor.Layout) bool {
	if l.Rank() != f.Rank() {
		return false
	}
	if l.Numel() == 0 {
		return true
	}
	run := 1 // elements of the inner axes
	for _, a := range slices.Backward(f.axes) {
		dim := l.Dim(a.Dim)
		extent := a.Extent
		if extent == 0 {
			extent = ints.CeilDiv(dim.Size, a.Div)
		}
		if extent > 1 && a.Div < dim.Size && dim.At(a.Div) != run {
			return false
		}
		run *= extent
	}
	return true
}

// Packs reports whether a layout is the format's dense one, ignoring the strides of axes of size 1. A swizzled layout has no format.
func (f Format) Packs(l tensor.Layout) bool {
	if !l.Swizzle().IsZero() || !f.Steps(l) {
		return false
	}
	packed, err := f.Bind(l.Shape())
	if err != nil || l.Numel() == 0 {
		return err == nil
	}
	for i := range l.Rank() {
		if !slices.EqualFunc(l.Dim(i).Digits, packed.Dim(i).Digits, sameSteps) {
			return false
		}
	}
	return true
}

// sameSteps reports whether two digits move the address alike.
func sameSteps(a, b tensor.Digit) bool {
	return a.Extent == b.Extent && (a.Extent <= 1 || a.Stride == b.Stride)
}

// DigitOf returns the digit of a layout that an axis counts.
func (a Axis) DigitOf(l tensor.Layout) tensor.Digit {
	digits := l.Dim(a.Dim).Digits
	if a.Extent == 0 {
		return digits[len(digits)-1]
	}
	return digits[slices.IndexFunc(digits, func(g tensor.Digit) bool { return g.Div == a.Div && g.Extent == a.Extent })]
}

// SplitDims makes a dim of every digit, the most significant first: N, C//16, C%16, H, W, including padding. The layout must not be
// swizzled.
func SplitDims(l tensor.Layout) tensor.Strided {
	s := tensor.Strided{Offset: l.Offset()}
	for d := range l.Rank() {
		for _, g := range slices.Backward(l.Dim(d).Digits) {
			s.Shape = append(s.Shape, g.Extent)
			s.Strides = append(s.Strides, g.Stride)
		}
	}
	return s
}

// DigitAxes returns a dim's axes, the most significant first.
func (f Format) DigitAxes(d int) []Axis {
	axes := slices.DeleteFunc(slices.Clone(f.axes), func(a Axis) bool { return a.Dim != d })
	sorting.By(axes, func(a, b Axis) int { return b.Div - a.Div })
	return axes
}

// WithoutUnits drops axes of extent 1.
func (f Format) WithoutUnits() Format {
	return Format{f.names, slices.DeleteFunc(slices.Clone(f.axes), func(a Axis) bool { return a.Extent == 1 })}
}

// Agrees reports whether the layout's digits are in the format's order, with or without gaps: the stride of each axis exceeds the span
// of the later axes, and every digit that moves the address is one of the axes. A swizzled layout agrees with no format.
func (f Format) Agrees(l tensor.Layout) bool {
	if !l.Swizzle().IsZero() {
		return false
	}
	moving := 0
	for d := range l.Rank() {
		for _, g := range l.Dim(d).Digits {
			if moves(g) {
				moving++
			}
		}
	}
	inner := 0
	for _, a := range slices.Backward(f.axes) {
		at := slices.IndexFunc(l.Dim(a.Dim).Digits, func(g tensor.Digit) bool { return moves(g) && a.counts(g) })
		if at < 0 {
			continue
		}
		g := l.Dim(a.Dim).Digits[at]
		if g.Stride <= inner {
			return false
		}
		inner += (g.Extent - 1) * g.Stride
		moving--
	}
	return moving == 0
}

// moves reports whether a digit moves the address.
func moves(g tensor.Digit) bool { return g.Extent > 1 && g.Stride != 0 }

// counts reports whether a digit of the axis's dim is the one that the axis counts.
func (a Axis) counts(g tensor.Digit) bool {
	return g.Div == a.Div && (a.Extent == 0 || a.Extent == g.Extent)
}

// Of returns the memory order of a layout: its digits by descending stride, with or without gaps. ok is false if the strides do not
// nest, so that the axes have no order, or if it is swizzled.
func Of(l tensor.Layout) (f Format, ok bool) {
	if !l.Swizzle().IsZero() {
		return Format{}, false
	}
	type digit struct {
		Axis
		extent, stride int
	}
	var digits []digit
	for d := range l.Rank() {
		gs := l.Dim(d).Digits
		for k, g := range gs {
			a := digit{Axis{d, g.Div, g.Extent}, g.Extent, g.Stride}
			if k == len(gs)-1 {
				a.Extent = 0
			}
			digits = append(digits, a)
		}
	}
	sorting.By(digits, func(a, b digit) int { return cmp.Compare(b.stride, a.stride) })
	f.names = l.Names()
	inner := 0
	for _, d := range slices.Backward(digits) {
		if d.extent > 1 && d.stride <= inner {
			return Format{}, false
		}
		inner += max(0, d.extent-1) * d.stride
	}
	for _, d := range digits {
		f.axes = append(f.axes, d.Axis)
	}
	return f.WithoutUnits(), true
}
