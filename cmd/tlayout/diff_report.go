package main

import (
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/diff"
	"github.com/tlayout/tlayout/internal/words"
)

// diffReport is what diff says. Elements and Differing are null where they were not counted, because types or shapes
// differ.
type diffReport struct {
	Schema    string    `json:"schema"`
	A         diffSide  `json:"a"`
	B         diffSide  `json:"b"`
	Compare   string    `json:"compare"` // bits, numbers, close
	RTol      *float64  `json:"rtol,omitempty"`
	ATol      *float64  `json:"atol,omitempty"`
	Equal     bool      `json:"equal"`
	DiffersIn []string  `json:"differs_in,omitempty"` // dtype, shape, elements
	Elements  *int      `json:"elements"`
	Differing *int      `json:"differing"`
	MaxAbs    *diffMost `json:"max_abs_diff,omitempty"` // of elements that differ, or of all where none does; null unless numbers are apart
	NotFinite int       `json:"not_finite,omitempty"`
	Notes     []string  `json:"notes"`
	Warnings  []string  `json:"warnings"`
	rows      diffRows  // the last member, first, written row by row
}

// diffSide is one of the two tensors. Its file's shape is physical, Shape logical.
type diffSide struct {
	Source    string `json:"source"`
	Raw       []byte `json:"source_bytes,omitempty"` // base64, where the name is no UTF-8
	DType     string `json:"dtype"`
	ByteOrder string `json:"byte_order"`
	layoutSide
	Assumed bool `json:"layout_assumed"`
}

type diffMost struct {
	Value float64 `json:"value"`
	Coord []int   `json:"coord"`
}

// newReport compares types and shapes. DiffersIn is nil where the elements are still to be compared.
func (p *diffPair) newReport() *diffReport {
	r := &diffReport{Schema: "tlayout/diff/v1", A: p.newSide(0), B: p.newSide(1), Compare: "bits",
		Notes: []string{}, Warnings: []string{}}
	switch rule := p.rule; {
	case rule.RTol > 0 || rule.ATol > 0:
		r.Compare, r.RTol, r.ATol = "close", &rule.RTol, &rule.ATol
	case rule.Numeric:
		r.Compare = "numbers"
	}
	if !p.rule.Comparable(p.tensors[0].DType, p.tensors[1].DType) {
		r.DiffersIn = append(r.DiffersIn, "dtype")
	}
	if !p.sameShape() {
		r.DiffersIn = append(r.DiffersIn, "shape")
	}
	r.note(p)
	return r
}

func (p *diffPair) newSide(i int) diffSide {
	t := p.tensors[i]
	return diffSide{Source: t.Source, Raw: rawBytes(t.Source), DType: t.DType.String(), ByteOrder: t.DType.Order().String(),
		layoutSide: newSide(layoutName(t), t.FileShape, t.Layout), Assumed: t.Assumed}
}

// note tells what is worth knowing about either side and about how they were matched.
func (r *diffReport) note(p *diffPair) {
	a, b := p.tensors[0].DType, p.tensors[1].DType
	switch {
	case slices.Contains(r.DiffersIn, "dtype") && (diff.Rule{Numeric: true}).Comparable(a, b):
		r.Notes = append(r.Notes, "--numeric compares numbers of different types")
	case diff.Alike(a, b) && a.Order() != b.Order():
		r.Notes = append(r.Notes, "the byte orders are "+r.A.ByteOrder+" and "+r.B.ByteOrder+"; that is no difference")
	}
	if !p.byName && p.sameShape() {
		r.Notes = append(r.Notes, "dims are matched by their place: "+strings.Join(r.A.Dims, ",")+" and "+strings.Join(r.B.Dims, ","))
	}
	for i, t := range p.tensors {
		name := sourceName(p.options.sources[i])
		for _, n := range t.Notes {
			r.Notes = append(r.Notes, name+": "+n)
		}
		for _, w := range t.Warnings {
			r.Warnings = append(r.Warnings, name+": "+w)
		}
		if t.Trailing > 0 {
			r.Warnings = append(r.Warnings, name+": "+formatBytes(t.Trailing)+" after the data "+
				words.Plural(int(min(t.Trailing, 2)), "belongs to no element, and was", "belong to no element, and were")+" not compared")
		}
	}
}

// fill adds what was found among the elements.
func (r *diffReport) fill(p *diffPair, found diff.Result) {
	elements := p.layouts[0].Numel()
	r.Elements, r.Differing, r.NotFinite = &elements, &found.Differing, found.NotFinite
	if r.Equal = found.Differing == 0; !r.Equal {
		r.DiffersIn = []string{"elements"}
	}
	if found.Apart > 0 {
		r.MaxAbs = &diffMost{found.Apart, diff.Coord(p.layouts[0], found.ApartAt)}
	}
	r.rows = diffRows{p, found.First}
}
