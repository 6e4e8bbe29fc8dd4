package diff

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/cmd/tlayout/internal/cli"
	"github.com/tlayout/tlayout/internal/convert"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/words"
)

// arrays are those of two archives, to be compared by name.
type arrays struct {
	options  *options
	archives [2]string
	names    [2][]string
	has      [2]map[string]bool // the same names
}

// byName returns the arrays to compare by name; nil if both sources are one tensor each.
func (o *options) byName() (*arrays, error) {
	b := &arrays{options: o}
	var members [2]string
	for i, name := range o.sources {
		var ok bool
		if b.archives[i], members[i], ok = source.SplitArchive(name); !ok {
			return nil, nil
		}
	}
	several := false
	for i, name := range o.sources {
		all, err := source.Expand(name)
		if err != nil {
			return nil, err
		}
		several = several || len(all) > 1 || all[0] != name
		pattern := cmp.Or(members[i], members[1-i])
		if b.names[i], err = source.Arrays(b.archives[i], pattern); err != nil {
			return nil, err
		}
	}
	if !several {
		return nil, nil
	}
	return b, nil
}

// arraysReport is diff's answer about two archives.
type arraysReport struct {
	Schema    string        `json:"schema"`
	A         archiveSide   `json:"a"`
	B         archiveSide   `json:"b"`
	Equal     bool          `json:"equal"`
	Same      int           `json:"same_arrays"`
	Differing int           `json:"differing_arrays"` // that both have
	OnlyA     int           `json:"only_in_a"`
	OnlyB     int           `json:"only_in_b"`
	Unread    int           `json:"unreadable_arrays"`
	Arrays    []arrayReport `json:"arrays"`
	Warnings  []string      `json:"warnings"`
}

// archiveSide is one of the two archives.
type archiveSide struct {
	Source string `json:"source"`
	Raw    []byte `json:"source_base64,omitempty"` // base64, if the name is not UTF-8
	Arrays int    `json:"array_count"`             // that are compared
}

// arrayReport is the answer about one name. Of an array that only one archive has, or that cannot be read, that is all.
type arrayReport struct {
	Name    string        `json:"name"`
	Raw     []byte        `json:"name_base64,omitempty"`
	OnlyIn  string        `json:"only_in,omitempty"` // a, b
	Error   *fault.Record `json:"error,omitempty"`
	First   []int         `json:"first_coord,omitempty"` // the coordinate of the first element that differs
	*report `json:",omitempty"`
}

// run compares all arrays. One that cannot be read decides the exit code.
func (b *arrays) run(a *cli.App, moving convert.Options) error {
	r := &arraysReport{Schema: "tlayout/diff_npz/v1", Arrays: []arrayReport{}, Warnings: []string{}}
	for i, side := range []*archiveSide{&r.A, &r.B} {
		*side = archiveSide{b.options.sources[i], words.RawBytes(b.options.sources[i]), len(b.names[i])}
	}
	var unread error
	for _, name := range b.union() {
		one, err := b.compare(a, name, moving)
		if err != nil {
			a.PrintError(err)
			unread = cmp.Or(unread, err)
		}
		if r.add(one); a.Quiet && a.Format == cli.Table && !r.Equal && unread == nil {
			break
		}
	}
	r.Equal = r.Same == len(r.Arrays)
	if err := a.Write(r); err != nil {
		return err
	}
	if !r.Equal && unread == nil {
		unread = fault.New(fault.Negative, "the archives differ")
	}
	return cli.Said(unread)
}

// union lists the names of a, then those that b alone has, and fills has.
func (b *arrays) union() []string {
	all := slices.Clone(b.names[0])
	for i, names := range b.names {
		b.has[i] = map[string]bool{}
		for _, name := range names {
			b.has[i][name] = true
		}
	}
	for _, name := range b.names[1] {
		if !b.has[0][name] {
			all = append(all, name)
		}
	}
	return all
}

// compare compares the arrays of one name.
func (b *arrays) compare(a *cli.App, name string, moving convert.Options) (arrayReport, error) {
	r := arrayReport{Name: name, Raw: words.RawBytes(name)}
	for i := range b.has {
		if !b.has[i][name] {
			r.OnlyIn = sideNames[1-i]
			return r, nil
		}
	}
	one := *b.options
	one.sources = []string{b.archives[0] + ":" + name, b.archives[1] + ":" + name}
	found, err := compare(a, &one, moving, func(found *report) error {
		if len(found.listed.first) > 0 {
			r.First = found.listed.coord(0)
		}
		return nil
	})
	if err != nil {
		r.Error = fault.RecordOf(err)
		return r, err
	}
	found.Schema, r.report = "", found
	return r, nil
}

// add counts an array, and keeps what is said of it.
func (r *arraysReport) add(one arrayReport) {
	switch {
	case one.OnlyIn == sideNames[0]:
		r.OnlyA++
	case one.OnlyIn != "":
		r.OnlyB++
	case one.report == nil:
		r.Unread++
	case one.report.Equal:
		r.Same++
	default:
		r.Differing++
	}
	if one.report != nil {
		r.Warnings = append(r.Warnings, one.report.Warnings...)
	}
	r.Arrays = append(r.Arrays, one)
	r.Equal = r.Same == len(r.Arrays)
}

// Failed reports whether an array differs.
func (r *arraysReport) Failed() bool { return !r.Equal }

// Warned are the warnings of all arrays.
func (r *arraysReport) Warned() []string { return r.Warnings }

// shownArrays is how many arrays that differ a page names without --all.
const shownArrays = 14

// Page writes the answer, and a line for each array that differs.
func (r *arraysReport) Page(p *cli.Page) {
	if p.Quiet() {
		p.Answer(source.DisplayName(r.A.Source) + " and " + source.DisplayName(r.B.Source) + " differ")
		return
	}
	p.Answer(r.headline())
	var lines []string
	for i := range r.Arrays {
		if one := &r.Arrays[i]; one.result() != "same" {
			lines = append(lines, words.Quote(one.Name)+": "+one.text())
		}
	}
	more := len(lines) - shownArrays
	if more > 1 && !p.All() {
		lines = append(lines[:shownArrays], fmt.Sprintf("… %d more", more))
	}
	p.Items(lines...)
	if one := slices.IndexFunc(r.Arrays, func(one arrayReport) bool { return one.result() == "differs" }); one >= 0 {
		x := r.Arrays[one].report
		if names := x.A.Source + x.B.Source; words.Quote(names) == names {
			p.Remarks("one array, element by element: tlayout diff " + words.Shell(x.A.Source) + " " + words.Shell(x.B.Source))
		}
	}
	if more > 1 {
		p.More("--all")
	}
}

// headline is the answer in one line: a.npz and b.npz differ: 1 of 5 arrays differs, 1 is only in a.npz.
func (r *arraysReport) headline() string {
	a, b := source.DisplayName(r.A.Source), source.DisplayName(r.B.Source)
	switch {
	case r.Equal && r.Same == 1:
		return fmt.Sprintf("%s and %s hold the same array", a, b)
	case r.Equal:
		return fmt.Sprintf("%s and %s hold the same %d arrays", a, b, r.Same)
	}
	var parts []string
	if n := r.Differing; n > 0 {
		parts = append(parts, fmt.Sprintf("%d of %s %s", n, words.Count(n+r.Same, "array"), words.Plural(n, "differs", "differ")))
	}
	for _, x := range []struct {
		n    int
		text string
	}{{r.OnlyA, "only in " + a}, {r.OnlyB, "only in " + b}, {r.Unread, "cannot be read"}} {
		if x.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", x.n, x.text))
		}
	}
	return fmt.Sprintf("%s and %s differ: %s", a, b, strings.Join(parts, ", "))
}

// result is the answer in one word: same, differs, only_in_a, only_in_b, unreadable.
func (one *arrayReport) result() string {
	switch {
	case one.OnlyIn != "":
		return "only_in_" + one.OnlyIn
	case one.report == nil:
		return "unreadable"
	case one.report.Equal:
		return "same"
	}
	return "differs"
}

// text is how an array differs.
func (one *arrayReport) text() string {
	switch {
	case one.OnlyIn != "":
		return "only in " + one.OnlyIn
	case one.report == nil:
		return "cannot be read"
	}
	return one.difference("differs")
}

// Rows has one row for each array.
func (r *arraysReport) Rows() render.Table {
	t := render.Table{Header: strings.Split("name,result,compared_elems,differing_elems,first_coord", ",")}
	for i := range r.Arrays {
		one := &r.Arrays[i]
		row := []string{words.Quote(one.Name), one.result(), "", "", ""}
		if x := one.report; x != nil && x.Differing != nil {
			row[2], row[3] = strconv.Itoa(*x.Elements), strconv.Itoa(*x.Differing)
		}
		if one.First != nil {
			row[4] = tensor.Tuple(one.First)
		}
		t.Add(row...)
	}
	return t
}
