package render

import (
	"bytes"
	"io"
	"slices"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"github.com/tlayout/tlayout/internal/text"
)

// gridText draws the table as drawText does, without tablewriter, which would be a twentieth of the page's program. The wrapped last column fills
// each line instead of balancing them.
func (t Table) gridText(w io.Writer, width int, unicode bool) error {
	rule := "-"
	if unicode {
		rule = "─"
	}
	widths := t.widths()
	over := t.Width() - width
	if width > 0 && over > 0 {
		last := len(widths) - 1
		widths[last] = min(widths[last], max(widths[last]-over, minProse, t.widest(last, strings.Fields)))
		t = t.wrapLast(widths[last])
	}
	total := cellSpace * len(widths)
	for _, n := range widths {
		total += n
	}
	drawn := bytes.NewBuffer(t.line(t.Header, widths, ""))
	drawn.WriteString(strings.Repeat(rule, min(total, maxRule)) + "\n")
	for _, row := range t.Rows {
		drawn.Write(t.line(row, widths, ""))
	}
	_, err := drawn.WriteTo(w)
	return err
}

// gridMarkdown draws the table as drawMarkdown does.
func (t Table) gridMarkdown(w io.Writer) error {
	widths := t.widths()
	for i := range widths {
		widths[i] = max(1, widths[i]) // a rule has three characters or more
	}
	drawn := bytes.NewBuffer(t.line(t.Header, widths, "|"))
	for i, n := range widths {
		rule := strings.Repeat("-", n+cellSpace-1)
		if slices.Contains(t.Numbers, i) {
			drawn.WriteString("|" + rule + ":")
		} else {
			drawn.WriteString("|:" + rule)
		}
	}
	drawn.WriteString("|\n")
	for _, row := range t.Rows {
		drawn.Write(t.line(row, widths, "|"))
	}
	_, err := drawn.WriteTo(w)
	return err
}

// widths returns the widths of the columns, without the blanks around a cell.
func (t Table) widths() []int {
	widths := make([]int, len(t.Header))
	for i := range widths {
		widths[i] = t.columnWidth(i)
	}
	return widths
}

// wrapLast wraps the last column, which holds prose, into rows below.
func (t Table) wrapLast(limit int) Table {
	last := len(t.Header) - 1
	return t.replaceRows(func(row []string) [][]string {
		var rows [][]string
		words := strings.Join(strings.Fields(row[last]), " ")
		for line := range strings.SplitSeq(text.Fold(words, limit, 0), "\n") {
			below := make([]string, len(row))
			if rows == nil {
				copy(below, row)
			}
			below[last] = line
			rows = append(rows, below)
		}
		return rows
	})
}

// line returns a row as a line of cells of the given widths, each behind a bar, without blanks at its end.
func (t Table) line(row []string, widths []int, bar string) []byte {
	var b bytes.Buffer
	for i, cell := range row {
		cell = strings.TrimRight(cell, " ")
		blanks := strings.Repeat(" ", max(0, widths[i]-displaywidth.String(cell)))
		if slices.Contains(t.Numbers, i) {
			b.WriteString(bar + " " + blanks + cell + " ")
		} else {
			b.WriteString(bar + " " + cell + blanks + " ")
		}
	}
	b.WriteString(bar)
	return append(bytes.TrimRight(b.Bytes(), " "), '\n')
}
