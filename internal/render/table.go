package render

import (
	"io"
	"strings"

	"github.com/clipperhouse/displaywidth"
	"github.com/tlayout/tlayout/internal/text"
)

// Table is a header and rows of cells. Columns listed in Numbers are right-aligned.
type Table struct {
	Title   string
	Header  []string
	Rows    [][]string
	Numbers []int
}

// Add appends a row.
func (t *Table) Add(cells ...string) { t.Rows = append(t.Rows, cells) }

// Text draws the table for a terminal of the given width in columns. If it is too wide, the last column is wrapped at
// spaces; Fit narrows the others. It is ASCII if unicode is false.
func (t Table) Text(w io.Writer, width int, unicode bool) error {
	if !unicode {
		t = t.spelled()
	}
	return t.drawText(w, width, unicode)
}

// shortCell is the width below which cells are not truncated further.
const shortCell = 8

// spelled returns the table in ASCII. A truncated cell loses one more character, so that it ends in two dots at the same width.
func (t Table) spelled() Table {
	spell := func(cells []string) []string {
		out := make([]string, len(cells))
		for i, cell := range cells {
			if whole, cut := strings.CutSuffix(cell, "…"); cut && displaywidth.String(whole) > shortCell {
				cell = text.Truncate(whole, displaywidth.String(whole)-1, "") + ".."
			}
			out[i] = text.ASCII(strings.ReplaceAll(cell, "…", ".."))
		}
		return out
	}
	rows := make([][]string, len(t.Rows))
	for i, row := range t.Rows {
		rows[i] = spell(row)
	}
	return Table{Title: t.Title, Header: spell(t.Header), Rows: rows, Numbers: t.Numbers}
}

// Markdown writes the table as GitHub's Markdown.
func (t Table) Markdown(w io.Writer) error {
	escaped := Table{Header: markdownCells(t.Header), Numbers: t.Numbers}
	for _, row := range t.Rows {
		escaped.Rows = append(escaped.Rows, markdownCells(row))
	}
	return escaped.drawMarkdown(w)
}

const (
	minProse = 20  // least width of a wrapped last column
	maxRule  = 100 // bound of the line below a header, in columns: off a terminal, a cell of prose may be much longer
)

// CSV writes header and rows by RFC 4180, with formulas disabled.
func (t Table) CSV(w io.Writer) error {
	c := StreamCSV(w, Columns{Header: t.Header})
	for _, row := range t.Rows {
		if err := c.Row(row...); err != nil {
			return err
		}
	}
	return c.Close()
}
