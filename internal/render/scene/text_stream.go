package scene

import (
	"io"

	"github.com/clipperhouse/displaywidth"

	"github.com/tlayout/tlayout/internal/words"
)

// MemoryText writes rows of memory as Scene.Text does, one by one, so that a memory of any size is never held. Close it
// after the last.
type MemoryText struct{ *memoryText }

// MemoryColumns is what has to be known of a memory before its first row. Widths are columns of the terminal.
type MemoryColumns struct {
	Column  string // what the numbers before rows count
	Address int    // width of the largest of them
	Cell    int    // width of a cell; longer labels are cut
	Cells   int    // of a row
	Shown   int    // how many cells come; the head of a row stands above these only
	Ticks   bool   // mark where cache lines begin
}

// Fit is how many of the n cells of a row fit into the terminal, where the row is broken into equal parts.
func (c MemoryColumns) Fit(n int, o TextOptions) int {
	left := max(o.Width, words.MinColumns) - max(c.Address, displaywidth.String(c.Column)) - 1
	return equalParts(n, left/(c.Cell+1))
}

// StreamMemory begins a memory with its head.
func StreamMemory(w io.Writer, c MemoryColumns, o TextOptions) MemoryText {
	t := newSceneText(w, o)
	t.cell = cellText{label: c.Cell}
	r := &memoryText{sceneText: t, address: max(c.Address, displaywidth.String(c.Column)), width: c.Cells, ticks: c.Ticks}
	r.head(c.Column, min(c.Cells, c.Shown))
	return MemoryText{r}
}

// Row writes a row; none of its cells is kept.
func (m MemoryText) Row(row MemoryRow) error {
	m.row(row)
	_, err := m.out.Write(nil)
	return err
}

// Close writes what the signs mean that occurred.
func (m MemoryText) Close() error {
	m.key(Scale{})
	return m.out.Flush()
}
