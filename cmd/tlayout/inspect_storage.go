package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/tlayout/tlayout/internal/picture"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/words"
)

// lineBytes is the size of a cache line, in bytes.
const lineBytes = 64

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
	columns render.MemoryColumns
	out     render.MemoryText
	row     []render.Cell
	next    int // offset of the row's first cell
}

// writeStorage draws the linear memory: what the tensor is, what the cells show, and the cells themselves.
func writeStorage(a *app, o *inspectOptions, t *source.Tensor) error {
	if err := writeAnswer(a, headline(screen{newInspectReport(t)}, t.Named)); err != nil {
		return err
	}
	if t.Layout.Alloc() == 0 {
		a.warn(t.Warnings)
		return nil
	}
	s, err := newStorageText(a, o, t)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.stdout, "%s\n\n", a.streams.fold(s.says(), 2))
	s.out = render.StreamMemory(a.stdout, s.columns, a.textOptions())
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
	a.warn(t.Warnings)
	if shown < total {
		fmt.Fprintf(a.streams.err, "tlayout: %d of %d cells; --limit 0 lists all\n", shown, total)
	}
	return nil
}

func newStorageText(a *app, o *inspectOptions, t *source.Tensor) (*storageText, error) {
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
	line := max(1, lineBytes/cmp.Or(s.size, lineBytes))
	s.columns = render.MemoryColumns{Column: "offset", Address: digits(t.Layout.Alloc() - 1),
		Cell: min(max(values, s.coordWidth()), mostColumns), Shown: shown, Ticks: s.size > 0 && lineBytes%s.size != 0 && shown*s.size > lineBytes}
	s.columns.Cells = s.columns.Fit(line, a.textOptions())
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
