package source

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/framework/printed"
	"github.com/tlayout/tlayout/internal/gpu/threads"
	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// Typed is a tensor without a file.
type Typed struct {
	Shape   []int    // logical
	Dims    []string // names of the dims, in the order of Shape, which is that of coordinates whatever the layout's; nil: unnamed
	Named   []string // the same if sizes were named one by one, in any order: the tensor has notation.LogicalOrder; nil otherwise
	Strides []int    // elements, in the order of Shape; nil: dense
	Offset  int      // elements; not negative
	DType   dtype.Type
	Layout  *notation.Layout // memory order; nil: row-major
	Note    string           // a remark on the sizes, instead of the layout's; may be empty
	Inner   string           // the inner blocks of a oneDNN descriptor with outer strides Strides; empty: none
}

// sizeFlags are the flags of the sizes, strides and offset that were typed.
func (y Typed) sizeFlags() (flags []string) {
	if y.Shape != nil {
		flags = append(flags, "--shape")
	}
	if y.Strides != nil {
		flags = append(flags, "--strides")
	}
	if y.Offset != 0 {
		flags = append(flags, "--offset")
	}
	return flags
}

// Describe returns the tensor of a typed shape, or of a layout with its own sizes. Strides and Layout exclude each other.
func Describe(y Typed) (*Tensor, error) {
	t := &Tensor{Kind: "shape", DType: y.DType}
	if err := t.describeTyped(y); err != nil {
		return nil, err
	}
	if note := t.channelsNote(y); note != "" && y.Layout != nil {
		t.notes = append(t.notes, note)
	}
	return t, t.Layout.CheckBytes(t.DType.ItemSize(), t.DType)
}

func (t *Tensor) describeTyped(y Typed) error {
	if err := y.Layout.Holds(y.DType.String()); err != nil {
		return err
	}
	y, err := y.ordered()
	if err != nil {
		return err
	}
	if y.Layout != nil {
		l, err := y.Layout.ForElements(y.DType.Bits())
		if err != nil {
			return err
		}
		y.Layout = &l
	}
	exact := y.Layout != nil && y.Layout.Exact != nil
	if y.Layout != nil && y.Layout.Sized != nil {
		return t.describeSized(y)
	}
	if y.Note != "" {
		t.notes = append(t.notes, y.Note)
	} else if exact && y.Layout.Note != "" {
		t.notes = append(t.notes, y.Layout.Note)
	}
	if exact {
		if flags := y.sizeFlags(); flags != nil {
			return fault.New(fault.Usage, "layout %s has its own sizes, strides and offset", y.Layout.Exact).WithHint("remove %s", text.And(flags))
		}
		t.OrderSource = ByStrides
		return t.adopt(*y.Layout.Exact, y.Dims, y.Layout.Exact.Alloc())
	}
	if y.Strides == nil {
		return t.describeLayout(y)
	}
	t.OrderSource = ByStrides
	if y.Inner != "" {
		return t.describeBlocks(y)
	}
	return t.describeStrides(y)
}

// describeSized interprets the layout as one of shared memory, which needs the sizes.
func (t *Tensor) describeSized(y Typed) error {
	if y.Shape == nil {
		return y.Layout.NeedsSizes()
	}
	if err := y.Layout.Fits(y.DType.Bits(), y.DType.String()); err != nil {
		return err
	}
	bound, err := y.Layout.For(y.Shape, y.DType.Bits())
	if err != nil {
		return err
	}
	l, err := bound.Exact.Moved(bound.Exact.Offset() + y.Offset)
	if err != nil {
		return err
	}
	t.OrderSource = ByStrides
	return t.adopt(l, y.Dims, tensor.Unbounded)
}

func (t *Tensor) describeStrides(y Typed) error {
	s, err := tensor.NewStrided(y.Shape, y.Strides, y.Offset)
	if err != nil {
		return err
	}
	l, err := s.Layout(nil, tensor.Unbounded)
	if err != nil {
		return err
	}
	if elems, bytes := s.FromBytes(t.DType.ItemSize()); bytes {
		t.notes = append(t.notes, fmt.Sprintf("these strides look like NumPy's, in bytes; in elements of %s: --strides %s", t.DType, text.Ints(elems, ",")))
	}
	return t.adopt(l, y.Dims, tensor.Unbounded)
}

// describeBlocks interprets shape, strides and offset as those of a oneDNN descriptor.
func (t *Tensor) describeBlocks(y Typed) error {
	s, err := tensor.NewStrided(y.Shape, y.Strides, y.Offset)
	if err != nil {
		return err
	}
	names, err := namesOf(y.Dims, s.Rank())
	if err != nil {
		return err
	}
	t.Layout, err = notation.FromDescriptor(y.Inner, names, s)
	if err != nil {
		return err
	}
	t.Format, t.HasFormat = notation.Of(t.Layout)
	return nil
}

func (t *Tensor) describeLayout(y Typed) error {
	names, err := namesOf(y.Dims, len(y.Shape))
	if err != nil {
		return err
	}
	t.Format, t.OrderSource = y.order(names)
	t.HasFormat = true
	if y.Layout != nil && y.Layout.Note != "" && y.Note == "" {
		t.notes = append(t.notes, y.Layout.Note)
	}
	if _, err := tensor.Numel(y.Shape); err != nil {
		return err
	}
	if y.Dims != nil {
		f, ok := t.Format.Over(names)
		if !ok {
			return fault.New(fault.Usage, "layout %s has dims %s, the shape %s", t.Format, strings.Join(t.Format.Names(), ","), strings.Join(names, ","))
		}
		t.Format = f
	}
	l, err := t.Format.Bind(y.Shape)
	if err != nil {
		return err
	}
	t.Layout, err = l.Moved(y.Offset)
	return err
}

// order returns the memory order of dims with these names, and its origin.
func (y Typed) order(names []string) (notation.Format, OrderSource) {
	rows := notation.RowMajor(names)
	if y.Layout == nil {
		return rows, y.rowMajorSource()
	}
	switch y.Layout.Own {
	case notation.OwnFortran:
		return rows.Reversed(), y.orderSource()
	case notation.NotOwn:
		if y.Layout.Format.Positional() {
			return y.Layout.Format.Rename(names), y.orderSource()
		}
		return y.Layout.Format, ByUser
	default:
		return rows, y.orderSource()
	}
}

// rowMajorSource returns the origin of the order of dims if no layout was given.
func (y Typed) rowMajorSource() OrderSource {
	if y.Dims != nil && y.Named == nil {
		return ByUser
	}
	if hasUsualNames(len(y.Shape)) {
		return ByRank
	}
	return OrderUnknown
}

// channelsNote returns how to type sizes whose last one is a common channel count, if N,C,H,W of an image is assumed; empty for others
// and for named dims.
func (t *Tensor) channelsNote(y Typed) string {
	rank := len(y.Shape)
	if !mayHaveChannels(rank) || y.Strides != nil || slices.Contains(y.Shape, 0) {
		return ""
	}
	named := y.Dims != nil || y.Named != nil
	if named || !slices.Equal(t.Layout.Names(), DimNames(rank)) {
		return ""
	}
	c := channelAxis(rank)
	if !channelsLast(y.Shape, c) {
		return ""
	}
	if y.Layout != nil && !t.endsIn(c) {
		return ""
	}
	names := t.Layout.Names()
	last := movedLast(names, c)
	sizes := make([]string, rank)
	for i, n := range y.Shape {
		sizes[i] = fmt.Sprintf("%s=%d", last[i], n)
	}
	return fmt.Sprintf("the sizes are read as %s; if they are %s: --shape %s", tensor.NamedSizes(names, y.Shape), strings.Join(last, ","), strings.Join(sizes, ","))
}

// endsIn reports whether the memory order ends in a dim: it varies fastest.
func (t *Tensor) endsIn(dim int) bool {
	if !t.HasFormat {
		return false
	}
	axes := t.Format.Axes()
	return axes[len(axes)-1].Dim == dim
}

// orderSource returns the origin of a given order that does not name the dims.
func (y Typed) orderSource() OrderSource {
	if y.Dims != nil {
		return ByUser
	}
	return ByStrides
}

// ordered returns y with the dims that were named one by one in logical order, as Dims. Their strides move with them.
func (y Typed) ordered() (Typed, error) {
	if y.Named == nil {
		return y, nil
	}
	if y.Dims != nil {
		return y, fault.New(fault.Usage, "--dims and the names in --shape exclude each other").WithHint("remove one of them")
	}
	y.Dims = notation.LogicalOrder(y.Named)
	if slices.Equal(y.Dims, y.Named) {
		return y, nil
	}
	if y.Inner != "" {
		return y, fault.New(fault.Usage, "--inner-blocks counts dims by their position: name the sizes in logical order, %s", strings.Join(y.Dims, ","))
	}
	y.Shape = reordered(y.Shape, y.Named, y.Dims)
	if y.Strides != nil && len(y.Strides) == len(y.Named) { // another number of strides is an error later
		y.Strides = reordered(y.Strides, y.Named, y.Dims)
	}
	return y, nil
}

// reordered returns the values of dims in another order of them.
func reordered(values []int, dims, order []string) []int {
	all := make([]int, len(values))
	for i, name := range order {
		all[i] = values[slices.Index(dims, name)]
	}
	return all
}

// namesOf returns the names of a tensor's dims, or those by rank. Errors are fault.Usage: the number of dims differs.
func namesOf(dims []string, rank int) ([]string, error) {
	if dims == nil {
		return DimNames(rank), nil
	}
	if len(dims) != rank {
		return nil, fault.New(fault.Usage, "%s names %s, the shape has %d", strings.Join(dims, ","), text.Count(len(dims), "dim"), rank)
	}
	return dims, nil
}

// IsTyped reports whether a name without a file is a layout with strides or a swizzle, or a printed type, valid or not.
func IsTyped(n name.Name) bool {
	return printed.Is(n.Typed()) || notation.HasStrides(strings.TrimSpace(n.Typed()))
}

// openTyped opens such a name. The type of a layout's elements is that of the options, or float32.
func openTyped(typed string, o Options) (*Set, error) {
	l, element, err := printed.ParseLayout(typed)
	if err == nil && o.DType != nil {
		err = l.Holds(o.DType.String())
	}
	if err != nil {
		return nil, err
	}
	if l.Exact == nil && l.Sized == nil {
		return nil, withoutSizes(typed, l)
	}
	usual, err := dtype.Parse(cmp.Or(l.DType, "float32"))
	y := Typed{Layout: &l, DType: *cmp.Or(element, o.DType, &usual), Dims: o.Dims}
	n := name.Parse(typed)
	s := newSet(n, checkpoint.Typed, nil, o)
	s.open = func(_ int, _ name.Name, o Options) (*Tensor, error) {
		if err := o.refuseLayout(); err != nil {
			return nil, fault.In(n.String(), err)
		}
		t, err := Describe(y)
		if err == nil {
			t.Source = n
		}
		return t, err
	}
	return s, err
}

// missing returns the source of a name without a file that is typed. Otherwise it returns the error of the missing file, with a hint if the
// name is a shape.
func missing(n name.Name, o Options, notFound error) (*Set, error) {
	typed := strings.TrimSpace(n.Typed())
	if IsTyped(name.Parse(typed)) {
		return openTyped(typed, o)
	}
	if threads.IsPrinted(typed) {
		l, err := printed.ParseName(typed)
		return nil, cmp.Or(err, l.NeedsSizes())
	}
	if shape, bad := notation.ParseInts(typed); bad == nil && len(shape) > 1 {
		return nil, fault.New(fault.Usage, "no file %s", text.Quoted(typed)).
			WithHint("for a tensor of that shape: --shape %s", text.Ints(shape, ","))
	}
	if l, err := notation.Parse(typed); err == nil && strings.ContainsAny(typed, "({<") {
		return nil, withoutSizes(typed, l)
	}
	return nil, notFound
}

// withoutSizes is the error for a layout that is an order.
func withoutSizes(typed string, l notation.Layout) error {
	flags := l.Flags(typed, nil)
	switch l.Own {
	case notation.OwnC:
		flags = "--shape 8,128 --from c"
	case notation.OwnFortran:
		flags = "--shape 8,128 --from fortran"
	}
	return fault.New(fault.Usage, "layout %s has no sizes", text.Quoted(text.Cut(typed, 81))).WithHint("add them: %s", flags)
}

// KnownOrders returns the named orders of these dims, outermost first, the most common first. Unnamed dims have two, row-major and
// column-major.
func KnownOrders(names []string) [][]int {
	var orders [][]int
	for _, known := range []string{"NCHW", "NHWC", "CHWN", "NCDHW", "NDHWC", "CHW", "HWC", "HW", "WH", "OIHW", "HWIO", "OHWI"} {
		var order []int
		for _, letter := range known {
			if d := slices.Index(names, string(letter)); d >= 0 {
				order = append(order, d)
			}
		}
		if len(order) == len(names) && len(known) == len(names) {
			orders = append(orders, order)
		}
	}
	if len(orders) == 0 {
		rows := ints.Range(len(names))
		columns := ints.Range(len(names))
		slices.Reverse(columns)
		orders = [][]int{rows, columns}
	}
	return orders
}
