package inspectcmd

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/text"
)

// maxPending is the number of rows measured before the first is written.
const maxPending = 200

// measured writes a table of any length, with columns as wide as the first rows need, but no wider than the terminal. It buffers only these rows. The
// first column holds names, which are shortened in the middle.
type measured struct {
	page    *cli.Page
	columns render.Columns
	names   int     // the first column takes at most 1/names of the terminal's width
	drop    [][]int // columns dropped on a narrow terminal, least important first
	pending [][]string
	kept    []int            // columns to write
	limits  []int            // maximum widths of their cells
	out     render.RowWriter // nil while rows are buffered
}

// Row writes or buffers a row.
func (w *measured) Row(cells ...string) error {
	if w.out != nil {
		return w.write(cells)
	}
	w.pending = append(w.pending, cells)
	if len(w.pending) < maxPending {
		return nil
	}
	return w.begin(true)
}

// begin writes the buffered rows. If more follow, a so far empty column is kept.
func (w *measured) begin(more bool) error {
	w.measure(more)
	w.out = w.page.Rows("", w.fit())
	for _, row := range w.pending {
		if err := w.write(row); err != nil {
			return err
		}
	}
	w.pending = nil
	return nil
}

// measure sets the widths of the columns to those of the buffered cells.
func (w *measured) measure(more bool) {
	c := &w.columns
	c.Widths = make([]int, len(c.Header))
	for i, name := range c.Header {
		if more {
			c.Widths[i] = displaywidth.String(name)
		}
		for _, row := range w.pending {
			c.Widths[i] = max(c.Widths[i], displaywidth.String(row[i]))
		}
	}
	c.Widths[0] = min(c.Widths[0], w.page.Columns()/w.names)
}

// fit returns the columns that the terminal has room for, and limits their cells.
func (w *measured) fit() (kept render.Columns) {
	c := &w.columns
	width := w.page.Columns()
	w.kept = c.Fit(width, w.drop...)
	left := width
	for k, i := range w.kept {
		limit := math.MaxInt
		if width < math.MaxInt {
			limit = max(1, min(c.Widths[i], left-2))
			left -= max(limit, displaywidth.String(c.Header[i])) + 2
			if k == len(w.kept)-1 {
				limit += max(0, left)
			}
		}
		w.limits = append(w.limits, limit)
		kept.Header = append(kept.Header, c.Header[i])
		kept.Widths = append(kept.Widths, min(c.Widths[i], limit))
		if slices.Contains(c.Numbers, i) {
			kept.Numbers = append(kept.Numbers, k)
		}
	}
	return kept
}

// write writes the cells of the kept columns. Of a name it cuts the middle.
func (w *measured) write(cells []string) error {
	row := make([]string, len(w.kept))
	for k, i := range w.kept {
		cell := cells[i]
		if k > 0 {
			row[k] = text.Truncate(cell, w.limits[k], w.page.Ellipsis())
			continue
		}
		name := strings.TrimLeft(cell, " ")
		indent := len(cell) - len(name)
		row[k] = text.Blanks(indent) + text.Middle(name, w.limits[k]-indent, w.page.Ellipsis())
	}
	return w.out.Row(row...)
}

// begun reports whether a row has been written.
func (w *measured) begun() bool { return w.out != nil }

// Close writes the buffered rows.
func (w *measured) Close() error {
	if w.out == nil && len(w.pending) > 0 {
		if err := w.begin(false); err != nil {
			return err
		}
	}
	if w.out == nil {
		return nil
	}
	return w.out.Close()
}

// end writes a row with the number of omitted rows.
func (w *measured) end(before string, more int) error {
	cells := make([]string, len(w.columns.Header))
	cells[0] = fmt.Sprintf("%s… %d more", before, more)
	return w.Row(cells...)
}
