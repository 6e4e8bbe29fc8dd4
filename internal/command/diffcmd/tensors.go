package diffcmd

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/document"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// tensorsReport compares two archives or checkpoints.
type tensorsReport struct {
	Schema     string      `json:"schema"`             // kind and version of the document
	A          archiveSide `json:"a"`                  // the first source
	B          archiveSide `json:"b"`                  // the second source
	Equal      bool        `json:"equal"`              // both hold the same
	Same       int         `json:"same_tensors"`       // tensors of one name with equal elements
	Relaid     int         `json:"relaid_tensors"`     // same_tensors in another layout
	Differing  int         `json:"differing_tensors"`  // tensors of both that differ
	Moved      int         `json:"moved_tensors"`      // tensors of both under two names
	Rearranged int         `json:"rearranged_tensors"` // same elements in another order
	Converted  int         `json:"converted_tensors"`  // same numbers: rounded, scaled, or within a tolerance
	Made       int         `json:"made_tensors"`       // made of rows of the other side's
	Tied       int         `json:"tied_tensors"`       // second names
	OnlyA      int         `json:"only_in_a"`          // tensors that only a has
	OnlyB      int         `json:"only_in_b"`          // tensors that only b has
	Unread     int         `json:"unreadable_tensors"` // tensors that cannot be read
	// the first tensor that differs, in the order of the numbers in names
	FirstDiffers *string        `json:"first_differing"`
	Tensors      []tensorReport `json:"tensors"`
	document.Remarks

	noun   string
	recipe *recipeReport // nil if none was written
}

// archiveSide is one of the two.
type archiveSide struct {
	document.Named
	Tensors int `json:"tensor_count"` // tensors compared
}

// tensorReport is the outcome of one name; its report is nil if only one side has the tensor, or if it is unreadable.
type tensorReport struct {
	Name     string        `json:"name"` // its name
	Raw      []byte        `json:"name_base64,omitempty"`
	OnlyIn   string        `json:"only_in,omitempty"`         // the only side that has it: a or b
	MovedTo  *string       `json:"moved_to,omitempty"`        // the tensor's name in b
	MovedRaw []byte        `json:"moved_to_base64,omitempty"` // its bytes, if not UTF-8
	Error    *fault.Record `json:"error,omitempty"`
	TiedTo   *string       `json:"tied_to,omitempty"` // other side's tensor with these elements
	rows
	Ambiguous bool  `json:"pair_ambiguous,omitempty"` // other tensors have these elements too
	Relaid    bool  `json:"layouts_differ,omitempty"` // same elements in another layout
	First     []int `json:"first_coord,omitempty"`    // coordinate of the first element that differs
	*report   `json:",omitempty"`

	outcome   outcome
	explained explanation // for a recipe
}

// outcome is the result for one tensor.
type outcome string

const (
	same       outcome = "same"
	relaid     outcome = "same_elements" // in another layout
	differs    outcome = "differs"
	moved      outcome = "moved"
	rearranged outcome = "rearranged" // same elements in another order
	recast     outcome = "converted"  // same numbers in the same order: rounded, scaled, or within a tolerance
	made       outcome = "made"
	tied       outcome = "tied"
	onlyInA    outcome = "only_in_a"
	onlyInB    outcome = "only_in_b"
	unreadable outcome = "unreadable"
)

// equal reports whether both sides have the tensor, under this name and with the same elements.
func (o outcome) equal() bool { return o == same || o == relaid }

// listedOutcomes are the outcomes whose tensors a page lists, in this order.
var listedOutcomes = []outcome{differs, unreadable, rearranged, recast, moved, made, tied, onlyInA, onlyInB, relaid}

// brief reports whether the first difference answers the question.
func (d *differ) brief() bool { return d.Quiet && d.Format == cli.Table }

// isDecidedByFirst reports whether one tensor that differs answers what was asked. A recipe needs all of them.
func (d *differ) isDecidedByFirst() bool { return d.brief() && !d.options.asksRecipe() }

// all compares the tensors of both sources by name. The first unreadable one determines the exit code.
func (d *differ) all() error {
	d.dropPrefixes()
	r := &tensorsReport{Schema: "tlayout/diff_tensors/v1", Tensors: []tensorReport{}, Remarks: document.Remarks{Notes: d.notes, Warnings: d.warnings}, noun: d.noun}
	for i, side := range []*archiveSide{&r.A, &r.B} {
		in := d.inputs[i]
		*side = archiveSide{document.NewNamed(in.source), len(in.names)}
	}
	var failed error
	names := d.union()
	r.Tensors = slices.Grow(r.Tensors, len(names))
	for _, name := range names {
		t, err := d.compareNamed(name, name, notSearched)
		if err != nil {
			d.PrintError(err)
			failed = cmp.Or(failed, err)
		}
		if t.report != nil {
			r.Warnings = append(r.Warnings, t.report.Warnings...)
		}
		r.Tensors = append(r.Tensors, t)
		if d.isDecidedByFirst() && failed == nil && !t.outcome.equal() {
			break
		}
	}
	if !d.isDecidedByFirst() {
		r.Tensors = d.byContents(r.Tensors)
	}
	r.count()
	if d.options.asksRecipe() && failed == nil {
		made, err := d.writeRecipe(r.Tensors)
		if err != nil {
			return err
		}
		r.recipe = made
	}
	if err := d.Write(r); err != nil {
		return err
	}
	if failed != nil {
		return cli.Reported(failed)
	}
	if r.recipe != nil {
		return verdict(r.recipe.isWhole())
	}
	return verdict(r.Equal)
}

// union lists the names of a, then those that only b has.
func (d *differ) union() []string {
	a, b := d.inputs[0], d.inputs[1]
	onlyB := slices.DeleteFunc(slices.Clone(b.names), func(tensor string) bool { return !a.sources[tensor].IsZero() })
	return slices.Concat(a.names, onlyB)
}

// compareNamed compares a tensor of a with one of b; either side may lack the name. If they differ, it looks for their relation.
func (d *differ) compareNamed(inA, inB string, s search) (tensorReport, error) {
	r := tensorReport{Name: inA, Raw: text.RawBytes(inA)}
	sources := [2]name.Name{d.inputs[0].sources[inA], d.inputs[1].sources[inB]}
	if i := slices.Index(sources[:], name.Name{}); i >= 0 {
		r.OnlyIn = sideNames[1-i]
		r.outcome = [2]outcome{onlyInB, onlyInA}[i]
		return r, nil
	}
	p, err := d.open(sources)
	defer p.close()
	var found *report
	if err == nil {
		found, err = p.compare(d)
	}
	if err == nil && s != notSearched && !found.Equal {
		err = p.relate(d, found, s)
	}
	if err != nil {
		r.Error = fault.RecordOf(err)
		r.outcome = unreadable
		return r, err
	}
	if d.options.asksRecipe() {
		r.explained = p.explain(found)
	}
	r.outcome = p.outcome(found)
	r.Relaid = r.outcome == relaid
	found.Schema = ""
	found.pair = nil
	found.listed = nil // releases the tensors
	r.report = found
	r.First = found.first
	return r, nil
}

// outcome returns the outcome of two tensors that were compared.
func (p *pair) outcome(found *report) outcome {
	if !found.Equal {
		return differs
	}
	if sameAddresses(p.layouts[0], p.layouts[1]) {
		return same
	}
	return relaid
}

// sameAddresses reports whether two layouts of one shape have the same offsets, relative to the first element.
func sameAddresses(a, b tensor.Layout) bool {
	s, plain := a.Strided()
	t, alsoPlain := b.Strided()
	if !plain || !alsoPlain {
		return plain == alsoPlain && a.String() == b.String()
	}
	for i, size := range s.Shape {
		if size > 1 && s.Strides[i] != t.Strides[i] && a.Numel() > 0 {
			return false
		}
	}
	return true
}

// count counts the outcomes.
func (r *tensorsReport) count() {
	n := map[outcome]int{}
	for _, t := range r.Tensors {
		n[t.outcome]++
	}
	for _, t := range r.of(differs) {
		r.FirstDiffers = &t.Name
		break
	}
	r.Same = n[same] + n[relaid]
	r.Relaid = n[relaid]
	r.Differing = n[differs]
	r.Moved = n[moved]
	r.Rearranged = n[rearranged]
	r.Converted = n[recast]
	r.Made = n[made]
	r.Tied = n[tied]
	r.OnlyA = n[onlyInA]
	r.OnlyB = n[onlyInB]
	r.Unread = n[unreadable]
	r.Equal = r.Same == len(r.Tensors) && len(r.Notes) == 0 // the names differ too
}

// Failed reports whether a tensor differs.
func (r *tensorsReport) Failed() bool { return !r.Equal }

// shownTensors bounds the tensors that a page lists without --all.
const shownTensors = 14

// Page writes the answer, and a line for each tensor that is not the same, those in another layout last.
func (r *tensorsReport) Page(p *cli.Page) {
	a, b := r.A.Shown(), r.B.Shown()
	if p.Quiet() {
		p.Answer(a + " and " + b + " differ")
		return
	}
	p.Answer(r.headline(a, b))
	var lines []string
	for _, outcome := range listedOutcomes {
		for _, t := range r.of(outcome) {
			lines = append(lines, shownName(t.Name)+": "+t.text())
		}
	}
	more := len(lines) - shownTensors
	if more > 1 && !p.All() {
		lines = append(lines[:shownTensors], fmt.Sprintf("… %d more", more))
	}
	p.Items(lines...)
	if r.recipe != nil {
		p.Remarks(r.recipe.lines()...)
	}
	p.Remarks(r.largest()...)
	p.Remarks(r.closer()...)
	if more > 1 {
		p.More("--all")
	}
}

// of returns the tensors of an outcome: those that differ in the order of the numbers in their names, so that the first layer is the first.
func (r *tensorsReport) of(o outcome) (some []*tensorReport) {
	for i := range r.Tensors {
		if t := &r.Tensors[i]; t.outcome == o {
			some = append(some, t)
		}
	}
	if o == differs {
		slices.SortStableFunc(some, func(x, y *tensorReport) int { return text.CompareNatural(x.Name, y.Name) })
	}
	return some
}

// headline returns the answer in one line: a.npz and b.npz differ: 1 of 5 arrays differs, 1 only in a.npz.
func (r *tensorsReport) headline(a, b string) string {
	var parts []string
	if n := r.Differing; n > 0 {
		parts = append(parts, fmt.Sprintf("%d of %s %s", n, text.Count(n+r.Same+r.Rearranged+r.Converted+r.Moved, r.noun), text.Plural(n, "differs", "differ")))
	}
	for _, x := range []struct {
		n    int
		text string
	}{{r.Rearranged, "rearranged"}, {r.Converted, "converted"}, {r.Moved, "moved"}, {r.Made, "made of rows"}, {r.Tied, "tied"}, {r.OnlyA, "only in " + a}, {r.OnlyB, "only in " + b}, {r.Unread, "cannot be read"}, {r.Relaid, "in another layout"}} {
		if x.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", x.n, x.text))
		}
	}
	parts = append(parts, r.Notes...)
	if !r.Equal {
		return fmt.Sprintf("%s and %s differ: %s", a, b, strings.Join(parts, ", "))
	}
	what := r.noun
	if r.Same != 1 {
		what = text.Count(r.Same, r.noun)
	}
	return strings.Join(append([]string{fmt.Sprintf("%s and %s hold the same %s", a, b, what)}, parts...), ", ")
}

var otherSide = map[string]string{"a": "b", "b": "a"}

// shownName returns a tensor's name as a page shows it.
func shownName(name string) string { return cmp.Or(text.Quote(name), "the tensor") }

// text returns a page's line about a tensor that is not the same.
func (t *tensorReport) text() string {
	switch t.outcome {
	case onlyInA, onlyInB:
		return "only in " + t.OnlyIn
	case unreadable:
		return "cannot be read"
	case moved, rearranged, recast:
		return t.movedText()
	case made:
		return t.madeText()
	case tied:
		return fmt.Sprintf("is %s of %s, under a second name", shownName(*t.TiedTo), otherSide[t.OnlyIn])
	case relaid:
		return t.layouts()
	}
	text := t.difference("differs")
	if r := t.report.Relation; r != nil {
		text += ": " + r.Sentence
	}
	if m := t.report.MaxAbs; m != nil {
		text += fmt.Sprintf(", by up to %.3g", m.Value)
	}
	if n := t.report.NotFinite; n > 0 {
		text += fmt.Sprintf(", %d without a finite difference", n)
	}
	return text
}

// madeText says of which rows of the other side's tensors a tensor is made; of a name that both have, b's is.
func (t *tensorReport) madeText() string {
	if t.OnlyIn == "" {
		return "in b is a's " + t.How
	}
	return "is " + otherSide[t.OnlyIn] + "'s " + t.How
}

// movedText returns the name of the tensor in b that has the elements, and their order or layout there.
func (t *tensorReport) movedText() string {
	var parts []string
	if t.MovedTo != nil {
		parts = append(parts, "is "+shownName(*t.MovedTo)+" in b")
	}
	if t.Ambiguous {
		parts = append(parts, "one of several with its elements")
	}
	if t.outcome == rearranged || t.outcome == recast {
		parts = append(parts, t.order())
	}
	if t.outcome == moved && t.Relaid {
		parts = append(parts, t.layouts())
	}
	return strings.Join(parts, ", ")
}

// layouts returns the two layouts, which differ.
func (t *tensorReport) layouts() string {
	a := &t.report.A
	b := &t.report.B
	if a.Strides == nil || b.Strides == nil {
		return "same elements, in layouts " + a.order() + " and " + b.order()
	}
	return "same elements, strides " + tensor.Tuple(a.Strides) + " and " + tensor.Tuple(b.Strides)
}

// largest returns a line on the largest absolute difference of all tensors; nil if no numbers were compared.
func (r *tensorsReport) largest() []string {
	var name string
	var largest *distance
	for _, t := range r.Tensors {
		if t.report == nil || t.MaxAbs == nil {
			continue
		}
		if largest == nil || t.MaxAbs.Value > largest.Value {
			name = t.Name
			largest = t.MaxAbs
		}
	}
	if largest == nil {
		return nil
	}
	return []string{fmt.Sprintf("largest absolute difference: %g, in %s at %s", largest.Value, shownName(name), tensor.Tuple(largest.Coord))}
}

// closer returns the command that compares the first differing tensor, unless their names cannot be typed.
func (r *tensorsReport) closer() []string {
	differing := r.of(differs)
	if len(differing) == 0 {
		return nil
	}
	a := name.Parse(differing[0].A.Source)
	b := name.Parse(differing[0].B.Source)
	if !a.IsTypable() || !b.IsTypable() {
		return nil
	}
	return []string{"one " + r.noun + ", element by element: tlayout diff " + a.Arg() + " " + b.Arg()}
}

// Rows returns a row for each tensor.
func (r *tensorsReport) Rows() render.Table {
	type tensorRow struct {
		tensorReport
		Result outcome `json:"result"`
		At     string  `json:"first_coord"`
	}
	var rows []tensorRow
	for _, t := range r.Tensors {
		next := tensorRow{tensorReport: t, Result: t.outcome}
		if t.First != nil {
			next.At = tensor.Tuple(t.First)
		}
		rows = append(rows, next)
	}
	return cli.TableOf("name,result,compared_elems,differing_elems,first_coord,moved_to,tied_to,max_abs_diff=max_abs_diff_abs_diff", rows...)
}
