package formatscmd

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/framework"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// frameworkRow is a framework's names for the layout and the shape and strides to pass to it. Both are null without sizes; strides are
// also null if the name implies them.
type frameworkRow struct {
	Framework string   `json:"framework"`  // name of the framework
	Names     []string `json:"spellings"`  // the framework's names for the layout
	Order     string   `json:"shape_kind"` // shape the framework takes: logical, physical or split, by digit
	// sizes of the dims, in logical order; of blocks, in values
	Shape []int `json:"shape" jsonschema:"null without --shape"`
	// sizes as letters: N, ⌈C/4⌉
	Symbols []string `json:"symbols" jsonschema:"null if the framework does not accept the layout"`
	// strides as the framework takes them, in stride_unit
	Strides  []int  `json:"native_strides" jsonschema:"null if the name implies them"`
	Unit     string `json:"stride_unit,omitempty"` // unit of native_strides: elements, bytes or vectors
	Notation string `json:"notation,omitempty"`
	// yes, no or unknown
	Answer tensor.Answer `json:"result" jsonschema:"unknown if no one has checked the type"`
	OK     bool          `json:"ok"`            // it holds or is accepted
	Why    string        `json:"why,omitempty"` // the reason

	framework *framework.Framework
	byBlocks  bool // strides go from one block to the next
}

// frameworkRows returns the rows of the frameworks.
func (r *report) frameworkRows() []frameworkRow {
	rows := []frameworkRow{}
	for _, f := range framework.All() {
		names := r.namesIn(f)
		answer := r.acceptance(f)
		if r.omits(f, answer, names) {
			continue
		}
		row := frameworkRow{framework: f, Framework: f.Name, Names: []string{}, Answer: answer.Result(), OK: answer.OK, Why: answer.Why}
		if answer.OK {
			row.Names = text.OrEmpty(names)
			row.Order = string(answer.As)
			row.Unit = f.Unit
			r.addDims(&row, answer.As)
			if f == framework.CuTe && r.layout != nil && !r.layout.Swizzle().IsZero() {
				row.Names = []string{row.Notation}
			}
		}
		rows = append(rows, row)
	}
	return append(rows, r.sharedRows()...)
}

// omits reports whether a framework has no row: it is not selected, or has no name for the layout and either is rare and refuses it or needs sizes
// that are not given.
func (r *report) omits(f *framework.Framework, answer framework.Answer, names []string) bool {
	if !selected(r.framework, f.Name) {
		return true
	}
	if r.framework != allFrameworks || len(names) > 0 {
		return false
	}
	if f.Rare && !answer.OK {
		return true
	}
	return f.Order == framework.ByOwnDigits && r.layout == nil
}

// sharedRows returns the names of a layout of shared memory in Triton and TMA; a name as asked is Triton's.
func (r *report) sharedRows() (rows []frameworkRow) {
	if r.layout == nil || !r.exact || r.framework != allFrameworks {
		return nil
	}
	known := &r.offer.DType
	if !r.typed {
		known = nil
	}
	all := framework.SharedNames(*r.layout, known)
	if all == nil && r.named {
		all = []framework.SharedName{{Framework: framework.Triton}}
	}
	dense := func(name string) string { return strings.ReplaceAll(name, " ", "") }
	same := func(name string) bool { return dense(name) == dense(r.Asked) }
	for _, n := range all {
		if n.Framework == framework.Triton && r.named {
			n.Names = append([]string{r.Asked}, slices.DeleteFunc(n.Names, same)...)
			n.Why = ""
		}
		row := frameworkRow{framework: n.Framework, Framework: n.Framework.Name, Names: text.OrEmpty(n.Names), Answer: tensor.No, OK: n.Why == "", Why: n.Why}
		if row.OK {
			row.Answer = tensor.Yes
			row.Order = string(framework.Logical)
			r.addDims(&row, framework.Logical)
		}
		rows = append(rows, row)
	}
	return rows
}

// acceptance returns whether a framework accepts the layout. XLA accepts its own notation, even if NamesOf has no name for it, but only
// its own types.
func (r *report) acceptance(f *framework.Framework) framework.Answer {
	var a framework.Answer
	if r.layout == nil {
		a = f.AcceptsOrder(r.format, r.givenType)
	} else {
		a = f.Expresses(r.offer)
	}
	if f == framework.XLA && strings.HasPrefix(r.Asked, "{") && a.Why == f.Nameless {
		return framework.Answer{OK: true, As: framework.Logical}
	}
	return a
}

// namesIn returns the order's names that apply to the type, or those of every order that the strides could have; none for a layout
// with gaps.
func (r *report) namesIn(f *framework.Framework) []string {
	names := r.orderNames(f)
	if f == framework.XLA && len(names) == 0 && strings.HasPrefix(r.Asked, "{") {
		return []string{r.Asked}
	}
	return names
}

// orderNames returns the framework's names for the order, or for every order that the strides could have.
func (r *report) orderNames(f *framework.Framework) (names []string) {
	if r.layout == nil {
		return f.NamesAccepting(r.format, r.givenType)
	}
	if len(r.Candidates) < 2 || f.Order == framework.ByFormat {
		return f.NamesFor(r.offer)
	}
	for _, order := range f.Supported(r.offer.Orders) {
		names = append(names, f.NamesAccepting(order, &r.offer.DType)...)
	}
	return names
}

// addDims sets the dims to pass, and their strides if the framework accepts any.
func (r *report) addDims(row *frameworkRow, as framework.As) {
	switch as {
	case framework.Physical:
		row.Shape = r.Physical
		row.Symbols = r.Symbols
	case framework.Split:
		row.Symbols = r.splitSymbols()
	default:
		row.Shape = r.Shape
		row.Symbols = r.Dims
	}
	row.byBlocks = r.blocked && len(row.Names) > 0 && row.framework.BlockUnit != ""
	if row.byBlocks {
		row.Unit = row.framework.BlockUnit
	}
	if row.Unit != "" && r.layout != nil {
		r.addStrides(row, r.offer.Dims(as))
	}
	if row.framework.Sizes == framework.InnermostFirst {
		row.Shape = backwards(row.Shape)
		row.Symbols = backwards(row.Symbols)
		row.Strides = backwards(row.Strides)
	}
}

// backwards returns a list in reverse order; nil for nil.
func backwards[T any](list []T) []T {
	list = slices.Clone(list)
	slices.Reverse(list)
	return list
}

// addStrides sets the strides of those dims in the framework's unit.
func (r *report) addStrides(row *frameworkRow, s tensor.Strided) {
	if row.framework == framework.DirectML {
		row.Shape, row.Strides = s.DirectMLDesc()
		if s.CContiguous().OK {
			row.Strides = nil
		}
		return
	}
	if row.framework.Order == framework.ByOwnDigits {
		row.Notation = notation.CuTe(*r.layout)
		row.Strides = r.Strides
		return
	}
	if slices.Contains(row.Names, framework.ScaleReordering) {
		row.Shape = r.layout.PaddedShape()
		row.Unit = framework.Elements
		row.Strides = []int{row.Shape[1], 1}
		return
	}
	if row.Unit == framework.Vectors {
		row.Shape = r.layout.PaddedShape()
		row.Strides = r.vectorStrides()
		return
	}
	if row.byBlocks {
		row.Strides = r.outerStrides()
		return
	}
	row.Strides = s.Strides
	if row.Unit == framework.Bytes && !r.dtype.Packed() {
		row.Strides = tensor.InBytes(s.Strides, r.ItemSize)
	}
}

// splitSymbols returns the symbols of dims of one digit each.
func (r *report) splitSymbols() []string {
	var symbols []string
	for d := range r.Dims {
		for _, a := range r.format.DigitAxes(d) {
			at := slices.Index(r.format.Axes(), a)
			symbols = append(symbols, r.Symbols[at])
		}
	}
	return symbols
}

// outerStrides returns the strides of a oneDNN descriptor: from one block of a dim to the next.
func (r *report) outerStrides() []int {
	strides := make([]int, r.layout.Rank())
	for d := range strides {
		digits := r.layout.Dim(d).Digits
		strides[d] = digits[len(digits)-1].Stride
	}
	return strides
}

// vectorStrides returns the strides of NCHW_VECT_C, whose element is a vector of channels, and whose C is a multiple of it.
func (r *report) vectorStrides() []int {
	strides := r.outerStrides()
	width := r.format.Axes()[len(r.format.Axes())-1].Extent
	for d := range strides {
		strides[d] /= max(width, 1)
	}
	return strides
}

// refusals groups the frameworks of an answer, no or unknown, by reason; "" means that they have no name for the layout.
func (r *report) refusals(answer tensor.Answer) (reasons []string, who map[string][]string) {
	who = map[string][]string{}
	for _, row := range r.Frameworks {
		if row.Answer != answer {
			continue
		}
		why, _, _ := strings.Cut(row.Why, "; ") // without the workaround
		if row.framework.Nameless != "" && strings.HasPrefix(why, row.framework.Nameless) {
			why = ""
		}
		if !slices.Contains(reasons, why) {
			reasons = append(reasons, why)
		}
		who[why] = append(who[why], row.Framework)
	}
	return reasons, who
}

// frameworkTable lists what to pass to the frameworks that accept the layout.
func (r *report) frameworkTable() render.Table {
	t := render.Table{Title: "Shape, strides and name in each framework", Header: []string{"framework", "shape", "strides", "name"}}
	for _, f := range r.Frameworks {
		if !f.OK {
			continue
		}
		name := cmp.Or(strings.Join(f.Names, ", "), "-")
		shape := strings.Join(f.sizes(), ",") + " " + f.Order
		strides := f.stridesText()
		if f.framework.Sizes == framework.InnermostFirst {
			shape = "ne " + shape
			strides = "nb " + strides
		}
		if f.Notation != "" {
			shape, strides, _ = strings.Cut(f.Notation, ":")
			name = "shape:stride"
		}
		t.Add(f.Framework, shape, strides, name)
	}
	return t
}

// passText explains the terms of the table, and why frameworks are missing from it.
func (r *report) passText() string {
	var parts []string
	has := func(test func(frameworkRow) bool) bool { return slices.ContainsFunc(r.Frameworks, test) }
	as := func(a framework.As) bool { return has(func(f frameworkRow) bool { return f.Order == string(a) }) }
	if has(func(f frameworkRow) bool { return f.OK }) {
		parts = append(parts, "logical is "+strings.Join(r.Dims, ",")+" in any memory order")
		if r.Packed || as(framework.Physical) {
			parts = append(parts, "physical "+strings.ReplaceAll(r.Explicit, " ", ","))
		}
		if as(framework.Split) {
			parts = append(parts, "split "+r.splitNames())
		}
		parts = append(parts, "strides in elements unless noted")
		if has(func(f frameworkRow) bool { return f.OK && f.framework.Sizes == framework.InnermostFirst }) {
			parts = append(parts, "ne and nb list the innermost dim first")
		}
	}
	reasons, who := r.refusals(tensor.No)
	for _, why := range reasons {
		if why == "" {
			parts = append(parts, "no name in "+strings.Join(who[why], ", "))
		} else {
			parts = append(parts, "refused by "+strings.Join(who[why], ", ")+": "+why)
		}
	}
	reasons, who = r.refusals(tensor.Unknown)
	for _, why := range reasons {
		parts = append(parts, "unknown of "+strings.Join(who[why], ", ")+": "+why)
	}
	return strings.Join(parts, "; ")
}

// splitNames returns the names of dims of one digit each, including leading ones of size 1.
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

// sizes returns the sizes of the dims to pass; symbols if there are no numbers.
func (f *frameworkRow) sizes() []string {
	if f.Shape != nil {
		return text.Each(f.Shape)
	}
	return f.Symbols
}

func (f *frameworkRow) stridesText() string {
	if f.Unit == "" {
		if len(f.Names) == 0 {
			return "row-major"
		}
		return "by name"
	}
	if f.Shape == nil {
		return "in " + f.Unit
	}
	if f.framework == framework.DirectML && f.Strides == nil {
		return "nullptr"
	}
	strides := strings.Join(text.Each(f.Strides), ",")
	return strings.TrimSuffix(strides+" "+f.Unit, " elements")
}
