package inspectcmd

import (
	"cmp"
	"fmt"
	"io"
	"strconv"

	"github.com/clipperhouse/displaywidth"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/render/picture"
	"github.com/tlayout/tlayout/internal/render/scene"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

const (
	maxCellColumns = 48   // maximum width of a cell; longer values are cut
	measuredValues = 4096 // number of values measured for the width of cells
)

// memory draws storage as rows of cells, one cache line each if that fits the terminal. It buffers one row.
type memory struct {
	cells   *cells
	sharing int // elements per used offset; 0 if the strides do not determine it
	edges   func(offset int) int
	begin   int // offsets in [begin, end) without an element are padding; others are unused
	end     int
	columns scene.MemoryColumns
	out     scene.MemoryText
	row     []scene.Cell
	next    int // offset of the row's first cell
}

// draw writes the legend and the cells.
func (c *cells) draw(p *cli.Page) {
	sharing, _ := c.tensor.Layout.Sharing()
	p.Items(c.legend(sharing))
	p.Blank()
	p.Draw(func(w io.Writer, o scene.TextOptions) error {
		m, err := c.newMemory(sharing, o)
		if err != nil {
			return err
		}
		m.out = scene.StreamMemory(w, m.columns, o)
		if err := c.each(m.add); err != nil {
			return err
		}
		if err := m.flush(); err != nil {
			return err
		}
		return m.out.Close()
	})
}

func (c *cells) newMemory(sharing int, o scene.TextOptions) (*memory, error) {
	m := &memory{cells: c, sharing: sharing, edges: picture.Edges(c.tensor.Layout)}
	m.begin, m.end = picture.Inside(c.tensor.Layout)
	values, err := c.widestValue()
	if err != nil {
		return nil, err
	}
	line := max(1, tensor.CacheLine/cmp.Or(c.ItemSize, tensor.CacheLine))
	m.columns = scene.MemoryColumns{Column: "offset", Address: text.Digits(c.Storage - 1),
		Cell: min(max(values, m.labelColumns()), maxCellColumns), Shown: c.shown(),
		Ticks: c.ItemSize > 0 && tensor.CacheLine%c.ItemSize != 0 && c.shown()*c.ItemSize > tensor.CacheLine}
	m.columns.Cells = m.columns.Fit(line, o)
	return m, nil
}

// legend describes the cells.
func (c *cells) legend(sharing int) string {
	what := "storage by offset"
	if c.ItemSize > 0 {
		what += fmt.Sprintf(", %s per element", text.Count(c.ItemSize, "byte"))
	}
	if index := c.IndexNames(); index != "" {
		what += ": " + index
		if sharing != 1 {
			what += " and how many more share the offset"
		}
		if c.tensor.HasData() {
			what += " above the value"
		}
	}
	return what
}

// add adds a cell, and writes the row once it is full.
func (m *memory) add(x cell) error {
	drawn := scene.Cell{Labels: []string{m.label(x)}, Tint: -1, Edge: m.edges(x.Offset), Line: scene.Line(x.Byte / tensor.CacheLine)}
	if x.Coord == nil {
		drawn.Kind = scene.Padding
		if x.Offset < m.begin || x.Offset >= m.end {
			drawn.Kind = scene.Outside
		}
	}
	if m.cells.tensor.HasData() {
		drawn.Labels = append(drawn.Labels, x.value())
	}
	m.row = append(m.row, drawn)
	if len(m.row) < m.columns.Cells {
		return nil
	}
	return m.flush()
}

// flush writes a partial row.
func (m *memory) flush() error {
	row := scene.MemoryRow{Address: scene.Address(m.next), Cells: m.row}
	m.next = m.next + len(m.row)
	m.row = m.row[:0]
	return m.out.Row(row)
}

// label is the first coordinate of a cell, and the number of others.
func (m *memory) label(x cell) string {
	if x.Coord == nil {
		return ""
	}
	label := text.Ints(x.Coord, ",")
	others := m.sharing - 1
	if m.sharing == 0 { // as many as were found
		others = len(x.More) - 1
	}
	if others > 0 {
		label += " +" + strconv.Itoa(others)
	}
	if m.sharing == 0 && others > 0 && x.cut {
		label += "…"
	}
	return label
}

// labelColumns returns the width of the widest label.
func (m *memory) labelColumns() int {
	width := m.cells.coordColumns()
	switch m.sharing {
	case 0:
		return width + len(" +7.") // coordLimit - 1, and …
	case 1:
		return max(1, width)
	default:
		return width + len(" +") + text.Digits(m.sharing-1)
	}
}

// widestValue returns the width of the widest of the first values.
func (c *cells) widestValue() (columns int, err error) {
	if _, err := c.tensor.DataTo(c.needed()); err != nil || !c.tensor.HasData() {
		return 0, err
	}
	err = c.tensor.Guard(func() error {
		for off := range min(c.shown(), measuredValues) {
			if text, ok := c.tensor.Value(off); ok {
				columns = max(columns, displaywidth.String(text))
			}
		}
		return nil
	})
	return columns, err
}
