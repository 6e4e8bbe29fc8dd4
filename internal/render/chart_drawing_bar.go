package render

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/render/vector"
	"github.com/tlayout/tlayout/internal/words"
)

// bar draws a row of the chart.
func (d *drawnChart) bar(group string, b Bar) {
	y, label, value, fill := d.y+drawnRow/2, vector.Ink, vector.Ink, vector.Bar
	g := vector.Group{Title: b.inWords(group)}
	if b.Best {
		label, value, fill = vector.Accent, vector.Accent, vector.Best
		g.Marks = append(g.Marks, vector.Text{X: drawnMargin, Y: y, Words: "★", Paint: vector.Accent})
	}
	g.Marks = append(g.Marks, vector.Text{X: drawnMargin + drawnIndent, Y: y, Words: words.Truncate(b.Label, drawnLabel, "…"),
		Bold: b.Best, Paint: label})
	if solid(b.Value) {
		g.Marks = append(g.Marks, vector.Rect{X: d.left, Y: y - drawnBar/2, W: d.at(b.Value), H: drawnBar, Radius: 2, Fill: fill})
	}
	g.Marks = append(g.Marks, vector.Text{X: drawnWidth - drawnMargin, Y: y, Words: words.Truncate(b.Text, drawnText, "…"),
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

// inWords tells the whole chart.
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

// inWords tells a bar: spatial, nhwc: 21.3 GB/s, best.
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
