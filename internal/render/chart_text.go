package render

import (
	"bytes"
	"io"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"github.com/tlayout/tlayout/internal/words"
)

// Columns of a chart as text.
const (
	leastPlot = 10
	mostPlot  = 100 // the eye has to find the text behind the bar
	tickApart = 9
	textFixed = 2 + 1 + 1 + 1 // the star and a blank, a blank before the bars, one column and a blank behind them
)

// glyphs are what a chart is drawn with.
type glyphs struct {
	full             rune
	parts            []rune // of a column, from little to much
	low, high        rune   // ends of an interval
	between, value   rune   // within it
	axis, zero, tick rune
	limit            rune
	star, tail       string
}

var (
	blockGlyphs = glyphs{'█', []rune("▏▎▍▌▋▊▉"), '├', '┤', '─', '┼', '─', '└', '┴', '┊', "★", "…"}
	asciiGlyphs = glyphs{'#', nil, '|', '|', '-', '+', '-', '+', '+', ':', "*", ".."}
)

// textChart is a chart and how it is laid out on a terminal: star, label, bars, text.
type textChart struct {
	Chart
	glyphs
	scale
	width, label, plot, text int // columns
	color                    bool
	out                      bytes.Buffer
}

// Text draws the chart for a terminal of the given width in columns; one of less than 40 is taken for 40. Bars are
// drawn to an eighth of a column, with lines of text only; ASCII is used where unicode is false. Where color is true,
// headings and the best bars are bold.
//
// An interval is drawn over the bar's end where it is two columns wide or more, with the value between its ends where
// there is room. Labels and texts too wide for the terminal are cut.
func (c Chart) Text(w io.Writer, width int, unicode, color bool) error {
	t := &textChart{Chart: c.clean(), glyphs: asciiGlyphs, width: max(width, words.MinColumns), color: color}
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
	_, err := w.Write(t.out.Bytes())
	return err
}

// layOut divides the width: labels take what they need up to a third, texts what they need, bars the rest.
func (t *textChart) layOut() {
	bars := t.bars()
	t.label = min(widest(bars, labelOf), t.width/3)
	room := t.width - textFixed - t.label
	t.text = min(widest(bars, textOf), room-leastPlot)
	t.plot = min(room-t.text, mostPlot)
	t.scale = scale{t.largest(), float64(t.plot)}
}

func (t *textChart) head() {
	if t.Title != "" {
		t.line(t.bold(words.Truncate(t.Title, t.width, t.tail)))
	}
	for _, l := range words.Lines(t.Subtitle, t.width, t.tail) {
		t.line(l)
	}
}

func (t *textChart) group(i int, g Group) {
	if t.out.Len() > 0 {
		t.line("")
	}
	if g.Name != "" {
		t.line(t.bold(words.Truncate(g.Name, t.width, t.tail)))
	}
	for _, b := range g.Bars {
		t.bar(b)
	}
}

func (t *textChart) bar(b Bar) {
	star, label, text := " ", words.Truncate(b.Label, t.label, t.tail), words.Truncate(b.Text, t.text, t.tail)
	gap, lead := words.Blanks(t.label-displaywidth.String(label)), words.Blanks(t.text-displaywidth.String(text))
	if b.Best {
		star, label, text = t.star, t.bold(label), t.bold(text)
	}
	t.line(star + " " + label + gap + " " + t.cells(b) + " " + lead + text)
}

func (t *textChart) margin() string { return words.Blanks(t.label + 3) }

func (t *textChart) bold(s string) string { return words.Bold(s, t.color) }

func (t *textChart) line(s string) { t.out.WriteString(strings.TrimRight(s, " ") + "\n") }
