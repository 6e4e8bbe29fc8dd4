package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/words"
)

func (r *diffReport) write(a *app) error {
	switch a.format {
	case formatJSON:
		return writeJSON(a.stdout, r, true)
	case formatCSV:
		return r.csv().CSV(a.stdout)
	}
	fmt.Fprintln(a.stdout, a.bold(a.streams.fold(r.headline(), 2)))
	for _, t := range []render.Table{r.sideTable(), r.elementTable(a.streams.columns())} {
		if err := writeSection(a, t); err != nil {
			return err
		}
	}
	for i, line := range r.lines() {
		if i == 0 {
			fmt.Fprintln(a.stdout)
		}
		if _, err := fmt.Fprintln(a.stdout, a.streams.fold(line, 2)); err != nil {
			return err
		}
	}
	return nil
}

// headline is the answer in one line.
func (r *diffReport) headline() string {
	names := fault.Quote(r.A.Source) + " and " + fault.Quote(r.B.Source)
	if r.Differing == nil {
		return names + " differ in " + strings.Join(r.otherwise(), ", and in ")
	}
	if r.Equal {
		return names + " " + r.sameness() + ": " + r.what()
	}
	differ := "differ"
	if r.Compare == "close" {
		differ = "are farther apart than " + r.tolerance()
	}
	return fmt.Sprintf("%s %s in %d of %d %s, first at %s", names, differ, *r.Differing, *r.Elements,
		words.Plural(*r.Elements, "element", "elements"), tensor.Tuple(r.First[0].Coord))
}

// otherwise says how the two differ where their elements cannot be compared.
func (r *diffReport) otherwise() []string {
	var parts []string
	if slices.Contains(r.DiffersIn, "dtype") {
		parts = append(parts, "dtype, "+shorten(r.A.DType)+" and "+shorten(r.B.DType))
	}
	if slices.Contains(r.DiffersIn, "shape") {
		b := r.B.sizes()
		if slices.Equal(r.A.Dims, r.B.Dims) {
			b = tensor.Tuple(r.B.Shape)
		}
		parts = append(parts, "shape, "+r.A.sizes()+" and "+b)
	}
	return parts
}

func (r *diffReport) sameness() string {
	switch r.Compare {
	case "numbers":
		return "hold the same numbers"
	case "close":
		return "are close, within " + r.tolerance()
	}
	return "hold the same tensor"
}

// tolerance is the right side of |a − b| ≤ atol + rtol·|b|.
func (r *diffReport) tolerance() string {
	var parts []string
	if *r.ATol > 0 {
		parts = append(parts, strconv.FormatFloat(*r.ATol, 'g', -1, 64))
	}
	if *r.RTol > 0 {
		parts = append(parts, strconv.FormatFloat(*r.RTol, 'g', -1, 64)+"·|b|")
	}
	return strings.Join(parts, " + ")
}

// what says which tensor both hold: 1280 elements of float32 (1, 64, 5, 4), NCHW and NHWC.
func (r *diffReport) what() string {
	dtype := shorten(r.A.DType)
	if r.B.DType != r.A.DType {
		dtype += " and " + shorten(r.B.DType)
	}
	s := fmt.Sprintf("%d %s of %s %s", *r.Elements, words.Plural(*r.Elements, "element", "elements"), dtype, tensor.Tuple(r.A.Shape))
	switch a, b := r.A.order(), r.B.order(); {
	case len(r.A.Shape) == 0:
		return s
	case a == b:
		return s + ", both " + a
	default:
		return s + ", " + a + " and " + b
	}
}

// order names the memory order, or prints the digits where it has no name.
func (s *diffSide) order() string { return cmp.Or(s.Layout, s.Notation) }

// sideTable lists both tensors. A type that both have stands in the title.
func (r *diffReport) sideTable() render.Table {
	t := render.Table{Title: shorten(r.A.DType), Header: []string{"", "dtype", "layout", "shape", "strides", "source"}}
	for i, s := range []diffSide{r.A, r.B} {
		dtype, layout, strides := shorten(s.DType), cmp.Or(s.Layout, "strides"), "blocks: "+s.Notation
		if r.A.ByteOrder != r.B.ByteOrder && s.ByteOrder != "none" {
			dtype += ", " + s.ByteOrder
		}
		if s.Assumed {
			layout += " (assumed)"
		}
		if s.Strides != nil {
			strides = tensor.Tuple(s.Strides)
		}
		t.Add(sideNames[i], dtype, layout, s.sizes(), strides, fault.Quote(s.Source))
	}
	if t.Rows[0][1] != t.Rows[1][1] {
		t.Title = "Sides"
		return t
	}
	t.Header = slices.Delete(t.Header, 1, 2)
	for i := range t.Rows {
		t.Rows[i] = slices.Delete(t.Rows[i], 1, 2)
	}
	return t
}

// elementTable lists elements that differ: with their bits where values print alike, and with offsets, unless that makes
// it wider than so many columns.
func (r *diffReport) elementTable(columns int) render.Table {
	bits := slices.ContainsFunc(r.First, func(row diffRow) bool { return row.A == row.B })
	t := r.elements(bits, true)
	if width(t) > columns {
		t = r.elements(bits, false)
	}
	t.Title = "Elements that differ, by " + strings.Join(r.A.Dims, ",")
	if n := len(r.First); n > 0 && n < *r.Differing {
		t.Title = fmt.Sprintf("The first %d of %d elements that differ, by %s", n, *r.Differing, strings.Join(r.A.Dims, ","))
	}
	return t
}

func (r *diffReport) elements(bits, offsets bool) render.Table {
	t := render.Table{Header: []string{"coordinate", "a", "b"}, Numbers: []int{1, 2, 3, 4, 5, 6, 7, 8}}
	if bits {
		t.Header = append(t.Header, "bits a", "bits b")
	}
	if offsets {
		t.Header = append(t.Header, "offset a", "offset b")
	}
	t.Header = append(t.Header, "byte a", "byte b")
	t.Numbers = t.Numbers[:len(t.Header)-1]
	for _, row := range r.First {
		cells := []string{tensor.Tuple(row.Coord), words.Cut(row.A, 20), words.Cut(row.B, 20)}
		if bits {
			cells = append(cells, row.ABits, row.BBits)
		}
		if offsets {
			cells = append(cells, strconv.Itoa(row.AOffset), strconv.Itoa(row.BOffset))
		}
		t.Add(append(cells, strconv.FormatInt(row.AByte, 10), strconv.FormatInt(row.BByte, 10))...)
	}
	return t
}

// width is how many columns a table takes.
func width(t render.Table) int {
	total := 0
	for i, h := range t.Header {
		widest := len(h)
		for _, row := range t.Rows {
			widest = max(widest, utf8.RuneCountInString(row[i]))
		}
		total += widest + 2
	}
	return total
}

// lines say what else is worth knowing.
func (r *diffReport) lines() []string {
	var lines []string
	if m := r.MaxAbs; m != nil {
		lines = append(lines, fmt.Sprintf("largest absolute difference: %g at %s", m.Value, tensor.Tuple(m.Coord)))
	}
	if n := r.NotFinite; n > 0 {
		lines = append(lines, fmt.Sprintf("%d of the elements that differ %s no distance: NaN, infinite or no number", n,
			words.Plural(n, "has", "have")))
	}
	for _, n := range r.Notes {
		lines = append(lines, "note: "+n)
	}
	return lines
}

// csv lists the elements that differ, a column for each dim.
func (r *diffReport) csv() render.Table {
	var t render.Table
	for _, name := range r.A.Dims {
		t.Header = append(t.Header, strings.ToLower(name))
	}
	t.Header = append(t.Header, "value_a", "value_b", "a_bits", "b_bits", "a_offset", "b_offset", "a_byte", "b_byte")
	for _, row := range r.First {
		var cells []string
		for _, i := range row.Coord {
			cells = append(cells, strconv.Itoa(i))
		}
		t.Add(append(cells, row.A, row.B, row.ABits, row.BBits, strconv.Itoa(row.AOffset), strconv.Itoa(row.BOffset),
			strconv.FormatInt(row.AByte, 10), strconv.FormatInt(row.BByte, 10))...)
	}
	return t
}
