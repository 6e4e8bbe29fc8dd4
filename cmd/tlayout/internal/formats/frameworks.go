package formats

import (
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/framework"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/words"
)

// frameworkRow is what a framework calls the layout and what it wants passed: the shape, logical or physical, and
// the strides. Shape and strides are null where there are no sizes, strides also where the name implies them.
type frameworkRow struct {
	Framework string   `json:"framework"`
	Names     []string `json:"names"`
	Order     string   `json:"order"` // logical, physical or split: a dim for each digit
	Shape     []int    `json:"shape"`
	Symbols   []string `json:"symbols"`
	Strides   []int    `json:"strides"`
	Unit      string   `json:"stride_unit,omitempty"` // elements, bytes or vectors
	Notation  string   `json:"notation,omitempty"`    // shape:stride of CuTe
	Missing   bool     `json:"missing"`               // it does not take the layout
	Why       string   `json:"why,omitempty"`         // the reason of that, or what to know
}

// frameworkRows asks the frameworks. Those that few use are left out where they have no name for the layout.
func (r *report) frameworkRows() []frameworkRow {
	rows := []frameworkRow{}
	for _, f := range framework.All() {
		names, answer := r.namesIn(f), r.ask(f)
		rare := f.Name == framework.MNN || f.Name == framework.CuTe && r.layout == nil
		if !keeps(r.framework, f.Name) || rare && r.framework == allFrameworks && len(names) == 0 {
			continue
		}
		row := frameworkRow{Framework: f.Name, Names: []string{}, Missing: !answer.OK, Why: answer.Why}
		if answer.OK {
			row.Names, row.Order, row.Unit = words.OrEmpty(names), string(answer.As), f.Unit
			r.pass(&row, answer.As)
		}
		rows = append(rows, row)
	}
	return rows
}

// ask whether it takes the layout. XLA takes what it was asked for in its own words, even where NamesIn has none for it.
func (r *report) ask(f framework.Framework) framework.Answer {
	switch {
	case f.Name == framework.XLA && strings.HasPrefix(r.Asked, "{"):
		return framework.Answer{OK: true, As: framework.Logical}
	case r.layout == nil:
		return f.TakesOrder(r.format)
	}
	return f.Takes(r.offer)
}

// namesIn are the order's names, those of every candidate where strides cannot tell; none where there are gaps.
func (r *report) namesIn(f framework.Framework) []string {
	orders := r.offer.Orders
	if r.layout == nil {
		orders = []notation.Format{r.format}
	}
	var names []string
	for _, order := range f.Among(orders) {
		if len(names) == 0 || len(r.Candidates) > 1 {
			names = append(names, framework.NamesIn(order, f.Name)...)
		}
	}
	if f.Name == framework.XLA && len(names) == 0 && strings.HasPrefix(r.Asked, "{") {
		return []string{r.Asked}
	}
	return names
}

// pass fills in the dims that the framework is told of, and their strides where it is told any.
func (r *report) pass(row *frameworkRow, as framework.As) {
	switch as {
	case framework.Physical:
		row.Shape, row.Symbols = r.Physical, r.Symbols
	case framework.Split:
		row.Symbols = r.splitSymbols()
	default:
		row.Shape, row.Symbols = r.Shape, r.Dims
	}
	if row.Framework == framework.CuDNN && r.blocked && len(framework.NamesIn(r.format, framework.CuDNN)) > 0 {
		row.Unit = framework.Vectors
	}
	if row.Unit != "" && r.layout != nil {
		r.passStrides(row, r.offer.Dims(as))
	}
}

// passStrides fills in the strides of those dims, as the framework counts them.
func (r *report) passStrides(row *frameworkRow, s tensor.Strided) {
	row.Strides = s.Strides
	switch {
	case row.Framework == framework.DirectML:
		if row.Shape, row.Strides = s.DirectMLDesc(); s.CContiguous().OK {
			row.Strides = nil
		}
	case row.Framework == framework.CuTe:
		row.Notation, row.Strides = notation.CuTe(*r.layout), r.Strides
	case row.Framework == framework.OneDNN && r.blocked:
		row.Strides = r.outerStrides()
	case row.Unit == framework.Vectors:
		row.Shape, row.Strides = r.layout.PaddedShape(), r.vectorStrides()
	case row.Unit == framework.Bytes:
		row.Strides = tensor.InBytes(s.Strides, r.ItemSize)
	}
}

// splitSymbols are the dims of one digit each.
func (r *report) splitSymbols() []string {
	var symbols []string
	for d := range r.Dims {
		for _, a := range r.format.DigitAxes(d) {
			symbols = append(symbols, r.symbol(a))
		}
	}
	return symbols
}

// outerStrides are those of a oneDNN descriptor: from one block of a dim to the next.
func (r *report) outerStrides() []int {
	strides := make([]int, r.layout.Rank())
	for d := range strides {
		digits := r.layout.Dim(d).Digits
		strides[d] = digits[len(digits)-1].Stride
	}
	return strides
}

// vectorStrides are those of NCHW_VECT_C, whose element is a vector of channels, and whose C is a multiple of it.
func (r *report) vectorStrides() []int {
	strides := r.outerStrides()
	width := r.format.Axes()[len(r.format.Axes())-1].Extent
	for d := range strides {
		strides[d] /= max(width, 1)
	}
	return strides
}

// without names the frameworks that do not take the layout, by their reasons, in the order of Frameworks.
func (r *report) without() (reasons []string, who map[string][]string) {
	who = map[string][]string{}
	for _, row := range r.Frameworks {
		if !row.Missing {
			continue
		}
		why, _, _ := strings.Cut(row.Why, "; ") // the way out is said where one asks for it
		if why == framework.Of(row.Framework).Nameless {
			why = ""
		}
		if !slices.Contains(reasons, why) {
			reasons = append(reasons, why)
		}
		who[why] = append(who[why], row.Framework)
	}
	return reasons, who
}

// frameworkTable says what to pass, in so many columns.
func (r *report) frameworkTable(columns int) render.Table {
	t := render.Table{Title: "What to pass, and what it is called", Header: []string{"framework", "shape", "strides", "name"}}
	for _, f := range r.Frameworks {
		if f.Missing {
			continue
		}
		name := strings.Join(f.Names, ", ")
		if name == "" {
			name = "-"
		}
		shape, strides := f.shapeText(), f.stridesText()
		if f.Notation != "" {
			shape, strides, _ = strings.Cut(f.Notation, ":")
			name = "shape:stride"
		}
		t.Add(f.Framework, shape, strides, name)
	}
	return breakCells(t, columns, 2, 1, 3)
}

// passText explains the table's words, and why frameworks are not in it.
func (r *report) passText() string {
	var parts []string
	has := func(test func(frameworkRow) bool) bool { return slices.ContainsFunc(r.Frameworks, test) }
	if has(func(f frameworkRow) bool { return !f.Missing }) {
		parts = append(parts, "logical is "+strings.Join(r.Dims, ",")+" whatever memory's order")
		if r.Packed || has(func(f frameworkRow) bool { return f.Order == string(framework.Physical) }) {
			parts = append(parts, "physical "+strings.ReplaceAll(r.Explicit, " ", ","))
		}
		if has(func(f frameworkRow) bool { return f.Order == string(framework.Split) }) {
			parts = append(parts, "split "+r.splitNames())
		}
		parts = append(parts, "strides in elements unless said")
	}
	reasons, who := r.without()
	for _, why := range reasons {
		if why == "" {
			parts = append(parts, "no name for it in "+strings.Join(who[why], ", "))
		} else {
			parts = append(parts, "not in "+strings.Join(who[why], ", ")+": "+why)
		}
	}
	return strings.Join(parts, "; ")
}

// SplitNames name the dims of one digit each, leading ones included.
func (r *report) splitNames() string {
	var names []string
	explicit := strings.Split(r.Explicit, " ")
	for d := range r.format.Rank() {
		for _, a := range r.format.DigitAxes(d) {
			names = append(names, explicit[slices.Index(r.format.Axes(), a)])
		}
	}
	for len(names) < 4 {
		names = append([]string{"1"}, names...)
	}
	return strings.Join(names, ",")
}

func (f *frameworkRow) shapeText() string {
	sizes := f.Symbols
	if f.Shape != nil {
		sizes = words.Each(f.Shape)
	}
	return strings.Join(sizes, ",") + " " + f.Order
}

func (f *frameworkRow) stridesText() string {
	switch {
	case f.Unit == "":
		return "by name"
	case f.Shape == nil:
		return "in " + f.Unit
	case f.Framework == framework.DirectML && f.Strides == nil:
		return "nullptr"
	}
	strides := strings.Join(words.Each(f.Strides), ",")
	return strings.TrimSuffix(strides+" "+f.Unit, " elements")
}
