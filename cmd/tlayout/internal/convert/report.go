package convert

import (
	"fmt"
	"slices"

	"github.com/tlayout/tlayout/cmd/tlayout/internal/cli"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/words"
)

// report is what convert says. Bytes moved are those read and those written.
type report struct {
	Schema     string   `json:"schema"`
	Source     string   `json:"source"`
	Output     string   `json:"output"`
	Raw        []byte   `json:"source_bytes,omitempty"` // base64, where the name is no UTF-8
	RawOutput  []byte   `json:"output_bytes,omitempty"`
	Descriptor *string  `json:"descriptor"`
	DType      string   `json:"dtype"`
	From       cli.Side `json:"from"`
	To         cli.Side `json:"to"`
	Assumed    bool     `json:"from_assumed"`
	Bytes      int64    `json:"bytes_moved"`
	PadElems   int      `json:"pad_elems"`
	Seconds    float64  `json:"seconds"`
	GBPerS     float64  `json:"gb_per_s"`
	Verified   string   `json:"verified,omitempty"`
	DryRun     bool     `json:"dry_run"`
	Notes      []string `json:"notes"`
	Warnings   []string `json:"warnings"`
}

func (j *job) bytesWritten() int64 {
	return int64(j.target.Layout.Alloc()) * int64(j.plan.ItemSize)
}

// sides describes the source and the target.
func (c *conversion) sides() (from, to cli.Side) {
	t := c.tensor
	order, toOrder := t.OrderName(), c.target.Order
	if c.keepsAxes() {
		toOrder = c.target.Name
	}
	switch ownAxes := c.keepsAxes() && !t.Described && t.FileShape != nil; {
	case ownAxes && t.Header.Fortran:
		order = "fortran"
	case ownAxes:
		order = "c"
	}
	return cli.NewSide(order, t.FileShape, c.sourceLayout()), cli.NewSide(toOrder, c.target.FileShape, c.target.Layout)
}

// notes are what is worth knowing about the names of both layouts.
func (c *conversion) notes() []string {
	notes := append([]string{}, c.tensor.Notes...)
	if named := c.flags.to.Layout; named != nil && named.Note != "" && !slices.Contains(notes, named.Note) {
		notes = append(notes, named.Note)
	}
	return notes
}

func (j *job) newReport() report {
	t := j.tensor
	r := report{
		Schema: "tlayout/convert/v1", Source: j.options.source, Output: j.out, DType: t.DType.String(),
		Raw: words.RawBytes(j.options.source), RawOutput: words.RawBytes(j.out),
		Assumed: t.Assumed && !j.keepsAxes(), DryRun: j.options.dryRun,
		Bytes:    int64(t.Layout.Numel())*int64(j.plan.ItemSize) + j.bytesWritten(),
		PadElems: j.target.Layout.Alloc() - j.target.Layout.Numel(),
		Notes:    j.notes(), Warnings: append([]string{}, t.Warnings...),
	}
	r.From, r.To = j.sides()
	if j.target.Hidden && j.out != source.Stdin {
		path := source.DescriptorPath(j.out)
		r.Descriptor = &path
	}
	return r
}

// Report prints the result, unless standard output carries the data.
func (j *job) report(a *cli.App) error {
	r := &j.result
	if j.out == source.Stdin && !r.DryRun {
		return nil
	}
	if r.Seconds > 0 {
		r.GBPerS = float64(r.Bytes) / r.Seconds / 1e9
	}
	switch a.Format {
	case cli.JSON:
		return cli.WriteJSON(a.Stdout, r, true)
	case cli.CSV:
		return r.table().CSV(a.Stdout)
	}
	fmt.Fprintln(a.Stdout, a.Bold(fmt.Sprintf("%s -> %s", words.Quote(r.Source), words.Quote(r.Output))))
	if err := cli.WriteSection(a, r.table()); err != nil {
		return err
	}
	fmt.Fprintln(a.Stdout)
	for _, line := range r.lines() {
		if _, err := fmt.Fprintln(a.Stdout, a.Streams.Fold(line, 2)); err != nil {
			return err
		}
	}
	return nil
}

func (r *report) table() render.Table {
	t := render.Table{Title: r.DType, Header: []string{"", "layout", "file shape", "shape", "strides"}}
	for _, s := range []struct {
		name    string
		side    cli.Side
		assumed bool
	}{{"from", r.From, r.Assumed}, {"to", r.To, false}} {
		layout, strides := s.side.Layout, "blocks: "+s.side.Notation
		if s.side.Strides != nil {
			strides = tensor.Tuple(s.side.Strides)
		}
		if s.assumed {
			layout += " (assumed)"
		}
		t.Add(s.name, layout, tensor.Tuple(s.side.FileShape), s.side.Sizes(), strides)
	}
	return t
}

// lines say what was moved, how fast, and what else is worth knowing.
func (r *report) lines() []string {
	lines := []string{fmt.Sprintf("%s moved in %s, %.3g GB/s", words.Bytes(r.Bytes), words.Seconds(r.Seconds), r.GBPerS)}
	if r.DryRun {
		lines = []string{fmt.Sprintf("%s would be moved; nothing was written", words.Bytes(r.Bytes))}
	}
	if r.PadElems > 0 {
		lines = append(lines, fmt.Sprintf("%d elements of padding", r.PadElems))
	}
	if r.Descriptor != nil {
		lines = append(lines, "descriptor: "+words.Quote(*r.Descriptor))
	}
	if r.Verified != "" {
		lines = append(lines, "verified: "+r.Verified)
	}
	return append(lines, cli.NoteLines(r.Notes)...)
}
