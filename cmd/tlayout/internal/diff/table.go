package diff

import (
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"github.com/tlayout/tlayout/cmd/tlayout/internal/cli"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
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
func (r *report) writeElements(a *cli.App) error {
	widths, alike, err := r.rows.widths()
	if err != nil || len(r.rows.first) == 0 {
		return err
	}
	columns := math.MaxInt // Markdown is laid out by its reader
	if a.Format == cli.Table {
		columns = a.Streams.Columns()
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
func (r *rows) widths() (widths []int, alike bool, err error) {
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

func (r *report) elementWriter(a *cli.App, c render.Columns) render.RowWriter {
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
	case a.Format == cli.Markdown:
		fmt.Fprintf(a.Stdout, "\n**%s**\n\n", title)
		return render.StreamMarkdown(a.Stdout, c)
	}
	fmt.Fprintf(a.Stdout, "\n%s\n", a.Bold(title))
	return render.StreamText(a.Stdout, c)
}

// drawnRows are a table that is drawn when all of it is there.
type drawnRows struct {
	a     *cli.App
	table render.Table
}

func (d *drawnRows) Row(cells ...string) error {
	d.table.Add(cells...)
	return nil
}

// Close draws the table as wide as it is: items are not broken into lines.
func (d *drawnRows) Close() error {
	if d.a.Format == cli.Markdown {
		return cli.WriteSection(d.a, d.table)
	}
	fmt.Fprintf(d.a.Stdout, "\n%s\n", d.a.Bold(d.table.Title))
	return d.table.Text(d.a.Stdout, math.MaxInt32, d.a.Streams.Unicode)
}

// wayToMore says how the rest of the elements that differ is listed, as far as it can be.
func (r *report) wayToMore() string {
	switch {
	case len(r.rows.first) == mostListed:
		return "--limit lists no more"
	case *r.Differing > mostListed:
		return fmt.Sprintf("--limit 0 lists %d", mostListed)
	}
	return "--limit 0 lists all"
}

// noteCut says on standard error that not all are listed, behind what standard output has.
func (r *report) noteCut(a *cli.App) {
	if n := len(r.rows.first); r.Differing != nil && n < *r.Differing {
		a.Flush()
		fmt.Fprintf(a.Streams.Err, "tlayout: %d of %d rows; %s\n", n, *r.Differing, r.wayToMore())
	}
}

// writeCSV lists the elements that differ, a column for each dim.
func (r *report) writeCSV(a *cli.App) error {
	var header []string
	for _, name := range r.A.Dims {
		header = append(header, strings.ToLower(name))
	}
	header = append(header, "value_a", "value_b", "a_bits", "b_bits", "a_offset", "b_offset", "a_byte", "b_byte")
	w := render.StreamCSV(a.Stdout, render.Columns{Header: header})
	err := r.rows.each(func(row diffRow) error {
		return w.Row(append(words.Each(row.Coord), row.A, row.B, row.ABits, row.BBits, strconv.Itoa(row.AOffset),
			strconv.Itoa(row.BOffset), byteText(row.AByte), byteText(row.BByte))...)
	})
	if err != nil {
		return err
	}
	return w.Close()
}

// WriteJSON writes the report with one more member, the list of rows.
func (r *report) writeJSON(a *cli.App) error {
	list, err := cli.BeginList(a.Stdout, r, "first", true)
	if err != nil {
		return err
	}
	if err := r.rows.each(func(row diffRow) error { return list.Add(row) }); err != nil {
		return err
	}
	return list.End()
}

const (
	mostShown = 20 // characters of a text in a table
	leadShown = 6  // of them, those before the first difference
	mostBits  = 16 // bytes of an item, shown in hexadecimal
)

// cutApart shortens two texts to the same stretch, in which their first difference is seen. Texts that differ do so
// afterwards, too.
func cutApart(a, b string) (string, string) {
	x, y := []rune(a), []rune(b)
	if max(len(x), len(y)) <= mostShown {
		return a, b
	}
	from := max(0, common(x, y)-leadShown)
	if from+leadShown+2 < mostShown || a == b {
		return words.Cut(a, mostShown), words.Cut(b, mostShown)
	}
	return words.Cut("…"+string(x[from:]), mostShown), words.Cut("…"+string(y[from:]), mostShown)
}

// common is how many of their first members two lists have in common.
func common[T comparable](x, y []T) int {
	n := 0
	for n < min(len(x), len(y)) && x[n] == y[n] {
		n++
	}
	return n
}

// bitsOf prints two items' bytes: those of a number from the highest to the lowest, of a complex one part by part, of
// all else as they lie in memory. Numbers are printed whole, of all else the bytes from the first that differs on.
func bitsOf(a, b dtype.Type, x, y []byte) (string, string) {
	from := 0
	if !isWhole(a) && max(len(x), len(y)) > mostBits {
		const together = 8 // how many bytes a number that differs may have before the first of them that does
		from = max(0, common(littleEnd(a, x), littleEnd(b, y))-together)
		if from+together < mostBits {
			from = 0
		}
	}
	return hexOf(a, x, from), hexOf(b, y, from)
}

// littleEnd is a copy of an item with its numbers little end first.
func littleEnd(d dtype.Type, item []byte) []byte {
	item = slices.Clone(item)
	if turn := dtype.LittleEnd(d); turn != nil {
		turn(item)
	}
	return item
}

func hexOf(d dtype.Type, item []byte, from int) string {
	item, parts := slices.Clone(item), 0
	switch {
	case !isWhole(d) || d.Order() != dtype.Little:
	case d.Kind() == dtype.Complex:
		parts = 2
	default:
		parts = 1
	}
	for i := range parts {
		slices.Reverse(item[i*len(item)/parts : (i+1)*len(item)/parts])
	}
	before, after := "0x", ""
	if from > 0 {
		before = "0x…"
	}
	if item = item[min(from, len(item)):]; len(item) > mostBits && !isWhole(d) {
		item, after = item[:mostBits], "…"
	}
	return before + hex.EncodeToString(item) + after
}
