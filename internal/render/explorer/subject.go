package explorer

import (
	"cmp"
	"math"
	"slices"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/explain"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// Subject is the tensor that the page starts with.
type Subject struct {
	Name, DType string
	Size        int             // bytes per element; 0 means 1
	Layout      tensor.Layout   // the source's own
	Format      notation.Format // its memory order, if HasFormat
	HasFormat   bool
	Values      []string  // in logical order; nil without data, or if more than MaxValues
	Numbers     []float64 // of Values, NaN for non-numeric ones; nil if none is numeric
	Numeric     bool      // the texts of Values are numbers, which cells may round
	ShortValues bool      // label cells with values at first, instead of logical indices
	Line        int       // bytes of a cache line; 0 means tensor.CacheLine
	Layouts     []Named   // layouts to offer; the page starts with the first one
}

// Named is another layout of the tensor, with its own sizes and dims.
type Named struct {
	Layout    tensor.Layout
	Format    notation.Format // the memory order it was bound from, with the tensor's names
	HasFormat bool
}

// MaxValues is the maximum number of values in a page.
const MaxValues = 4096

// data is the subject for the page's scripts.
type data struct {
	Name    string      `json:"name"`
	DType   string      `json:"dtype"`
	Item    int         `json:"item"` // bytes
	Line    int         `json:"line"` // bytes
	Sizes   []int       `json:"sizes"`
	Dims    []string    `json:"dims"`
	Nouns   []string    `json:"nouns"` // noun for an index of each dim, such as row; "" for none
	Values  []string    `json:"values"`
	Shown   []string    `json:"shown"`   // shortened for cells; null if equal to values
	Numbers []*float64  `json:"numbers"` // null for non-finite ones; null if none is finite
	Label   string      `json:"label"`   // of cells at first: value or index
	At      []int       `json:"at"`      // an example coordinate; null for an empty tensor
	Own     string      `json:"own"`     // name of the source's order, if any
	Orders  []order     `json:"orders"`  // the choices
	Fixed   []fixed     `json:"fixed"`   // layouts with their own sizes; the source's comes first
	Begin   []string    `json:"begin"`   // names of orders and fixed layouts
	Palette paletteData `json:"palette"`
}

// fixed is a layout with its sizes, strides and offset.
type fixed struct {
	Name   string `json:"name"`
	Layout layout `json:"layout"`
}

// layout is a tensor.Layout for model_layout.js.
type layout struct {
	Dims   []dim `json:"dims"`
	Offset int   `json:"offset"`
	Alloc  int   `json:"alloc"`
}

type dim struct {
	Name   string         `json:"name"`
	Size   int            `json:"size"`
	Digits []tensor.Digit `json:"digits"`
}

// own names the source's layout among the fixed ones.
const own = "own"

func newData(s Subject) (data, error) {
	if err := checkCountable(s.Layout, s.Size); err != nil {
		return data{}, err
	}
	d := data{Name: s.Name, DType: s.DType, Item: cmp.Or(s.Size, 1), Line: cmp.Or(s.Line, tensor.CacheLine), Palette: newPalette()}
	d.Sizes, d.Dims = s.Layout.Shape(), s.Layout.Names()
	d.Nouns = make([]string, len(d.Dims))
	for i := range d.Dims {
		d.Nouns[i], _ = notation.DimNoun(d.Dims, i)
	}
	d.addValues(s)
	if s.Layout.Numel() > 0 {
		d.At = explain.Example(s.Layout)
	}
	d.Fixed = []fixed{{own, newLayout(s.Layout)}}
	orders := ordersFor(d.Dims, d.DType)
	if s.HasFormat {
		d.Own = orders.add(s.Format)
	}
	for _, n := range s.Layouts {
		if n.HasFormat {
			d.Begin = append(d.Begin, orders.add(n.Format))
			continue
		}
		name, err := d.fix(n.Layout, s)
		if err != nil {
			return data{}, err
		}
		d.Begin = append(d.Begin, name)
	}
	d.Orders = orders.list
	return d, nil
}

// fix adds a layout with its sizes, unless it is the source's own or present, and returns its name.
func (d *data) fix(l tensor.Layout, s Subject) (string, error) {
	name := l.String()
	switch {
	case name == s.Layout.String() && l.Alloc() == s.Layout.Alloc():
		return own, nil
	case slices.ContainsFunc(d.Fixed, func(f fixed) bool { return f.Name == name }):
		return name, nil
	}
	d.Fixed = append(d.Fixed, fixed{name, newLayout(l)})
	return name, checkCountable(l, s.Size)
}

// addValues adds values, unless there are too many.
func (d *data) addValues(s Subject) {
	d.Label = "index"
	if s.Values == nil || len(s.Values) > MaxValues {
		return
	}
	d.Values, d.Numbers = s.Values, finite(s.Numbers)
	if s.Numeric {
		d.Shown = rounded(s.Values)
	}
	if s.ShortValues {
		d.Label = "value"
	}
}

// rounded returns values with three significant digits, or nil if none has more.
func rounded(values []string) []string {
	list := make([]string, len(values))
	for i, s := range values {
		list[i] = text.Short(s)
	}
	if slices.Equal(list, values) {
		return nil
	}
	return list
}

// finite returns the numbers, nil for non-finite ones, or nil if none is finite.
func finite(numbers []float64) []*float64 {
	list, some := make([]*float64, len(numbers)), false
	for i, x := range numbers {
		if !math.IsNaN(x) && !math.IsInf(x, 0) {
			list[i], some = &numbers[i], true
		}
	}
	if !some {
		return nil
	}
	return list
}

// checkCountable refuses layouts with byte counts beyond JavaScript's exact integers (strides, the product of sizes, with 0 as 1, and the
// total reach of all digits), and swizzled ones, which the page does not support.
func checkCountable(l tensor.Layout, size int) error {
	if z := l.Swizzle(); !z.IsZero() {
		return fault.New(fault.Unsupported, "the page does not support swizzled layouts: %s permutes the addresses of %s", z, l.Plain()).
			WithHint("use -o x.svg")
	}
	numel, reach, stride := 1.0, float64(l.Offset()), 0.0
	for i := range l.Rank() {
		numel *= float64(max(l.Dim(i).Size, 1))
		for _, g := range l.Dim(i).Digits {
			stride = max(stride, math.Abs(float64(g.Stride)))
			reach += math.Abs(float64(g.Extent-1) * float64(g.Stride))
		}
	}
	if max(numel, reach+1, stride, float64(l.Alloc()))*float64(cmp.Or(size, 1)) > 1<<53 {
		return fault.New(fault.Unsupported, "layout %s exceeds 2^53 bytes, the limit of the page", l).
			WithHint("use -o x.svg, which has no such limit")
	}
	return nil
}

func newLayout(l tensor.Layout) layout {
	out := layout{Dims: make([]dim, l.Rank()), Offset: l.Offset(), Alloc: l.Alloc()}
	for i := range out.Dims {
		d := l.Dim(i)
		out.Dims[i] = dim{d.Name, d.Size, d.Digits}
	}
	return out
}
