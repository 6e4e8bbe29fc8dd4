package main

import (
	"encoding/hex"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/diff"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/source"
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
	MaxAbs    *diffMost `json:"max_abs_diff,omitempty"` // null unless numbers are compared and some are apart
	NotFinite int       `json:"not_finite,omitempty"`
	First     []diffRow `json:"first"`
	Notes     []string  `json:"notes"`
	Warnings  []string  `json:"warnings"`
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

// diffRow is one differing element: offsets in elements of the storage, bytes from the beginning of the file.
type diffRow struct {
	Coord   []int  `json:"coord"`
	A       string `json:"a"`
	B       string `json:"b"`
	ABits   string `json:"a_bits"`
	BBits   string `json:"b_bits"`
	AOffset int    `json:"a_offset"`
	BOffset int    `json:"b_offset"`
	AByte   int64  `json:"a_byte"`
	BByte   int64  `json:"b_byte"`
}

// newReport compares types and shapes. DiffersIn is nil where the elements are still to be compared.
func (p *diffPair) newReport() *diffReport {
	r := &diffReport{Schema: "tlayout/diff/v1", A: p.newSide(0), B: p.newSide(1), Compare: "bits",
		First: []diffRow{}, Notes: []string{}, Warnings: []string{}}
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
		name := fault.Quote(p.options.sources[i])
		for _, n := range t.Notes {
			r.Notes = append(r.Notes, name+": "+n)
		}
		for _, w := range t.Warnings {
			r.Warnings = append(r.Warnings, name+": "+w)
		}
		if t.Trailing > 0 {
			r.Warnings = append(r.Warnings, name+" has "+formatBytes(t.Trailing)+" after its data, which were not compared")
		}
	}
}

// fill adds what was found among the elements.
func (r *diffReport) fill(p *diffPair, found diff.Result) error {
	elements := p.layouts[0].Numel()
	r.Elements, r.Differing, r.NotFinite = &elements, &found.Differing, found.NotFinite
	if r.Equal = found.Differing == 0; !r.Equal {
		r.DiffersIn = []string{"elements"}
	}
	if found.Apart > 0 {
		r.MaxAbs = &diffMost{found.Apart, diff.Coord(p.layouts[0], found.ApartAt)}
	}
	for _, index := range found.First {
		r.First = append(r.First, diffRow{Coord: diff.Coord(p.layouts[0], index)})
	}
	for i, t := range p.tensors {
		if err := t.Guard(func() error { return r.read(i, t, p.layouts[i]) }); err != nil {
			return err
		}
	}
	return nil
}

// read fills in what one side holds at the coordinates that differ.
func (r *diffReport) read(i int, t *source.Tensor, l tensor.Layout) error {
	data, err := t.Data()
	if err != nil {
		return err
	}
	size := t.DType.ItemSize()
	for k := range r.First {
		row := &r.First[k]
		at := l.At(row.Coord...)
		item := data[at*size : (at+1)*size]
		value, bits, byteAt := t.DType.FormatValue(item), bitsOf(t.DType, item), t.Header.DataOffset+int64(at)*int64(size)
		if i == 0 {
			row.A, row.ABits, row.AOffset, row.AByte = value, bits, at, byteAt
		} else {
			row.B, row.BBits, row.BOffset, row.BByte = value, bits, at, byteAt
		}
	}
	return nil
}

// mostBits is how many bytes of an item are shown in hexadecimal.
const mostBits = 16

// bitsOf prints an item's bytes: those of a number from the highest to the lowest, of a complex one part by part, of
// all else as they lie in memory.
func bitsOf(d tensor.DType, item []byte) string {
	item, parts := slices.Clone(item), 0
	switch {
	case d.Order() != tensor.Little || d.Kind() == tensor.Text:
	case d.Kind() == tensor.Complex:
		parts = 2
	default:
		parts = 1
	}
	for i := range parts {
		slices.Reverse(item[i*len(item)/parts : (i+1)*len(item)/parts])
	}
	if len(item) > mostBits {
		return "0x" + hex.EncodeToString(item[:mostBits]) + "…"
	}
	return "0x" + hex.EncodeToString(item)
}
