package source

import (
	"fmt"
	"slices"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/words"
)

// Typed is a tensor without a file.
type Typed struct {
	Shape   []int // logical
	Strides []int // elements; nil for packed
	Offset  int   // elements
	DType   dtype.Type
	Layout  *notation.Layout // memory order; nil for row-major
	Inner   string           // the inner blocks of a oneDNN descriptor, whose outer strides Strides are; empty for none
}

// Describe makes the tensor of a typed shape, or of a layout with its own sizes. Strides and Layout exclude each other.
func Describe(y Typed) (*Tensor, error) {
	t := &Tensor{Kind: "shape", DType: y.DType}
	if err := t.typed(y); err != nil {
		return nil, err
	}
	return t, checkBytes(t.Layout, t.DType)
}

func (t *Tensor) typed(y Typed) error {
	exact := y.Layout != nil && y.Layout.Exact != nil && y.Inner == ""
	switch {
	case y.Offset < 0:
		return fault.New(fault.Usage, "offset %d is negative", y.Offset)
	case exact && (y.Shape != nil || y.Strides != nil || y.Offset != 0):
		return fault.New(fault.Usage, "layout %s has its own sizes, strides and offset", y.Layout.Exact).
			WithHint("leave out --shape, --strides and --offset")
	case exact:
		t.Told = ByStrides
		return t.adopt(*y.Layout.Exact, tensor.Unbounded)
	case y.Strides != nil && y.Layout != nil:
		return fault.New(fault.Usage, "--strides and --layout exclude each other").
			WithHint("leave one of them out: a layout implies strides")
	case y.Inner != "":
		t.Told = ByStrides
		return t.describeBlocks(y)
	case y.Strides != nil:
		t.Told = ByStrides
		return t.describeStrides(y)
	}
	return t.describeLayout(y)
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
		t.notes = append(t.notes, fmt.Sprintf("these strides look like NumPy's, in bytes: in elements of %s they are --strides %s", t.DType, words.Ints(elems, ",")))
	}
	return t.adopt(l, tensor.Unbounded)
}

// describeBlocks takes shape, strides and offset as those of a oneDNN descriptor.
func (t *Tensor) describeBlocks(y Typed) error {
	switch {
	case y.Layout != nil:
		return fault.New(fault.Usage, "--inner-blocks and --layout exclude each other").
			WithHint("leave one of them out: a layout has its own blocks")
	case y.Strides == nil:
		return fault.New(fault.Usage, "--inner-blocks needs --strides, those of the descriptor").
			WithHint("--layout nChw16c describes a tensor without gaps")
	}
	s, err := tensor.NewStrided(y.Shape, y.Strides, y.Offset)
	if err != nil {
		return err
	}
	if t.Layout, err = notation.Described(y.Inner, DimNames(s.Rank()), s); err != nil {
		return err
	}
	t.Format, t.HasFormat = notation.Of(t.Layout)
	return nil
}

func (t *Tensor) describeLayout(y Typed) error {
	names := DimNames(len(y.Shape))
	t.Format, t.HasFormat = notation.RowMajor(names), true
	if y.Layout == nil && len(y.Shape) >= 2 && len(y.Shape) <= 5 {
		t.Told = ByRank
	}
	if y.Layout != nil {
		t.Told = ByStrides
		switch y.Layout.Own {
		case notation.NotOwn:
			t.Format, t.Told = NameDims(y.Layout.Format), ByUser
		case notation.OwnFortran:
			t.Format = t.Format.Reversed()
		}
		if y.Layout.Note != "" {
			t.notes = append(t.notes, y.Layout.Note)
		}
	}
	if _, err := tensor.Numel(y.Shape); err != nil {
		return err
	}
	l, err := t.Format.Bind(y.Shape)
	if err != nil {
		return err
	}
	t.Layout, err = l.Moved(y.Offset)
	return err
}

// KnownOrders lists the named orders of these dims, outermost first, the most common first. Dims without letters have
// two, row-major and column-major.
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
		rows := make([]int, len(names))
		columns := make([]int, len(names))
		for i := range names {
			rows[i], columns[len(names)-1-i] = i, i
		}
		orders = [][]int{rows, columns}
	}
	return orders
}
