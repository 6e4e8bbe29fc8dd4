package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/words"
)

// writeArchive writes a line for each member of an archive, and fails where one cannot be read.
func writeArchive(a *app, o *inspectOptions, r *archiveReport) error {
	if err := r.write(a, o); err != nil {
		return err
	}
	return r.refusal()
}

func (r *archiveReport) write(a *app, o *inspectOptions) error {
	switch a.format {
	case formatJSON:
		return writeJSON(a.stdout, r, len(o.sources) < 2)
	case formatCSV:
		return r.writeCSV(a, o)
	}
	a.warn(r.Warnings)
	line := a.streams.fold(r.headline(), 2)
	if len(o.sources) > maxTables && a.format == formatMarkdown {
		line = "- " + line
	}
	if _, err := fmt.Fprintln(a.stdout, a.bold(line)); err != nil || len(o.sources) > maxTables {
		return err
	}
	if err := writeSection(a, r.table()); err != nil {
		return err
	}
	return r.writeWay(a)
}

// headline counts the arrays: x.npz: 5 arrays, 896 bytes of data, 2 of them deflated.
func (r *archiveReport) headline() string {
	deflated := r.deflated()
	s := fmt.Sprintf("%s: %s, %s of data", fault.Quote(r.Source), words.Count(r.Arrays, "array"), formatBytes(r.DataBytes))
	switch {
	case r.Arrays == 0 && r.unread != nil:
		s = fault.Quote(r.Source) + ": an archive without an array that can be read"
	case r.Arrays == 0:
		s = fault.Quote(r.Source) + ": an archive without an array"
	case deflated == 0:
		s += ", stored without compression"
	case deflated == r.Arrays:
		s += ", deflated"
	default:
		s += fmt.Sprintf(", %d of them deflated", deflated)
	}
	if others := len(r.Members) - r.Arrays - r.unreadable(); others > 0 {
		s += fmt.Sprintf("; %s of another kind", words.Count(others, "member"))
	}
	if n := r.unreadable(); n > 0 {
		s += fmt.Sprintf("; %s unreadable", words.Count(n, "member"))
	}
	return s
}

// unreadable counts the members that are.
func (r *archiveReport) unreadable() (n int) {
	for _, m := range r.Members {
		if m.Error != nil {
			n++
		}
	}
	return n
}

// deflated counts the arrays that are.
func (r *archiveReport) deflated() (n int) {
	for _, m := range r.Members {
		if m.Array && m.DataOffset == nil {
			n++
		}
	}
	return n
}

func (r *archiveReport) table() render.Table {
	t := render.Table{Title: "Arrays", Header: []string{"name", "dtype", "shape", "order", "bytes", "packed", "method"}, Numbers: []int{4, 5}}
	for _, m := range r.Members {
		t.Add(m.row()...)
	}
	return t
}

// row is the member's line of the table.
func (m *arrayReport) row() []string {
	row := []string{shorten(fault.Quote(m.Name)), "not an array", "", "", "", strconv.FormatInt(m.PackedBytes, 10), m.Method}
	switch {
	case m.Error != nil:
		row[1] = "unreadable"
	case m.Array:
		row[1], row[2], row[3], row[4] = shorten(*m.DType), tensor.Tuple(m.Shape), "C", strconv.FormatInt(*m.DataBytes, 10)
		if *m.Fortran {
			row[3] = "Fortran"
		}
	}
	return row
}

// writeWay says how to look at one array, and what kind of array can be mapped.
func (r *archiveReport) writeWay(a *app) error {
	times := map[string]int{}
	for _, m := range r.Members {
		times[m.Member]++
	}
	for _, m := range r.Members {
		name := r.Source + ":" + m.Name
		if !m.Array || times[m.Member] > 1 || fault.Quote(name) != name {
			continue
		}
		text := "One array alone, without reading the others: tlayout inspect " + words.Shell(name) + "."
		if r.deflated() < r.Arrays {
			text += " Stored arrays can be mapped where they lie, though numpy's mmap_mode ignores archives; inspect prints how."
		}
		if r.deflated() > 0 {
			text += " Deflated arrays cannot be mapped: np.savez writes arrays that can, np.savez_compressed does not."
		}
		_, err := fmt.Fprintf(a.stdout, "\n%s\n", wrap(strings.Fields(text), a.streams.columns()-4))
		return err
	}
	return nil
}

// writeCSV writes one line for each member, under one header.
func (r *archiveReport) writeCSV(a *app, o *inspectOptions) error {
	t := render.Table{Header: strings.Split("source,name,dtype,shape,fortran_order,method,packed_bytes,data_bytes,data_offset,error", ",")}
	for _, m := range r.Members {
		t.Add(fault.Quote(r.Source), fault.Quote(m.Name), text(m.DType), words.Ints(m.Shape, ", "), text(m.Fortran), m.Method,
			strconv.FormatInt(m.PackedBytes, 10), text(m.DataBytes), text(m.DataOffset), text(m.Error))
	}
	return o.writeUnderHeader(a, t)
}

// writeUnderHeader writes the rows of a table, and its header unless that was written last.
func (o *inspectOptions) writeUnderHeader(a *app, t render.Table) error {
	var out strings.Builder
	if err := t.CSV(&out); err != nil {
		return err
	}
	text := out.String()
	header, rest, _ := strings.Cut(text, "\n")
	if o.header == header {
		text = rest
	}
	o.header = header
	_, err := io.WriteString(a.stdout, text)
	return err
}

// text prints what may be unknown.
func text[T any](x *T) string {
	if x == nil {
		return ""
	}
	return fmt.Sprint(*x)
}
