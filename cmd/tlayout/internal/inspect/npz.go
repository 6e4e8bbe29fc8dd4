package inspect

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/cmd/tlayout/internal/cli"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/inspect"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/npy"
	"github.com/tlayout/tlayout/internal/tensor/npz"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/words"
)

// needsArray reports whether a flag is about one array, so that an archive cannot be listed.
func (o *options) needsArray() bool {
	return o.offsets || o.storage || o.Layout.Layout != nil || o.Channels != 0 || o.DType.Value != nil
}

// archiveReport is what inspect says of an archive of which no array is named.
type archiveReport struct {
	Schema       string        `json:"schema"`
	Source       string        `json:"source"`
	SourceBytes  []byte        `json:"source_bytes,omitempty"` // base64, where the name is no UTF-8
	ArchiveBytes int64         `json:"archive_bytes"`
	Arrays       int           `json:"arrays"`
	DataBytes    int64         `json:"data_bytes"`
	Members      []arrayReport `json:"members"`
	Warnings     []string      `json:"warnings"`

	unread error // why the first member that cannot be read cannot
}

// arrayReport is a member of an archive. What is not known of one that is no array, or cannot be read, is null.
type arrayReport struct {
	Name        string  `json:"name"` // as NumPy calls it
	NameBytes   []byte  `json:"name_bytes,omitempty"`
	Member      string  `json:"member"`
	Array       bool    `json:"array"`
	DType       *string `json:"dtype"`
	Shape       []int   `json:"shape"`
	Fortran     *bool   `json:"fortran_order"`
	Method      string  `json:"method"`
	PackedBytes int64   `json:"packed_bytes"`
	DataBytes   *int64  `json:"data_bytes"`
	DataOffset  *int64  `json:"data_offset"` // in the archive; null for a deflated one
	Mmap        *string `json:"mmap"`
	Error       *string `json:"error"`
}

func newArchiveReport(a *source.Archive) *archiveReport {
	r := &archiveReport{Schema: "tlayout/npz/v1", Source: a.Path, SourceBytes: words.RawBytes(a.Path), ArchiveBytes: a.Size,
		Members: []arrayReport{}, Warnings: append([]string{}, a.Warnings...)}
	for _, e := range a.Entries {
		m := newArrayReport(a.Path, e)
		if m.Array {
			r.Arrays++
			r.DataBytes += e.DataBytes
		}
		if m.Error != nil && e.Err != source.ErrUnread {
			if r.unread == nil {
				r.unread = e.Err
			}
			r.Warnings = append(r.Warnings, fmt.Sprintf("%s cannot be read: %s", words.Quoted(m.Name), *m.Error))
		}
		r.Members = append(r.Members, m)
	}
	return r
}

// refusal is the error with which the list ends where members cannot be read, which its warnings name: of the class and
// with the hint of the first.
func (r *archiveReport) refusal() error {
	var first *fault.Error
	if !errors.As(r.unread, &first) {
		return r.unread
	}
	e := fault.New(first.Class, "%s: %d of %s cannot be read", words.Quote(r.Source), r.unreadable(), words.Count(len(r.Members), "member"))
	e.Hint = first.Hint
	return e
}

func newArrayReport(path string, e source.Entry) arrayReport {
	m := arrayReport{Name: e.Name, NameBytes: words.RawBytes(e.Name), Member: e.Name, Array: e.Array && e.Err == nil,
		Method: e.Method.String(), PackedBytes: e.Packed}
	switch {
	case e.Err != nil:
		text := e.Err.Error()
		m.Name, m.Error = e.Key(), &text
	case e.Array:
		m.Name, m.DType, m.Shape, m.Fortran, m.DataBytes = e.Key(), &e.DType, e.Shape, &e.Fortran, &e.DataBytes
		if e.Method == npz.Stored {
			at := e.Offset + e.DataOffset
			m.DataOffset = &at
			m.Mmap = inspect.Memmap(path, npy.Header{Descr: e.Descr, Fortran: e.Fortran, Shape: e.Shape, DataOffset: at, DataBytes: e.DataBytes})
		}
	}
	return m
}

// writeArchive writes a line for each member of an archive, and fails where one cannot be read.
func writeArchive(a *cli.App, o *options, r *archiveReport) error {
	if err := r.write(a, o); err != nil {
		return err
	}
	return r.refusal()
}

func (r *archiveReport) write(a *cli.App, o *options) error {
	switch a.Format {
	case cli.JSON:
		return cli.WriteJSON(a.Stdout, r, len(o.sources) < 2)
	case cli.CSV:
		return r.writeCSV(a, o)
	}
	a.Warn(r.Warnings)
	line := a.Streams.Fold(r.headline(), 2)
	if len(o.sources) > maxTables && a.Format == cli.Markdown {
		line = "- " + line
	}
	if _, err := fmt.Fprintln(a.Stdout, a.Bold(line)); err != nil || len(o.sources) > maxTables {
		return err
	}
	if err := cli.WriteSection(a, r.table()); err != nil {
		return err
	}
	return r.writeWay(a)
}

// headline counts the arrays: x.npz: 5 arrays, 896 bytes of data, 2 of them deflated.
func (r *archiveReport) headline() string {
	deflated := r.deflated()
	s := fmt.Sprintf("%s: %s, %s of data", words.Quote(r.Source), words.Count(r.Arrays, "array"), words.Bytes(r.DataBytes))
	switch {
	case r.Arrays == 0 && r.unread != nil:
		s = words.Quote(r.Source) + ": an archive without an array that can be read"
	case r.Arrays == 0:
		s = words.Quote(r.Source) + ": an archive without an array"
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
	return row
}

// writeWay says how to look at one array, and what kind of array can be mapped.
func (r *archiveReport) writeWay(a *cli.App) error {
	times := map[string]int{}
	for _, m := range r.Members {
		times[m.Member]++
	}
	for _, m := range r.Members {
		name := r.Source + ":" + m.Name
		if !m.Array || times[m.Member] > 1 || words.Quote(name) != name {
			continue
		}
		text := "One array alone, without reading the others: tlayout inspect " + words.Shell(name) + "."
		if r.deflated() < r.Arrays {
			text += " Stored arrays can be mapped where they lie, though numpy's mmap_mode ignores archives; inspect prints how."
		}
		if r.deflated() > 0 {
			text += " Deflated arrays cannot be mapped: np.savez writes arrays that can, np.savez_compressed does not."
		}
		_, err := fmt.Fprintf(a.Stdout, "\n%s\n", words.Fold("  "+text, a.Streams.Columns()-4, 2))
		return err
	}
	return nil
}

// writeCSV writes one line for each member, under one header.
func (r *archiveReport) writeCSV(a *cli.App, o *options) error {
	t := render.Table{Header: strings.Split("source,name,dtype,shape,fortran_order,method,packed_bytes,data_bytes,data_offset,error", ",")}
	for _, m := range r.Members {
		t.Add(words.Quote(r.Source), words.Quote(m.Name), text(m.DType), words.Ints(m.Shape, ", "), text(m.Fortran), m.Method,
			strconv.FormatInt(m.PackedBytes, 10), text(m.DataBytes), text(m.DataOffset), text(m.Error))
	}
	return o.writeUnderHeader(a, t)
}

// writeUnderHeader writes the rows of a table, and its header unless that was written last.
func (o *options) writeUnderHeader(a *cli.App, t render.Table) error {
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
	_, err := io.WriteString(a.Stdout, text)
	return err
}

// text prints what may be unknown.
func text[T any](x *T) string {
	if x == nil {
		return ""
	}
	return fmt.Sprint(*x)
}
