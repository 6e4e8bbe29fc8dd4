package formatscmd

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/framework"
	"github.com/tlayout/tlayout/internal/framework/explain"
	"github.com/tlayout/tlayout/internal/inspect"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// order is what a memory order determines without sizes. Symbols and Axes are in memory order, outermost first.
type order struct {
	Layout   string   `json:"layout"` // memory order by name, outermost axis first: NHWC; shape:strides without a name
	Explicit string   `json:"memory_order"`
	Dims     []string `json:"dims"`
	Symbols  []string `json:"symbols"` // sizes as letters: N, ⌈C/4⌉
	// physical axes, outermost first
	Axes []axis `json:"axes" jsonschema:"with numbers if there are sizes"`

	format  notation.Format
	ordered bool // the axes have an order; strides may have none
	blocked bool // the order has blocks, even if strides could describe it because there is only one
}

// axis is an axis of memory.
type axis struct {
	Axis   string `json:"axis"` // an axis as in memory_order
	Dim    string `json:"dim"`  // name of a dim
	Div    int    `json:"div"`
	Size   *int   `json:"size"` // size of an axis, dim or layout
	Stride *int   `json:"stride"`
	Bytes  *int   `json:"stride_bytes"` // stride in bytes; null if it overflows
	How    string `json:"how"`          // how the stride is computed
}

func newOrder(t *source.Tensor) order {
	o := order{Symbols: []string{}, Axes: []axis{}}
	if !t.HasFormat {
		o.Dims = t.Layout.Names()
		return o
	}
	o.format = t.Format
	o.ordered = true
	o.blocked = !t.Format.Plain()
	o.Layout = t.OrderName()
	o.Explicit = t.Format.Explicit()
	o.Dims = t.Format.Names()
	return o
}

// sizes is what the sizes determine.
type sizes struct {
	ItemSize int `json:"itemsize"`
	// sizes of the dims, in logical order; of blocks, in values
	Shape    []int `json:"shape" jsonschema:"null without --shape"`
	Physical []int `json:"file_shape" jsonschema:"null without --shape"`
	// step from one index of a dim to the next, in elements
	Strides    []int               `json:"strides" jsonschema:"null for blocked dims, and without --shape"`
	Packed     bool                `json:"packed"`
	Elems      *int                `json:"storage_elems"`
	Bytes      *int                `json:"storage_bytes"` // size of the storage
	Padding    []padding           `json:"padded_dims"`   // dims that end inside a block
	PadElems   int                 `json:"pad_elems"`     // padding of the target: storage_elems − numel
	Candidates []inspect.Candidate `json:"candidates"`
	Ambiguity  string              `json:"ambiguity,omitempty"`

	OuterStridesOf []string `json:"outer_strides_of"`

	layout *tensor.Layout // nil without sizes
	dtype  dtype.Type
	offer  framework.Offer
}

// padding is a dim that ends inside a block.
type padding struct {
	Dim    string `json:"dim"`         // name of a dim
	Size   int    `json:"size"`        // size of an axis, dim or layout
	Padded int    `json:"padded_size"` // the dim's size with padding
}

// noSizes returns the sizes of a memory order without --shape.
func noSizes() sizes {
	return sizes{Packed: true, Padding: []padding{}, Candidates: []inspect.Candidate{}, OuterStridesOf: []string{}}
}

// newSizes measures a tensor. If byStrides is set, it also lists the orders that its strides could have.
func newSizes(t *source.Tensor, byStrides bool) (sizes, error) {
	s := noSizes()
	l := t.Layout
	s.Packed = t.HasFormat && t.Format.Packs(l) && l.Offset() == 0
	if _, plain := l.Strided(); s.Packed && !plain { // to the end of the last block
		l, _ = t.Format.Bind(l.Shape())
	}
	elems := l.Alloc()
	item := t.DType.ItemSize()
	if item > 0 && elems > math.MaxInt/item {
		return s, fault.New(fault.Unsupported, "shape %s of %s overflows a 64-bit address", tensor.Tuple(l.Shape()), t.DType)
	}
	bytes := int(t.DType.Size(int64(elems)))
	s.dtype = t.DType
	s.ItemSize = t.DType.WholeBytes()
	s.Shape = l.Shape()
	s.Elems = &elems
	s.Bytes = &bytes
	s.layout = &l
	s.offer = inspect.NewOffer(t, t.Layout.Occupancy().Overlapping)
	if s.Packed {
		s.Padding = newPadding(l)
		s.PadElems = elems - l.Numel()
	}
	if strided, plain := l.Strided(); plain {
		s.Strides = strided.Strides
		if byStrides {
			s.OuterStridesOf = text.OrEmpty(framework.OuterStridesOf(strided))
		}
		if byStrides && t.HasFormat {
			s.infer(strided, l.Names())
		}
	}
	return s, nil
}

// infer lists the orders that match the strides.
func (s *sizes) infer(strided tensor.Strided, names []string) {
	in := strided.Infer(names, source.KnownOrders(names))
	for _, c := range in.Candidates {
		s.Candidates = append(s.Candidates, inspect.Candidate{Layout: notation.Order(names, c.Order).String(), Why: c.Why})
	}
	s.Ambiguity = in.Ambiguity
}

// newPadding lists the dims of a packed layout that end inside a block.
func newPadding(l tensor.Layout) []padding {
	all := []padding{}
	for d, padded := range l.PaddedShape() {
		if size := l.Dim(d).Size; padded > size {
			all = append(all, padding{l.Dim(d).Name, size, padded})
		}
	}
	return all
}

// addAxes lists the axes of memory, outermost first. The packed stride of each is the product of the sizes inside it.
func (r *report) addAxes() {
	for _, s := range explain.NewStrides(explain.Axes(r.format, r.layout)) {
		x := axis{Axis: s.Name(), Dim: s.DimName, Div: s.Div, How: s.Symbolic()}
		if r.layout != nil {
			x.Size = &s.Extent
			x.Stride = &s.Stride
			x.How = s.Short()
			if bytes := tensor.InBytes([]int{s.Stride}, r.ItemSize); bytes != nil && !r.dtype.Packed() {
				x.Bytes = &bytes[0]
			}
			r.Physical = append(r.Physical, s.Extent)
		}
		r.Axes = append(r.Axes, x)
		r.Symbols = append(r.Symbols, s.Symbol())
	}
}

// axisTable lists the axes of memory.
func (r *report) axisTable() render.Table {
	if r.layout == nil {
		t := render.Table{Title: "Memory, outermost first: (" + strings.Join(r.Symbols, ", ") + ")",
			Header: []string{"axis", "size", "stride = product of the sizes inside"}}
		for k, x := range r.Axes {
			t.Add(x.Axis, r.Symbols[k], x.How)
		}
		return t
	}
	size := fmt.Sprintf("%s, %s", text.Count(*r.Elems, "element"), text.Bytes(int64(*r.Bytes)))
	t := render.Table{Title: fmt.Sprintf("Memory: %s %s, %s", r.DType, tensor.Tuple(r.Physical), size),
		Header: []string{"axis", "size", "stride", "bytes", "how the stride is computed"}, Numbers: []int{1, 2, 3}}
	for _, x := range r.Axes {
		t.Add(x.Axis, strconv.Itoa(*x.Size), strconv.Itoa(*x.Stride), r.dtype.InBytes(*x.Stride), x.How)
	}
	return t
}

// paddingLines returns the amount of padding, and what frameworks store in it; nil without padding.
func (r *report) paddingLines() []string {
	if len(r.Padding) == 0 {
		return nil
	}
	return []string{"padding: " + r.paddingText(), "padding holds: " + paddingHolds()}
}

// paddingText returns the padded dims and the amount of padding.
func (r *report) paddingText() string {
	return strings.Join(append(inspect.PaddedDims(*r.layout), inspect.NoElement(r.PadElems, *r.Elems, r.dtype)), "; ")
}

// paddingHolds returns what frameworks store in padding, zeros first: zeros in oneDNN, TVM; unspecified values in XLA.
func paddingHolds() string {
	var contents []string
	who := map[string][]string{}
	for _, f := range framework.All() {
		if f.Padding == "" {
			continue
		}
		if who[f.Padding] == nil {
			contents = append(contents, f.Padding)
		}
		who[f.Padding] = append(who[f.Padding], f.Name)
	}
	slices.SortStableFunc(contents, func(a, b string) int { return strings.Index(b, "zero") - strings.Index(a, "zero") })
	for i, what := range contents {
		contents[i] = what + " in " + strings.Join(who[what], ", ")
	}
	return strings.Join(contents, "; ")
}
