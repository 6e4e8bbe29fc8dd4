package render

import (
	"bytes"
	"io"
	"math"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"github.com/tlayout/tlayout/internal/text"
)

// Columns of a chart as text.
const (
	minPlot   = 10
	maxPlot   = 100 // keeps the text close to its bar
	tickApart = 9
	textFixed = 2 + 1 + 1 + 1 // star and blank, blank before the bars, one column and blank after them
)

// glyphs are the characters of a chart.
type glyphs struct {
	full             rune
	parts            []rune // of a column, increasing
	low, high        rune   // ends of an interval
	between, value   rune   // within it
	axis, zero, tick rune
	limit            rune
	star, tail       string
}

var (
	blockGlyphs = glyphs{
		full: '█', parts: []rune("▏▎▍▌▋▊▉"), low: '├', high: '┤', between: '─', value: '┼',
		axis: '─', zero: '└', tick: '┴', limit: '┊', star: "★", tail: "…",
	}
	asciiGlyphs = glyphs{
		full: '#', low: '|', high: '|', between: '-', value: '+',
		axis: '-', zero: '+', tick: '+', limit: ':', star: "*", tail: "..",
	}
)

// textChart is the layout of a chart for a terminal: star, label, bars, text.
type textChart struct {
	Chart
	glyphs
	scale
	width, label, plot, text int // columns
	color                    bool
	out                      bytes.Buffer
}

// Text draws the chart for a terminal of the given width in columns, at least 40. Bars have a resolution of an eighth of a column, or of a
// column in ASCII if unicode is false. With color, headings and the best bars are bold.
//
// An interval of two columns or more is drawn over the bar's end, with the value between its ends if it fits. Labels and texts too wide for
// the terminal are truncated.
func (c Chart) Text(w io.Writer, width int, unicode, color bool) error {
	t := &textChart{Chart: c.clean(), glyphs: asciiGlyphs, width: max(width, text.MinColumns), color: color}
	if unicode {
		t.glyphs = blockGlyphs
	}
	t.layOut()
	t.head()
	for i, g := range t.Groups {
		t.group(i, g)
	}
	if t.end > 0 {
		t.axisLine()
		t.tickLine()
		t.limitLine()
	}
	if t.BestName != "" {
		t.line(text.Truncate(t.star+" "+t.BestName, t.width, t.tail))
	}
	_, err := w.Write(t.out.Bytes())
	return err
}

// layOut divides the width: up to a third for labels, the full width for texts, the rest for bars.
func (t *textChart) layOut() {
	bars := t.bars()
	t.label = min(widest(bars, labelOf), t.width/3)
	room := t.width - textFixed - t.label
	t.text = min(widest(bars, textOf), room-minPlot)
	t.plot = min(room-t.text, maxPlot)
	t.scale = scale{t.largest(), float64(t.plot)}
}

func (t *textChart) head() {
	if t.Title != "" {
		t.line(t.bold(text.Truncate(t.Title, t.width, t.tail)))
	}
	for _, l := range text.Lines(t.Subtitle, t.width, t.tail) {
		t.line(l)
	}
}

func (t *textChart) group(i int, g Group) {
	if t.out.Len() > 0 {
		t.line("")
	}
	if g.Name != "" {
		t.line(t.bold(text.Truncate(g.Name, t.width, t.tail)))
	}
	for _, b := range g.Bars {
		t.bar(b)
	}
}

func (t *textChart) bar(b Bar) {
	star := " "
	label := text.Truncate(b.Label, t.label, t.tail)
	value := text.Truncate(b.Text, t.text, t.tail)
	gap := text.Blanks(t.label - displaywidth.String(label))
	lead := text.Blanks(t.text - displaywidth.String(value))
	if b.Best {
		star = t.star
		label = t.bold(label)
		value = t.bold(value)
	}
	t.line(star + " " + label + gap + " " + t.cells(b) + " " + lead + value)
}

func (t *textChart) margin() string { return text.Blanks(t.label + 3) }

func (t *textChart) bold(s string) string { return text.Bold(s, t.color) }

func (t *textChart) line(s string) { t.out.WriteString(strings.TrimRight(s, " ") + "\n") }

// widest returns the width in columns of the widest text.
func widest(bars []Bar, text func(Bar) string) int {
	columns := 0
	for _, b := range bars {
		columns = max(columns, displaywidth.String(text(b)))
	}
	return columns
}

func labelOf(b Bar) string { return b.Label }

func textOf(b Bar) string { return b.Text }

// cells draws a bar. Column p starts where at(v) = p, so a mark for v in column p is just after a bar of v.
func (t *textChart) cells(b Bar) string {
	row := []rune(text.Blanks(t.plot + 1))
	low, high := t.column(b.Low), t.column(b.High)
	whisker := b.hasInterval() && high-low >= 2
	if whisker {
		fill(row[:low], t.full)
	} else if solid(b.Value) {
		t.fillTo(row, b.Value)
	}
	if solid(t.Limit) {
		row[t.column(t.Limit)] = t.limit
	}
	if whisker {
		fill(row[low:high], t.between)
		if high-low > 2 {
			row[min(max(int(t.at(b.Value)), low+1), high-2)] = t.value
		}
		row[low], row[high-1] = t.low, t.high
	}
	return string(row)
}

// fillTo draws a bar in parts of columns, at least one for the smallest value.
func (t *textChart) fillTo(row []rune, v float64) {
	steps := len(t.parts) + 1
	n := max(1, int(math.Round(t.at(v)*float64(steps))))
	fill(row[:n/steps], t.full)
	if rest := n % steps; rest > 0 {
		row[n/steps] = t.parts[rest-1]
	}
}

// column returns the column of a value's mark, or 0 for values off the scale.
func (t *textChart) column(v float64) int {
	if v >= 0 && v <= t.end {
		return int(math.Round(t.at(v)))
	}
	return 0
}

func fill(row []rune, r rune) {
	for i := range row {
		row[i] = r
	}
}

func (t *textChart) axisLine() {
	row := []rune(text.Blanks(t.plot + 1))
	fill(row, t.axis)
	for _, tick := range t.textTicks() {
		row[t.column(tick.value)] = t.tick
	}
	row[0] = t.zero
	t.line(t.margin() + string(row))
}

// tickLine writes the numbers below their ticks, where they fit, and the unit below the texts.
func (t *textChart) tickLine() {
	line := t.margin()
	for i, tick := range t.textTicks() {
		column := t.label + 3 + t.column(tick.value) - (len(tick.label)-1)/2
		if gap := column - len(line); gap > 0 || i == 0 {
			line += text.Blanks(gap) + tick.label
		}
	}
	right := textFixed + t.label + t.plot + t.text
	if gap := right - len(line) - displaywidth.String(t.Unit); gap > 0 {
		line += text.Blanks(gap) + t.Unit
	}
	t.line(text.Truncate(line, t.width, ""))
}

// textTicks returns ticks with room for their numbers, at least two even on the narrowest terminals.
func (t *textChart) textTicks() []tick { return t.ticks(min(tickApart, t.length/2)) }

// limitLine writes the limit's name beside its mark, or below the chart if too long.
func (t *textChart) limitLine() {
	if !solid(t.Limit) {
		return
	}
	name := text.Truncate(t.LimitName, t.width-2, t.tail)
	columns := displaywidth.String(name)
	mark := t.label + 3 + t.column(t.Limit)
	if columns > t.width-mark-2 && columns < mark {
		t.line(text.Blanks(mark-1-columns) + name + " " + string(t.limit))
		return
	}
	t.line(text.Blanks(min(mark, t.width-2-columns)) + string(t.limit) + " " + name)
}
