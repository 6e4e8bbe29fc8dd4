package formats

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/explain"
	"github.com/tlayout/tlayout/internal/tensor/framework"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/words"
)

// axis is an axis of memory. How tells where its stride comes from, in symbols and, where there are sizes, in
// numbers.
type axis struct {
	Axis   string `json:"axis"`
	Dim    string `json:"dim"`
	Div    int    `json:"div"`
	Size   *int   `json:"size"`
	Stride *int   `json:"stride"`
	Bytes  *int   `json:"stride_bytes"` // null also where an int cannot hold it
	How    string `json:"how"`
}

// formatsPadding is a dim that ends inside a block.
type formatsPadding struct {
	Dim    string `json:"dim"`
	Size   int    `json:"size"`
	Padded int    `json:"padded"`
}

// axes lists memory's axes, outermost first. The packed stride of each is the product of the sizes of those inside.
func (r *report) axes() {
	for _, s := range explain.NewStrides(explain.Axes(r.format, r.layout)) {
		x := axis{Axis: s.Name(), Dim: s.DimName, Div: s.Div, How: s.Symbolic()}
		if r.layout != nil {
			x.Size, x.Stride, x.How = &s.Extent, &s.Stride, s.Short()
			if bytes := tensor.InBytes([]int{s.Stride}, r.ItemSize); bytes != nil {
				x.Bytes = &bytes[0]
			}
			r.Physical = append(r.Physical, s.Extent)
		}
		r.Axes, r.Symbols = append(r.Axes, x), append(r.Symbols, s.Symbol())
	}
}

// symbol is an axis's size in letters: H, 16, ⌈C/16⌉.
func (r *report) symbol(a notation.Axis) string { return r.axis(a, nil).Symbol() }

func (r *report) axis(a notation.Axis, l *tensor.Layout) explain.Axis {
	return explain.Axes(r.format, l)[slices.Index(r.format.Axes(), a)]
}

// axisTable shows memory axis by axis.
func (r *report) axisTable() render.Table {
	if r.layout == nil {
		t := render.Table{Title: "Memory, outermost first: (" + strings.Join(r.Symbols, ", ") + ")",
			Header: []string{"axis", "size", "stride = product of the sizes inside"}}
		for k, x := range r.Axes {
			t.Add(x.Axis, r.Symbols[k], x.How)
		}
		return t
	}
	size := fmt.Sprintf("%s, %s", words.Count(*r.Elems, "element"), words.Bytes(int64(*r.Bytes)))
	t := render.Table{Title: fmt.Sprintf("Memory: %s %s, %s", r.DType, tensor.Tuple(r.Physical), size),
		Header: []string{"axis", "size", "stride", "bytes", "how the stride comes about"}, Numbers: []int{1, 2, 3}}
	for _, x := range r.Axes {
		t.Add(x.Axis, strconv.Itoa(*x.Size), strconv.Itoa(*x.Stride), explain.InBytes(*x.Stride, r.ItemSize), x.How)
	}
	return t
}

// newFormatsPadding lists the dims of a packed layout that end inside a block.
func newFormatsPadding(l tensor.Layout) []formatsPadding {
	padding := []formatsPadding{}
	for d, padded := range l.PaddedShape() {
		if size := l.Dim(d).Size; padded > size {
			padding = append(padding, formatsPadding{l.Dim(d).Name, size, padded})
		}
	}
	return padding
}

// paddingText counts it: C 62 -> 64, 2 lanes x 20 places: 40 of 1280 elements, 3.1 %, 160 bytes.
func (r *report) paddingText() string {
	var parts []string
	for _, p := range r.Padding {
		lanes := p.Padded - p.Size
		s := fmt.Sprintf("%s %d -> %d, %d %s", p.Dim, p.Size, p.Padded, lanes, words.Plural(lanes, "lane", "lanes"))
		if len(r.Padding) == 1 && r.PadElems > 0 {
			s += fmt.Sprintf(" x %d %s", r.PadElems/lanes, words.Plural(r.PadElems/lanes, "place", "places"))
		}
		parts = append(parts, s)
	}
	return fmt.Sprintf("%s: %d of %d elements, %.1f %%, %s", strings.Join(parts, "; "), r.PadElems, *r.Elems,
		100*float64(r.PadElems)/float64(max(*r.Elems, 1)), words.Bytes(int64(r.PadElems)*int64(r.ItemSize)))
}

// paddingHolds says what the frameworks keep there.
func paddingHolds() string {
	var order []string
	who := map[string][]string{}
	for _, f := range framework.All() {
		if f.Padding == "" {
			continue
		}
		if who[f.Padding] == nil {
			order = append(order, f.Padding)
		}
		who[f.Padding] = append(who[f.Padding], f.Name)
	}
	slices.SortStableFunc(order, func(a, b string) int { return strings.Index(b, "zero") - strings.Index(a, "zero") })
	for i, what := range order {
		order[i] = strings.Join(who[what], ", ") + " " + what
	}
	return strings.Join(order, "; ")
}

// order is what is known of a memory order without sizes. Symbols and Axes are memory's, outermost first.
type order struct {
	Layout   string   `json:"layout"`
	Explicit string   `json:"explicit"`
	Dims     []string `json:"dims"`
	Symbols  []string `json:"physical_symbols"`
	Axes     []axis   `json:"axes"` // with numbers where there are sizes

	format  notation.Format
	ordered bool // there is an order of axes; strides may be in none
	blocked bool // the order has blocks, even where a size needs one only, so that strides could say it
}

func newFormatsOrder(t *source.Tensor) order {
	o := order{Symbols: []string{}, Axes: []axis{}}
	if !t.HasFormat {
		o.Dims = t.Layout.Names()
		return o
	}
	o.format, o.ordered, o.blocked = t.Format, true, !t.Format.Plain()
	o.Layout, o.Explicit, o.Dims = t.OrderName(), t.Format.Explicit(), t.Format.Names()
	return o
}
