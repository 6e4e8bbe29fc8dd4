package scene

import (
	"strconv"

	"github.com/tlayout/tlayout/internal/render/vector"
)

// Pixels of a cell.
const (
	cellSide  = 8   // beside its labels, where memory has its gaps
	cellWiden = 14  // the same where a path goes down there
	cellLeast = 30  // width
	cellMost  = 120 // of its labels; longer ones are cut
	cellLine  = 15  // of each further label
)

// cellShape is the size of all cells of a scene. The crown is room above labels, for steps and for how many elements
// share a place; lane is what labels leave to a path at their left.
type cellShape struct{ w, h, crown, side, lane float64 }

func (s Scene) cellShape() cellShape {
	labels, corner, lines, steps := 0.0, 0.0, 1, false
	for c := range s.cells() {
		for i, words := range c.Labels {
			labels = max(labels, measureMono(words, sizeOf(i)))
		}
		corner = max(corner, c.cornerWidth())
		lines = max(lines, len(c.Labels))
		steps = steps || c.Step > 0
	}
	shape := cellShape{side: cellSide}
	switch {
	case steps:
		shape.crown, shape.side, shape.lane = 13, cellWiden, 4
	case corner > 0:
		shape.crown = 8
	}
	shape.h = shape.crown + 28 + cellLine*float64(lines-1)
	shape.w = whole(max(cellLeast, 2*shape.side+min(labels, cellMost), 2*cellSide-4+min(corner, cellMost)))
	return shape
}

// sizeOf is that of a cell's i-th label.
func sizeOf(i int) float64 {
	if i == 0 {
		return labelSize
	}
	return belowSize
}

// middle is the height of the first label of a cell that begins at y.
func (s cellShape) middle(y float64) float64 {
	if s.crown > 0 {
		return y + s.crown + 12
	}
	return y + 14
}

// center is where labels of a cell that begins at x have their middle.
func (s cellShape) center(x float64) float64 { return x + s.w/2 + s.lane }

// corner says how many elements share a place.
func (c Cell) corner() string {
	if c.Shared < 2 {
		return ""
	}
	return "×" + strconv.Itoa(c.Shared)
}

// cornerWidth is what the crown of a cell has to hold.
func (c Cell) cornerWidth() float64 {
	w := measureMono(c.corner(), cornerSize)
	if c.Step > 0 {
		w += badgeWidth(c.Step) + 4
	}
	return w
}

// drawCell draws a cell whose place begins at x and y. What lies left and right of it belongs to gaps.
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
		if words = fitMono(words, d.cell.w-2*d.cell.side+1, sizeOf(i)); words != "" {
			marks = append(marks, vector.Text{X: d.cell.center(x), Y: d.cell.middle(y) + cellLine*float64(i), Words: words,
				Paint: ink, Size: sizeOf(i), Anchor: vector.Middle, Mono: true})
		}
	}
	if words := fitMono(c.corner(), d.cell.w-left-right-4, cornerSize); words != "" {
		marks = append(marks, vector.Text{X: x + d.cell.w - right - 3, Y: y + 7, Words: words, Paint: ink, Size: cornerSize,
			Anchor: vector.End, Mono: true})
	}
	d.put(vector.Group{Title: clean(c.Detail), Marks: marks})
	d.right = max(d.right, x+d.cell.w)
}

// square is a cell's place.
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
