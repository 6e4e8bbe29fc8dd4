package inspectcmd

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// cells is a report with a row per element or per cell of storage. Rows are made as they are written.
type cells struct {
	report
	tensor  *source.Tensor
	storage bool           // rows are cells of storage in order of offset, not elements in logical order
	limit   int            // maximum number of rows; 0 for all
	named   bool           // each row includes the source
	reader  *tensor.Layout // of --read-as; may be nil
	readAs  string         // its name
}

// cell is one row. A cell of storage may hold no element, or several.
type cell struct {
	Offset int `json:"offset"` // offset of an element in the storage, in elements
	Byte   int `json:"byte"`   // offset in the storage
	// of an element that shares its byte: low, high, or its bits
	Part string `json:"byte_part,omitempty"`
	// indices of an element, in logical order
	Coord []int   `json:"coord" jsonschema:"null for padding"`
	More  [][]int `json:"coords,omitempty"`
	// value as text
	Value  *string         `json:"value" jsonschema:"null without data"`
	ReadAs *source.Misread `json:"read_as,omitempty"` // what a reader of another layout finds
	cut    bool            // More is incomplete
}

// coordLimit limits the coordinates that one cell lists.
const coordLimit = 8

// Page writes the rows as a table; storage is drawn as memory, except in Markdown.
func (c *cells) Page(p *cli.Page) {
	what := "rows"
	if c.storage && !p.Markdown() {
		what = "cells"
		p.Answer(c.Headline())
		c.view(p)
		if c.Storage == 0 {
			return
		}
		c.draw(p)
	} else {
		if c.reader != nil {
			p.Answer(fmt.Sprintf("%s read as %s: %s", c.Named.Shown(), text.Quote(c.readAs), c.tensor.MisreadText(*c.reader)))
		}
		p.Fail(c.write(p.Rows("", c.columns(c.IndexNames()))))
	}
	if shown, total := c.shown(), c.total(); shown < total {
		p.Hint(fmt.Sprintf("%d of %d %s; --limit 0 lists all", shown, total, what))
	}
}

// WriteJSON writes the report followed by the list of rows.
func (c *cells) WriteJSON(w io.Writer, alone bool) error {
	name := "offsets"
	if c.storage {
		name = "cells"
	}
	list, err := cli.BeginList(w, c.Report, name, alone)
	if err != nil {
		return err
	}
	err = c.each(func(x cell) error {
		x.Coord = slices.Clone(x.Coord)
		return list.Add(x)
	})
	if err != nil {
		return err
	}
	return list.End()
}

// WriteCSV writes the rows.
func (c *cells) WriteCSV(w io.Writer) error { return c.write(render.StreamCSV(w, c.columns("coord"))) }

func (c *cells) write(w render.RowWriter) error {
	if err := c.each(func(x cell) error { return w.Row(c.row(x)...) }); err != nil {
		return err
	}
	return w.Close()
}

func (c *cells) total() int {
	if c.storage {
		return c.Storage
	}
	return c.Numel
}

// shown returns the number of rows within the limit.
func (c *cells) shown() int {
	if c.limit == 0 {
		return c.total()
	}
	return min(c.limit, c.total())
}

// each calls visit for every row within the limit.
func (c *cells) each(visit func(cell) error) error {
	if _, err := c.tensor.DataTo(c.needed()); err != nil {
		return err
	}
	l := c.tensor.Layout
	left := c.limit
	if left == 0 {
		left = math.MaxInt
	}
	return c.tensor.Guard(func() error {
		if c.storage {
			for m := range l.Memory(0, coordLimit) {
				if left--; left < 0 {
					break
				}
				if err := visit(c.storageCell(m)); err != nil {
					return err
				}
			}
			return nil
		}
		for coord, off := range l.Logical() {
			if left--; left < 0 {
				break
			}
			x := cell{Offset: off, Byte: c.tensor.DType.ByteOf(off), Part: c.tensor.DType.Part(off), Coord: coord, Value: c.valueAt(off), ReadAs: c.tensor.Misread(c.reader, coord)}
			if err := visit(x); err != nil {
				return err
			}
		}
		return nil
	})
}

// needed returns how many elements of the storage, from its front, the rows need.
func (c *cells) needed() int {
	if c.limit == 0 || c.shown() == c.total() {
		return c.Storage
	}
	if c.storage {
		return c.shown()
	}
	last := -1
	left := c.shown()
	for coord, off := range c.tensor.Layout.Logical() {
		if left--; left < 0 {
			break
		}
		last = max(last, off)
		if c.reader != nil {
			last = max(last, c.reader.At(coord...))
		}
	}
	return last + 1
}

// valueAt formats the element at an offset; nil beyond the end of the data.
func (c *cells) valueAt(offset int) *string {
	if text, ok := c.tensor.Value(offset); ok {
		return &text
	}
	return nil
}

func (c *cells) storageCell(m tensor.Cell) cell {
	x := cell{Offset: m.Offset, Byte: c.tensor.DType.ByteOf(m.Offset), Part: c.tensor.DType.Part(m.Offset), Value: c.valueAt(m.Offset), cut: !m.Complete}
	if len(m.Coords) > 0 {
		x.Coord = m.Coords[0]
	}
	if len(m.Coords) > 1 {
		x.More = m.Coords
	}
	return x
}

// columns returns coordinate, offset, byte and value for elements; offset, byte, coordinates (under that name) and value for storage.
func (c *cells) columns(coordinates string) render.Columns {
	var columns render.Columns
	add := func(name string, width int, number bool) {
		if number {
			columns.Numbers = append(columns.Numbers, len(columns.Header))
		}
		columns.Header = append(columns.Header, name)
		columns.Widths = append(columns.Widths, width)
	}
	addPlace := func() {
		add("offset", text.Digits(c.Storage), true)
		add("byte", text.Digits(c.Storage*max(1, c.ItemSize)), true)
		if c.Bits > 0 {
			add("byte_part", len("bits 0-1"), false)
		}
	}
	if c.named {
		add("source", displaywidth.String(text.Quote(c.Source)), false)
	}
	if c.storage {
		addPlace()
		add(coordinates, c.coordColumns(), false)
	} else {
		for i, n := range c.Shape {
			add(strings.ToLower(c.Dims[i]), text.Digits(n), true)
		}
		addPlace()
	}
	if c.tensor.HasData() {
		add("value", 0, false)
	}
	if c.reader != nil {
		reads := "reads "
		if coordinates == "coord" { // CSV has the names of JSON
			reads = "read_as_"
		}
		add(reads+"offset", 0, true)
		add(reads+coordinates, c.coordColumns(), false)
		if c.tensor.HasData() {
			add(reads+"value", 0, false)
		}
	}
	return columns
}

// coordColumns returns the width of one coordinate.
func (c *cells) coordColumns() int {
	width := max(0, len(c.Shape)-1)
	for _, n := range c.Shape {
		width += text.Digits(max(0, n-1))
	}
	return width
}

func (c *cells) row(x cell) []string {
	var row []string
	place := []string{strconv.Itoa(x.Offset), strconv.Itoa(x.Byte)}
	if c.Bits > 0 {
		place = append(place, x.Part)
	}
	if c.named {
		row = append(row, text.Quote(c.Source))
	}
	if c.storage {
		row = append(append(row, place...), x.coords())
	} else {
		row = append(append(row, text.Each(x.Coord)...), place...)
	}
	if c.tensor.HasData() {
		row = append(row, x.value())
	}
	if m := x.ReadAs; m != nil {
		row = append(row, strconv.Itoa(m.Offset), cell{Coord: m.Coord}.coords())
		if c.tensor.HasData() {
			row = append(row, cell{Value: m.Value}.value())
		}
	}
	return row
}

// value formats the value; - beyond the end of the data.
func (x cell) value() string {
	if x.Value == nil {
		return "-"
	}
	return *x.Value
}

// coords formats the coordinates of the elements in a cell; x for padding.
func (x cell) coords() string {
	if x.Coord == nil {
		return "x"
	}
	all := x.More
	if all == nil {
		all = [][]int{x.Coord}
	}
	parts := make([]string, len(all))
	for i, coord := range all {
		parts[i] = text.Ints(coord, ",")
	}
	if x.cut {
		parts = append(parts, "…")
	}
	return strings.Join(parts, " ")
}
