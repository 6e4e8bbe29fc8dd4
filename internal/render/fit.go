package render

import (
	"slices"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"github.com/tlayout/tlayout/internal/text"
)

// cellSpace is the number of blanks around a cell: one on either side.
const cellSpace = 2

// Width returns the columns that the table needs in a terminal without wrapping.
func (t Table) Width() int {
	total := 0
	for i := range t.Header {
		total += t.columnWidth(i) + cellSpace
	}
	return total
}

// Shrink narrows a table by over columns, or by as many as it can.
type Shrink func(t Table, over int) Table

// Fit returns the table, at most width wide if the shrinks suffice. It applies them in order while the table is too wide; compare Width to
// check the result. The table itself is unchanged.
func (t Table) Fit(width int, shrinks ...Shrink) Table {
	for _, shrink := range shrinks {
		if over := t.Width() - width; over > 0 {
			t = shrink(t, over)
		}
	}
	return t
}

// Cut truncates the cells of a column, to minWidth at the narrowest.
func Cut(column, minWidth int) Shrink {
	return func(t Table, over int) Table {
		width := max(t.columnWidth(column)-over, minWidth)
		return t.replaceRows(func(row []string) [][]string {
			row = append([]string{}, row...)
			row[column] = text.Truncate(row[column], width, "…")
			return [][]string{row}
		})
	}
}

// Break wraps cells into rows below, after commas and blanks; it wraps earlier columns first. Brackets stay whole, except for a pair that
// encloses the cell:
//
//	100,64,512,512,16 physical        100,64,512,
//	                                  512,16
//	                                  physical
//	(100,(16,64),512,512)             (100,(16,64),
//	                                  512,512)
func Break(columns ...int) Shrink {
	return func(t Table, over int) Table {
		limits := make([]int, len(t.Header))
		for i := range limits {
			limits[i] = t.columnWidth(i)
		}
		for _, i := range columns {
			less := min(over, limits[i]-t.widest(i, pieces))
			limits[i] = limits[i] - less
			over = over - less
		}
		return t.replaceRows(func(row []string) [][]string { return breakRow(row, limits) })
	}
}

// replaceRows returns the table with each row replaced.
func (t Table) replaceRows(by func(row []string) [][]string) Table {
	rows := t.Rows
	t.Rows = nil
	for _, row := range rows {
		t.Rows = append(t.Rows, by(row)...)
	}
	return t
}

// breakRow wraps a row so that no cell is wider than its limit.
func breakRow(row []string, limits []int) [][]string {
	var rows [][]string
	for i, cell := range row {
		for k, line := range breakCell(cell, limits[i]) {
			if k == len(rows) {
				rows = append(rows, make([]string, len(row)))
			}
			rows[k][i] = line
		}
	}
	return rows
}

// breakCell fills lines with the pieces of a cell.
func breakCell(cell string, limit int) []string {
	lines := []string{""}
	for _, p := range pieces(cell) {
		last := &lines[len(lines)-1]
		if *last != "" && displaywidth.String(*last+strings.TrimRight(p, " ")) > limit {
			*last = strings.TrimRight(*last, " ")
			lines = append(lines, p)
			continue
		}
		*last += p
	}
	return lines
}

// pieces splits a cell after each comma and blank outside of brackets, or inside only the ones that enclose the cell.
func pieces(cell string) []string {
	var all []string
	depth := 0
	outermost := 0
	begin := 0
	if strings.HasPrefix(cell, "(") {
		outermost = 1
	}
	for i, c := range cell {
		switch c {
		case '(', '{':
			depth++
		case ')', '}':
			depth--
		default:
			if depth <= outermost && breaksAfterFirst(cell[i:]) {
				all = append(all, cell[begin:i+1])
				begin = i + 1
			}
		}
	}
	return append(all, cell[begin:])
}

// breaksAfterFirst reports whether a text may break after its first character: a blank, or a comma that none follows.
func breaksAfterFirst(s string) bool {
	switch s[0] {
	case ' ':
		return true
	case ',':
		return !strings.HasPrefix(s, ", ")
	}
	return false
}

// Fit returns the columns to write in a width: all, or those left after dropping groups in order while too wide. Columns of width 0 are
// empty and never written.
func (c Columns) Fit(width int, drop ...[]int) []int {
	var kept []int
	total := 0
	for i, w := range c.Widths {
		if w > 0 {
			kept = append(kept, i)
			total += c.width(i) + cellSpace
		}
	}
	for _, group := range drop {
		if total <= width {
			break
		}
		var rest []int
		for _, i := range kept {
			if slices.Contains(group, i) {
				total -= c.width(i) + cellSpace
				continue
			}
			rest = append(rest, i)
		}
		kept = rest
	}
	return kept
}

// width returns a column's width, at least its header's.
func (c Columns) width(i int) int { return max(c.Widths[i], displaywidth.String(c.Header[i])) }

func (t Table) columnWidth(i int) int {
	return t.widest(i, func(cell string) []string { return []string{cell} })
}

// widest returns the width of a column's header, or of the widest part of its cells.
func (t Table) widest(column int, parts func(cell string) []string) int {
	width := displaywidth.String(t.Header[column])
	for _, row := range t.Rows {
		for _, p := range parts(row[column]) {
			width = max(width, displaywidth.String(strings.TrimRight(p, " ")))
		}
	}
	return width
}
