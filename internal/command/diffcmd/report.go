package diffcmd

import (
	"cmp"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/file/document"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/relate"
	"github.com/tlayout/tlayout/internal/relate/diff"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/text"
)

// Documents lists the JSON documents of the command.
var Documents = []cli.Document{
	{Schema: "tlayout/diff/v1", Prints: "diff", Type: reflect.TypeFor[withRows]()},
	{Schema: "tlayout/diff_tensors/v1", Prints: "diff of archives and checkpoints", Type: reflect.TypeFor[tensorsReport]()},
}

// withRows is the type of a report's document, whose rows are written one by one.
type withRows struct {
	report
	Rows []row `json:"differing"` // the first elements that differ
}

// report compares two tensors. Elements and Differing are null if types or shapes differ, so that nothing was counted.
type report struct {
	Schema    string   `json:"schema,omitempty"`     // kind and version of the document
	A         side     `json:"a"`                    // the first source
	B         side     `json:"b"`                    // the second source
	Compare   string   `json:"compare"`              // how elements are compared: bits, numbers or close
	RTol      *float64 `json:"rtol,omitempty"`       // relative tolerance
	ATol      *float64 `json:"atol,omitempty"`       // absolute tolerance
	Equal     bool     `json:"equal"`                // both hold the same
	DiffersIn []string `json:"differs_in,omitempty"` // dtype, shape or elements
	Elements  *int     `json:"compared_elems"`       // elements compared
	Differing *int     `json:"differing_elems"`      // elements that differ
	// largest difference of two elements
	MaxAbs    *distance `json:"max_abs_diff,omitempty" jsonschema:"of elements that differ, or of all if none does"`
	NotFinite int       `json:"not_finite,omitempty"` // differing elements without a finite difference
	Relation  *relation `json:"relation"`             // the layout mistake that turned a into b, if found
	rows
	document.Remarks

	itemSize int       // bytes of an element of a
	dtypes   [2]string // as text; records with the same fields have their offsets too
	first    []int     // the coordinate of the first element that differs

	pair   *pair // open until the report is written
	listed []int // logical indices of the elements that rows list
	// listing: --limit asks for the rows, even if the relation explains them
	listing bool
}

// side is one of the two tensors. The shape of its file is physical, Shape is logical.
type side struct {
	document.Named
	DType     string `json:"dtype"`
	ByteOrder string `json:"byte_order"`
	cli.Side
	Assumed bool `json:"layout_assumed"`

	mark string // source.Tensor.OrderMark of an assumed order
}

type distance struct {
	Value float64 `json:"abs_diff"` // |a − b|
	Coord []int   `json:"coord"`    // indices of an element, in logical order
}

// newReport reports on a pair; found is nil if elements were not compared.
func newReport(p *pair, found *diff.Result) *report {
	r := &report{Schema: "tlayout/diff/v1", A: newSide(p.tensors[0]), B: newSide(p.tensors[1]), Compare: comparison(p.rule), DiffersIn: p.differsIn(),
		Remarks: document.Remarks{Notes: p.notes(), Warnings: p.ofSides(func(t *source.Tensor) []string { return t.Warnings })}, dtypes: p.dtypes(), itemSize: p.tensors[0].DType.ItemSize(), pair: p}
	if r.Compare == "close" {
		r.RTol = &p.rule.RTol
		r.ATol = &p.rule.ATol
	}
	if found == nil {
		return r
	}
	elements := p.layouts[0].Numel()
	r.Elements = &elements
	r.Differing = &found.Differing
	r.NotFinite = found.NotFinite
	r.listed = found.First
	r.Equal = found.Differing == 0
	if !r.Equal {
		r.DiffersIn = []string{"elements"}
	}
	if len(found.First) > 0 {
		r.first = diff.Coord(p.layouts[0], found.First[0])
	}
	if found.Apart > 0 {
		r.MaxAbs = &distance{found.Apart, diff.Coord(p.layouts[0], found.ApartAt)}
	}
	return r
}

// comparison returns what a rule compares: close, numbers or bits.
func comparison(rule diff.Rule) string {
	if rule.RTol > 0 || rule.ATol > 0 {
		return "close"
	}
	if rule.Numeric {
		return "numbers"
	}
	return "bits"
}

func newSide(t *source.Tensor) side {
	s := side{Named: document.NewNamed(t.Source), DType: t.DType.String(), ByteOrder: t.DType.Order().String(),
		Side: cli.NewSide(t.OrderName(), t.FileShape, t.Layout), Assumed: t.Assumed()}
	if s.Assumed {
		s.mark = t.OrderMark()
	}
	return s
}

// dtypes returns the names of both types, with the offsets of fields if the types differ only in these.
func (p *pair) dtypes() [2]string {
	a, b := p.tensors[0].DType, p.tensors[1].DType
	if a.String() == b.String() && !diff.Alike(a, b) {
		return [2]string{a.Placed(), b.Placed()}
	}
	return [2]string{a.String(), b.String()}
}

// notes returns notes on how the sides were matched, and those of each side.
func (p *pair) notes() []string {
	notes := []string{}
	if note := p.typesNote(); note != "" {
		notes = append(notes, note)
	}
	if !p.names && p.sameShape() {
		dims := func(i int) string { return strings.Join(p.tensors[i].Layout.Names(), ",") }
		notes = append(notes, "dims are matched by position: "+dims(0)+" and "+dims(1))
	}
	if !p.sameShape() {
		notes = append(notes, p.otherReading()...)
	}
	return append(notes, p.ofSides((*source.Tensor).Notes)...)
}

// typesNote returns a note on types that differ, and that --numeric compares, or on byte orders that differ; empty if there is none.
func (p *pair) typesNote() string {
	a := p.tensors[0].DType
	b := p.tensors[1].DType
	if !p.rule.Comparable(a, b) && (diff.Rule{Numeric: true}).Comparable(a, b) {
		return "--numeric compares numbers of different types"
	}
	if diff.Alike(a, b) && a.Order() != b.Order() {
		return "byte orders differ, " + a.Order().String() + " and " + b.Order().String() + ", and are ignored"
	}
	return ""
}

// ofSides returns the texts of both sides, each after its side's name.
func (p *pair) ofSides(texts func(t *source.Tensor) []string) []string {
	all := []string{}
	for i, t := range p.tensors {
		for _, text := range texts(t) {
			all = append(all, p.sources[i].Shown()+": "+text)
		}
	}
	return all
}

// isUnexplained reports whether they differ, and no relation says where all elements of b are in a.
func (r *report) isUnexplained() bool {
	if r.Equal {
		return false
	}
	return r.Relation == nil || r.Relation.Kind == relate.Shuffled || r.Relation.IsPart()
}

// Failed reports whether the tensors differ.
func (r *report) Failed() bool { return !r.Equal }

// WriteJSON writes the report, and the rows as its last member, one by one.
func (r *report) WriteJSON(w io.Writer, alone bool) error {
	list, err := cli.BeginList(w, r, "differing", alone)
	if err != nil {
		return err
	}
	if err := r.each(func(x row) error { return list.Add(x) }); err != nil {
		return err
	}
	return list.End()
}

// WriteCSV lists the elements that differ, with a column for each dim.
func (r *report) WriteCSV(w io.Writer) error {
	var header []string
	for _, dim := range r.A.Dims {
		header = append(header, strings.ToLower(dim))
	}
	out := render.StreamCSV(w, render.Columns{Header: append(header, rowColumns.Header...)})
	err := r.each(func(x row) error { return out.Row(append(text.Each(x.Coord), rowColumns.Cells(x)...)...) })
	if err != nil {
		return err
	}
	return out.Close()
}

// Page writes the answer and the elements that differ; the two layouts only if they differ too.
func (r *report) Page(p *cli.Page) {
	if p.Quiet() {
		p.Answer(r.names() + " differ")
		return
	}
	if r.How != "" {
		p.Answer(r.madeOf())
		p.Items("they " + r.difference("differ"))
	} else if r.Relation == nil {
		p.Answer(r.headline())
		p.Items(r.distances()...)
	} else {
		answer, more := r.Relation.lines(r.A.Shown(), r.B.Shown())
		if name := r.called(r.pair.ownNames()...); name != "" {
			more = append([]string{name}, more...)
		}
		p.Answer(answer)
		p.Items(append(append(more, "they "+r.difference("differ")), r.distances()...)...)
		if r.Relation.Fix != "" {
			p.Code("Fix", "sh", []string{r.Relation.Fix})
		}
	}
	r.writeSides(p)
	if !r.isExplained() || p.All() || r.listing {
		r.writeElements(p)
	}
	p.Notes(r.Notes)
	p.More(r.more()...)
}

// writeSides writes the two layouts: in a table if they are why elements were not compared, and in a line each if they differ too.
func (r *report) writeSides(p *cli.Page) {
	if r.isExplained() && !p.All() {
		return
	}
	if p.All() || r.Differing == nil {
		sides := r.sideTable()
		p.Section(sides.Fit(p.Columns(), render.Break(len(sides.Header)-3, len(sides.Header)-2)))
		return
	}
	if !r.Equal && r.A.Notation != r.B.Notation {
		p.Items("a: "+r.A.text(), "b: "+r.B.text())
	}
}

// more returns the flags that show what the page omits.
func (r *report) more() []string {
	if r.isExplained() {
		return []string{"--all"}
	}
	if r.Differing == nil {
		return nil
	}
	if !r.Equal && r.Compare == "bits" && isInexact(r.pair.tensors[0].DType) {
		return []string{"--all", "--numeric for the largest difference", "--rtol 1e-5 for close numbers"}
	}
	return []string{"--all"}
}

// isExplained reports whether the answer says more than that they differ.
func (r *report) isExplained() bool { return r.Relation != nil || r.How != "" }

// madeOf says of which rows of the other one tensor is made.
func (r *report) madeOf() string {
	if r.ofA {
		return r.A.Shown() + " is " + r.How
	}
	return r.B.Shown() + " is " + r.How
}

// headline returns the answer in one line.
func (r *report) headline() string {
	if !r.Equal {
		return r.names() + " " + r.difference("differ")
	}
	answer := "hold the same tensor"
	switch r.Compare {
	case "numbers":
		answer = "hold the same numbers"
	case "close":
		answer = "are close, within " + r.tolerance()
	}
	return r.names() + " " + answer + ": " + r.elementsText()
}

func (r *report) names() string {
	return r.A.Shown() + " and " + r.B.Shown()
}

// isInexact reports whether elements are rounded numbers.
func isInexact(d dtype.Type) bool { return d.Kind() == dtype.Float || d.Kind() == dtype.Complex }

// difference returns how they differ, in one line; the verb is differ or differs.
func (r *report) difference(verb string) string {
	if r.Differing == nil {
		return verb + " in " + strings.Join(r.dtypeAndShape(), ", and in ")
	}
	if r.Compare == "close" {
		verb += " by more than " + r.tolerance()
	}
	return fmt.Sprintf("%s in %d of %s, first at %s", verb, *r.Differing, text.Count(*r.Elements, "element"), tensor.Tuple(r.first))
}

// dtypeAndShape returns how dtype and shape differ.
func (r *report) dtypeAndShape() (parts []string) {
	if slices.Contains(r.DiffersIn, "dtype") {
		parts = append(parts, "dtype, "+text.Shorten(r.dtypes[0])+" and "+text.Shorten(r.dtypes[1]))
	}
	if slices.Contains(r.DiffersIn, "shape") {
		b := r.B.Sizes()
		if slices.Equal(r.A.Dims, r.B.Dims) {
			b = tensor.Tuple(r.B.Shape)
		}
		parts = append(parts, "shape, "+r.A.Sizes()+" and "+b)
	}
	return parts
}

// tolerance returns the right side of |a − b| ≤ atol + rtol·|b|.
func (r *report) tolerance() string {
	var parts []string
	if *r.ATol > 0 {
		parts = append(parts, fmt.Sprint(*r.ATol))
	}
	if *r.RTol > 0 {
		parts = append(parts, fmt.Sprint(*r.RTol)+"·|b|")
	}
	return strings.Join(parts, " + ")
}

// elementsText describes the tensor that both hold: 1280 elements of float32 (1, 64, 5, 4), NCHW and NHWC.
func (r *report) elementsText() string {
	dtype := text.Shorten(r.A.DType)
	if r.B.DType != r.A.DType {
		dtype += " and " + text.Shorten(r.B.DType)
	}
	s := fmt.Sprintf("%s of %s %s", text.Count(*r.Elements, "element"), dtype, tensor.Tuple(r.A.Shape))
	if len(r.A.Shape) == 0 {
		return s
	}
	if r.A.order() == r.B.order() {
		return s + ", both " + r.A.order()
	}
	return s + ", " + r.A.order() + " and " + r.B.order()
}

// order returns the name of the memory order, or its notation if it has no name.
func (s *side) order() string {
	return s.Layout + s.mark
}

// text returns the layout of a side: NCHW (assumed), strides (60, 20, 5, 1).
func (s *side) text() string {
	strides := s.StridesText()
	if s.Strides != nil {
		strides = "strides " + strides
	}
	if name := s.order(); name != s.Notation {
		return name + ", " + strides
	}
	return strides
}

// sideTable lists both tensors; a common dtype is its title.
func (r *report) sideTable() render.Table {
	t := render.Table{Title: text.Shorten(r.A.DType), Header: []string{"", "layout", "shape", "strides", "source"}}
	var dtypes [2]string
	for i, s := range []side{r.A, r.B} {
		t.Add(sideNames[i], cmp.Or(s.Name(), "strides")+s.mark, s.Sizes(), s.StridesText(), s.Shown())
		dtypes[i] = text.Shorten(r.dtypes[i])
		if a, b := r.A.ByteOrder, r.B.ByteOrder; a != b && a != "none" && b != "none" {
			dtypes[i] += ", " + s.ByteOrder
		}
	}
	if dtypes[0] != dtypes[1] {
		t.Title = "Sides"
		t.Header = slices.Insert(t.Header, 1, "dtype")
		for i := range t.Rows {
			t.Rows[i] = slices.Insert(t.Rows[i], 1, dtypes[i])
		}
	}
	return t
}

// distances returns lines on the largest difference and on differences that are not finite.
func (r *report) distances() (lines []string) {
	n := r.NotFinite
	finite := ""
	if n > 0 {
		finite = "finite "
	}
	if m := r.MaxAbs; m != nil {
		lines = append(lines, fmt.Sprintf("largest %sabsolute difference: %g at %s", finite, m.Value, tensor.Tuple(m.Coord)))
	}
	if n > 0 {
		have := text.Plural(n, "element has", "elements have")
		lines = append(lines, fmt.Sprintf("%d differing %s no finite difference: NaN, infinite or not a number", n, have))
	}
	return lines
}
