package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/explain"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/words"
)

// screen lays the report out for a person.
type screen struct{ *inspectReport }

// writeInspect writes the report for a person: the answer on the first line, then one table for each kind of fact.
func writeInspect(a *app, r screen, t *source.Tensor) error {
	if err := writeAnswer(a, headline(r, t.Named)); err != nil {
		return err
	}
	for _, table := range []render.Table{r.dimTable(t), r.factTable(), r.contiguityTable(),
		r.acceptedTable(), r.nameTable(), r.candidateTable()} {
		if err := writeSection(a, table); err != nil {
			return err
		}
	}
	if r.Ambiguity != "" {
		_, err := fmt.Fprintf(a.stdout, "\n%s\n", wrap(strings.Fields("Not one alone: "+r.Ambiguity+"."), a.streams.columns()-4))
		return err
	}
	return nil
}

// writeHeadline writes the answer alone, for one of many sources.
func writeHeadline(a *app, r screen, t *source.Tensor) error {
	line := a.streams.fold(headline(r, t.Named), 2)
	if a.format == formatMarkdown {
		line = "- " + line
	}
	_, err := fmt.Fprintln(a.stdout, line)
	return err
}

// writeAnswer writes the first line, which answers the question.
func writeAnswer(a *app, line string) error {
	_, err := fmt.Fprintln(a.stdout, a.bold(a.streams.fold(line, 2)))
	return err
}

// writeRemarks writes sentences, one a line, behind an empty one; nothing where there are none.
func writeRemarks(a *app, lines []string) error {
	for i, line := range lines {
		if i == 0 {
			fmt.Fprintln(a.stdout)
		}
		if _, err := fmt.Fprintln(a.stdout, a.streams.fold(line, 2)); err != nil {
			return err
		}
	}
	return nil
}

// noteLines are notes as remarks.
func noteLines(notes []string) []string {
	var lines []string
	for _, note := range notes {
		lines = append(lines, "note: "+note)
	}
	return lines
}

// writeSection writes a table under its title; nothing where it has no rows.
func writeSection(a *app, t render.Table) error {
	if len(t.Rows) == 0 {
		return nil
	}
	if a.format == formatMarkdown {
		fmt.Fprintf(a.stdout, "\n**%s**\n\n", t.Title)
		return t.Markdown(a.stdout)
	}
	fmt.Fprintf(a.stdout, "\n%s\n", a.bold(t.Title))
	return t.Text(a.stdout, a.streams.columns(), a.streams.unicode)
}

// headline is the answer in one line: x.npy: float32 (1, 64, 5, 4), NCHW (assumed), C-contiguous.
func headline(r screen, named bool) string {
	name := fault.Quote(r.Source)
	if r.Source == "" {
		name = "tensor"
	}
	parts := []string{fmt.Sprintf("%s: %s%s %s", name, shorten(r.DType), r.maybe(), tensor.Tuple(r.Shape))}
	switch {
	case r.Layout == "" || len(r.Shape) == 0:
	case r.Ambiguous && !named:
		parts = append(parts, r.candidateNames()+" (strides cannot tell)")
	case r.LooksLike != "":
		parts = append(parts, fmt.Sprintf("%s (assumed; its sizes look like %s)", r.Layout, r.LooksLike))
	case r.LayoutAssumed && r.reversed():
		parts = append(parts, fmt.Sprintf("%s (its axes assumed to be %s)", r.Layout, strings.Join(r.Dims, "")))
	case r.LayoutAssumed:
		parts = append(parts, r.Layout+" (assumed)")
	default:
		parts = append(parts, r.Layout)
	}
	parts = append(parts, r.character())
	if slices.ContainsFunc(r.Strides, func(stride int) bool { return stride < 0 }) {
		parts = append(parts, "with negative strides, which "+words.And(notation.WithoutNegative())+" refuse")
	}
	if r.Container != nil && r.Container.memberReport != nil {
		parts = append(parts, memberCharacter(r.Container.memberReport))
	}
	return strings.Join(parts, ", ")
}

// reversed reports whether memory has the file's axes the other way round, so that the memory order is not what --layout
// would be: that names the axes.
func (r screen) reversed() bool { return r.Container != nil && r.Container.FortranOrder }

// maybe names the type that raw bytes of this size mostly are.
func (r screen) maybe() string {
	switch r.DType {
	case "V2":
		return " (bfloat16?)"
	case "V1":
		return " (float8?)"
	}
	return ""
}

// candidateNames lists the orders that the tensor could have: "NCHW or NHWC".
func (r screen) candidateNames() string {
	names := make([]string, len(r.Candidates))
	for i, c := range r.Candidates {
		names[i] = c.Layout
	}
	return strings.Join(names, " or ")
}

// character is the most telling word about how the tensor lies.
func (r *inspectReport) character() string {
	c := r.Contiguous
	if r.Numel == 0 {
		return "empty"
	}
	if sense := character(c.C, c.F, c.CL, c.CL3D); sense != "" {
		return sense
	}
	switch {
	case len(r.BroadcastDims) > 0:
		return "broadcast"
	case r.Overlapping == "yes":
		return "overlapping"
	case r.Packed:
		return "packed"
	}
	return "padded"
}

// character says in which senses a tensor is contiguous; empty for none.
func character(c, f, last, last3D bool) string {
	switch {
	case c && f:
		return "C- and F-contiguous"
	case c && last3D:
		return "C- and channels_last_3d contiguous"
	case c && last:
		return "C- and channels_last contiguous"
	case c:
		return "C-contiguous"
	case last:
		return "channels_last contiguous"
	case last3D:
		return "channels_last_3d contiguous"
	case f:
		return "F-contiguous"
	}
	return ""
}

// dimTable lists the dims with their strides, or, where a dim is split, the digits.
func (r screen) dimTable(t *source.Tensor) render.Table {
	l := t.Layout
	table := render.Table{Title: "Dims, in logical order", Header: []string{"dim", "size", "stride", "bytes"}, Numbers: []int{1, 2, 3}}
	_, plain := l.Strided()
	if !plain {
		table.Title = "Dims and their digits, most significant first"
		table.Header = []string{"dim", "size", "digit", "extent", "stride", "bytes"}
		table.Numbers = []int{1, 3, 4, 5}
	}
	for i := range l.Rank() {
		d := l.Dim(i)
		if plain {
			s, _ := l.Strided()
			table.Add(d.Name, strconv.Itoa(d.Size), strconv.Itoa(s.Strides[i]), explain.InBytes(s.Strides[i], r.ItemSize))
			continue
		}
		for k := len(d.Digits) - 1; k >= 0; k-- {
			g, name, size := d.Digits[k], "", ""
			if k == len(d.Digits)-1 {
				name, size = d.Name, strconv.Itoa(d.Size)
			}
			table.Add(name, size, explain.DigitName(d, k), strconv.Itoa(g.Extent), strconv.Itoa(g.Stride), explain.InBytes(g.Stride, r.ItemSize))
		}
	}
	return table
}
