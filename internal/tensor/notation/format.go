package notation

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/words"
)

// Axis is one physical axis: it counts (i / Div) mod Extent of the index i of a dim. Extent 0 stands for the open
// end: the axis runs on until the dim's size is used up.
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

// Order is the Format without blocks whose dims lie in the given order, outermost first, as positions in names.
func Order(names []string, order []int) Format {
	f := Format{names: names, axes: make([]Axis, len(order))}
	for k, d := range order {
		f.axes[k] = Axis{Dim: d, Div: 1}
	}
	return f
}

// RowMajor is the Format in which the last dim varies fastest.
func RowMajor(names []string) Format {
	order := make([]int, len(names))
	for i := range order {
		order[i] = i
	}
	return Order(names, order)
}

// Names returns the dims' names in logical order.
func (f Format) Names() []string { return f.names }

// Rank is the number of dims.
func (f Format) Rank() int { return len(f.names) }

// Axes returns the physical axes, outermost first. They must not be changed.
func (f Format) Axes() []Axis { return f.axes }

// Plain reports whether no dim is split into blocks.
func (f Format) Plain() bool { return len(f.axes) == len(f.names) }

// Rename gives the dims other names, as many as there are: the positional ABCD16b becomes NCHW16c.
func (f Format) Rename(names []string) Format { return Format{names, f.axes} }

// PhysicalShape returns the extents of the physical axes for logical sizes.
//
// Post: their product is the storage that the format needs, padding included.
func (f Format) PhysicalShape(sizes []int) ([]int, error) {
	if len(sizes) != f.Rank() {
		return nil, fault.New(fault.Usage, "layout %s has %d dims (%s), the shape %s has %d",
			f, f.Rank(), strings.Join(f.names, ", "), tensor.Tuple(sizes), len(sizes)).
			WithHint("give a size for each of %s, or a layout of %s", strings.Join(f.names, ","), words.Count(len(sizes), "dim"))
	}
	shape := make([]int, len(f.axes))
	for k, a := range f.axes {
		if shape[k] = a.Extent; a.Extent == 0 {
			shape[k] = (sizes[a.Dim] + a.Div - 1) / a.Div
		}
	}
	_, err := tensor.Numel(shape)
	return shape, err
}

// LogicalShape is the inverse of PhysicalShape as far as it goes: what was padding cannot be told from data, so each
// dim comes out at its padded size.
//
// Post: PhysicalShape of the result is physical again.
func (f Format) LogicalShape(physical []int) ([]int, error) {
	if len(physical) != len(f.axes) {
		return nil, fault.New(fault.Usage, "layout %s has %d physical axes (%s), the file's shape %s has %d",
			f, len(f.axes), f.Explicit(), tensor.Tuple(physical), len(physical)).
			WithHint("name a layout with %d axes, or c to keep the file's own", len(physical))
	}
	sizes := make([]int, f.Rank())
	for k, a := range f.axes {
		if a.Extent != 0 && physical[k] != a.Extent {
			return nil, fault.New(fault.Usage, "axis %d of layout %s holds %s and needs size %d, the file's shape %s has %d there",
				k, f, f.axisName(a), a.Extent, tensor.Tuple(physical), physical[k])
		}
		if a.Extent == 0 {
			sizes[a.Dim] = physical[k] * a.Div
			if physical[k] != 0 && sizes[a.Dim]/physical[k] != a.Div {
				return nil, fault.New(fault.Unsupported, "dim %s is too large", f.names[a.Dim])
			}
		}
	}
	return sizes, nil
}

// Bind makes the packed layout of the format for logical sizes: physical axes in row-major order, the last dim
// rounded up to whole blocks.
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

// Place makes the layout of the format for logical sizes over physical axes of the given extents and strides, in a
// storage of alloc elements. An extent may exceed what the size needs: that is padding.
func (f Format) Place(sizes, extents, strides []int, offset, alloc int) (tensor.Layout, error) {
	dims := make([]tensor.Dim, f.Rank())
	for d := range dims {
		dims[d] = tensor.Dim{Name: f.names[d], Size: sizes[d]}
	}
	for _, k := range f.digitOrder() {
		a := f.axes[k]
		g := tensor.Digit{Div: a.Div, Extent: a.Extent, Stride: strides[k]}
		if a.Extent == 0 {
			g.Extent = (sizes[a.Dim] + a.Div - 1) / a.Div
			if g.Extent > extents[k] {
				return tensor.Layout{}, fault.New(fault.Usage, "dim %s of size %d needs %d along axis %d, which has %d",
					f.names[a.Dim], sizes[a.Dim], g.Extent, k, extents[k])
			}
		}
		dims[a.Dim].Digits = append(dims[a.Dim].Digits, g)
	}
	return tensor.New(dims, offset, alloc)
}

// digitOrder returns the axes' positions with the least significant digit of each dim first.
func (f Format) digitOrder() []int {
	order := make([]int, len(f.axes))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(i, j int) int { return leastSignificantFirst(f.axes[i], f.axes[j]) })
	return order
}

func (f Format) axisName(a Axis) string {
	s := f.names[a.Dim]
	if a.Div != 1 {
		s += fmt.Sprintf("//%d", a.Div)
	}
	if a.Extent != 0 {
		s += fmt.Sprintf("%%%d", a.Extent)
	}
	return s
}

// Explicit prints the format as "N C//4 H W C%4".
func (f Format) Explicit() string {
	parts := make([]string, len(f.axes))
	for k, a := range f.axes {
		parts[k] = f.axisName(a)
	}
	return strings.Join(parts, " ")
}

// String prints the canonical name, "NCHW4c"; the explicit form where a dim's name is no single letter or its blocks
// lie in an order that names cannot say.
func (f Format) String() string {
	if s, ok := f.Short(); ok {
		return s
	}
	return f.Explicit()
}

// Short prints the canonical name. ok is false where there is none: names give the innermost block of a dim the
// least significant digit, and the single-letter axis the most significant one.
func (f Format) Short() (name string, ok bool) {
	var b strings.Builder
	for k, a := range f.axes {
		letter := f.names[a.Dim]
		switch {
		case !f.Lettered():
			return "", false
		case a.Extent == 0:
			b.WriteString(strings.ToUpper(letter))
		case a.Extent == 1:
		default:
			fmt.Fprintf(&b, "%d%s", a.Extent, strings.ToLower(letter))
		}
		for _, inner := range f.axes[k+1:] {
			if inner.Dim == a.Dim && a.Extent != 0 && a.Extent != 1 && inner.Extent > 1 && inner.Div > a.Div {
				return "", false
			}
		}
	}
	return b.String(), len(f.axes) > 0
}

// Lettered reports whether the dims' names are letters that a short name may use.
func (f Format) Lettered() bool {
	letters := lettersOf(f.names)
	return len(letters) == len(f.names) && unknownLetter(letters) == 0
}

// Reversed returns the format with its innermost axis outermost: what a Fortran-order file of its axes holds.
//
// Post: reversed twice, it is f again.
func (f Format) Reversed() Format {
	axes := slices.Clone(f.axes)
	slices.Reverse(axes)
	return Format{f.names, axes}
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

// WithoutUnits drops axes that count one value only.
func (f Format) WithoutUnits() Format {
	return Format{f.names, slices.DeleteFunc(slices.Clone(f.axes), func(a Axis) bool { return a.Extent == 1 })}
}
