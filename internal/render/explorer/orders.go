package explorer

import (
	"slices"

	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/framework"
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// order is a memory order to choose from.
type order struct {
	Name   string   `json:"name"`  // canonical: NCHW4c
	Words  string   `json:"words"` // how it orders the dims
	Dims   []string `json:"names"` // of the dims, in logical order
	Axes   []axis   `json:"axes"`  // outermost first
	Called []called `json:"called"`
}

// axis is a notation.Axis for model_layout.js.
type axis struct {
	Dim    int `json:"dim"`
	Div    int `json:"div"`
	Extent int `json:"extent"`
}

// called holds an order's names in one framework.
type called struct {
	Framework string   `json:"framework"`
	Names     []string `json:"names"`
}

// orders collects distinct memory orders of some dims, with their names for a type, or all names if the type is empty.
type orders struct {
	dims  []string
	dtype *dtype.Type
	list  []order
}

// smallRank is the highest rank for which all orders of dims are offered, named or not.
const smallRank = 3

// ordersFor lists the orders of dims: row-major, column-major, all up to smallRank, and those of the catalogue with these or positional
// dims.
func ordersFor(dims []string, typ string) *orders {
	o := &orders{dims: dims}
	if d, err := dtype.Parse(typ); err == nil {
		o.dtype = &d
	}
	rows := notation.RowMajor(dims)
	o.add(rows)
	for _, e := range framework.Catalogue() {
		if f, ok := orderOf(e); ok {
			o.addNamed(f)
		}
	}
	if len(dims) <= smallRank {
		for _, p := range ints.Permutations(len(dims)) {
			o.add(notation.Order(dims, p))
		}
	}
	o.add(rows.Reversed())
	return o
}

// orderOf returns the format of a catalogue row; ok is false for rank-independent rules and refused names.
func orderOf(e framework.Entry) (f notation.Format, ok bool) {
	l, err := notation.Parse(e.Order)
	return l.Format, e.Order != "" && err == nil && l.HasFormat()
}

// addNamed adds an order if its dims are these.
func (o *orders) addNamed(f notation.Format) {
	if f.Rank() == len(o.dims) && (f.Positional() || slices.Equal(f.Names(), o.dims)) {
		o.add(f)
	}
}

// add adds an order of these or of positional dims, unless present, and returns its name.
func (o *orders) add(f notation.Format) string {
	if f.Positional() {
		f = f.Rename(o.dims)
	}
	name := f.String()
	if slices.ContainsFunc(o.list, func(x order) bool { return x.Name == name }) {
		return name
	}
	out := order{Name: name, Words: f.Words(), Dims: o.dims, Axes: []axis{}}
	for _, a := range f.Axes() {
		a.Dim = slices.Index(o.dims, f.Names()[a.Dim])
		out.Axes = append(out.Axes, axis(a))
	}
	for _, fw := range framework.All() {
		if names := fw.NamesAccepting(f, o.dtype); len(names) > 0 {
			out.Called = append(out.Called, called{fw.Name, names})
		}
	}
	o.list = append(o.list, out)
	return name
}
