package scene

import (
	"math"
	"slices"
	"strconv"

	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/render/vector"
)

// Pixels of a cell.
const (
	cellSide  = 8   // beside its labels, for the gaps of memory
	slimSide  = 4.5 // the same of slim cells
	cellWiden = 14  // the same if a path runs there
	minCell   = 30  // width
	slimCell  = 24  // of slim cells
	maxLabel  = 120 // width of labels; longer ones are truncated
	cellLine  = 15  // of each further label
)

// cellShape is the size of all cells of a scene. The crown is the space above labels, for steps and for the number of
// elements that share an offset; lane is the space left of labels, for a path. Labels end at the same x in all cells, so that
// numbers line up.
type cellShape struct {
	w, h, crown, side, lane float64
	sizes                   [2]float64 // of the font: of the first label, of others
	labels                  []float64  // width of the i-th labels
}

// cellShape is the usual shape, or a slim one that takes less of the width.
func (s Scene) cellShape(slim bool) cellShape {
	shape := cellShape{side: cellSide, sizes: [2]float64{labelSize, belowSize}}
	least := float64(minCell)
	if slim {
		shape.side, shape.sizes, least = slimSide, [2]float64{slimSize, slimSize - 1}, slimCell
	}
	corner, steps := 0.0, false
	for c := range s.cells() {
		for i, words := range c.Labels {
			if i == len(shape.labels) {
				shape.labels = append(shape.labels, 0)
			}
			shape.labels[i] = max(shape.labels[i], min(measureMono(words, shape.size(i)), maxLabel))
		}
		corner = max(corner, c.cornerWidth())
		steps = steps || c.Step > 0
	}
	switch {
	case steps:
		shape.crown, shape.side, shape.lane = 13, cellWiden, 4
	case corner > 0:
		shape.crown = 8
	}
	shape.h = shape.crown + 2*shape.sizes[0] + 2 + cellLine*float64(max(1, len(shape.labels))-1)
	for _, width := range shape.labels {
		least = max(least, 2*shape.side+width)
	}
	shape.w = whole(max(least, 2*cellSide-4+min(corner, maxLabel)))
	return shape
}

// size is the font size of a cell's i-th label.
func (s cellShape) size(i int) float64 { return s.sizes[min(i, 1)] }

// middle is the height of the first label of a cell that begins at y.
func (s cellShape) middle(y float64) float64 {
	if s.crown > 0 {
		return y + s.crown + s.sizes[0] - 1
	}
	return y + s.sizes[0] + 1
}

// center is the middle of the labels of a cell that begins at x, and end is where the i-th ones end.
func (s cellShape) center(x float64) float64 { return x + s.w/2 + s.lane }

func (s cellShape) end(x float64, i int) float64 { return math.Round(s.center(x) + s.labels[i]/2) }

// corner is how many elements share the cell's offset.
func (c Cell) corner() string {
	if c.Shared < 2 {
		return ""
	}
	return "×" + strconv.Itoa(c.Shared)
}

// cornerWidth is the width that the crown of a cell needs.
func (c Cell) cornerWidth() float64 {
	w := measureMono(c.corner(), cornerSize)
	if c.Step > 0 {
		w += badgeWidth(c.Step) + 4
	}
	return w
}

// drawCell draws a cell at x and y, narrower by the gaps to its left and right.
func (d *drawing) drawCell(c Cell, x, y, left, right float64) {
	marks := make([]vector.Mark, 0, 2+len(c.Labels))
	if c.Kind != Omitted {
		marks = append(marks, d.square(c, x+left, y, d.cell.w-left-right))
	}
	ink := vector.Ink
	if c.Kind != Element {
		ink = vector.Quiet
	}
	for i, words := range c.Labels {
		if words = fitMono(words, d.cell.labels[i]+1, d.cell.size(i)); words != "" {
			marks = append(marks, vector.Text{X: d.cell.end(x, i), Y: d.cell.middle(y) + cellLine*float64(i), Words: words,
				Paint: ink, Size: d.cell.size(i), Anchor: vector.End, Mono: true})
		}
	}
	if words := fitMono(c.corner(), d.cell.w-left-right-4, cornerSize); words != "" {
		marks = append(marks, vector.Text{X: x + d.cell.w - right - 3, Y: y + 7, Words: words, Paint: ink, Size: cornerSize,
			Anchor: vector.End, Mono: true})
	}
	d.put(vector.Group{Title: clean(c.Detail), Marks: marks})
	d.right = max(d.right, x+d.cell.w)
}

// square is a cell's rectangle.
func (d *drawing) square(c Cell, x, y, w float64) vector.Rect {
	r := vector.Rect{X: x, Y: y, W: w, H: d.cell.h, Stroke: vector.Grid}
	if c.Kind == Padding {
		r.Hatch = vector.Hatch
	}
	if tint := int(c.Tint); 0 <= tint && tint < d.Scale.N {
		r.Fill = vector.Tint(tint)
	}
	return r
}

// Pixels of a grid.
const (
	planeGap  = 20   // between planes
	planeHead = 17   // of a line of names above a plane
	skipWidth = 84   // of the words for planes that are left out
	fewPlanes = 4    // which are drawn in one line, of slim cells if need be
	fewPage   = 1380 // width at which they continue below
)

// grid draws the tensor as it is indexed.
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

// band draws planes side by side from left; if they do not fit on the page, in lines of equally many. Its name is before
// them.
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

// line is how many planes, from the first, to draw side by side.
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

// crowded reports whether a memory, or a few planes of a band, need more than the width of a page.
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

// planeWidth is the width of its row names and cells, or of its Skip.
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

// after is the plane without the names of its rows, if the plane to its left has the same.
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

const rowOmitted = 20 // height, pixels

// plane draws a plane and returns its height. A Skip is centred on the planes to its left, whose height is beside.
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
		x := left + d.cell.w*float64(k)
		d.drawCell(c, x, y, 0, 0)
		if c.Step > 0 {
			d.badge(stop{step: c.Step, left: x}, y+badgeMiddle)
		}
	}
}

// planeSkip centres a Skip on a height, and returns the height.
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
		words := fitTo(column, d.cell.w-2*d.cell.lane, nameSize)
		d.write(vector.Text{X: d.cell.center(left + d.cell.w*float64(k)), Y: y + 8, Words: words, Paint: vector.Quiet, Size: nameSize,
			Anchor: vector.Middle})
		height = planeHead
	}
	return height
}

// rowTops is where each row of a plane begins, and where the last one ends. Omitted rows are low.
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
