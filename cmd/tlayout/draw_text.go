package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/words"
)

// orders are what orders of axes without names are called in a title.
var orders = map[string]string{"c": "C order", "fortran": "Fortran order"}

// title is the picture's first line: x.npy: float32 (2, 64, 3, 3), NCHW (assumed). An order that neither the user nor a
// file has anything to do with is left out.
func (j *drawJob) title() string {
	t, o := j.tensor, j.options
	title := fmt.Sprintf("%s: %s %s", sourceName(t.Source), shorten(t.DType.String()), tensor.Tuple(t.Layout.Shape()))
	name := layoutName(t)
	if order, ok := orders[name]; ok {
		name = order
		if t.Layout.Rank() == 1 {
			name = "" // all are the same
		}
	}
	switch {
	case name == "" || t.Layout.Rank() == 0, t.Kind == "shape" && o.stored.list != nil && o.layout.layout == nil && !o.strides.set:
		return title
	case t.Assumed && t.Header.Fortran:
		return fmt.Sprintf("%s, %s (its axes assumed to be %s)", title, name, strings.Join(t.Layout.Names(), ""))
	case t.Assumed:
		return title + ", " + name + " (assumed)"
	}
	return title + ", " + name
}

// write reports in the format asked for. A picture on standard output stands for itself and needs no text.
func (r *drawReport) write(a *app) error {
	switch {
	case a.format == formatJSON:
		return writeJSON(a.stdout, r, true)
	case r.File == nil && a.format == formatCSV:
		return r.cells().CSV(a.stdout)
	case r.File == nil:
		fmt.Fprintf(a.stdout, "**%s**\n\n", r.Title)
		return r.cells().Markdown(a.stdout)
	case a.format == formatCSV:
		t := render.Table{Header: []string{"file", "kind", "bytes", "memories", "elements", "drawn"}}
		t.Add(fault.Quote(r.File.Path), string(r.File.Kind), fmt.Sprint(r.File.Bytes), fmt.Sprint(len(r.Memories)),
			fmt.Sprint(r.Elements), fmt.Sprint(r.Drawn))
		return t.CSV(a.stdout)
	}
	fmt.Fprintln(a.stdout, a.item(r.answer()))
	return writeRemarks(a, noteLines(r.Notes))
}

// notes are what is worth knowing about the names of layouts; what is warned of is not said twice.
func (j *drawJob) notes() []string {
	var notes []string
	if len(doubts(j.tensor)) == 0 {
		notes = append(notes, j.tensor.Notes...)
	}
	for _, layout := range j.options.stored.list {
		if layout != nil && layout.Note != "" && !slices.Contains(notes, layout.Note) {
			notes = append(notes, layout.Note)
		}
	}
	return notes
}

// answer is one line about the file: x.svg: 34.1 KiB, 2 memories, 60 of 1152 elements drawn.
func (r *drawReport) answer() string {
	answer := fmt.Sprintf("%s: %s", fault.Quote(r.File.Path), formatBytes(r.File.Bytes))
	if r.File.Kind == kindHTML {
		return answer + ", a page to play with: " + words.Count(r.Elements, "element")
	}
	answer += ", " + words.Plural(len(r.Memories), "1 memory", fmt.Sprint(len(r.Memories), " memories"))
	if r.Drawn < r.Elements {
		return answer + fmt.Sprintf(", %d of %s drawn", r.Drawn, words.Count(r.Elements, "element"))
	}
	return answer + ", " + words.Count(r.Elements, "element")
}
