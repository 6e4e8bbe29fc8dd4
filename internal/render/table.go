package render

import (
	"bytes"
	"io"
	"strings"

	"github.com/clipperhouse/displaywidth"
	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
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
	style := tw.StyleASCII
	if unicode {
		style = tw.StyleLight
	} else {
		t = t.spelled()
	}
	r := renderer.NewBlueprint(tw.Rendition{
		Symbols:  tw.NewSymbols(style),
		Borders:  tw.Border{Left: tw.Off, Right: tw.Off, Top: tw.Off, Bottom: tw.Off},
		Settings: tw.Settings{Separators: tw.Separators{BetweenColumns: tw.Off}, Lines: tw.Lines{ShowHeaderLine: tw.On}},
	})
	return t.write(w, r, width)
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
	return escaped.write(w, renderer.NewMarkdown(), 0)
}

// write draws the table in memory first, because tablewriter does not report failed writes, and trims line ends.
func (t Table) write(w io.Writer, r tw.Renderer, width int) error {
	align := make(tw.Alignment, len(t.Header))
	for i := range align {
		align[i] = tw.AlignLeft
	}
	for _, i := range t.Numbers {
		align[i] = tw.AlignRight
	}
	options := []tablewriter.Option{
		tablewriter.WithRenderer(r),
		tablewriter.WithHeaderAutoFormat(tw.Off),
		tablewriter.WithTrimSpace(tw.Off),
		tablewriter.WithHeaderAutoWrap(tw.WrapNone),
		tablewriter.WithRowAutoWrap(tw.WrapNormal),
		tablewriter.WithHeaderAlignmentConfig(tw.CellAlignment{PerColumn: align}),
		tablewriter.WithRowAlignmentConfig(tw.CellAlignment{PerColumn: align}),
	}
	if width > 0 {
		options = append(options, tablewriter.WithColumnWidths(t.lastColumn(width)))
	}
	var drawn bytes.Buffer
	table := tablewriter.NewTable(&drawn, options...)
	table.Header(t.Header)
	if err := table.Bulk(t.Rows); err != nil {
		return err
	}
	if err := table.Render(); err != nil {
		return err
	}
	for line := range bytes.Lines(drawn.Bytes()) {
		if _, err := w.Write(append(shortRule(bytes.TrimRight(line, " \n")), '\n')); err != nil {
			return err
		}
	}
	return nil
}

// maxRule bounds the line below a header, in columns: off a terminal, a cell of prose may be much longer.
const maxRule = 100

// shortRule truncates a line that is a rule.
func shortRule(line []byte) []byte {
	if runes := []rune(string(line)); len(runes) > maxRule && strings.Trim(string(line), "─-") == "" {
		return []byte(string(runes[:maxRule]))
	}
	return line
}

// lastColumn gives the last column, which holds prose, the remaining width.
func (t Table) lastColumn(width int) tw.Mapper[int, int] {
	over := t.Width() - width
	if over <= 0 {
		return nil
	}
	last := len(t.Header) - 1
	left := t.columnWidth(last) - over
	width = min(t.columnWidth(last), max(left, 20, t.widest(last, strings.Fields)))
	return tw.Mapper[int, int]{last: width + cellSpace}
}

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
