package diff

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/convert"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/checkpoint"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/words"
)

// tensors are those of two archives, checkpoints or folders, to be compared by name.
type tensors struct {
	app      *cli.App
	options  *options
	names    [2][]string
	sources  [2]map[string]string // what each name is opened by
	noun     string               // array, if both are archives
	warnings []string
}

// byName returns the tensors to compare by name; nil if both sources are one tensor each.
func (o *options) byName(a *cli.App) (*tensors, error) {
	b := &tensors{app: a, options: o, sources: [2]map[string]string{{}, {}}, noun: "array", warnings: []string{}}
	if found, err := b.folders(); found || err != nil {
		return b, err
	}
	var sets [2]*source.Set
	var patterns [2]string
	for i, name := range o.sources {
		var err error
		sets[i], patterns[i], err = o.openers[i].at(name, o.reading(a, i, name))
		if err != nil || !sets[i].IsContainer() {
			return nil, err
		}
	}
	several := false
	for i, name := range o.sources {
		all, err := o.openers[i].expand(name, o.reading(a, i, name))
		if err != nil {
			return nil, err
		}
		several = several || len(all) > 1 || all[0] != name
		if err := b.list(i, sets[i], cmp.Or(patterns[i], patterns[1-i])); err != nil {
			return nil, err
		}
	}
	if !several {
		return nil, nil
	}
	return b, nil
}

// list adds the tensors of one side that match a pattern, those that are not shown among them: opening these says why.
func (b *tensors) list(i int, set *source.Set, pattern string) error {
	if set.Format != checkpoint.NPZ {
		b.noun = "tensor"
	}
	picked, err := set.Select(pattern)
	if err != nil {
		return err
	}
	for _, k := range picked {
		b.add(i, set.TensorName(k), set.Path+":"+set.TensorName(k))
	}
	for _, text := range set.Warnings() {
		b.warnings = append(b.warnings, source.DisplayName(set.Path)+": "+text)
	}
	return nil
}

// add adds a tensor, or what will say why it cannot be opened.
func (b *tensors) add(i int, name, source string) {
	b.names[i] = append(b.names[i], name)
	b.sources[i][name] = source
}

// tensorsReport is diff's answer about two archives or checkpoints.
type tensorsReport struct {
	Schema    string         `json:"schema"`
	A         archiveSide    `json:"a"`
	B         archiveSide    `json:"b"`
	Equal     bool           `json:"equal"`
	Same      int            `json:"same_tensors"`      // by name and element
	Relaid    int            `json:"relaid_tensors"`    // of those, in another layout
	Differing int            `json:"differing_tensors"` // that both have
	Moved     int            `json:"moved_tensors"`
	OnlyA     int            `json:"only_in_a"`
	OnlyB     int            `json:"only_in_b"`
	Unread    int            `json:"unreadable_tensors"`
	Tensors   []tensorReport `json:"tensors"`
	Warnings  []string       `json:"warnings"`

	noun string
}

// archiveSide is one of the two.
type archiveSide struct {
	Source  string `json:"source"`
	Raw     []byte `json:"source_base64,omitempty"` // base64, if the name is not UTF-8
	Tensors int    `json:"tensor_count"`            // that are compared
}

// tensorReport is the answer about one name. Of a tensor that only one side has, or that cannot be read, that is all.
type tensorReport struct {
	Name     string        `json:"name"`
	Raw      []byte        `json:"name_base64,omitempty"`
	OnlyIn   string        `json:"only_in,omitempty"`  // a, b
	MovedTo  *string       `json:"moved_to,omitempty"` // its name in b
	MovedRaw []byte        `json:"moved_to_base64,omitempty"`
	Error    *fault.Record `json:"error,omitempty"`
	Relaid   bool          `json:"layouts_differ,omitempty"`
	First    []int         `json:"first_coord,omitempty"` // the coordinate of the first element that differs
	*report  `json:",omitempty"`
}

// run compares all tensors. One that cannot be read decides the exit code.
func (b *tensors) run(moving convert.Options) error {
	a := b.app
	r := &tensorsReport{Schema: "tlayout/diff_tensors/v1", Tensors: []tensorReport{}, Warnings: b.warnings, noun: b.noun}
	for i, side := range []*archiveSide{&r.A, &r.B} {
		*side = archiveSide{words.Redact(b.options.sources[i]), words.RawBytes(b.options.sources[i]), len(b.names[i])}
	}
	brief := a.Quiet && a.Format == cli.Table
	var unread error
	for _, name := range b.union() {
		one, err := b.compare(name, name, moving)
		if err != nil {
			a.PrintError(err)
			unread = cmp.Or(unread, err)
		}
		if one.report != nil {
			r.Warnings = append(r.Warnings, one.report.Warnings...)
		}
		r.Tensors = append(r.Tensors, one)
		if brief && unread == nil && one.result() != same && one.result() != relaid {
			break
		}
	}
	if !brief {
		b.findMoved(r, moving)
	}
	r.count()
	if err := a.Write(r); err != nil {
		return err
	}
	if !r.Equal && unread == nil {
		unread = fault.New(fault.Negative, "they differ")
	}
	return cli.Said(unread)
}

// union lists the names of a, then those that b alone has.
func (b *tensors) union() []string {
	all := slices.Clone(b.names[0])
	for _, name := range b.names[1] {
		if b.sources[0][name] == "" {
			all = append(all, name)
		}
	}
	return all
}

// compare compares the tensor of a with that of b; names that are the same may be only one's.
func (b *tensors) compare(inA, inB string, moving convert.Options) (tensorReport, error) {
	r := tensorReport{Name: inA, Raw: words.RawBytes(inA)}
	one := *b.options
	one.sources, one.byNames = []string{b.sources[0][inA], b.sources[1][inB]}, true
	if i := slices.Index(one.sources, ""); i >= 0 {
		r.OnlyIn = sideNames[1-i]
		return r, nil
	}
	found, err := compare(b.app, &one, moving, func(found *report) error {
		if len(found.listed.first) > 0 {
			r.First = found.listed.lowest()
		}
		return nil
	})
	if err != nil {
		r.Error = fault.RecordOf(err)
		return r, err
	}
	if found.Schema = ""; found.Equal {
		found.listed = listed{} // nothing: the tensors need not be held
	}
	r.report, r.Relaid = found, found.Equal && found.relaid
	return r, nil
}

// count sums up.
func (r *tensorsReport) count() {
	n := map[string]int{}
	for i := range r.Tensors {
		n[r.Tensors[i].result()]++
	}
	r.Same, r.Relaid, r.Differing, r.Moved = n[same]+n[relaid], n[relaid], n[differs], n[moved]
	r.OnlyA, r.OnlyB, r.Unread = n[onlyInA], n[onlyInB], n[unreadable]
	r.Equal = r.Same == len(r.Tensors)
}

// Failed reports whether a tensor differs.
func (r *tensorsReport) Failed() bool { return !r.Equal }

// Warned are the warnings of all tensors.
func (r *tensorsReport) Warned() []string { return r.Warnings }

// shownTensors is how many tensors a page names without --all.
const shownTensors = 14

// Page writes the answer, and a line for each tensor that differs, those in another layout last.
func (r *tensorsReport) Page(p *cli.Page) {
	if p.Quiet() {
		p.Answer(source.DisplayName(r.A.Source) + " and " + source.DisplayName(r.B.Source) + " differ")
		return
	}
	p.Answer(r.headline())
	var lines []string
	for _, result := range results {
		for i := range r.Tensors {
			if one := &r.Tensors[i]; result != same && one.result() == result {
				lines = append(lines, cmp.Or(words.Quote(one.Name), "the tensor")+": "+one.text())
			}
		}
	}
	more := len(lines) - shownTensors
	if more > 1 && !p.All() {
		lines = append(lines[:shownTensors], fmt.Sprintf("… %d more", more))
	}
	p.Items(lines...)
	if text := r.largest(); text != "" {
		p.Remarks(text)
	}
	if one := slices.IndexFunc(r.Tensors, func(one tensorReport) bool { return one.result() == differs }); one >= 0 {
		x := r.Tensors[one].report
		if names := x.A.Source + x.B.Source; words.Quote(names) == names {
			p.Remarks("one " + r.noun + ", element by element: tlayout diff " + words.Shell(x.A.Source) + " " + words.Shell(x.B.Source))
		}
	}
	if more > 1 {
		p.More("--all")
	}
}

// headline is the answer in one line: a.npz and b.npz differ: 1 of 5 arrays differs, 1 is only in a.npz.
func (r *tensorsReport) headline() string {
	a, b := source.DisplayName(r.A.Source), source.DisplayName(r.B.Source)
	var parts []string
	if n := r.Differing; n > 0 {
		parts = append(parts, fmt.Sprintf("%d of %s %s", n, words.Count(n+r.Same, r.noun), words.Plural(n, "differs", "differ")))
	}
	for _, x := range []struct {
		n    int
		text string
	}{{r.Moved, "moved"}, {r.OnlyA, "only in " + a}, {r.OnlyB, "only in " + b}, {r.Unread, "cannot be read"}, {r.Relaid, "in another layout"}} {
		if x.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", x.n, x.text))
		}
	}
	text := strings.Join(parts, ", ")
	if !r.Equal {
		return fmt.Sprintf("%s and %s differ: %s", a, b, text)
	}
	if text != "" {
		text = ", " + text
	}
	if r.Same == 1 {
		return fmt.Sprintf("%s and %s hold the same %s%s", a, b, r.noun, text)
	}
	return fmt.Sprintf("%s and %s hold the same %s%s", a, b, words.Count(r.Same, r.noun), text)
}

// What is said of a tensor, in a word.
const (
	same       = "same"
	relaid     = "same_elements" // in another layout
	differs    = "differs"
	moved      = "moved"
	onlyInA    = "only_in_a"
	onlyInB    = "only_in_b"
	unreadable = "unreadable"
)

// results are in the order of a page.
var results = []string{differs, unreadable, moved, onlyInA, onlyInB, relaid, same}

func (one *tensorReport) result() string {
	switch {
	case one.OnlyIn != "":
		return "only_in_" + one.OnlyIn
	case one.report == nil:
		return unreadable
	case one.MovedTo != nil:
		return moved
	case one.Relaid:
		return relaid
	case one.report.Equal:
		return same
	}
	return differs
}

// text is how a tensor differs.
func (one *tensorReport) text() string {
	switch result := one.result(); result {
	case onlyInA, onlyInB:
		return "only in " + one.OnlyIn
	case unreadable:
		return "cannot be read"
	case moved:
		return "is " + cmp.Or(words.Quote(*one.MovedTo), "the tensor") + " in b" + one.inAnotherLayout(", ")
	case relaid:
		return one.inAnotherLayout("")
	}
	text := one.difference("differs")
	if m := one.report.MaxAbs; m != nil {
		text += fmt.Sprintf(", by up to %.3g", m.Value)
	}
	if n := one.report.NotFinite; n > 0 {
		text += fmt.Sprintf(", %d without a finite difference", n)
	}
	return text
}

// largest says in which tensor numbers are the furthest apart, and how far; empty where numbers were not compared.
func (r *tensorsReport) largest() string {
	var at *tensorReport
	for i := range r.Tensors {
		if one := &r.Tensors[i]; one.report != nil && one.report.MaxAbs != nil && (at == nil || one.report.MaxAbs.Value > at.report.MaxAbs.Value) {
			at = one
		}
	}
	if at == nil {
		return ""
	}
	return fmt.Sprintf("largest absolute difference: %g, in %s at %s", at.report.MaxAbs.Value, cmp.Or(words.Quote(at.Name), "the tensor"), tensor.Tuple(at.report.MaxAbs.Coord))
}

// inAnotherLayout says in which layouts both are, if these differ.
func (one *tensorReport) inAnotherLayout(before string) string {
	if !one.Relaid {
		return ""
	}
	a, b := &one.report.A, &one.report.B
	if a.Strides == nil || b.Strides == nil {
		return before + "same elements, in layouts " + a.order() + " and " + b.order()
	}
	return before + "same elements, strides " + tensor.Tuple(a.Strides) + " and " + tensor.Tuple(b.Strides)
}

// Rows has one row for each tensor.
func (r *tensorsReport) Rows() render.Table {
	t := render.Table{Header: strings.Split("name,result,compared_elems,differing_elems,first_coord,moved_to,max_abs_diff", ",")}
	for i := range r.Tensors {
		one := &r.Tensors[i]
		row := []string{words.Quote(one.Name), one.result(), "", "", "", "", ""}
		if x := one.report; x != nil && x.Differing != nil {
			row[2], row[3] = strconv.Itoa(*x.Elements), strconv.Itoa(*x.Differing)
			if x.MaxAbs != nil {
				row[6] = fmt.Sprint(x.MaxAbs.Value)
			}
		}
		if one.First != nil {
			row[4] = tensor.Tuple(one.First)
		}
		if one.MovedTo != nil {
			row[5] = words.Quote(*one.MovedTo)
		}
		t.Add(row...)
	}
	return t
}
