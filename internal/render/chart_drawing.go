package render

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/render/vector"
	"github.com/tlayout/tlayout/internal/text"
)

// Pixels of a drawn chart.
const (
	drawnWidth  = 760
	drawnMargin = 24
	drawnIndent = 16 // of labels, for the star
	drawnGap    = 18 // between label, bars and text
	drawnRow    = 24
	drawnBar    = 12
	minTickGap  = 60 // between ticks
	titleFont   = 16
	baseFont    = 13
	smallFont   = 12
)

// Columns of text in a drawing.
const (
	drawnLabel = 30
	drawnText  = 26
	drawnLine  = 90
)

// drawnChart is the layout of a chart, from top to bottom: star, label, bars, text.
type drawnChart struct {
	Chart
	scale
	left, right float64 // of the bars
	y           float64 // top of the next row
	marks       []vector.Mark
	whiskers    []vector.Mark // of all bars, drawn above the limit's line
}

// Drawing returns the chart as a picture, 760 pixels wide and as high as its bars need. Screen readers read the names and texts of all
// bars; the pointer shows them untruncated.
func (c Chart) Drawing() vector.Drawing {
	d := &drawnChart{Chart: c.clean(), y: drawnMargin}
	d.layOut()
	d.head()
	top := d.y
	d.groups()
	d.limitLine(top, d.y)
	d.marks = append(d.marks, d.whiskers...)
	d.numbers()
	d.bestName()
	return vector.Drawing{Width: drawnWidth, Height: d.y + drawnMargin - 8, Title: d.Title, Desc: d.inWords(), Marks: d.marks}
}

// layOut divides the width as Text does.
func (d *drawnChart) layOut() {
	label := 0.0
	value := 0.0
	for _, b := range d.bars() {
		label = max(label, vector.Measure(text.Truncate(b.Label, drawnLabel, "…"), baseFont, b.Best, false))
		value = max(value, vector.Measure(text.Truncate(b.Text, drawnText, "…"), baseFont, false, false))
	}
	d.left = drawnMargin + drawnIndent + label + drawnGap
	d.right = drawnWidth - drawnMargin - value - drawnGap
	d.scale = scale{d.largest(), d.right - d.left}
}

func (d *drawnChart) head() {
	if d.Title != "" {
		d.row(20, vector.Text{X: drawnMargin, Words: text.Truncate(d.Title, drawnLine-15, "…"), Size: titleFont, Bold: true, Paint: vector.Ink})
	}
	for _, line := range text.Lines(d.Subtitle, drawnLine+5, "…") {
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
			d.row(drawnRow, vector.Text{X: drawnMargin, Words: text.Truncate(g.Name, drawnLine, "…"), Bold: true, Paint: vector.Ink})
		}
		d.grid(d.y, d.y+float64(drawnRow*len(g.Bars)))
		for _, b := range g.Bars {
			d.bar(g.Name, b)
		}
	}
}

// row writes a line of text and moves below it.
func (d *drawnChart) row(height float64, t vector.Text) {
	d.y += height
	t.Y = d.y - height/2
	d.marks = append(d.marks, t)
}

// bar draws a row of the chart.
func (d *drawnChart) bar(group string, b Bar) {
	y := d.y + drawnRow/2
	label := vector.Ink
	value := vector.Ink
	fill := vector.Bar
	g := vector.Group{Title: b.inWords(group)}
	if b.Best {
		label = vector.Accent
		value = vector.Accent
		fill = vector.Best
		g.Marks = append(g.Marks, vector.Text{X: drawnMargin, Y: y, Words: "★", Paint: vector.Accent})
	}
	g.Marks = append(g.Marks, vector.Text{X: drawnMargin + drawnIndent, Y: y, Words: text.Truncate(b.Label, drawnLabel, "…"),
		Bold: b.Best, Paint: label})
	if solid(b.Value) {
		g.Marks = append(g.Marks, vector.Rect{X: d.left, Y: y - drawnBar/2, W: d.at(b.Value), H: drawnBar, Radius: 2, Fill: fill})
	}
	g.Marks = append(g.Marks, vector.Text{X: drawnWidth - drawnMargin, Y: y, Words: text.Truncate(b.Text, drawnText, "…"),
		Anchor: vector.End, Paint: value})
	d.marks = append(d.marks, g)
	d.whisker(b, y)
	d.y += drawnRow
}

// whisker draws an interval.
func (d *drawnChart) whisker(b Bar, y float64) {
	if !b.hasInterval() {
		return
	}
	low, high := d.left+d.at(b.Low), d.left+d.at(b.High)
	for _, ends := range [][2]vector.Point{
		{{X: low, Y: y - 4}, {X: low, Y: y + 4}}, {{X: low, Y: y}, {X: high, Y: y}}, {{X: high, Y: y - 4}, {X: high, Y: y + 4}},
	} {
		d.whiskers = append(d.whiskers, vector.Line{Points: ends[:], Stroke: vector.Ink, Width: 1.5})
	}
}

// inWords describes the chart for screen readers.
func (c Chart) inWords() string {
	sentences := []string{}
	if c.Subtitle != "" {
		sentences = append(sentences, strings.TrimRight(c.Subtitle, ".")+".")
	}
	for _, g := range c.Groups {
		for _, b := range g.Bars {
			sentences = append(sentences, b.inWords(g.Name)+".")
		}
	}
	if solid(c.Limit) {
		sentences = append(sentences, fmt.Sprintf("Line at %s: %s.", strconv.FormatFloat(c.Limit, 'g', 4, 64), c.LimitName))
	}
	return strings.Join(sentences, " ")
}

// inWords describes a bar: spatial, nhwc: 21.3 GB/s, best.
func (b Bar) inWords(group string) string {
	words := b.Label
	if group != "" {
		words = group + ", " + words
	}
	if b.Text != "" {
		words += ": " + b.Text
	}
	if b.Best {
		words += ", best"
	}
	return words
}

// grid draws a line for each tick from top to bottom.
func (d *drawnChart) grid(top, bottom float64) {
	for _, t := range d.shownTicks() {
		d.upright(t.value, top, bottom, vector.Line{Stroke: vector.Grid})
	}
}

// numbers writes the numbers of the ticks, and the unit below the texts.
func (d *drawnChart) numbers() {
	ticks := d.shownTicks()
	if ticks == nil {
		return
	}
	d.y += 22
	small := vector.Text{Y: d.y - 12.5, Size: smallFont, Paint: vector.Quiet, Anchor: vector.Middle}
	for _, t := range ticks {
		small.X = d.left + d.at(t.value)
		small.Words = t.label
		d.marks = append(d.marks, small)
	}
	small.X = drawnWidth - drawnMargin
	small.Words = text.Truncate(d.Unit, drawnText, "…")
	small.Anchor = vector.End
	d.marks = append(d.marks, small)
}

// bestName explains the star.
func (d *drawnChart) bestName() {
	if d.BestName != "" {
		d.y += 6
		d.row(18, vector.Text{X: drawnMargin, Words: text.Truncate("★ "+d.BestName, drawnLine, "…"), Size: smallFont, Paint: vector.Accent})
	}
}

// shownTicks returns the ticks, or nil if nothing is drawn.
func (d *drawnChart) shownTicks() []tick {
	if d.end == 0 {
		return nil
	}
	return d.ticks(minTickGap)
}

// limitLine draws the limit, with a rim in the background color where it crosses bars.
func (d *drawnChart) limitLine(top, bottom float64) {
	if solid(d.Limit) {
		d.upright(d.Limit, top, bottom, vector.Line{Stroke: vector.Ground, Width: 3.5})
		d.upright(d.Limit, top, bottom, vector.Line{Stroke: vector.Limit, Width: 1.5, Dashed: true})
	}
}

// limitName writes the limit's name above its line, centered unless it would leave the page.
func (d *drawnChart) limitName() {
	t := vector.Text{X: d.left + d.at(d.Limit), Words: text.Truncate(d.LimitName, drawnLine, "…"), Anchor: vector.Middle, Size: smallFont,
		Paint: vector.Limit}
	half := vector.Measure(t.Words, smallFont, false, false) / 2
	switch {
	case t.X+half > drawnWidth-drawnMargin:
		t.X = drawnWidth - drawnMargin
		t.Anchor = vector.End
	case t.X-half < drawnMargin:
		t.X = drawnMargin
		t.Anchor = vector.Start
	}
	d.row(18, t)
}

func (d *drawnChart) upright(v, top, bottom float64, l vector.Line) {
	x := d.left + d.at(v)
	l.Points = []vector.Point{{X: x, Y: top}, {X: x, Y: bottom}}
	d.marks = append(d.marks, l)
}
