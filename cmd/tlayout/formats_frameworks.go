package main

import (
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// formatsFramework is what a framework calls the layout and what it wants passed: the shape, logical or physical, and
// the strides. Shape and strides are null where there are no sizes, strides also where the name implies them.
type formatsFramework struct {
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
func (r *formatsReport) frameworkRows() []formatsFramework {
	rows := []formatsFramework{}
	for _, f := range notation.Frameworks() {
		names, answer := r.namesIn(f), r.ask(f)
		rare := f.Name == notation.MNN || f.Name == notation.CuTeName && r.layout == nil
		if !keeps(r.framework, f.Name) || rare && r.framework == allFrameworks && len(names) == 0 {
			continue
		}
		row := formatsFramework{Framework: f.Name, Names: []string{}, Missing: !answer.OK, Why: answer.Why}
		if answer.OK {
			row.Names, row.Order, row.Unit = orEmpty(names), string(answer.As), f.Unit
			r.pass(&row, answer.As)
		}
		rows = append(rows, row)
	}
	return rows
}

// ask whether it takes the layout. XLA takes what it was asked for in its own words, even where NamesIn has none for it.
func (r *formatsReport) ask(f notation.Framework) notation.Answer {
	switch {
	case f.Name == notation.XLA && strings.HasPrefix(r.Asked, "{"):
		return notation.Answer{OK: true, As: notation.Logical}
	case r.layout == nil:
		return f.TakesOrder(r.format)
	}
	return f.Takes(r.offer)
}

// namesIn are the order's names, those of every candidate where strides cannot tell; none where there are gaps.
func (r *formatsReport) namesIn(f notation.Framework) []string {
	orders := r.offer.Orders
	if r.layout == nil {
		orders = []notation.Format{r.format}
	}
	var names []string
	for _, order := range f.Among(orders) {
		if len(names) == 0 || len(r.Candidates) > 1 {
			names = append(names, order.NamesIn(f.Name)...)
		}
	}
	if f.Name == notation.XLA && len(names) == 0 && strings.HasPrefix(r.Asked, "{") {
		return []string{r.Asked}
	}
	return names
}

// pass fills in the dims that the framework is told of, and their strides where it is told any.
func (r *formatsReport) pass(row *formatsFramework, as notation.As) {
	switch as {
	case notation.Physical:
		row.Shape, row.Symbols = r.Physical, r.Symbols
	case notation.Split:
		row.Symbols = r.splitSymbols()
	default:
		row.Shape, row.Symbols = r.Shape, r.Dims
	}
	if row.Framework == notation.CuDNN && r.blocked && len(r.format.NamesIn(notation.CuDNN)) > 0 {
		row.Unit = notation.Vectors
	}
	if row.Unit != "" && r.layout != nil {
		r.passStrides(row, r.offer.Dims(as))
	}
}

// passStrides fills in the strides of those dims, as the framework counts them.
func (r *formatsReport) passStrides(row *formatsFramework, s tensor.Strided) {
	row.Strides = s.Strides
	switch {
	case row.Framework == notation.DirectML:
		if row.Shape, row.Strides = s.DirectMLDesc(); s.CContiguous().OK {
			row.Strides = nil
		}
	case row.Framework == notation.CuTeName:
		row.Notation, row.Strides = notation.CuTe(*r.layout), r.Strides
	case row.Framework == notation.OneDNN && r.blocked:
		row.Strides = r.outerStrides()
	case row.Unit == notation.Vectors:
		row.Shape, row.Strides = r.layout.PaddedShape(), r.vectorStrides()
	case row.Unit == notation.Bytes:
		row.Strides = eachInBytes(s.Strides, r.ItemSize)
	}
}

// splitSymbols are the dims of one digit each.
func (r *formatsReport) splitSymbols() []string {
	var symbols []string
	for d := range r.Dims {
		for _, a := range r.format.DigitAxes(d) {
			symbols = append(symbols, r.symbol(a))
		}
	}
	return symbols
}

// outerStrides are those of a oneDNN descriptor: from one block of a dim to the next.
func (r *formatsReport) outerStrides() []int {
	strides := make([]int, r.layout.Rank())
	for d := range strides {
		digits := r.layout.Dim(d).Digits
		strides[d] = digits[len(digits)-1].Stride
	}
	return strides
}

// vectorStrides are those of NCHW_VECT_C, whose element is a vector of channels, and whose C is a multiple of it.
func (r *formatsReport) vectorStrides() []int {
	strides := r.outerStrides()
	width := r.format.Axes()[len(r.format.Axes())-1].Extent
	for d := range strides {
		strides[d] /= max(width, 1)
	}
	return strides
}

// without names the frameworks that do not take the layout, by their reasons, in the order of Frameworks.
func (r *formatsReport) without() (reasons []string, who map[string][]string) {
	who = map[string][]string{}
	for _, row := range r.Frameworks {
		if !row.Missing {
			continue
		}
		why, _, _ := strings.Cut(row.Why, "; ") // the way out is said where one asks for it
		if why == notation.FrameworkOf(row.Framework).Nameless {
			why = ""
		}
		if !slices.Contains(reasons, why) {
			reasons = append(reasons, why)
		}
		who[why] = append(who[why], row.Framework)
	}
	return reasons, who
}
