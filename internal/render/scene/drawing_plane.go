package scene

import (
	"math"
	"slices"

	"github.com/tlayout/tlayout/internal/render/vector"
)

const rowOmitted = 20 // height, pixels

// plane draws a plane and returns its height. What stands for planes is in the middle of those before it, which are as
// high as beside says.
func (d *drawing) plane(p Plane, x, beside float64) float64 {
	if p.Skip != "" {
		return d.planeSkip(p, x, max(beside, d.cell.h+2*planeHead))
	}
	left, top := x+p.rowNames(), d.y
	d.right = max(d.right, x+d.planeWidth(p))
	if p.Name != "" {
		d.write(vector.Text{X: left + 4*d.cell.lane, Y: top + 8, Words: name(p.Name), Paint: vector.Ink, Size: nameSize + 1})
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
	d.planePath(p, left, tops)
	return tops[len(p.Rows)] - d.y
}

// planeRow draws a row's name and cells. Where the row is left out, its dots lead downwards.
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

// planeSkip writes what stands for planes in the middle of some height, and returns the height.
func (d *drawing) planeSkip(p Plane, x, height float64) float64 {
	lines := foldTo([]string{p.Skip}, skipWidth, quietSize)
	height = max(height, 17*float64(len(lines))+planeHead)
	for i, words := range lines {
		y := math.Round(d.y+height/2) + planeHead + 17*(float64(i)-float64(len(lines))/2)
		d.write(vector.Text{X: x, Y: y, Words: words, Paint: vector.Quiet, Size: quietSize})
	}
	return height
}

// columnNames returns the height that the names above columns need.
func (d *drawing) columnNames(p Plane, left, y float64) float64 {
	height := 0.0
	for k, column := range p.Columns {
		if column == "" {
			continue
		}
		words := fitTo(column, d.cell.w-2*d.cell.lane, nameSize)
		d.write(vector.Text{X: d.cell.center(left + d.cell.w*float64(k)), Y: y + 8, Words: words, Paint: vector.Quiet, Size: nameSize,
			Anchor: vector.Middle})
		height = planeHead
	}
	return height
}

// rowTops is where each row of a plane begins, from its first on, and where the last one ends. Rows that are left out
// are low.
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
	for _, c := range p.Rows[row].Cells {
		if c.Kind != Omitted || len(c.Labels) > 1 || c.Step > 0 || c.Shared > 1 {
			return false
		}
	}
	return len(p.Rows[row].Cells) > 0
}

// outline draws a plane's border.
func (d *drawing) outline(p Plane, left, top, bottom float64) {
	if w := d.planeWidth(Plane{Columns: p.Columns, Rows: p.Rows}) - p.rowNames(); w > 0 && len(p.Rows) > 0 {
		d.put(vector.Rect{X: left, Y: top, W: w, H: bottom - top, Radius: 2, Stroke: vector.Edge, StrokeWidth: 1.5})
	}
}
