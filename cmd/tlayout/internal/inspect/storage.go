package inspect

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"github.com/tlayout/tlayout/cmd/tlayout/internal/cli"
	"github.com/tlayout/tlayout/internal/inspect"
	"github.com/tlayout/tlayout/internal/render/picture"
	"github.com/tlayout/tlayout/internal/render/scene"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/words"
)

const (
	mostColumns    = 48   // of a cell; longer values are cut
	measuredValues = 4096 // how many values are looked at to see how wide cells are to be
)

// storageText draws storage as rows of cells, a cache line each where that fits the terminal. One row is held at a time.
type storageText struct {
	layout  tensor.Layout
	size    int // bytes of an item
	sharing int // elements at each offset in use; 0 where the strides do not tell
	values  bool
	edges   func(offset int) int
	from    int // where padding may begin
	end     int // and the offset behind it
	columns scene.MemoryColumns
	out     scene.MemoryText
	row     []scene.Cell
	next    int // offset of the row's first cell
}

// writeStorage draws the linear memory: what the tensor is, what the cells show, and the cells themselves.
func writeStorage(a *cli.App, o *options, t *source.Tensor) error {
	if err := cli.WriteAnswer(a, headline(screen{inspect.New(t)}, t.Named)); err != nil {
		return err
	}
	if t.Layout.Alloc() == 0 {
		a.Warn(t.Warnings)
		return nil
	}
	s, err := newStorageText(a, o, t)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.Stdout, "%s\n\n", a.Streams.Fold(s.says(), 2))
	s.out = scene.StreamMemory(a.Stdout, s.columns, a.TextOptions())
	shown := 0
	total, err := eachCell(o, t, func(c cell) error {
		shown++
		return s.add(c)
	})
	if err != nil {
		return err
	}
	if err := s.close(); err != nil {
		return err
	}
	a.Warn(t.Warnings)
	if shown < total {
		fmt.Fprintf(a.Streams.Err, "tlayout: %d of %d cells; --limit 0 lists all\n", shown, total)
	}
	return nil
}

func newStorageText(a *cli.App, o *options, t *source.Tensor) (*storageText, error) {
	s := &storageText{layout: t.Layout, size: t.DType.ItemSize(), values: t.HasData(), edges: picture.Edges(t.Layout)}
	shown := t.Layout.Alloc()
	if o.limit > 0 {
		shown = min(shown, o.limit)
	}
	s.from, s.end = picture.Inside(t.Layout)
	values, err := widestValue(t, min(shown, measuredValues))
	if err != nil {
		return nil, err
	}
	line := max(1, tensor.CacheLine/cmp.Or(s.size, tensor.CacheLine))
	s.columns = scene.MemoryColumns{Column: "offset", Address: words.Digits(t.Layout.Alloc() - 1),
		Cell: min(max(values, s.coordWidth()), mostColumns), Shown: shown, Ticks: s.size > 0 && tensor.CacheLine%s.size != 0 && shown*s.size > tensor.CacheLine}
	s.columns.Cells = s.columns.Fit(line, a.TextOptions())
	return s, nil
}

// says what the cells show.
func (s *storageText) says() string {
	what := "what lies at each offset"
	if s.size > 0 {
		what += fmt.Sprintf(", in items of %s", words.Count(s.size, "byte"))
	}
	if names := strings.ToLower(strings.Join(s.layout.Names(), ",")); names != "" {
		what += ": " + names
		if s.sharing != 1 {
			what += " and how many more lie there"
		}
		if s.values {
			what += " above the value"
		}
	}
	return what
}

// Add takes a cell and writes the row that it fills.
func (s *storageText) add(c cell) error {
	cell := scene.Cell{Labels: []string{s.label(c)}, Tint: -1, Edge: s.edges(c.Offset), Line: scene.Line(c.Byte / tensor.CacheLine)}
	if c.Coord == nil {
		cell.Kind = scene.Padding
		if c.Offset < s.from || c.Offset >= s.end {
			cell.Kind = scene.Outside
		}
	}
	if s.values {
		value := "-"
		if c.Value != nil {
			value = *c.Value
		}
		cell.Labels = append(cell.Labels, value)
	}
	if s.row = append(s.row, cell); len(s.row) < s.columns.Cells {
		return nil
	}
	return s.flush()
}

// Flush writes the cells that are held.
func (s *storageText) flush() error {
	row := scene.MemoryRow{Address: scene.Address(s.next), Cells: s.row}
	s.next, s.row = s.next+len(s.row), s.row[:0]
	return s.out.Row(row)
}

func (s *storageText) close() error {
	if err := s.flush(); err != nil {
		return err
	}
	return s.out.Close()
}

// label is the coordinate at a place, and how many more there are.
func (s *storageText) label(c cell) string {
	if c.Coord == nil {
		return "x"
	}
	label := words.Ints(c.Coord, ",")
	switch {
	case s.sharing > 1:
		label += " +" + strconv.Itoa(s.sharing-1)
	case s.sharing == 0 && len(c.More) > 1:
		label += " +" + strconv.Itoa(len(c.More)-1)
		if c.cut {
			label += "…"
		}
	}
	return label
}

// coordWidth is what the widest coordinate takes, and the number of further ones where elements share a place.
func (s *storageText) coordWidth() int {
	width := s.layout.Rank() - 1
	for _, n := range s.layout.Shape() {
		width += words.Digits(max(0, n-1))
	}
	n, told := s.layout.Sharing()
	switch {
	case !told:
		return width + len(" +7.")
	case n > 1:
		width += len(" +") + words.Digits(n-1)
	}
	s.sharing = n
	return max(1, width)
}

// widestValue is how many columns the values take, of so many cells from the first on.
func widestValue(t *source.Tensor, cells int) (columns int, err error) {
	if _, err := t.Data(); err != nil || !t.HasData() {
		return 0, err
	}
	err = t.Guard(func() error {
		for off := range cells {
			if text, ok := t.Value(off); ok {
				columns = max(columns, displaywidth.String(text))
			}
		}
		return nil
	})
	return columns, err
}
