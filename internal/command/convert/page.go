package convert

import (
	"cmp"
	"fmt"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/document"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/words"
)

// Page writes what was written, and from what; then what its name and shape do not say.
func (r *report) Page(p *cli.Page) {
	if r.one && r.items == nil {
		r.onePage(p)
	} else {
		r.listPage(p)
	}
	p.Notes(r.Notes)
	p.More("--all")
}

// onePage is that of a tensor in a file of its own.
func (r *report) onePage(p *cli.Page) {
	t := r.Tensors[0]
	p.Answer(fmt.Sprintf("%s: %s %s, %s, %s", r.wrote(), words.Shorten(t.DType), tensor.Tuple(t.To.FileShape), sideName(t.To), r.sizeText()))
	p.Items(r.oneLines(p.All())...)
	if p.All() {
		p.Section(t.sideTable())
	}
}

// wrote begins the answer: wrote x.npy; would write x.npy.
func (r *report) wrote() string {
	name := source.DisplayName(r.Output)
	switch {
	case r.Skipped:
		return name + " is up to date"
	case r.DryRun && r.Output == source.Stdin:
		return "would write to standard output"
	case r.DryRun:
		return "would write " + name
	}
	return "wrote " + name
}

// sizeText is the size of the file, and of the tensors in it where that is another number.
func (r *report) sizeText() string {
	file, data := words.ShortBytes(r.Size), words.ShortBytes(r.Written)
	if file == data {
		return file
	}
	return file + " file, " + data + " of data"
}

// sideName is a layout's name, or its strides.
func sideName(s cli.Side) string {
	if name := s.Name(); name != "" {
		return name
	}
	return "strides " + s.StridesText()
}

// sideTable compares both sides.
func (t *tensorReport) sideTable() render.Table {
	table := render.Table{Title: t.DType, Header: []string{"", "layout", "file shape", "shape", "strides"}}
	add := func(name string, s cli.Side, assumed string) {
		stored := ""
		if s.FileShape != nil {
			stored = tensor.Tuple(s.FileShape)
		}
		table.Add(name, s.Name()+assumed, stored, s.Sizes(), s.StridesText())
	}
	add("from", t.From, t.told())
	add("to", t.To, "")
	return table
}

// shapeOf is the file's shape, or the tensor's if it is a view of a checkpoint's storage.
func shapeOf(s cli.Side) []int {
	if s.FileShape == nil {
		return s.Shape
	}
	return s.FileShape
}

// oneLines say from what it was made, what it holds, and whether that was verified; with all, how fast.
func (r *report) oneLines(all bool) []string {
	t := r.Tensors[0]
	lines := []string{"from " + sideName(t.From) + t.told() + ", " + tensor.Tuple(shapeOf(t.From))}
	if t.PadElems > 0 || t.To.Strides == nil || len(t.To.FileShape) != len(t.To.Shape) {
		line := "holds " + t.To.Sizes()
		if t.PadElems > 0 {
			line += " and " + words.Count(t.PadElems, "element") + " of padding"
		}
		lines = append(lines, line)
	}
	if t.Name != "" {
		line := "an archive of the array " + t.Name
		if t.Recorded {
			line += " and " + document.RecordName + ", which records its layout"
		}
		lines = append(lines, line)
	}
	if r.ReadAgain != "" {
		lines = append(lines, "bytes alone: read them with "+r.ReadAgain)
	}
	return append(lines, r.ended(all, t.From.Layout+" is right (--from says what is)")...)
}

// worthTiming is how many bytes must move before their time says something about the copy.
const worthTiming = 1 << 20

// ended say what was verified, on which assumption, and how fast all was moved.
func (r *report) ended(all bool, assumption string) (lines []string) {
	switch {
	case r.Verified != "" && r.assumes():
		lines = append(lines, fmt.Sprintf("verified, if %s: %s", assumption, r.Verified))
	case r.Verified != "":
		lines = append(lines, "verified: "+r.Verified)
	}
	if !r.DryRun && !r.Skipped && (all || r.moved() >= worthTiming) {
		lines = append(lines, fmt.Sprintf("moved %s in %s, %.3g GB/s", words.Bytes(r.moved()), words.Seconds(r.Seconds), r.GBPerS))
	}
	return lines
}

// assumes reports whether the order of a tensor's axes is an assumption.
func (r *report) assumes() bool {
	for i := range r.Tensors {
		if r.Tensors[i].Assumed {
			return true
		}
	}
	return false
}

// shownTensors is how many tensors a page lists without --all, of those that are not as they were.
const shownTensors = 4

// listPage is that of several tensors, with a line for each that changes.
func (r *report) listPage(p *cli.Page) {
	p.Answer(fmt.Sprintf("%s: %s, %s, %s", r.wrote(), r.to, words.Count(len(r.Tensors), "tensor"), r.sizeText()))
	lines := append([]string{"from " + r.from}, r.items...)
	p.Items(append(lines, r.ended(p.All(), "the orders that are assumed are right (--from says what is)")...)...)
	var shown []*tensorReport
	for i := range r.Tensors {
		if !r.Tensors[i].Kept || p.All() {
			shown = append(shown, &r.Tensors[i])
		}
	}
	t := render.Table{Title: "Tensors", Header: []string{"name", "dtype", "from", "shape", "to", "shape"}}
	for i, one := range shown {
		if i == shownTensors && !p.All() && len(shown) > shownTensors+1 {
			t.Add("…", fmt.Sprintf("%d more", len(shown)-i), "", "", "", "")
			break
		}
		one.addTo(&t)
	}
	if len(shown) > 0 {
		p.Section(t)
	}
}

func (t *tensorReport) addTo(table *render.Table) {
	order := func(s cli.Side) string { return cmp.Or(s.Name(), s.StridesText()) }
	name, to, shape := words.Quote(words.Cut(t.Name, 60)), order(t.To), tensor.Tuple(shapeOf(t.To))
	if t.Kept {
		to, shape = "kept", ""
	}
	table.Add(name, words.Shorten(t.DType), order(t.From)+t.told(), tensor.Tuple(shapeOf(t.From)), to, shape)
}

// Rows has a row for each side of a tensor; a blocked layout has no strides, but a notation.
func (r *report) Rows() render.Table {
	type row struct {
		tensorReport
		At string `json:"side"`
		cli.Side
		Assumed bool `json:"layout_assumed"`
	}
	var rows []row
	for _, t := range r.Tensors {
		rows = append(rows, row{t, "before", t.From, t.Assumed}, row{t, "after", t.To, false})
	}
	return cli.TableOf("name,dtype,side,layout,layout_assumed,file_shape,dims,shape,strides,notation,kept", rows...)
}
