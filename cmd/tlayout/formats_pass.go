package main

import (
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/words"
)

// frameworkTable says what to pass, in so many columns.
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
	return breakCells(t, columns, 2, 1, 3)
}

// passText explains the table's words, and why frameworks are not in it.
func (r *formatsReport) passText() string {
	var parts []string
	has := func(test func(formatsFramework) bool) bool { return slices.ContainsFunc(r.Frameworks, test) }
	if has(func(f formatsFramework) bool { return !f.Missing }) {
		parts = append(parts, "logical is "+strings.Join(r.Dims, ",")+" whatever memory's order")
		if r.Packed || has(func(f formatsFramework) bool { return f.Order == string(notation.Physical) }) {
			parts = append(parts, "physical "+strings.ReplaceAll(r.Explicit, " ", ","))
		}
		if has(func(f formatsFramework) bool { return f.Order == string(notation.Split) }) {
			parts = append(parts, "split "+r.splitNames())
		}
		parts = append(parts, "strides in elements unless said")
	}
	reasons, who := r.without()
	for _, why := range reasons {
		if why == "" {
			parts = append(parts, "no name for it in "+strings.Join(who[why], ", "))
		} else {
			parts = append(parts, "not in "+strings.Join(who[why], ", ")+": "+why)
		}
	}
	return strings.Join(parts, "; ")
}

// splitNames name the dims of one digit each, leading ones included.
func (r *formatsReport) splitNames() string {
	var names []string
	explicit := strings.Split(r.Explicit, " ")
	for d := range r.format.Rank() {
		for _, a := range r.format.DigitAxes(d) {
			names = append(names, explicit[slices.Index(r.format.Axes(), a)])
		}
	}
	for len(names) < 4 {
		names = append([]string{"1"}, names...)
	}
	return strings.Join(names, ",")
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
	case f.Framework == notation.DirectML && f.Strides == nil:
		return "nullptr"
	}
	strides := strings.Join(words.Each(f.Strides), ",")
	return strings.TrimSuffix(strides+" "+f.Unit, " elements")
}
