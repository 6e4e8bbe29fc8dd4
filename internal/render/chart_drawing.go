package render

import (
	"github.com/tlayout/tlayout/internal/render/vector"
	"github.com/tlayout/tlayout/internal/words"
)

// Pixels of a chart that is drawn.
const (
	drawnWidth  = 760
	drawnMargin = 24
	drawnIndent = 16 // of labels, where the star stands
	drawnGap    = 18 // between label, bars and text
	drawnRow    = 24
	drawnBar    = 12
	drawnTicks  = 60 // least distance
	titleFont   = 16
	usualFont   = 13
	smallFont   = 12
)

// Columns of text that a drawing has room for.
const (
	drawnLabel = 30
	drawnText  = 26
	drawnLine  = 90
)

// drawnChart is a chart and how it is laid out: star, label, bars, text. The page is filled from above.
type drawnChart struct {
	Chart
	scale
	left, right float64 // of the bars
	y           float64 // where the next row begins
	marks       []vector.Mark
	whiskers    []vector.Mark // of all bars, for they are drawn over the limit's line
}

// Drawing is the chart as a picture, 760 pixels wide and as high as its bars need. Screen readers read out the names
// and texts of all bars; the pointer shows them in full where they had to be cut.
func (c Chart) Drawing() vector.Drawing {
	d := &drawnChart{Chart: c.clean(), y: drawnMargin}
	d.layOut()
	d.head()
	top := d.y
	d.groups()
	d.limitLine(top, d.y)
	d.marks = append(d.marks, d.whiskers...)
	d.numbers()
	return vector.Drawing{Width: drawnWidth, Height: d.y + drawnMargin - 8, Title: d.Title, Desc: d.inWords(), Marks: d.marks}
}

// layOut divides the width as Text does.
func (d *drawnChart) layOut() {
	label, text := 0.0, 0.0
	for _, b := range d.bars() {
		label = max(label, vector.Measure(words.Truncate(b.Label, drawnLabel, "…"), usualFont, b.Best, false))
		text = max(text, vector.Measure(words.Truncate(b.Text, drawnText, "…"), usualFont, false, false))
	}
	d.left = drawnMargin + drawnIndent + label + drawnGap
	d.right = drawnWidth - drawnMargin - text - drawnGap
	d.scale = scale{d.largest(), d.right - d.left}
}

func (d *drawnChart) head() {
	if d.Title != "" {
		d.row(20, vector.Text{X: drawnMargin, Words: words.Truncate(d.Title, drawnLine-15, "…"), Size: titleFont, Bold: true, Paint: vector.Ink})
	}
	for _, line := range words.Lines(d.Subtitle, drawnLine+5, "…") {
		d.row(18, vector.Text{X: drawnMargin, Words: line, Paint: vector.Quiet})
	}
	d.y += 10
	if solid(d.Limit) {
		d.limitName()
	}
}

func (d *drawnChart) groups() {
	for i, g := range d.Groups {
		if i > 0 {
			d.y += 10
		}
		if g.Name != "" {
			d.row(drawnRow, vector.Text{X: drawnMargin, Words: words.Truncate(g.Name, drawnLine, "…"), Bold: true, Paint: vector.Ink})
		}
		d.grid(d.y, d.y+float64(drawnRow*len(g.Bars)))
		for _, b := range g.Bars {
			d.bar(g.Name, b)
		}
	}
}

// row writes a line of text and goes on below it.
func (d *drawnChart) row(height float64, t vector.Text) {
	d.y += height
	t.Y = d.y - height/2
	d.marks = append(d.marks, t)
}
