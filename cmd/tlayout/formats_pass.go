package main

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/words"
)

// frameworkTable says what to pass. Where it is wider than so many columns, strides come last, so that they can wrap.
func (r *formatsReport) frameworkTable(columns int) render.Table {
	t := render.Table{Title: "What to pass, and what it is called", Header: []string{"framework", "shape", "strides", "name"}}
	for _, f := range r.Frameworks {
		if f.Missing {
			continue
		}
		name := strings.Join(f.Names, ", ")
		if name == "" {
			name = "-"
		}
		shape, strides := f.shapeText(), f.stridesText()
		if f.Notation != "" {
			shape, strides, _ = strings.Cut(f.Notation, ":")
			name = "shape:stride"
		}
		t.Add(f.Framework, shape, strides, name)
	}
	if widest(t) > columns {
		t.Header[2], t.Header[3] = t.Header[3], t.Header[2]
		for _, row := range t.Rows {
			row[2], row[3] = row[3], strings.ReplaceAll(row[2], ",", ", ")
		}
	}
	return t
}

// widest is the columns that a table takes where nothing wraps: a blank, and two between cells.
func widest(t render.Table) int {
	width := 1 + 2*(len(t.Header)-1)
	for i, title := range t.Header {
		cell := utf8.RuneCountInString(title)
		for _, row := range t.Rows {
			cell = max(cell, utf8.RuneCountInString(row[i]))
		}
		width += cell
	}
	return width
}

// passText explains the table's words.
func (r *formatsReport) passText() string {
	var parts []string
	if len(r.without()) < len(r.Frameworks) {
		parts = append(parts, "logical is "+strings.Join(r.Dims, ",")+" whatever memory's order")
		if r.Packed {
			parts = append(parts, "physical "+strings.ReplaceAll(r.Explicit, " ", ","))
		}
		if slices.ContainsFunc(r.Frameworks, func(f formatsFramework) bool { return f.Order == "split" }) {
			parts = append(parts, "split "+r.splitNames())
		}
		parts = append(parts, "strides in elements unless said")
	}
	if missing := r.without(); len(missing) > 0 {
		parts = append(parts, "no name for it in "+strings.Join(missing, ", "))
	}
	return strings.Join(parts, "; ")
}

func (f *formatsFramework) shapeText() string {
	sizes := f.Symbols
	if f.Shape != nil {
		sizes = words.Each(f.Shape)
	}
	return strings.Join(sizes, ",") + " " + f.Order
}

func (f *formatsFramework) stridesText() string {
	switch {
	case f.Unit == "":
		return "by name"
	case f.Shape == nil:
		return "in " + f.Unit
	case f.Framework == "DirectML" && f.Strides == nil:
		return "nullptr"
	}
	strides := strings.Join(words.Each(f.Strides), ",")
	if f.Order == "physical" && len(strides) > 20 {
		return strings.TrimSuffix("as above, in "+f.Unit, ", in elements")
	}
	return strings.TrimSuffix(strides+" "+f.Unit, " elements")
}

// without names the frameworks that cannot be given the layout.
func (r *formatsReport) without() []string {
	var names []string
	for _, f := range r.Frameworks {
		if f.Missing {
			names = append(names, f.Framework)
		}
	}
	return names
}
