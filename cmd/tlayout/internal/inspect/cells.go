package inspect

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/cmd/tlayout/internal/cli"
	"github.com/tlayout/tlayout/internal/inspect"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/words"
)

// cell is one row of --offsets or --storage. In --storage a place may hold no element or several.
type cell struct {
	Offset int     `json:"offset"`
	Byte   int     `json:"byte"`
	Coord  []int   `json:"coord"`            // nil where no element lies
	More   [][]int `json:"coords,omitempty"` // all coordinates where there are several
	Value  *string `json:"value"`            // nil without data
	cut    bool
}

// coordLimit bounds the coordinates that one cell lists.
const coordLimit = 8

// eachCell calls visit for every row of the table asked for, up to the limit, and returns how many rows there are.
func eachCell(o *options, t *source.Tensor, visit func(cell) error) (total int, err error) {
	if _, err := t.Data(); err != nil {
		return 0, err
	}
	limit := o.limit
	if limit == 0 {
		limit = math.MaxInt
	}
	size, l := t.DType.ItemSize(), t.Layout
	total = l.Numel()
	if o.storage {
		total = l.Alloc()
	}
	err = t.Guard(func() error {
		rows := 0
		if o.storage {
			for c := range l.Memory(0, coordLimit) {
				if rows++; rows > limit {
					break
				}
				if err := visit(storageCell(c, size, valueAt(t, c.Offset))); err != nil {
					return err
				}
			}
			return nil
		}
		for coord, off := range l.Logical() {
			if rows++; rows > limit {
				break
			}
			if err := visit(cell{Offset: off, Byte: off * size, Coord: coord, Value: valueAt(t, off)}); err != nil {
				return err
			}
		}
		return nil
	})
	return total, err
}

// valueAt prints the element at an offset; nil where there is none.
func valueAt(t *source.Tensor, offset int) *string {
	if text, ok := t.Value(offset); ok {
		return &text
	}
	return nil
}

func storageCell(c tensor.Cell, size int, value *string) cell {
	out := cell{Offset: c.Offset, Byte: c.Offset * size, Value: value, cut: !c.Complete}
	if len(c.Coords) > 0 {
		out.Coord = c.Coords[0]
	}
	if len(c.Coords) > 1 {
		out.More = c.Coords
	}
	return out
}

// writeCells writes the table row by row, in the format asked for. Storage is drawn for a reader, as rows of cells.
func writeCells(a *cli.App, o *options, t *source.Tensor) error {
	if o.storage && a.Format == cli.Table {
		return writeStorage(a, o, t)
	}
	columns := cellColumns(o, t)
	var w render.RowWriter
	switch a.Format {
	case cli.CSV:
		header := strings.Join(columns.Header, ",")
		if o.header == header {
			columns.Header = nil // goes on under the header that stands there
		}
		o.header = header
		w = render.StreamCSV(a.Stdout, columns)
	case cli.Markdown:
		w = render.StreamMarkdown(a.Stdout, columns)
	default:
		w = render.StreamText(a.Stdout, columns)
	}
	shown := 0
	total, err := eachCell(o, t, func(c cell) error {
		shown++
		return w.Row(cellRow(o, t, c)...)
	})
	if err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	a.Warn(t.Warnings)
	if shown < total && a.Format == cli.Table {
		fmt.Fprintf(a.Streams.Err, "tlayout: %d of %d rows; --limit 0 lists all\n", shown, total)
	}
	return nil
}

// cellColumns: coordinate columns, offset, byte, value for --offsets; offset, byte, coordinate, value for --storage.
func cellColumns(o *options, t *source.Tensor) render.Columns {
	size := max(1, t.DType.ItemSize())
	offset, at := words.Digits(t.Layout.Alloc()), words.Digits(t.Layout.Alloc()*size)
	var c render.Columns
	add := func(name string, width int, number bool) {
		if number {
			c.Numbers = append(c.Numbers, len(c.Header))
		}
		c.Header, c.Widths = append(c.Header, name), append(c.Widths, width)
	}
	if len(o.sources) > 1 {
		longest := 0
		for _, name := range o.sources {
			longest = max(longest, len(words.Quote(name)))
		}
		add("source", longest, false)
	}
	if o.storage {
		add("offset", offset, true)
		add("byte", at, true)
		add(strings.ToLower(strings.Join(t.Layout.Names(), ",")), coordWidth(t.Layout), false)
	} else {
		for i, n := range t.Layout.Shape() {
			add(strings.ToLower(t.Layout.Dim(i).Name), words.Digits(n), true)
		}
		add("offset", offset, true)
		add("byte", at, true)
	}
	if t.HasData() {
		add("value", 0, false)
	}
	return c
}

func coordWidth(l tensor.Layout) int {
	width := 0
	for _, n := range l.Shape() {
		width += words.Digits(n) + 1
	}
	return width
}

func cellRow(o *options, t *source.Tensor, c cell) []string {
	var row []string
	if len(o.sources) > 1 {
		row = append(row, words.Quote(t.Source))
	}
	if o.storage {
		row = append(row, strconv.Itoa(c.Offset), strconv.Itoa(c.Byte), coordsText(c))
	} else {
		for _, i := range c.Coord {
			row = append(row, strconv.Itoa(i))
		}
		row = append(row, strconv.Itoa(c.Offset), strconv.Itoa(c.Byte))
	}
	if t.HasData() {
		value := "-"
		if c.Value != nil {
			value = *c.Value
		}
		row = append(row, value)
	}
	return row
}

// coordsText prints what lives in a place: x where no element does, coordinates otherwise.
func coordsText(c cell) string {
	if c.Coord == nil {
		return "x"
	}
	all := c.More
	if all == nil {
		all = [][]int{c.Coord}
	}
	parts := make([]string, len(all))
	for i, coord := range all {
		parts[i] = words.Ints(coord, ",")
	}
	if c.cut {
		parts = append(parts, "…")
	}
	return strings.Join(parts, " ")
}

// writeCellsJSON writes the report with one more member, the list of rows.
func writeCellsJSON(a *cli.App, o *options, t *source.Tensor) error {
	name := "offsets"
	if o.storage {
		name = "storage"
	}
	list, err := cli.BeginList(a.Stdout, inspect.New(t), name, len(o.sources) < 2)
	if err != nil {
		return err
	}
	if _, err := eachCell(o, t, func(c cell) error {
		c.Coord = slices.Clone(c.Coord)
		return list.Add(c)
	}); err != nil {
		return err
	}
	return list.End()
}
