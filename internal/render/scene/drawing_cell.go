package scene

import (
	"math"
	"strconv"

	"github.com/tlayout/tlayout/internal/render/vector"
)

// Pixels of a cell.
const (
	cellSide = 8   // beside its labels, for the gaps of memory
	slimSide = 5   // the same for slim cells
	minCell  = 30  // width
	slimCell = 24  // of slim cells
	maxLabel = 120 // label width; longer ones are truncated
	cellLine = 15  // of each further label
)

// Pixels of a badge.
const (
	badgeHeight = 11.0
	badgeInset  = 2.0 // from the corner of its cell
)

// cellShape is the size of all cells of a scene. The crown is the space above labels, for steps and the number of elements that share an
// offset. Labels end at the same x in all cells, so that numbers line up.
type cellShape struct {
	w, h, crown, side float64
	sizes             [2]float64 // of the font: of the first label, of others
	labels            []float64  // width of the i-th labels
}

// cellShape returns the usual shape, or a slim one with narrower cells.
func (s Scene) cellShape(slim bool) cellShape {
	shape := cellShape{side: cellSide, sizes: [2]float64{labelSize, belowSize}}
	minWidth := float64(minCell)
	if slim {
		shape.side = slimSide
		shape.sizes = [2]float64{slimSize, slimSize - 1}
		minWidth = slimCell
	}
	corner := 0.0
	steps := false
	for c := range s.cells() {
		for i, words := range c.Labels {
			if i == len(shape.labels) {
				shape.labels = append(shape.labels, 0)
			}
			shape.labels[i] = max(shape.labels[i], min(whole(measureMono(words, shape.size(i))), maxLabel))
		}
		corner = max(corner, c.cornerWidth())
		steps = steps || c.Step > 0
	}
	if steps {
		shape.crown = badgeInset + badgeHeight
	} else if corner > 0 {
		shape.crown = 8
	}
	shape.h = shape.crown + 2*shape.sizes[0] + 2 + cellLine*float64(max(1, len(shape.labels))-1)
	for _, width := range shape.labels {
		minWidth = max(minWidth, 2*shape.side+width)
	}
	shape.w = whole(max(minWidth, 2*cellSide-4+min(corner, maxLabel)))
	return shape
}

// size returns the font size of a cell's i-th label.
func (s cellShape) size(i int) float64 { return s.sizes[min(i, 1)] }

// middle returns the vertical center of the first label in a cell with top y.
func (s cellShape) middle(y float64) float64 {
	if s.crown > 0 {
		return y + s.crown + s.sizes[0] - 1
	}
	return y + s.sizes[0] + 1
}

// center returns the horizontal center of labels in a cell with left x; end returns where the i-th labels end.
func (s cellShape) center(x float64) float64 { return x + s.w/2 }

func (s cellShape) end(x float64, i int) float64 { return math.Round(s.center(x) + s.labels[i]/2) }

// corner returns the number of elements that share the cell's offset, as text.
func (c Cell) corner() string {
	if c.Shared < 2 {
		return ""
	}
	return "×" + strconv.Itoa(c.Shared)
}

// cornerWidth returns the width of a cell's crown.
func (c Cell) cornerWidth() float64 {
	w := measureMono(c.corner(), cornerSize)
	if c.Step > 0 {
		w += badgeWidth(c.Step) + 4
	}
	return w
}

// drawCell draws a cell at x and y, narrowed by the gaps to its left and right.
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
		words = fitMono(words, d.cell.labels[i]+1, d.cell.size(i))
		if words != "" {
			text := vector.Text{X: d.cell.end(x, i), Y: d.cell.middle(y) + cellLine*float64(i), Words: words,
				Paint: ink, Size: d.cell.size(i), Anchor: vector.End, Mono: true}
			if c.Kind == Omitted {
				text.X = d.cell.center(x)
				text.Anchor = vector.Middle
			}
			marks = append(marks, text)
		}
	}
	if c.Step > 0 && c.Kind != Omitted {
		marks = append(marks, badge(c.Step, x+left+badgeInset, y+badgeInset)...)
	}
	if words := fitMono(c.corner(), d.cell.w-left-right-4, cornerSize); words != "" {
		marks = append(marks, vector.Text{X: x + d.cell.w - right - 3, Y: y + 7, Words: words, Paint: ink, Size: cornerSize,
			Anchor: vector.End, Mono: true})
	}
	link := vector.Link{Panel: d.panel, Line: int(c.Line), Keys: c.Holds}
	d.put(vector.Group{Title: clean(c.Detail), Link: link, Marks: marks})
	d.right = max(d.right, x+d.cell.w)
}

// badge returns the number of a step and its background, whose top left is at x and y.
func badge(step int, x, y float64) []vector.Mark {
	width := badgeWidth(step)
	return []vector.Mark{
		vector.Rect{X: x, Y: y, W: width, H: badgeHeight, Radius: 3, Fill: vector.Accent},
		vector.Text{X: x + width/2, Y: y + badgeHeight/2, Words: strconv.Itoa(step), Paint: vector.Ground, Size: cornerSize,
			Anchor: vector.Middle, Bold: true, Mono: true},
	}
}

// badgeWidth returns the width of a step's number and its background.
func badgeWidth(step int) float64 {
	return float64(6 + 6*len(strconv.Itoa(step)))
}

// square returns a cell's rectangle.
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
