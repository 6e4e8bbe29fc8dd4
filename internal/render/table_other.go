//go:build !js

package render

import (
	"bytes"
	"io"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// drawText draws the table with a rule under the header.
func (t Table) drawText(w io.Writer, width int, unicode bool) error {
	style := tw.StyleASCII
	if unicode {
		style = tw.StyleLight
	}
	r := renderer.NewBlueprint(tw.Rendition{
		Symbols:  tw.NewSymbols(style),
		Borders:  tw.Border{Left: tw.Off, Right: tw.Off, Top: tw.Off, Bottom: tw.Off},
		Settings: tw.Settings{Separators: tw.Separators{BetweenColumns: tw.Off}, Lines: tw.Lines{ShowHeaderLine: tw.On}},
	})
	return t.write(w, r, width)
}

// drawMarkdown draws the table as Markdown.
func (t Table) drawMarkdown(w io.Writer) error { return t.write(w, renderer.NewMarkdown(), 0) }

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
	width = min(t.columnWidth(last), max(left, minProse, t.widest(last, strings.Fields)))
	return tw.Mapper[int, int]{last: width + cellSpace}
}
