package scene

import (
	"math"
	"slices"

	"github.com/tlayout/tlayout/internal/render/vector"
)

// Pixels of a memory.
const (
	rowGap    = 10  // between rows, for the frames of cache lines
	addresses = 12  // between an address and its row
	notchLeft = 6.5 // from a row to its notch
	notchHalf = 5   // half of its height
)

// gaps is what a cell loses at a border, by its Edge.
var gaps = []float64{0, 1.5, 3.5}

// lineGap is what a cell loses at the end of a cache line: space for two frames.
const lineGap = 4.5

// memory draws name, sentences, and rows of cells in address order.
func (d *drawing) memory(x float64, m Memory) {
	d.heading(x, m.Name, m.Gloss)
	d.paragraph(x, m.Lines)
	left := x + d.addressWidth(m)
	d.y += rowGap
	for i, r := range m.Rows {
		if r.Skip != "" {
			d.write(vector.Text{X: left, Y: d.y + 9, Words: clean(r.Skip), Paint: vector.Quiet, Size: quietSize})
			d.y += 18 + rowGap
			continue
		}
		d.memoryRow(m, i, left)
		d.y += d.cell.h + rowGap
	}
	d.y -= rowGap - frameGap
}

// memoryRow draws the i-th row: address, cells, frames.
func (d *drawing) memoryRow(m Memory, i int, left float64) {
	r := m.Rows[i]
	d.write(vector.Text{X: left - addresses, Y: d.cell.middle(d.y), Words: m.address(i), Paint: vector.Quiet,
		Size: nameSize, Anchor: vector.End, Mono: true})
	if i > 0 {
		d.notch(r, left)
	}
	for k, c := range r.Cells {
		x := left + d.cell.w*float64(k)
		before := m.gap(r, k)
		after := m.gap(r, k+1)
		d.drawCell(c, x, d.y, before, after)
	}
	if m.Line > 0 {
		d.frames(m, i, left)
	}
}

// notch marks a row at whose start an axis wraps; within rows, a gap marks it. The first row has no notch.
func (d *drawing) notch(r MemoryRow, left float64) {
	if len(r.Cells) > 0 && r.Cells[0].Edge > 0 {
		d.put(notch(r.Cells[0].Edge, left-notchLeft, d.cell.middle(d.y)))
	}
}

// notch draws a notch centered at x and y, thicker where several axes wrap.
func notch(edge int, x, y float64) vector.Line {
	width := 1.0
	if edge > 1 {
		width = 2.5
	}
	return vector.Line{Points: []vector.Point{{X: x, Y: y - notchHalf}, {X: x, Y: y + notchHalf}}, Stroke: vector.Quiet, Width: width}
}

// address returns the text before the i-th row; the first one drawn says what it counts.
func (m Memory) address(i int) string {
	at := m.Rows[i].Address.String()
	if i == slices.IndexFunc(m.Rows, func(r MemoryRow) bool { return r.Skip == "" }) {
		at = m.Column + " " + at
	}
	return name(at)
}

// gap returns what both cells lose before the k-th cell; 0 at the ends of a row.
func (m Memory) gap(r MemoryRow, k int) float64 {
	if k == 0 || k >= len(r.Cells) {
		return 0
	}
	gap := gaps[max(0, min(r.Cells[k].Edge, len(gaps)-1))]
	if m.Line > 0 && r.Cells[k].Line != r.Cells[k-1].Line {
		gap = max(gap, lineGap)
	}
	return gap
}

// memoryWidth returns the width of a memory's addresses and longest row, or of its sentences.
func (d *drawing) memoryWidth(m Memory) float64 {
	before := d.addressWidth(m)
	width := max(before+d.cell.w*float64(m.widest()), min(fold, ceil(clean(m.Name+" — "+m.Gloss), headingSize)))
	for _, words := range foldTo(m.Lines, fold, quietSize) {
		width = max(width, ceil(words, quietSize))
	}
	for _, r := range m.Rows {
		width = max(width, before+ceil(clean(r.Skip), quietSize))
	}
	return width
}

// addressWidth returns the width of the widest address, or of their heading.
func (d *drawing) addressWidth(m Memory) float64 {
	w := 0.0
	for i := range m.Rows {
		w = max(w, whole(measureMono(m.address(i), nameSize)))
	}
	return w + addresses
}

// maxRowWidth is the width of a row of memory, in pixels; wider ones are broken into equal parts.
const maxRowWidth = 1280

// wrapped returns the memory with its rows broken to maxRowWidth.
func (d *drawing) wrapped(m Memory) Memory {
	part := equalParts(m.widest(), int((maxRowWidth-d.addressWidth(m))/d.cell.w))
	var rows []MemoryRow
	for _, r := range m.Rows {
		if len(r.Cells) > part {
			rows = slices.AppendSeq(rows, r.parts(part))
		} else {
			rows = append(rows, r)
		}
	}
	m.Rows = rows
	return m
}

// Pixels of a frame.
const (
	frameGap  = 3  // from cells to the frame of their line
	frameRest = 16 // of a line that extends past the storage
)

// frames draws the frames of the i-th row, one around the cells of each cache line. A line of several whole rows has one frame around them,
// drawn with the first. A frame is open where its line continues in another row, and dashed where it continues past the storage. Cells
// wider than a line are framed only if the path fetches them.
func (d *drawing) frames(m Memory, i int, left float64) {
	if first, n := m.block(i); n > 1 {
		if i == first {
			d.blockFrame(m, i, n, left)
		}
		return
	}
	cells := m.Rows[i].Cells
	for k := 0; k < len(cells); {
		end := k
		hit := false
		for ; end < len(cells) && cells[end].Line == cells[k].Line; end++ {
			hit = hit || cells[end].Hit
		}
		if m.wide() && !hit {
			k = end
			continue
		}
		x := left + d.cell.w*float64(k) + m.gap(m.Rows[i], k) - frameGap
		right := left + d.cell.w*float64(end) - m.gap(m.Rows[i], end) + frameGap
		newLine := k > 0 || m.line(i-1, true) != cells[k].Line
		past := m.Open && end == len(cells) && i == len(m.Rows)-1
		ends := !past && (end < len(cells) || m.line(i+1, false) != cells[k].Line)
		d.frame(frame{x, d.y - frameGap, right, d.y + d.cell.h + frameGap, newLine, ends, past, hit})
		k = end
	}
}

// blockFrame draws the frame of a cache line of n whole rows, from the i-th on.
func (d *drawing) blockFrame(m Memory, i, n int, left float64) {
	bottom := d.y + d.cell.h*float64(n) + rowGap*float64(n-1) + frameGap
	right := left + d.cell.w*float64(len(m.Rows[i].Cells)) + frameGap
	hit := Memory{Rows: m.Rows[i : i+n]}.any(isHit)
	past := m.Open && i+n == len(m.Rows)
	d.frame(frame{left - frameGap, d.y - frameGap, right, bottom, true, !past, past, hit})
}

// block returns the rows around the i-th that form one cache line: the first, and their number. n is 0 if the line starts or ends within a
// row, or rows differ in length.
func (m Memory) block(i int) (first, n int) {
	line := m.line(i, true)
	first = i
	for first > 0 && m.line(first-1, true) == line {
		first--
	}
	for first+n < len(m.Rows) && m.line(first+n, false) == line {
		cells := m.Rows[first+n].Cells
		if len(cells) == 0 || len(cells) != len(m.Rows[i].Cells) || m.line(first+n, true) != line {
			return first, 0
		}
		n++
	}
	return first, n
}

// line returns the cache line of a row's last or first cell, or NoLine if the row does not exist.
func (m Memory) line(row int, last bool) Line {
	if row < 0 || row >= len(m.Rows) || len(m.Rows[row].Cells) == 0 {
		return NoLine
	}
	if cells := m.Rows[row].Cells; last {
		return cells[len(cells)-1].Line
	}
	return m.Rows[row].Cells[0].Line
}

// frame is the outline of a cache line, or of its part in a row, open where the line continues; past means that it continues past the
// storage.
type frame struct {
	x, y, right, bottom     float64
	begins, ends, past, hit bool
}

func (d *drawing) frame(f frame) {
	line := vector.Line{Stroke: vector.Frame, Width: 1}
	if f.hit {
		line.Stroke = vector.Accent
		line.Width = 2
	}
	d.right = max(d.right, f.right+1)
	if f.begins && f.ends {
		d.put(vector.Rect{X: f.x, Y: f.y, W: f.right - f.x, H: f.bottom - f.y, Radius: 5, Stroke: line.Stroke, StrokeWidth: line.Width})
	} else {
		for _, points := range f.open() {
			line.Points = points
			d.put(line)
		}
	}
	if f.past {
		d.right = max(d.right, f.right+frameRest+1)
		line.Dashed = true
		line.Points = f.bracket(f.right, f.right+frameRest)
		d.put(line)
	}
}

// open returns the paths of a frame that is open on a side: a bracket, or without sides, the top and the bottom.
func (f frame) open() [][]vector.Point {
	if f.begins {
		return [][]vector.Point{f.bracket(f.right, f.x)}
	}
	if f.ends {
		return [][]vector.Point{f.bracket(f.x, f.right)}
	}
	return [][]vector.Point{{{X: f.x, Y: f.y}, {X: f.right, Y: f.y}}, {{X: f.x, Y: f.bottom}, {X: f.right, Y: f.bottom}}}
}

// bracket returns a path along the top to a side, down with rounded corners, and back.
func (f frame) bracket(from, side float64) []vector.Point {
	in := math.Copysign(1, from-side)
	return []vector.Point{{X: from, Y: f.y}, {X: side + 5*in, Y: f.y}, {X: side + 1.5*in, Y: f.y + 1.5}, {X: side, Y: f.y + 5},
		{X: side, Y: f.bottom - 5}, {X: side + 1.5*in, Y: f.bottom - 1.5}, {X: side + 5*in, Y: f.bottom}, {X: from, Y: f.bottom}}
}
