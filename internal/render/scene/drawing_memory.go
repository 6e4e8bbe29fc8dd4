package scene

import (
	"github.com/tlayout/tlayout/internal/render/vector"
)

// Pixels of a memory.
const (
	rowGap    = 10  // between rows, in which lines have their frames
	addresses = 12  // between an address and its row
	notchLeft = 6.5 // from a row to its notch
	notchHalf = 5   // of its height
	pathSkip  = 18  // before what stands for rows, where a path may lead down
)

// gaps are what a cell gives up at a border, by its edge: within a run nothing, at a block's little.
var gaps = []float64{0, 1.5, 3.5}

// lineGap is what a cell gives up where a cache line ends: room for two frames.
const lineGap = 4.5

// memory draws name, sentences, and rows of cells in the order of addresses.
func (d *drawing) memory(x float64, m Memory) {
	d.heading(x, m.Name)
	d.paragraph(x, m.Lines)
	left := x + d.addressWidth(m)
	d.y += 5
	d.write(vector.Text{X: left - addresses, Y: d.y + 8, Words: name(m.Column), Paint: vector.Quiet, Size: nameSize,
		Anchor: vector.End})
	path := d.memoryBoard(m, left)
	d.rowGap = path.rowGap()
	d.y += max(planeHead+3, d.rowGap)
	skips := []vector.Text{}
	for i, r := range m.Rows {
		path.tops = append(path.tops, d.y)
		if r.Skip != "" {
			skips = append(skips, vector.Text{X: left, Y: d.y + 9, Words: clean(r.Skip), Paint: vector.Quiet, Size: quietSize})
			d.y += 18 + d.rowGap
			continue
		}
		d.memoryRow(m, i, left)
		d.y += d.cell.h + d.rowGap
	}
	d.y -= d.rowGap - frameGap
	d.drawPath(path)
	d.skips(skips, len(path.stops) > 0)
}

// skips writes what stands for rows, right of the first lane of a path and over the others.
func (d *drawing) skips(skips []vector.Text, path bool) {
	for _, t := range skips {
		if path {
			t.X += pathSkip
			d.put(vector.Rect{X: t.X - 2, Y: t.Y - 8, W: ceil(t.Words, t.Size) + 4, H: 16, Fill: vector.Ground})
		}
		d.write(t)
	}
}

// memoryRow draws the i-th row: address, cells, frames.
func (d *drawing) memoryRow(m Memory, i int, left float64) {
	r := m.Rows[i]
	d.write(vector.Text{X: left - addresses, Y: d.cell.middle(d.y), Words: name(r.Address.String()), Paint: vector.Quiet,
		Size: nameSize, Anchor: vector.End, Mono: true})
	if i > 0 {
		d.notch(r, left)
	}
	for k, c := range r.Cells {
		x, before, behind := left+d.cell.w*float64(k), m.gap(r, k), m.gap(r, k+1)
		d.drawCell(c, x, d.y, before, behind)
	}
	if m.Line > 0 {
		d.frames(m, i, left)
	}
}

// notch marks a row that begins where an axis starts over, as all do with the first: within rows, that is a gap.
func (d *drawing) notch(r MemoryRow, left float64) {
	if len(r.Cells) == 0 || r.Cells[0].Edge < 1 {
		return
	}
	x, y, width := left-notchLeft, d.cell.middle(d.y), 1.0
	if r.Cells[0].Edge > 1 {
		width = 2.5
	}
	d.put(vector.Line{Points: []vector.Point{{X: x, Y: y - notchHalf}, {X: x, Y: y + notchHalf}}, Stroke: vector.Quiet, Width: width})
}

// gap is what both cells give up before the k-th: nothing at the ends of a row.
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

// memoryWidth is that of a memory's addresses and its longest row, or of its sentences.
func (d *drawing) memoryWidth(m Memory) float64 {
	before := d.addressWidth(m)
	width := before + d.cell.w*float64(m.widest())
	for _, words := range foldTo(m.Lines, fold, quietSize) {
		width = max(width, ceil(words, quietSize))
	}
	for _, r := range m.Rows {
		width = max(width, before+ceil(clean(r.Skip), quietSize))
	}
	return width
}

// addressWidth is that of the widest address, and of what stands above addresses.
func (d *drawing) addressWidth(m Memory) float64 {
	w := ceil(name(m.Column), nameSize)
	for _, r := range m.Rows {
		w = max(w, whole(measureMono(name(r.Address.String()), nameSize)))
	}
	return w + addresses
}
