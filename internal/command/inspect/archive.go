package inspect

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/clipperhouse/displaywidth"
	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/inspect"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/words"
)

// archive lists the arrays of an archive.
type archive struct{ *inspect.Archive }

// Warned are the warnings of the archive, and one for each member that cannot be read.
func (r archive) Warned() []string { return r.Warnings }

// maxDrawn is how many members are drawn as a table; more are written one by one.
const maxDrawn = 1000

// Page writes a line for each member.
func (r archive) Page(p *cli.Page) {
	p.Answer(r.Headline())
	if t := (render.Table{Title: "Arrays", Header: memberHeader, Numbers: memberNumbers}); r.Len() <= maxDrawn {
		for m := range r.Members() {
			t.Add(memberRow(m)...)
		}
		p.Section(t)
	} else {
		r.stream(p)
	}
	usage := r.Usage()
	if !p.All() {
		usage = usage[:min(1, len(usage))]
	}
	p.Remarks(usage...)
	p.More("--all")
}

var (
	memberHeader  = []string{"name", "dtype", "shape", "layout", "bytes", "in archive", "method"}
	memberNumbers = []int{4, 5}
)

// stream writes the members one by one, in columns that were measured before.
func (r archive) stream(p *cli.Page) {
	c := render.Columns{Header: memberHeader, Widths: make([]int, len(memberHeader)), Numbers: memberNumbers}
	for m := range r.Members() {
		for i, cell := range memberRow(m) {
			c.Widths[i] = max(c.Widths[i], displaywidth.String(cell))
		}
	}
	w := p.Rows("Arrays", c)
	for m := range r.Members() {
		p.Fail(w.Row(memberRow(m)...))
	}
	p.Fail(w.Close())
}

// memberRow is a member's row. Its layout is C or Fortran, unless something says more.
func memberRow(m inspect.Member) []string {
	row := []string{words.Shorten(words.Quote(m.Name)), "not an array", "", "", "", strconv.FormatInt(m.PackedBytes, 10), m.Method}
	switch {
	case m.Error != nil:
		row[1] = "unreadable"
	case m.Array:
		row[1], row[2], row[3], row[4] = words.Shorten(*m.DType), tensor.Tuple(m.Shape), "C", strconv.FormatInt(*m.DataBytes, 10)
		if *m.Fortran {
			row[3] = "Fortran"
		}
		row[3] = cmp.Or(known(m.Layout), row[3])
	}
	return row
}

// WriteJSON writes the report with one more name, the list of members.
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

// WriteCSV has one row for each member.
func (r archive) WriteCSV(w io.Writer) error {
	out := render.StreamCSV(w, render.Columns{
		Header: strings.Split("source,name,dtype,shape,fortran_order,layout,method,compressed_bytes,data_bytes,data_offset,error", ",")})
	for m := range r.Members() {
		message := ""
		if m.Error != nil {
			message = m.Error.Message
		}
		err := out.Row(words.Quote(r.Source), words.Quote(m.Name), known(m.DType), words.Ints(m.Shape, ", "), known(m.Fortran), known(m.Layout), m.Method,
			strconv.FormatInt(m.PackedBytes, 10), known(m.DataBytes), known(m.DataOffset), message)
		if err != nil {
			return err
		}
	}
	return out.Close()
}

// known prints what may be unknown; that is empty.
func known[T any](x *T) string {
	if x == nil {
		return ""
	}
	return fmt.Sprint(*x)
}
