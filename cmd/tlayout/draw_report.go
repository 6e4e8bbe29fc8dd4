package main

import "github.com/tlayout/tlayout/internal/render"

// drawReport is what is in a picture, so that others can draw it themselves; where a file was written, which.
type drawReport struct {
	Schema   string       `json:"schema"`
	Source   string       `json:"source"`
	Raw      []byte       `json:"source_bytes,omitempty"` // base64, where the name is no UTF-8
	DType    string       `json:"dtype"`
	ItemSize int          `json:"itemsize"`
	Dims     []string     `json:"dims"`
	Shape    []int        `json:"shape"`
	Layout   string       `json:"layout"`
	Assumed  bool         `json:"layout_assumed"`
	Elements int          `json:"elements"`
	Drawn    int          `json:"drawn"` // elements of the grid; those of a page are chosen there
	File     *drawFile    `json:"file"`  // null where the picture is below
	Labels   []string     `json:"labels"`
	Title    string       `json:"title"`
	Lines    []string     `json:"lines"`
	Scale    *drawScale   `json:"scale"`
	Grid     []drawBand   `json:"grid,omitempty"`
	Memories []drawMemory `json:"memories"`
	Notes    []string     `json:"notes"`
	Warnings []string     `json:"warnings"`
}

// drawFile is a file that was written.
type drawFile struct {
	Path  string   `json:"path"`
	Raw   []byte   `json:"path_bytes,omitempty"` // base64, where the name is no UTF-8
	Kind  drawKind `json:"kind"`
	Bytes int64    `json:"bytes"`
}

// drawMemory is a storage of the tensor. Strides and offset are elements; rows are null where a file was written.
type drawMemory struct {
	Name    string    `json:"name"`
	Layout  string    `json:"layout"`
	Strides []int     `json:"strides"` // null for a blocked layout
	Offset  int       `json:"offset"`
	Alloc   int       `json:"alloc"`
	Width   int       `json:"width,omitempty"`
	Line    int       `json:"line_bytes,omitempty"`
	Lines   []string  `json:"lines,omitempty"`
	Rows    []drawRow `json:"rows,omitempty"`
}

// report says what is drawn; the cells themselves where there is a scene.
func (j *drawJob) report(s *render.Scene) *drawReport {
	t, l := j.tensor, j.tensor.Layout
	r := &drawReport{
		Schema: "tlayout/draw/v1", Source: t.Source, Raw: rawBytes(t.Source), DType: t.DType.String(), ItemSize: t.DType.ItemSize(),
		Dims: l.Names(), Shape: l.Shape(), Layout: layoutName(t), Assumed: t.Assumed, Elements: l.Numel(), Labels: labelNames(j.look.Labels),
		Title: j.subject.Name, Lines: []string{}, Notes: append([]string{}, j.notes()...), Warnings: append(warningsOf(t), doubts(t)...),
	}
	for _, m := range j.memories {
		memory := drawMemory{Name: m.Name, Layout: m.Layout.String(), Offset: m.Layout.Offset(), Alloc: m.Layout.Alloc()}
		if strided, plain := m.Layout.Strided(); plain {
			memory.Strides = strided.Strides
		}
		r.Memories = append(r.Memories, memory)
	}
	if s != nil {
		r.show(s)
	}
	return r
}

// show adds the scene.
func (r *drawReport) show(s *render.Scene) {
	r.Drawn, r.Lines = s.Tensor.Elements(), append(r.Lines, s.Lines...)
	r.Scale, r.Grid = newDrawScale(s.Scale), drawBands(s.Tensor)
	for i, m := range s.Memories {
		to := &r.Memories[i]
		to.Width, to.Line, to.Lines, to.Rows = m.Width, m.Line, m.Lines, drawRows(m)
	}
}
