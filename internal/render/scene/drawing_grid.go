package scene

import (
	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/render/vector"
)

// Pixels of a grid.
const (
	planeGap  = 20 // between planes
	planeHead = 17 // of a line of names above a plane
	skipWidth = 84 // of words that stand for planes
)

// grid draws the tensor as it is indexed.
func (d *drawing) grid() {
	if d.Tensor.Name == "" && len(d.Tensor.Bands) == 0 {
		return
	}
	d.y += 20
	d.heading(margin, d.Tensor.Name)
	names := 0.0
	for _, b := range d.Tensor.Bands {
		names = max(names, ceil(name(b.Name), headingSize))
	}
	if names > 0 {
		names += 18
	}
	for _, b := range d.Tensor.Bands {
		d.y += 8
		d.band(b, margin+names)
	}
}

// band draws planes side by side from left on, and in lines as long as each other where the page ends; its name stands
// before them.
func (d *drawing) band(b Band, left float64) {
	if b.Skip != "" {
		d.write(vector.Text{X: left, Y: d.y + 10, Words: clean(b.Skip), Paint: vector.Quiet, Size: quietSize})
		d.y += 22
		return
	}
	d.write(vector.Text{X: margin, Y: d.y + 8, Words: name(b.Name), Paint: vector.Ink, Size: nameSize + 2, Bold: true})
	for rest := b.Planes; len(rest) > 0; {
		lines := ints.CeilDiv(len(rest), d.line(rest, left))
		n, x, height := ints.CeilDiv(len(rest), lines), left, 0.0
		for i, p := range rest[:n] {
			p = p.after(rest[:i])
			height = max(height, d.plane(p, x, height))
			x += d.planeWidth(p) + planeGap
		}
		d.y += height + 14
		rest = rest[n:]
	}
	d.y -= 4
}

// line is how many planes, from the first on, stand side by side.
func (d *drawing) line(planes []Plane, x float64) int {
	for i, p := range planes {
		x += d.planeWidth(p.after(planes[:i]))
		if i > 0 && x > d.page {
			return i
		}
		x += planeGap
	}
	return len(planes)
}

// planeWidth is that of its row names and its cells, or of what stands for it.
func (d *drawing) planeWidth(p Plane) float64 {
	if p.Skip != "" {
		w := 0.0
		for _, words := range foldTo([]string{p.Skip}, skipWidth, quietSize) {
			w = max(w, ceil(words, quietSize))
		}
		return w
	}
	return max(p.rowNames()+d.cell.w*float64(p.widest()), p.rowNames()+4*d.cell.lane+ceil(name(p.Name), nameSize+1))
}

// after is the plane without the names of its rows, where the same ones stand before the planes beside it.
func (p Plane) after(planes []Plane) Plane {
	if len(planes) == 0 || p.Skip != "" {
		return p
	}
	first := planes[0].Rows
	if len(first) != len(p.Rows) {
		return p
	}
	rows := make([]Row, len(p.Rows))
	for i, r := range p.Rows {
		if r.Name != first[i].Name {
			return p
		}
		rows[i] = Row{Cells: r.Cells}
	}
	p.Rows = rows
	return p
}

// rowNames is the width of the names before rows.
func (p Plane) rowNames() float64 {
	w := 0.0
	for _, r := range p.Rows {
		w = max(w, ceil(name(r.Name), nameSize))
	}
	if w > 0 {
		w += 7
	}
	return w
}
