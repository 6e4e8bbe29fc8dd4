package convertcmd

import (
	"cmp"
	"fmt"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/file/document"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// Page writes the result and its source, then what the name and shape do not show.
func (r *report) Page(p *cli.Page) {
	if r.single && r.items == nil {
		r.onePage(p)
	} else {
		r.listPage(p)
	}
	p.Notes(r.Notes)
	p.More("--all")
}

// onePage is the page for a single tensor.
func (r *report) onePage(p *cli.Page) {
	t := r.Tensors[0]
	p.Answer(fmt.Sprintf("%s: %s %s, %s, %s", r.wrote(), text.Shorten(t.DType), tensor.Tuple(t.To.FileShape), sideName(t.To), r.sizeText()))
	p.Items(r.oneLines(p.All())...)
	if p.All() {
		p.Section(t.sideTable())
	}
}

// wrote begins the answer: "wrote x.npy" or "would write x.npy".
func (r *report) wrote() string {
	output := name.Parse(r.Output)
	shown := output.Shown()
	if r.Skipped {
		return shown + " is up to date"
	}
	if r.DryRun && output.IsStdin() {
		return "would write to standard output"
	}
	if r.DryRun {
		return "would write " + shown
	}
	return "wrote " + shown
}

// sizeText returns the size of the file, and of its tensors if that differs.
func (r *report) sizeText() string {
	file := text.ShortBytes(r.Size)
	data := text.ShortBytes(r.Written)
	if file == data {
		return file
	}
	return file + " file, " + data + " of data"
}

// sideName returns the name of a layout, or its strides.
func sideName(s cli.Side) string {
	if name := s.Name(); name != "" {
		return name
	}
	return "strides " + s.StridesText()
}

// sideTable compares source and result.
func (t *tensorReport) sideTable() render.Table {
	table := render.Table{Title: t.DType, Header: []string{"", "layout", "file shape", "shape", "strides"}}
	add := func(name string, s cli.Side, assumed string) {
		stored := ""
		if s.FileShape != nil {
			stored = tensor.Tuple(s.FileShape)
		}
		table.Add(name, s.Name()+assumed, stored, s.Sizes(), s.StridesText())
	}
	add("from", t.From, t.mark)
	add("to", t.To, "")
	return table
}

// shapeOf returns the file's shape, or the tensor's if it is a view of a checkpoint's storage.
func shapeOf(s cli.Side) []int {
	if s.FileShape == nil {
		return s.Shape
	}
	return s.FileShape
}

// oneLines list the source, the contents and the verification; with all, also the speed.
func (r *report) oneLines(all bool) []string {
	t := r.Tensors[0]
	lines := []string{"from " + sideName(t.From) + t.mark + ", " + tensor.Tuple(shapeOf(t.From))}
	if t.PadElems > 0 || t.To.Strides == nil || len(t.To.FileShape) != len(t.To.Shape) {
		line := "holds " + t.To.Sizes()
		if t.PadElems > 0 {
			line += " and " + text.Count(t.PadElems, "element") + " of padding"
		}
		lines = append(lines, line)
	}
	if t.WordType != "" {
		lines = append(lines, "stored as "+t.WordType+" "+tensor.Tuple(t.WordShape))
	}
	if t.Name != "" {
		line := "an archive of the array " + t.Name
		if t.Recorded {
			line += " and " + document.RecordName + ", which records its layout"
		}
		lines = append(lines, line)
	}
	if r.ReadAgain != "" {
		lines = append(lines, "raw bytes: read them with "+r.ReadAgain)
	}
	return append(lines, r.ended(all, t.From.Layout+" is right (--from sets the order)")...)
}

// worthTiming is the number of bytes below which the time of a copy means little.
const worthTiming = 1 << 20

// ended lists what was verified, under which assumption, and the speed.
func (r *report) ended(all bool, assumption string) (lines []string) {
	if r.Verified != "" && r.assumes() {
		lines = append(lines, fmt.Sprintf("verified, if %s: %s", assumption, r.Verified))
	} else if r.Verified != "" {
		lines = append(lines, "verified: "+r.Verified)
	}
	written := !r.DryRun && !r.Skipped
	if timed := all || r.moved() >= worthTiming; timed && written {
		lines = append(lines, fmt.Sprintf("moved %s in %s, %.3g GB/s", text.Bytes(r.moved()), text.Seconds(r.Seconds), r.GBPerS))
	}
	return lines
}

// assumes reports whether the axis order of a tensor is assumed.
func (r *report) assumes() bool {
	for i := range r.Tensors {
		if r.Tensors[i].Assumed {
			return true
		}
	}
	return false
}

// shownTensors is the number of changed tensors that a page lists without --all.
const shownTensors = 4

// listPage is the page for several tensors, with a line for each one that changes.
func (r *report) listPage(p *cli.Page) {
	p.Answer(cmp.Or(r.missing, fmt.Sprintf("%s: %s, %s, %s", r.wrote(), r.to, text.Count(len(r.Tensors), "tensor"), r.sizeText())))
	lines := append([]string{"from " + r.from}, r.items...)
	p.Items(append(lines, r.ended(p.All(), "the assumed orders are right (--from sets the order)")...)...)
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
	name := text.Quote(text.Cut(t.Name, 60))
	to := order(t.To)
	shape := tensor.Tuple(shapeOf(t.To))
	if t.Kept {
		to = "kept"
		shape = ""
	}
	table.Add(name, text.Shorten(t.DType), order(t.From)+t.mark, tensor.Tuple(shapeOf(t.From)), to, shape)
}

// Rows has a row for each side of a tensor; blocked layouts have a notation instead of strides.
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
