package explorer

import (
	"cmp"
	"math"
	"slices"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/explain"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/words"
)

// Subject is the tensor that the page begins with.
type Subject struct {
	Name, DType string
	Size        int             // bytes of an item; 0 means 1
	Layout      tensor.Layout   // the source's own
	Format      notation.Format // its memory order, if HasFormat
	HasFormat   bool
	Values      []string  // in logical order; nil without data, or if they are more than MaxValues
	Numbers     []float64 // of Values, NaN for what is not numeric; nil if none is
	Numeric     bool      // the texts of Values are numbers, which cells may round
	ShortValues bool      // label cells with values at first, and not with numbers in logical order
	Line        int       // bytes of a cache line; 0 means tensor.CacheLine
	Layouts     []Named   // offered first; the page begins with the first one
}

// Named is another layout of the tensor, with its sizes and dims.
type Named struct {
	Layout    tensor.Layout
	Format    notation.Format // the memory order that it was bound from, with the tensor's names
	HasFormat bool
}

// MaxValues bounds the values of a page.
const MaxValues = 4096

// data is the subject as the page's scripts read it.
type data struct {
	Name    string      `json:"name"`
	DType   string      `json:"dtype"`
	Item    int         `json:"item"` // bytes
	Line    int         `json:"line"` // bytes
	Sizes   []int       `json:"sizes"`
	Dims    []string    `json:"dims"`
	Nouns   []string    `json:"nouns"` // what an index of each dim is called: row; empty for none
	Values  []string    `json:"values"`
	Shown   []string    `json:"shown"`   // the same as cells have it; null where that is no different
	Numbers []*float64  `json:"numbers"` // null for what is not finite; null if none is
	Label   string      `json:"label"`   // of cells at first: value or index
	At      []int       `json:"at"`      // an example coordinate; null for an empty tensor
	Own     string      `json:"own"`     // name of the source's order, if any
	Orders  []order     `json:"orders"`  // to choose from
	Fixed   []fixed     `json:"fixed"`   // layouts with sizes of their own; the source's is the first
	Begin   []string    `json:"begin"`   // names of orders and fixed layouts
	Palette paletteData `json:"palette"`
}

// fixed is a layout with its sizes, strides and offset.
type fixed struct {
	Name   string `json:"name"`
	Layout layout `json:"layout"`
}

// layout is a tensor.Layout as model_layout.js has it.
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

// own is the name of the source's layout among the fixed ones.
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

// rounded is values to three significant digits; nil if all have no more.
func rounded(values []string) []string {
	list := make([]string, len(values))
	for i, text := range values {
		list[i] = words.Short(text)
	}
	if slices.Equal(list, values) {
		return nil
	}
	return list
}

// finite is numbers with nil for those that are not finite; nil if none is.
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

// checkCountable refuses layouts with byte counts that JavaScript cannot represent exactly: strides, the product of sizes,
// with 0 as 1, and the total reach of all digits; and swizzled ones, which the page's model does not have.
func checkCountable(l tensor.Layout, size int) error {
	if z := l.Swizzle(); !z.IsZero() {
		return fault.New(fault.Unsupported, "the page computes with strides, and %s permutes the addresses of %s", z, l.Plain()).
			WithHint("-o x.svg draws it")
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
			WithHint("-o x.svg draws it, whatever its strides")
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
