package render

import (
	"bufio"
	"encoding/csv"
	"io"
	"strings"

	"github.com/clipperhouse/displaywidth"
)

// RowWriter writes rows one by one, for a table of any length. Close it after the last row.
type RowWriter interface {
	Row(cells ...string) error
	Close() error
}

// Columns describes a streamed table by the width of each column; the last width may be 0.
type Columns struct {
	Header  []string
	Widths  []int
	Numbers []int
}

// StreamText writes rows in aligned columns with two spaces between them.
func StreamText(w io.Writer, c Columns) RowWriter {
	s := &textRows{w: bufio.NewWriter(w), right: map[int]bool{}}
	for i, h := range c.Header {
		s.widths = append(s.widths, max(c.Widths[i], displaywidth.String(h)))
	}
	for _, i := range c.Numbers {
		s.right[i] = true
	}
	s.Row(c.Header...)
	return s
}

type textRows struct {
	w      *bufio.Writer
	widths []int
	right  map[int]bool
	err    error
}

func (s *textRows) Row(cells ...string) error {
	var line strings.Builder
	for i, cell := range cells {
		pad := strings.Repeat(" ", max(0, s.widths[i]-displaywidth.String(cell)))
		line.WriteByte(' ')
		if s.right[i] {
			line.WriteString(pad + cell + " ")
		} else {
			line.WriteString(cell + pad + " ")
		}
	}
	if s.err == nil {
		_, s.err = s.w.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return s.err
}

func (s *textRows) Close() error {
	if s.err != nil {
		return s.err
	}
	return s.w.Flush()
}

// StreamMarkdown writes rows as GitHub's Markdown, without padding.
func StreamMarkdown(w io.Writer, c Columns) RowWriter {
	s := &markdownRows{w: bufio.NewWriter(w)}
	rule := make([]string, len(c.Header))
	for i := range rule {
		rule[i] = "---"
	}
	for _, i := range c.Numbers {
		rule[i] = "--:"
	}
	s.Row(c.Header...)
	s.w.WriteString("| " + strings.Join(rule, " | ") + " |\n") //nolint:errcheck // Close reports it
	return s
}

type markdownRows struct{ w *bufio.Writer }

func (s *markdownRows) Row(cells ...string) error {
	_, err := s.w.WriteString("| " + strings.Join(markdownCells(cells), " | ") + " |\n")
	return err
}

func (s *markdownRows) Close() error { return s.w.Flush() }

// StreamCSV writes rows by RFC 4180, with formulas disabled, after the header if there is one.
func StreamCSV(w io.Writer, c Columns) RowWriter {
	s := &csvRows{w: csv.NewWriter(w)}
	if c.Header != nil {
		s.Row(c.Header...)
	}
	return s
}

type csvRows struct {
	w   *csv.Writer
	row []string
}

func (s *csvRows) Row(cells ...string) error {
	s.row = s.row[:0]
	for _, c := range cells {
		s.row = append(s.row, csvCell(c))
	}
	return s.w.Write(s.row)
}

func (s *csvRows) Close() error {
	s.w.Flush()
	return s.w.Error()
}
