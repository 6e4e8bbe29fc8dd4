package scene

import (
	"io"
	"strconv"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"github.com/tlayout/tlayout/internal/text"
)

// memoryText is a memory with its dimensions.
//
//	  offset   +0  +1  +2  +3
//	►     16 ┃016 017│018 019
type memoryText struct {
	*sceneText
	shared       bool // a column for the mark of shared offsets
	address      int  // columns
	width        int  // cells of a row
	severalLines bool // has more than one cache line
	ticks        bool // mark the starts of cache lines
	line         Line // of the previous cell
	known        bool // there is a previous cell
	written      bool // an element has been written
	buf          []byte
}

// layOut measures a memory, and decides how to break rows that are too wide.
func (t *sceneText) layOut(m Memory) *memoryText {
	r := &memoryText{sceneText: t, shared: m.any(isShared), address: t.addressColumns(m.Column)}
	for _, row := range m.Rows {
		r.address = max(r.address, t.addressColumns(row.Address.String()))
	}
	longest := m.widest()
	fit := func() int { return equalParts(longest, (t.Width-r.before()-r.address-1)/(t.cell.width(r.shared)+1)) }
	r.width = fit()
	if r.width < longest { // parts need addresses too
		for _, row := range m.Rows {
			r.address = max(r.address, t.addressColumns(row.address(max(0, len(row.Cells)-1)).String()))
		}
		r.width = fit()
	}
	severalLines, rows := cacheLines(m)
	severalLines = severalLines && !m.wide()
	r.severalLines = severalLines
	r.ticks = severalLines && (!rows || r.width < longest)
	return r
}

func (t *sceneText) addressColumns(s string) int { return min(t.columns(s), t.Width/4) }

// before returns the columns before an address.
func (r *memoryText) before() int {
	if r.cell.hits {
		return 2
	}
	return 0
}

// head labels the addresses, and numbers the cells of a row, as many as fit.
func (r *memoryText) head(column string, cells int) {
	if cells == 0 {
		return
	}
	step := 1
	for r.cells(step, r.shared) < len("+")+len(strconv.Itoa(cells-1)) {
		step *= 2
	}
	var line strings.Builder
	line.WriteString(text.Blanks(r.before()) + rightAligned(r.short(column, r.address), r.address) + " ")
	for i := 0; i < cells && cells > 1; i += step {
		number := rightAligned("+"+strconv.Itoa(i), r.cell.label) // may be wider than narrow cells
		if r.cells(cells-i, r.shared) < len(number) {
			break
		}
		line.WriteString(" " + number + text.Blanks(r.cells(step, r.shared)-len(number)))
	}
	r.sceneText.line(line.String())
}

// row writes a row or a Skip. A row that is too wide is broken into parts with their own addresses.
func (r *memoryText) row(row MemoryRow) {
	if row.Skip != "" {
		indent := text.Blanks(r.before() + r.address + 2)
		for _, l := range text.Lines(r.clean(row.Skip), r.Width-len(indent), r.tail) {
			r.sceneText.line(indent + l)
		}
		r.known = false
		return
	}
	for part := range row.parts(r.width) {
		r.part(part.Address.String(), part.Cells)
	}
}

// part writes cells side by side: their labels and steps.
func (r *memoryText) part(address string, cells []Cell) {
	hits := 0
	steps := false
	for i := range cells {
		if cells[i].Hit {
			hits++
		}
		steps = steps || cells[i].Step > 0
	}
	partlyHit := hits > 0 && hits < len(cells)
	signs := r.signs(cells)
	for k := range labelLines(cells) {
		r.begin(address, k == 0 && hits > 0)
		for i := range cells {
			r.buf = r.cellLine(append(r.buf, signs[i]...), &cells[i], k, r.shared)
		}
		r.end()
		address = ""
	}
	if steps || partlyHit {
		r.begin("", false)
		for i := range cells {
			r.buf = r.stepLine(append(r.buf, signs[i]...), &cells[i], partlyHit, r.shared)
		}
		r.end()
	}
}

func (r *memoryText) begin(address string, hit bool) {
	r.buf = r.buf[:0]
	before := r.before()
	if hit {
		r.seen.hit = true
		r.buf = append(r.buf, r.hit...)
		before = before - 1
	}
	address = r.short(address, r.address)
	r.buf = append(pad(r.buf, before+r.address-displaywidth.String(address)), address...)
	r.buf = append(r.buf, ' ')
}

func (r *memoryText) end() {
	n := len(r.buf)
	for n > 0 && r.buf[n-1] == ' ' {
		n--
	}
	r.out.Write(append(r.buf[:n], '\n'))
}

// cacheLines reports whether there are several, and whether they start exactly where rows do.
func cacheLines(m Memory) (severalLines, rows bool) {
	line := NoLine
	known := false
	rows = true
	for _, row := range m.Rows {
		for i := range row.Cells {
			newLine := row.Cells[i].Line != line
			rows = rows && (!known || newLine == (i == 0))
			severalLines = severalLines || known && newLine
			line = row.Cells[i].Line
			known = true
		}
	}
	return severalLines, rows
}

// startsLine reports whether a cell of a cache line is the first of it: after a skip, nobody knows but of the storage's first.
func (r *memoryText) startsLine(line Line) bool {
	if r.known {
		return line != r.line
	}
	return line == 0
}

// signs returns the signs between cells: wrapping axes and starts of cache lines. The key does not mention signs that occur only at the
// first element, where all axes start.
func (r *memoryText) signs(cells []Cell) []string {
	signs := make([]string, len(cells))
	for i := range cells {
		edge := max(0, min(cells[i].Edge, 2))
		line := cells[i].Line
		kind := &r.edges
		seen := &r.seen.edges
		if r.ticks && r.startsLine(line) {
			kind = &r.lines
			seen = &r.seen.lines
		} else if !r.written {
			seen = &r.seen.first
		}
		signs[i] = kind[edge]
		seen[edge] = true
		r.line = line
		r.known = true
		r.written = r.written || cells[i].Kind == Element
	}
	return signs
}

// MemoryText writes rows of memory one by one, as Scene.Text does, for a memory of any size. Close it after the last row.
type MemoryText struct{ *memoryText }

// MemoryColumns describe a memory before its first row. Widths are columns of the terminal.
type MemoryColumns struct {
	Column  string // what addresses count
	Address int    // width of the largest address
	Cell    int    // width of a cell; longer labels are truncated
	Cells   int    // of a row
	Shown   int    // cells of the first row to number in the head
	Ticks   bool   // mark starts of cache lines
}

// Fit returns how many of the n cells of a row to write side by side, in equal parts, so that they fit the terminal.
func (c MemoryColumns) Fit(n int, o TextOptions) int {
	left := max(o.Width, text.MinColumns) - max(c.Address, displaywidth.String(c.Column)) - 1
	return equalParts(n, left/(c.Cell+1))
}

// StreamMemory writes the head of a memory.
func StreamMemory(w io.Writer, c MemoryColumns, o TextOptions) MemoryText {
	t := newSceneText(w, o)
	t.cell = cellText{label: c.Cell}
	r := &memoryText{sceneText: t, address: max(c.Address, displaywidth.String(c.Column)), width: c.Cells, ticks: c.Ticks}
	r.head(c.Column, min(c.Cells, c.Shown))
	return MemoryText{r}
}

// Row writes a row, and retains none of its cells.
func (m MemoryText) Row(row MemoryRow) error {
	m.row(row)
	_, err := m.out.Write(nil)
	return err
}

// Close writes the key of the signs in use.
func (m MemoryText) Close() error {
	m.key(Scale{})
	return m.out.Flush()
}
