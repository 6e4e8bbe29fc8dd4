package inspectcmd

import (
	"cmp"
	"fmt"
	"io"
	"strconv"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/file/document"
	"github.com/tlayout/tlayout/internal/inspect"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// archive is the report on an archive.
type archive struct{ *inspect.Archive }

// Page writes a line per member, as many as fit the terminal.
func (r archive) Page(p *cli.Page) {
	p.Answer(r.Headline())
	usage := r.Usage()
	if !p.All() {
		usage = usage[:min(1, len(usage))]
	}
	shown := fitting(p, r.Len(), len(usage), 0)
	w := &measured{page: p, names: 2, columns: render.Columns{Header: []string{"name", "dtype", "shape", "layout", "bytes", "in archive", "method"}, Numbers: []int{4, 5}},
		drop: [][]int{{6}, {5}}}
	p.Blank()
	n := 0
	for m := range r.Members() {
		if n++; n > shown {
			p.Fail(w.end("", r.Len()-shown))
			break
		}
		p.Fail(w.Row(memberRow(m)...))
	}
	p.Fail(w.Close())
	p.Remarks(usage...)
	p.More("--all")
}

// memberRow returns a member's row. Its layout is C or Fortran order, unless the archive records another one.
func memberRow(m inspect.Member) []string {
	row := []string{text.Shorten(text.Quote(m.Name)), "not an array", "", "", "", strconv.FormatInt(m.PackedBytes, 10), m.Method}
	if m.Error != nil {
		row[1] = "unreadable"
		return row
	}
	if m.Array {
		order := "C"
		if *m.Fortran {
			order = "Fortran"
		}
		row[1] = text.Shorten(*m.DType)
		row[2] = tensor.Tuple(m.Shape)
		row[3] = cmp.Or(known(m.Layout), order)
		row[4] = strconv.FormatInt(*m.DataBytes, 10)
	}
	return row
}

// WriteJSON writes the report followed by the list of members.
func (r archive) WriteJSON(w io.Writer, alone bool) error {
	list, err := cli.BeginList(w, r.Archive, "members", alone)
	if err != nil {
		return err
	}
	for m := range r.Members() {
		if err := list.Add(m); err != nil {
			return err
		}
	}
	return list.End()
}

// WriteCSV writes one row per member.
func (r archive) WriteCSV(w io.Writer) error {
	columns := cli.NewColumns("source,name,dtype,shape,fortran_order,layout,method,compressed_bytes,data_bytes,data_offset,error=error_message")
	out := render.StreamCSV(w, render.Columns{Header: columns.Header})
	for m := range r.Members() {
		row := struct {
			document.Named
			inspect.Member
		}{r.Named, m}
		if err := out.Row(columns.Cells(row)...); err != nil {
			return err
		}
	}
	return out.Close()
}

// known formats a value; empty for nil.
func known[T any](x *T) string {
	if x == nil {
		return ""
	}
	return fmt.Sprint(*x)
}
