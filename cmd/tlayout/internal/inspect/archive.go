package inspect

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/cmd/tlayout/internal/cli"
	"github.com/tlayout/tlayout/internal/inspect"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/words"
)

// archive lists the arrays of an archive; brief is the headline alone.
type archive struct {
	*inspect.Archive
	brief bool
}

// Warned are the warnings of the archive, and one for each member that cannot be read.
func (r archive) Warned() []string { return r.Warnings }

// Page writes a line for each member.
func (r archive) Page(p *cli.Page) {
	if r.brief {
		p.Items(r.Headline())
		return
	}
	p.Answer(r.Headline())
	p.Section(r.table())
	p.Remarks(r.Usage()...)
}

func (r archive) table() render.Table {
	t := render.Table{Title: "Arrays", Header: []string{"name", "dtype", "shape", "order", "bytes", "in archive", "method"}, Numbers: []int{4, 5}}
	for _, m := range r.Members {
		row := []string{words.Shorten(words.Quote(m.Name)), "not an array", "", "", "", strconv.FormatInt(m.PackedBytes, 10), m.Method}
		switch {
		case m.Error != nil:
			row[1] = "unreadable"
		case m.Array:
			row[1], row[2], row[3], row[4] = words.Shorten(*m.DType), tensor.Tuple(m.Shape), "C", strconv.FormatInt(*m.DataBytes, 10)
			if *m.Fortran {
				row[3] = "Fortran"
			}
		}
		t.Add(row...)
	}
	return t
}

// Rows has one row for each member.
func (r archive) Rows() render.Table {
	t := render.Table{Header: strings.Split("source,name,dtype,shape,fortran_order,method,packed_bytes,data_bytes,data_offset,error", ",")}
	for _, m := range r.Members {
		t.Add(words.Quote(r.Source), words.Quote(m.Name), known(m.DType), words.Ints(m.Shape, ", "), known(m.Fortran), m.Method,
			strconv.FormatInt(m.PackedBytes, 10), known(m.DataBytes), known(m.DataOffset), known(m.Error))
	}
	return t
}

// known prints what may be unknown; that is empty.
func known[T any](x *T) string {
	if x == nil {
		return ""
	}
	return fmt.Sprint(*x)
}
