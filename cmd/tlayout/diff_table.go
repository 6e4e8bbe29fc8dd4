package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/words"
)

// mostDrawn is how many rows are drawn as a table; more are written one by one.
const mostDrawn = 1000

// elementColumns are all that a table of differing elements may have; numbers, but for the first.
var elementColumns = []string{"coordinate", "a", "b", "bits a", "bits b", "offset a", "offset b", "byte a", "byte b"}

// cells are a row's, by elementColumns.
func (row diffRow) cells() []string {
	return []string{tensor.Tuple(row.Coord), row.a, row.b, row.ABits, row.BBits,
		strconv.Itoa(row.AOffset), strconv.Itoa(row.BOffset), byteText(row.AByte), byteText(row.BByte)}
}

func byteText(n *int64) string {
	if n == nil {
		return ""
	}
	return strconv.FormatInt(*n, 10)
}

// writeElements lists elements that differ: with their bits where values print alike, and with offsets beside bytes,
// unless that makes it wider than the terminal.
func (r *diffReport) writeElements(a *app) error {
	widths, alike, err := r.rows.widths()
	if err != nil || len(r.rows.first) == 0 {
		return err
	}
	columns := math.MaxInt // Markdown is laid out by its reader
	if a.format == formatTable {
		columns = a.streams.columns()
	}
	shown := shownColumns(widths, alike, columns)
	var c render.Columns
	for i, k := range shown {
		c.Header, c.Widths = append(c.Header, elementColumns[k]), append(c.Widths, widths[k])
		if i > 0 {
			c.Numbers = append(c.Numbers, i)
		}
	}
	w := r.elementWriter(a, c)
	err = r.rows.each(func(row diffRow) error {
		cells, kept := row.cells(), make([]string, len(shown))
		for i, k := range shown {
			kept[i] = cells[k]
		}
		return w.Row(kept...)
	})
	if err != nil {
		return err
	}
	return w.Close()
}

// widths are those that the columns need, 0 where nothing stands in one; alike tells that two values print the same.
func (r *diffRows) widths() (widths []int, alike bool, err error) {
	widths = make([]int, len(elementColumns))
	err = r.each(func(row diffRow) error {
		alike = alike || row.A == row.B
		for i, cell := range row.cells() {
			widths[i] = max(widths[i], displaywidth.String(cell))
		}
		return nil
	})
	return widths, alike, err
}

// shownColumns are the columns of elementColumns for a terminal of so many.
func shownColumns(widths []int, alike bool, columns int) []int {
	shown, total := []int{}, 0
	for k, name := range elementColumns {
		if isBits := strings.HasPrefix(name, "bits"); widths[k] > 0 && (alike || !isBits) {
			shown, total = append(shown, k), total+max(widths[k], len(name))+2
		}
	}
	if inFiles := widths[7] > 0 && widths[8] > 0; inFiles && total > columns {
		shown = slices.DeleteFunc(shown, func(k int) bool {
			offset := strings.HasPrefix(elementColumns[k], "offset")
			if offset {
				total -= max(widths[k], len(elementColumns[k])) + 2
			}
			return offset
		})
	}
	if total > columns {
		shown = slices.DeleteFunc(shown, func(k int) bool { return strings.HasPrefix(elementColumns[k], "byte") })
	}
	return shown
}

func (r *diffReport) elementWriter(a *app, c render.Columns) render.RowWriter {
	by := ""
	if len(r.A.Dims) > 0 {
		by = ", by " + strings.Join(r.A.Dims, ",")
	}
	title := "Elements that differ" + by
	n := len(r.rows.first)
	if n < *r.Differing {
		title = fmt.Sprintf("The first %d of %d elements that differ%s; %s", n, *r.Differing, by, r.wayToMore())
	}
	switch {
	case n <= mostDrawn:
		return &drawnRows{a, render.Table{Title: title, Header: c.Header, Numbers: c.Numbers}}
	case a.format == formatMarkdown:
		fmt.Fprintf(a.stdout, "\n**%s**\n\n", title)
		return render.StreamMarkdown(a.stdout, c)
	}
	fmt.Fprintf(a.stdout, "\n%s\n", a.bold(title))
	return render.StreamText(a.stdout, c)
}

// drawnRows are a table that is drawn when all of it is there.
type drawnRows struct {
	a     *app
	table render.Table
}

func (d *drawnRows) Row(cells ...string) error {
	d.table.Add(cells...)
	return nil
}

// Close draws the table as wide as it is: items are not broken into lines.
func (d *drawnRows) Close() error {
	if d.a.format == formatMarkdown {
		return writeSection(d.a, d.table)
	}
	fmt.Fprintf(d.a.stdout, "\n%s\n", d.a.bold(d.table.Title))
	return d.table.Text(d.a.stdout, math.MaxInt32, d.a.streams.unicode)
}

// wayToMore says how the rest of the elements that differ is listed, as far as it can be.
func (r *diffReport) wayToMore() string {
	switch {
	case len(r.rows.first) == mostListed:
		return "--limit lists no more"
	case *r.Differing > mostListed:
		return fmt.Sprintf("--limit 0 lists %d", mostListed)
	}
	return "--limit 0 lists all"
}

// noteCut says on standard error that not all are listed, behind what standard output has.
func (r *diffReport) noteCut(a *app) {
	if n := len(r.rows.first); r.Differing != nil && n < *r.Differing {
		a.flush()
		fmt.Fprintf(a.streams.err, "tlayout: %d of %d rows; %s\n", n, *r.Differing, r.wayToMore())
	}
}

// writeCSV lists the elements that differ, a column for each dim.
func (r *diffReport) writeCSV(a *app) error {
	var header []string
	for _, name := range r.A.Dims {
		header = append(header, strings.ToLower(name))
	}
	header = append(header, "value_a", "value_b", "a_bits", "b_bits", "a_offset", "b_offset", "a_byte", "b_byte")
	w := render.StreamCSV(a.stdout, render.Columns{Header: header})
	err := r.rows.each(func(row diffRow) error {
		return w.Row(append(words.Each(row.Coord), row.A, row.B, row.ABits, row.BBits, strconv.Itoa(row.AOffset),
			strconv.Itoa(row.BOffset), byteText(row.AByte), byteText(row.BByte))...)
	})
	if err != nil {
		return err
	}
	return w.Close()
}

// writeJSON writes the report with one more member, the list of rows.
func (r *diffReport) writeJSON(a *app) error {
	list, err := beginList(a.stdout, r, "first", true)
	if err != nil {
		return err
	}
	if err := r.rows.each(func(row diffRow) error { return list.add(row) }); err != nil {
		return err
	}
	return list.end()
}
