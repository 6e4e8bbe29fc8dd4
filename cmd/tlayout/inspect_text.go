package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/source"
)

// writeInspect writes the report for a person: the answer on the first line, then one table for each kind of fact.
func writeInspect(a *app, r *inspectReport, t *source.Tensor) error {
	if _, err := fmt.Fprintln(a.stdout, a.bold(a.streams.fold(headline(r), 2))); err != nil {
		return err
	}
	for _, table := range []render.Table{r.dimTable(t), r.factTable(), r.contiguityTable(), r.nameTable(), r.candidateTable()} {
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
func headline(r *inspectReport) string {
	name := fault.Quote(r.Source)
	if r.Source == "" {
		name = "tensor"
	}
	parts := []string{fmt.Sprintf("%s: %s %s", name, r.DType, tensor.Tuple(r.Shape))}
	switch {
	case r.Layout == "" || len(r.Shape) == 0:
	case r.LooksLike != "":
		parts = append(parts, fmt.Sprintf("%s (assumed; its sizes look like %s)", r.Layout, r.LooksLike))
	case r.LayoutAssumed:
		parts = append(parts, r.Layout+" (assumed)")
	default:
		parts = append(parts, r.Layout)
	}
	return strings.Join(append(parts, r.character()), ", ")
}

// character is the most telling word about how the tensor lies.
func (r *inspectReport) character() string {
	switch c := r.Contiguous; {
	case r.Numel == 0:
		return "empty"
	case c.C && c.F:
		return "C- and F-contiguous"
	case c.C:
		return "C-contiguous"
	case c.CL:
		return "channels_last contiguous"
	case c.CL3D:
		return "channels_last_3d contiguous"
	case c.F:
		return "F-contiguous"
	case len(r.BroadcastDims) > 0:
		return "broadcast"
	case r.Overlapping == "yes":
		return "overlapping"
	case r.Packed:
		return "packed"
	}
	return "padded"
}

// dimTable lists the dims with their strides, or, where a dim is split, the digits.
func (r *inspectReport) dimTable(t *source.Tensor) render.Table {
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
			table.Add(d.Name, strconv.Itoa(d.Size), strconv.Itoa(s.Strides[i]), strconv.Itoa(s.Strides[i]*r.ItemSize))
			continue
		}
		for k := len(d.Digits) - 1; k >= 0; k-- {
			g, name, size := d.Digits[k], "", ""
			if k == len(d.Digits)-1 {
				name, size = d.Name, strconv.Itoa(d.Size)
			}
			table.Add(name, size, digitName(d, k), strconv.Itoa(g.Extent), strconv.Itoa(g.Stride), strconv.Itoa(g.Stride*r.ItemSize))
		}
	}
	return table
}

// digitName prints a digit as C//4 or C%4.
func digitName(d tensor.Dim, k int) string {
	s := d.Name
	if d.Digits[k].Div != 1 {
		s += fmt.Sprintf("//%d", d.Digits[k].Div)
	}
	if k < len(d.Digits)-1 {
		s += fmt.Sprintf("%%%d", d.Digits[k].Extent)
	}
	return s
}

// factTable lists what is said in a line each.
func (r *inspectReport) factTable() render.Table {
	t := render.Table{Title: "Facts", Header: []string{"fact", "value"}}
	if c := r.Container; c != nil {
		order := "C order"
		if c.FortranOrder {
			order = "Fortran order"
		}
		t.Add("file", fmt.Sprintf(".npy %s, %s, %s of data from byte %d", c.Version, order, formatBytes(c.DataBytes), c.DataOffset))
		t.Add("file shape", tensor.Tuple(r.FileShape)+", physical: one size for each axis of the file")
	}
	t.Add("dtype", fmt.Sprintf("%s, %s, %s", r.DType, fault.Quote(r.Descr), byteOrderText(r)))
	for _, f := range r.Fields {
		t.Add("", fmt.Sprintf("field %s: %s at byte %d", f.Name, f.DType, f.Offset))
	}
	t.Add("shape", strings.TrimSuffix(fmt.Sprintf("%s, logical: %s", tensor.Tuple(r.Shape), strings.Join(r.Dims, ", ")), ": "))
	if r.Layout != "" && len(r.Shape) > 0 {
		memory := r.Explicit + ", outermost first"
		if r.LayoutAssumed {
			memory += "; assumed by rank, --layout names another"
		}
		t.Add("memory order", memory)
	}
	t.Add("address", r.Formula)
	t.Add("elements", fmt.Sprintf("%d, %s", r.Numel, formatBytes(int64(r.NBytes))))
	t.Add("extent", r.extentText())
	t.Add("packed", yesNo(r.Packed))
	t.Add("padded", r.paddedText())
	t.Add("broadcast", r.broadcastText())
	t.Add("overlapping", r.overlapText())
	if r.DirectMLBytes != nil {
		t.Add("DirectML size", fmt.Sprintf("%d bytes (DMLCalcBufferTensorSize)", *r.DirectMLBytes))
	}
	for _, n := range r.Notes {
		t.Add("note", n)
	}
	return t
}

func byteOrderText(r *inspectReport) string {
	s := fmt.Sprintf("%d bytes per item", r.ItemSize)
	if r.ItemSize == 1 {
		s = "1 byte per item"
	}
	if r.ByteOrder != "none" {
		s += ", " + r.ByteOrder + "-endian"
	}
	return s
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func (r *inspectReport) extentText() string {
	s := fmt.Sprintf("%d", r.Extent)
	if r.Span != nil {
		s += fmt.Sprintf(", offsets %d to %d of a storage of %d", r.Span[0], r.Span[1], r.Storage)
	}
	if r.Unique != nil && *r.Unique != r.Extent {
		s += fmt.Sprintf("; %d in use", *r.Unique)
	}
	return s
}

func (r *inspectReport) paddedText() string {
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{{orZero(r.Gaps), "between elements"}, {r.Leading, "before the first"}, {r.Trailing, "after the last"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	switch {
	case r.Gaps == nil:
		return "unknown: too many elements to count"
	case len(parts) == 0:
		return "no"
	case r.Padded:
		return "yes: " + strings.Join(parts, ", ")
	}
	return "not inside: " + strings.Join(parts, ", ")
}

func orZero(n *int) int {
	if n == nil {
		return 0
	}
	return *n
}

func (r *inspectReport) broadcastText() string {
	if len(r.BroadcastDims) == 0 {
		return "no"
	}
	var names []string
	for _, i := range r.BroadcastDims {
		names = append(names, r.Dims[i])
	}
	return "along " + strings.Join(names, ", ") + ": its index does not move the address"
}

func (r *inspectReport) overlapText() string {
	switch {
	case r.Overlapping == "unknown":
		return fmt.Sprintf("unknown: more than %d elements to compare", r.OverlapLimit)
	case r.Overlapping == "yes" && r.Unique != nil:
		return fmt.Sprintf("yes: %d elements share %d addresses", r.Numel, *r.Unique)
	case r.Overlapping == "yes":
		return fmt.Sprintf("yes: %d elements in an extent of %d", r.Numel, r.Extent)
	}
	return "no"
}

// writeInspectCSV writes one line for each source, under one header.
func writeInspectCSV(a *app, o *inspectOptions, r *inspectReport) error {
	t := render.Table{Header: strings.Split("source,dtype,file_shape,dims,shape,layout,layout_assumed,strides,offset,numel,nbytes,"+
		"c,f,channels_last,channels_last_3d,packed,padded,overlapping,extent_elems,suggested_memory_format", ",")}
	suggested := ""
	if r.Suggested != nil {
		suggested = *r.Suggested
	}
	c, list := r.Contiguous, func(xs []int) string { return strings.Trim(tensor.List(xs), "[]") }
	row := []any{fault.Quote(r.Source), r.DType, list(r.FileShape), strings.Join(r.Dims, ""), list(r.Shape), r.Layout, r.LayoutAssumed,
		list(r.Strides), r.Offset, r.Numel, r.NBytes, c.C, c.F, c.CL, c.CL3D, r.Packed, r.Padded, r.Overlapping, r.Extent, suggested}
	cells := make([]string, len(row))
	for i, x := range row {
		cells[i] = fmt.Sprint(x)
	}
	t.Add(cells...)
	var out strings.Builder
	if err := t.CSV(&out); err != nil {
		return err
	}
	text := out.String()
	if o.headed {
		_, text, _ = strings.Cut(text, "\n")
	}
	o.headed = true
	_, err := io.WriteString(a.stdout, text)
	return err
}
