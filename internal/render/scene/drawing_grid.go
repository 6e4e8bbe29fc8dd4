package scene

import (
	"math"
	"slices"

	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/render/vector"
)

// Pixels of a grid.
const (
	planeGap  = 20   // between planes
	planeHead = 17   // per line of names above a plane
	skipWidth = 84   // of the text for omitted planes
	fewPlanes = 4    // drawn in one line, with slim cells if necessary
	fewPage   = 1380 // width at which they continue below
)

// grid draws the logical view of the tensor.
func (d *drawing) grid() {
	if d.Tensor.Name == "" && len(d.Tensor.Bands) == 0 {
		return
	}
	d.y += 20
	d.heading(margin, d.Tensor.Name, "")
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

// band draws planes side by side from left; planes that do not fit on the page continue in lines of equal length. The band's name comes
// first.
func (d *drawing) band(b Band, left float64) {
	if b.Skip != "" {
		d.write(vector.Text{X: left, Y: d.y + 10, Words: clean(b.Skip), Paint: vector.Quiet, Size: quietSize})
		d.y += 22
		return
	}
	d.write(vector.Text{X: margin, Y: d.y + 8, Words: name(b.Name), Paint: vector.Ink, Size: nameSize + 2, Bold: true})
	for rest := b.Planes; len(rest) > 0; {
		lines := ints.CeilDiv(len(rest), d.line(rest, left))
		n := ints.CeilDiv(len(rest), lines)
		x := left
		height := 0.0
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

// line returns how many planes, from the first, to draw side by side.
func (d *drawing) line(planes []Plane, x float64) int {
	page := d.page
	if len(planes) <= fewPlanes {
		page = max(page, fewPage)
	}
	for i, p := range planes {
		x += d.planeWidth(p.after(planes[:i]))
		if i > 0 && x > page {
			return i
		}
		x += planeGap
	}
	return len(planes)
}

// crowded reports whether a memory, or a few planes of a band, are wider than a page.
func (d *drawing) crowded() bool {
	for _, m := range d.Memories {
		if margin+d.memoryWidth(d.wrapped(m)) > page {
			return true
		}
	}
	for _, b := range d.Tensor.Bands {
		x := float64(margin)
		for i, p := range b.Planes {
			x += planeGap + d.planeWidth(p.after(b.Planes[:i]))
		}
		if 1 < len(b.Planes) && len(b.Planes) <= fewPlanes && x > page {
			return true
		}
	}
	return false
}

// planeWidth returns the width of the plane's row names and cells, or of its Skip.
func (d *drawing) planeWidth(p Plane) float64 {
	if p.Skip != "" {
		w := 0.0
		for _, words := range foldTo([]string{p.Skip}, skipWidth, quietSize) {
			w = max(w, ceil(words, quietSize))
		}
		return w
	}
	return p.rowNames() + max(d.cell.w*float64(p.widest()), ceil(name(p.Name), nameSize+1))
}

// after returns the plane without row names if they repeat those of the plane to its left.
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

// rowNames returns the width of the names before rows.
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

const rowOmitted = 20 // height, pixels

// plane draws a plane and returns its height. A Skip is centered on the planes to its left, whose height is beside.
func (d *drawing) plane(p Plane, x, beside float64) float64 {
	if p.Skip != "" {
		return d.planeSkip(p, x, max(beside, d.cell.h+2*planeHead))
	}
	left, top := x+p.rowNames(), d.y
	d.right = max(d.right, x+d.planeWidth(p))
	if p.Name != "" {
		d.write(vector.Text{X: left, Y: top + 8, Words: name(p.Name), Paint: vector.Ink, Size: nameSize + 1})
		top += planeHead
	}
	top += d.columnNames(p, left, top)
	tops := d.rowTops(p, top)
	for i, r := range p.Rows {
		y := tops[i]
		if p.omitsRow(i) {
			y += rowOmitted/2 - d.cell.middle(0)
		}
		d.planeRow(r, p.omitsRow(i), left, y)
	}
	d.outline(p, left, top, tops[len(p.Rows)])
	return tops[len(p.Rows)] - d.y
}

// planeRow draws a row's name and cells. The dots of omitted rows are vertical.
func (d *drawing) planeRow(r Row, omitted bool, left, y float64) {
	d.write(vector.Text{X: left - 7, Y: d.cell.middle(y), Words: name(r.Name), Paint: vector.Quiet, Size: nameSize,
		Anchor: vector.End})
	for k, c := range r.Cells {
		if omitted && slices.Equal(c.Labels, []string{"…"}) {
			c.Labels = []string{"⋮"}
		}
		d.drawCell(c, left+d.cell.w*float64(k), y, 0, 0)
	}
}

// planeSkip centers a Skip vertically, and returns the height.
func (d *drawing) planeSkip(p Plane, x, height float64) float64 {
	lines := foldTo([]string{p.Skip}, skipWidth, quietSize)
	height = max(height, 17*float64(len(lines))+planeHead)
	for i, words := range lines {
		y := math.Round(d.y+height/2) + planeHead + 17*(float64(i)-float64(len(lines))/2)
		d.write(vector.Text{X: x, Y: y, Words: words, Paint: vector.Quiet, Size: quietSize})
	}
	return height
}

// columnNames draws the names above columns, and returns their height.
func (d *drawing) columnNames(p Plane, left, y float64) float64 {
	height := 0.0
	for k, column := range p.Columns {
		if column == "" {
			continue
		}
		words := fitTo(column, d.cell.w, nameSize)
		d.write(vector.Text{X: d.cell.center(left + d.cell.w*float64(k)), Y: y + 8, Words: words, Paint: vector.Quiet, Size: nameSize,
			Anchor: vector.Middle})
		height = planeHead
	}
	return height
}

// rowTops returns the top of each row of a plane, and the bottom of the last one. Omitted rows are low.
func (d *drawing) rowTops(p Plane, top float64) []float64 {
	tops := []float64{top}
	for i := range p.Rows {
		if p.omitsRow(i) {
			top += rowOmitted
		} else {
			top += d.cell.h
		}
		tops = append(tops, top)
	}
	return tops
}

func (p Plane) omitsRow(row int) bool {
	cells := p.Rows[row].Cells
	return len(cells) > 0 && !slices.ContainsFunc(cells, func(c Cell) bool { return !c.isEllipsis() })
}

// isEllipsis reports whether a cell stands for omitted ones, and has nothing else to draw.
func (c Cell) isEllipsis() bool {
	if c.Kind != Omitted || len(c.Labels) > 1 {
		return false
	}
	return c.Step <= 0 && c.Shared <= 1
}

// outline draws a plane's border.
func (d *drawing) outline(p Plane, left, top, bottom float64) {
	if w := d.planeWidth(Plane{Columns: p.Columns, Rows: p.Rows}) - p.rowNames(); w > 0 && len(p.Rows) > 0 {
		d.put(vector.Rect{X: left, Y: top, W: w, H: bottom - top, Radius: 2, Stroke: vector.Edge, StrokeWidth: 1.5})
	}
}
