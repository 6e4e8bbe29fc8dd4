package main

import (
	"fmt"
	"slices"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/source"
)

// convertReport is what convert says. Bytes moved are those read and those written.
type convertReport struct {
	Schema     string     `json:"schema"`
	Source     string     `json:"source"`
	Output     string     `json:"output"`
	Raw        []byte     `json:"source_bytes,omitempty"` // base64, where the name is no UTF-8
	RawOutput  []byte     `json:"output_bytes,omitempty"`
	Descriptor *string    `json:"descriptor"`
	DType      string     `json:"dtype"`
	From       layoutSide `json:"from"`
	To         layoutSide `json:"to"`
	Assumed    bool       `json:"from_assumed"`
	Bytes      int64      `json:"bytes_moved"`
	PadElems   int        `json:"pad_elems"`
	Seconds    float64    `json:"seconds"`
	GBPerS     float64    `json:"gb_per_s"`
	Verified   string     `json:"verified,omitempty"`
	DryRun     bool       `json:"dry_run"`
	Notes      []string   `json:"notes"`
	Warnings   []string   `json:"warnings"`
}

// layoutSide is one end of the conversion; strides are null for a blocked layout.
type layoutSide struct {
	Layout    string   `json:"layout"`
	FileShape []int    `json:"file_shape"`
	Dims      []string `json:"dims"`
	Shape     []int    `json:"shape"`
	Strides   []int    `json:"strides"`
	Notation  string   `json:"notation"`
}

func newSide(order string, fileShape []int, l tensor.Layout) layoutSide {
	side := layoutSide{Layout: order, FileShape: fileShape, Dims: l.Names(), Shape: l.Shape(), Notation: l.String()}
	if s, ok := l.Strided(); ok {
		side.Strides = s.Strides
	}
	return side
}

// sizes prints the logical sizes: N,C,H,W = (2, 3, 4, 5).
func (s layoutSide) sizes() string { return sizesOf(s.Dims, s.Shape) }

func (j *convertJob) bytesWritten() int64 {
	return int64(j.target.Layout.Alloc()) * int64(j.plan.ItemSize)
}

// sides describes the source and the target.
func (c *conversion) sides() (from, to layoutSide) {
	t := c.tensor
	order, toOrder := layoutName(t), c.target.Order
	if c.keepsAxes() {
		toOrder = c.target.Name
	}
	switch ownAxes := c.keepsAxes() && !t.Described && t.FileShape != nil; {
	case ownAxes && t.Header.Fortran:
		order = "fortran"
	case ownAxes:
		order = "c"
	}
	return newSide(order, t.FileShape, c.sourceLayout()), newSide(toOrder, c.target.FileShape, c.target.Layout)
}

// notes are what is worth knowing about the names of both layouts.
func (c *conversion) notes() []string {
	notes := append([]string{}, c.tensor.Notes...)
	if named := c.flags.to.layout; named != nil && named.Note != "" && !slices.Contains(notes, named.Note) {
		notes = append(notes, named.Note)
	}
	return notes
}

func (j *convertJob) newReport() convertReport {
	t := j.tensor
	r := convertReport{
		Schema: "tlayout/convert/v1", Source: j.options.source, Output: j.out, DType: t.DType.String(),
		Raw: rawBytes(j.options.source), RawOutput: rawBytes(j.out),
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

// report prints the result, unless standard output carries the data.
func (j *convertJob) report(a *app) error {
	r := &j.result
	if j.out == source.Stdin && !r.DryRun {
		return nil
	}
	if r.Seconds > 0 {
		r.GBPerS = float64(r.Bytes) / r.Seconds / 1e9
	}
	switch a.format {
	case formatJSON:
		return writeJSON(a.stdout, r, true)
	case formatCSV:
		return r.table().CSV(a.stdout)
	}
	fmt.Fprintln(a.stdout, a.bold(fmt.Sprintf("%s -> %s", fault.Quote(r.Source), fault.Quote(r.Output))))
	if err := writeSection(a, r.table()); err != nil {
		return err
	}
	fmt.Fprintln(a.stdout)
	for _, line := range r.lines() {
		if _, err := fmt.Fprintln(a.stdout, a.streams.fold(line, 2)); err != nil {
			return err
		}
	}
	return nil
}

func (r *convertReport) table() render.Table {
	t := render.Table{Title: r.DType, Header: []string{"", "layout", "file shape", "shape", "strides"}}
	for _, s := range []struct {
		name    string
		side    layoutSide
		assumed bool
	}{{"from", r.From, r.Assumed}, {"to", r.To, false}} {
		layout, strides := s.side.Layout, "blocks: "+s.side.Notation
		if s.side.Strides != nil {
			strides = tensor.Tuple(s.side.Strides)
		}
		if s.assumed {
			layout += " (assumed)"
		}
		t.Add(s.name, layout, tensor.Tuple(s.side.FileShape), s.side.sizes(), strides)
	}
	return t
}

// lines say what was moved, how fast, and what else is worth knowing.
func (r *convertReport) lines() []string {
	lines := []string{fmt.Sprintf("%s moved in %s, %.3g GB/s", formatBytes(r.Bytes), formatSeconds(r.Seconds), r.GBPerS)}
	if r.DryRun {
		lines = []string{fmt.Sprintf("%s would be moved; nothing was written", formatBytes(r.Bytes))}
	}
	if r.PadElems > 0 {
		lines = append(lines, fmt.Sprintf("%d elements of padding", r.PadElems))
	}
	if r.Descriptor != nil {
		lines = append(lines, "descriptor: "+fault.Quote(*r.Descriptor))
	}
	if r.Verified != "" {
		lines = append(lines, "verified: "+r.Verified)
	}
	return append(lines, noteLines(r.Notes)...)
}

// formatSeconds prints a time with three digits in the unit that fits: 29.5 µs, 1.25 s.
func formatSeconds(s float64) string {
	unit := "s"
	for _, smaller := range []string{"ms", "µs", "ns"} {
		if s >= 1 || s == 0 {
			break
		}
		s, unit = s*1000, smaller
	}
	for _, larger := range []struct {
		unit    string
		seconds float64
	}{{"days", 86400}, {"hours", 3600}, {"minutes", 60}} {
		if unit == "s" && s >= 2*larger.seconds {
			s, unit = s/larger.seconds, larger.unit
			break
		}
	}
	return fmt.Sprintf("%.3g %s", s, unit)
}
