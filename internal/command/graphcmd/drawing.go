package graphcmd

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/graph"
	"github.com/tlayout/tlayout/internal/publish"
	"github.com/tlayout/tlayout/internal/render/vector"
	"github.com/tlayout/tlayout/internal/text"
)

// publish draws the program into a file that appears whole or not at all.
func (r *report) publish(a *cli.App, o *options) error {
	if o.out.IsZero() {
		return nil
	}
	file, err := publish.Create(o.out, publish.Options{Replace: o.force, Inputs: a.Inputs(o.source)})
	if err != nil {
		return err
	}
	defer file.Discard()
	drawn := r.drawing()
	switch o.out.Ending() {
	case ".png":
		err = drawn.PNG(file, vector.PNGOptions{})
	default:
		err = drawn.SVG(file)
	}
	if err != nil {
		return err
	}
	r.Picture = text.OrNull(o.out.Redacted())
	return file.Commit()
}

// Pixels of the drawing.
const (
	drawnMargin = 24.0
	drawnWidth  = 860.0
	drawnRow    = 24.0
	drawnBar    = 90.0 // of a row's layout
	drawnText   = drawnMargin + drawnBar + 50
	baseFont    = 13.0
	smallFont   = 12.0
	titleFont   = 16.0
	maxChars    = 84 // of a row's text
	titleChars  = 95 // of a line of the title
)

// maxDrawn limits the rows: more would not be read.
const maxDrawn = 400

// strip is a row of the drawing: a change, or the operators up to the next one.
type strip struct {
	change *change // nil for operators that change nothing
	names  []string
	count  int
	orders []string // memory orders of their outputs, in order; of a change, from and to
}

// strips returns the rows: each change, and between two of them all operators in one row for each layout.
func (r *report) strips() []strip {
	changed := map[int][]*change{}
	for k := range r.found {
		op := r.found[k].Operator
		changed[op] = append(changed[op], &r.Changes[r.group[k]])
	}
	var all []strip
	last := "" // layout before this operator
	for i := range r.program.Operators {
		op := &r.program.Operators[i]
		for _, c := range changed[i] {
			all = append(all, strip{change: c, orders: []string{c.From, c.To}})
			last = c.To
		}
		if op.Kind == graph.Copies && changed[i] != nil {
			continue
		}
		order := last
		if len(op.Outputs) > 0 {
			order = r.program.OrderName(op.Outputs[0])
		}
		if n := len(all); n > 0 && all[n-1].change == nil && all[n-1].orders[0] == order {
			all[n-1].add(op.Name)
			continue
		}
		s := strip{orders: []string{order}}
		s.add(op.Name)
		all = append(all, s)
		last = order
	}
	return all
}

// add counts an operator.
func (s *strip) add(name string) {
	s.count++
	if !slices.Contains(s.names, name) {
		s.names = append(s.names, name)
	}
}

// words returns a row's text.
func (s *strip) words(r *report) string {
	if s.change == nil {
		return fmt.Sprintf("%s: %s", text.Count(s.count, "operator"), text.Quote(text.First(6, s.names, ", ")))
	}
	c := s.change
	line := fmt.Sprintf("%d  %s  %s → %s  %s", c.Number, text.Quote(c.operator()), c.From, c.To, text.Bytes(c.Bytes/int64(c.Times)))
	if c.Seconds != nil {
		line += "  " + text.Seconds(*c.Seconds/float64(c.Times))
	}
	return strings.TrimRight(line+"  "+c.place()+c.reason(), " ")
}

// drawing returns the operators from top to bottom, colored by the memory order of what they make. A change has both colors.
func (r *report) drawing() vector.Drawing {
	rows := r.strips()
	left := max(0, len(rows)-maxDrawn)
	rows = rows[:len(rows)-left]
	hues := map[string]int{}
	var orders []string
	for _, s := range rows {
		for _, order := range s.orders {
			if _, known := hues[order]; !known && order != "" {
				hues[order] = len(orders)
				orders = append(orders, order)
			}
		}
	}
	d := vector.Drawing{Width: drawnWidth, Title: r.Answer, Tints: vector.HuesOf(max(1, len(orders)))}
	y := drawnMargin + titleFont
	for line := range strings.SplitSeq(text.Fold(r.Answer, titleChars, 0), "\n") {
		d.Marks = append(d.Marks, vector.Text{X: drawnMargin, Y: y, Words: line, Paint: vector.Ink, Size: titleFont, Bold: true})
		y += titleFont * 1.4
	}
	d.Marks = append(d.Marks, legend(orders, y)...)
	y += float64(legendRows(orders)) * drawnRow
	for i := range rows {
		d.Marks = append(d.Marks, rows[i].marks(r, hues, y))
		y += drawnRow
	}
	if left > 0 {
		d.Marks = append(d.Marks, vector.Text{X: drawnText, Y: y + smallFont, Words: text.Count(left, "more row"), Paint: vector.Quiet})
		y += drawnRow
	}
	d.Desc = r.Answer
	d.Height = y + drawnMargin
	return d
}

// perLegendRow is how many memory orders a row of the legend names.
const perLegendRow = 4

func legendRows(orders []string) int {
	return (min(len(orders), vector.FewHues) + perLegendRow - 1) / perLegendRow
}

// legend names the colors, as many as are distinguishable.
func legend(orders []string, y float64) (marks []vector.Mark) {
	const cell = (drawnWidth - 2*drawnMargin) / perLegendRow
	for i, order := range orders[:min(len(orders), vector.FewHues)] {
		x := drawnMargin + float64(i%perLegendRow)*cell
		top := y + float64(i/perLegendRow)*drawnRow
		marks = append(marks, vector.Rect{X: x, Y: top, W: 14, H: 14, Radius: 3, Fill: vector.Tint(i)},
			vector.Text{X: x + 20, Y: top + smallFont, Words: order, Paint: vector.Ink, Size: smallFont})
	}
	return marks
}

// marks draws a row: the bar has the color of its layout, that of a change both.
func (s *strip) marks(r *report, hues map[string]int, y float64) vector.Mark {
	const height = drawnRow - 4
	g := vector.Group{Title: s.words(r)}
	width := drawnBar / float64(len(s.orders))
	for i, order := range s.orders {
		fill := vector.None
		if hue, known := hues[order]; known {
			fill = vector.Tint(hue)
		}
		x := drawnMargin + float64(i)*width
		g.Marks = append(g.Marks, vector.Rect{X: x, Y: y, W: width, H: height, Fill: fill, Stroke: vector.Grid})
	}
	words := vector.Text{X: drawnText, Y: y + baseFont, Words: text.Truncate(s.words(r), maxChars, "…"), Paint: vector.Quiet, Size: smallFont}
	if s.change != nil {
		words.Paint = vector.Ink
		words.Bold = true
		g.Marks = append(g.Marks, vector.Rect{X: drawnMargin, Y: y, W: drawnBar, H: height, Stroke: vector.Accent, StrokeWidth: 2},
			vector.Text{X: drawnText - 12, Y: y + baseFont, Words: cancelMark(s.change), Paint: vector.Accent, Size: smallFont, Anchor: vector.End, Bold: true})
	}
	g.Marks = append(g.Marks, words)
	return g
}

// cancelMark returns "↔2" for a change that undoes change 2.
func cancelMark(c *change) string {
	if len(c.Cancels) == 0 {
		return ""
	}
	return "↔" + strconv.Itoa(c.Cancels[0])
}
