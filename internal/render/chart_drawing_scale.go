package render

import (
	"github.com/tlayout/tlayout/internal/render/vector"
	"github.com/tlayout/tlayout/internal/words"
)

// grid draws a line for each tick from top to bottom.
func (d *drawnChart) grid(top, bottom float64) {
	for _, t := range d.shownTicks() {
		d.upright(t.value, top, bottom, vector.Line{Stroke: vector.Grid})
	}
}

// numbers writes those of the ticks, and the unit below the texts.
func (d *drawnChart) numbers() {
	ticks := d.shownTicks()
	if ticks == nil {
		return
	}
	d.y += 22
	small := vector.Text{Y: d.y - 12.5, Size: smallFont, Paint: vector.Quiet, Anchor: vector.Middle}
	for _, t := range ticks {
		small.X, small.Words = d.left+d.at(t.value), t.label
		d.marks = append(d.marks, small)
	}
	small.X, small.Words, small.Anchor = drawnWidth-drawnMargin, words.Truncate(d.Unit, drawnText, "…"), vector.End
	d.marks = append(d.marks, small)
}

// shownTicks are none where nothing is drawn.
func (d *drawnChart) shownTicks() []tick {
	if d.end == 0 {
		return nil
	}
	return d.ticks(drawnTicks)
}

// limitLine has a rim that sets it off from the bars that it crosses.
func (d *drawnChart) limitLine(top, bottom float64) {
	if solid(d.Limit) {
		d.upright(d.Limit, top, bottom, vector.Line{Stroke: vector.Ground, Width: 3.5})
		d.upright(d.Limit, top, bottom, vector.Line{Stroke: vector.Limit, Width: 1.5, Dashed: true})
	}
}

// limitName stands above the limit's line, in its middle unless the page ends.
func (d *drawnChart) limitName() {
	t := vector.Text{X: d.left + d.at(d.Limit), Words: words.Truncate(d.LimitName, drawnLine, "…"), Anchor: vector.Middle, Size: smallFont,
		Paint: vector.Limit}
	half := vector.Measure(t.Words, smallFont, false, false) / 2
	switch {
	case t.X+half > drawnWidth-drawnMargin:
		t.X, t.Anchor = drawnWidth-drawnMargin, vector.End
	case t.X-half < drawnMargin:
		t.X, t.Anchor = drawnMargin, vector.Start
	}
	d.row(18, t)
}

func (d *drawnChart) upright(v, top, bottom float64, l vector.Line) {
	x := d.left + d.at(v)
	l.Points = []vector.Point{{X: x, Y: top}, {X: x, Y: bottom}}
	d.marks = append(d.marks, l)
}
