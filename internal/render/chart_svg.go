package render

import (
	"fmt"
	"io"
	"strings"
)

// Pixels of a chart as SVG.
const (
	svgWidth  = 760
	svgMargin = 24
	svgIndent = 16  // of labels, where the star stands
	svgColumn = 7.5 // of text, an estimate: the font is the reader's
	svgGap    = 18  // between label, bars and text
	svgRow    = 24
	svgBar    = 12
	svgTicks  = 60 // least distance
)

// Columns of text that an SVG has room for.
const (
	svgLabel = 30
	svgText  = 26
	svgLine  = 90
)

// svgChart is a chart and how it is laid out: star, label, bars, text. The page is filled from above.
type svgChart struct {
	Chart
	scale
	left, right float64 // of the bars
	y           float64 // where the next row begins
	whiskers    string  // of all bars, for they are drawn over the limit's line
}

// SVG writes the chart as one SVG file that needs nothing else: 760 pixels wide, as high as its bars need, light or
// dark as the reader's system is. Screen readers read out the names and texts of all bars; the pointer shows them in
// full where they had to be cut.
func (c Chart) SVG(w io.Writer) error {
	s := &svgChart{Chart: c.clean(), y: svgMargin}
	s.layOut()
	head := s.head()
	top := s.y
	bars := s.groups()
	limit := s.limitLine(top, s.y)
	numbers := s.numbers()
	_, err := io.WriteString(w, s.open()+head+bars+limit+s.whiskers+numbers+"</svg>\n")
	return err
}

// layOut divides the width as Text does.
func (s *svgChart) layOut() {
	bars := s.bars()
	label, text := min(widest(bars, labelOf), svgLabel), min(widest(bars, textOf), svgText)
	s.left = svgMargin + svgIndent + float64(svgColumn*float64(label)) + svgGap
	s.right = svgWidth - svgMargin - float64(svgColumn*float64(text)) - svgGap
	s.scale = scale{s.largest(), s.right - s.left}
}

// open is the file's beginning, with what it says to those who do not see it.
func (s *svgChart) open() string {
	height := px(s.y + svgMargin - 8)
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%[1]d" height="%[2]s" viewBox="0 0 %[1]d %[2]s"
  role="img" aria-labelledby="chart-title chart-desc">
<title id="chart-title">%[3]s</title>
<desc id="chart-desc">%[4]s</desc>
<style>
%[5]s</style>
<rect class="ground" width="100%%" height="100%%" rx="8"/>
`, svgWidth, height, escape(s.Title), escape(s.inWords()), style())
}

func (s *svgChart) head() string {
	var b strings.Builder
	if s.Title != "" {
		b.WriteString(s.row("title", svgMargin, 20, cut(s.Title, svgLine-15, "…")))
	}
	for _, line := range fold(s.Subtitle, svgLine+5, "…") {
		b.WriteString(s.row("quiet", svgMargin, 18, line))
	}
	s.y += 10
	if solid(s.Limit) {
		b.WriteString(s.limitName())
	}
	return b.String()
}

func (s *svgChart) groups() string {
	var b strings.Builder
	for i, g := range s.Groups {
		if i > 0 {
			s.y += 10
		}
		if g.Name != "" {
			b.WriteString(s.row("name", svgMargin, svgRow, cut(g.Name, svgLine, "…")))
		}
		b.WriteString(s.group(g))
	}
	return b.String()
}

// group draws the bars of a group, and the grid behind them.
func (s *svgChart) group(g Group) string {
	top, bars := s.y, ""
	for _, b := range g.Bars {
		bars += s.bar(g.Name, b)
	}
	return s.grid(top, s.y) + bars
}

// bar draws a row of the chart.
func (s *svgChart) bar(group string, b Bar) string {
	best, star := "", ""
	if b.Best {
		best, star = " best", text("best", svgMargin, s.y+svgRow/2, "★")
	}
	drawn := ""
	if solid(b.Value) {
		drawn = fmt.Sprintf("<rect class=\"bar%s\" x=\"%s\" y=\"%s\" width=\"%s\" height=\"%d\" rx=\"2\"/>\n",
			best, px(s.left), px(s.y+(svgRow-svgBar)/2), px(s.at(b.Value)), svgBar)
	}
	y := s.y + svgRow/2
	s.y += svgRow
	s.whiskers += s.whisker(b, y)
	return "<g><title>" + escape(b.inWords(group)) + "</title>\n" + star +
		text("label"+best, svgMargin+svgIndent, y, cut(b.Label, svgLabel, "…")) + drawn +
		text("value end"+best, svgWidth-svgMargin, y, figureBlanks(cut(b.Text, svgText, "…"))) + "</g>\n"
}

// whisker draws an interval.
func (s *svgChart) whisker(b Bar, y float64) string {
	if !b.hasInterval() {
		return ""
	}
	low, high := px(s.left+s.at(b.Low)), px(s.left+s.at(b.High))
	return fmt.Sprintf("<path class=\"whisker\" d=\"M%s %sV%sM%[1]s %[4]sH%[5]sM%[5]s %[2]sV%[3]s\"/>\n",
		low, px(y-4), px(y+4), px(y), high)
}

// row writes a line of text and goes on below it.
func (s *svgChart) row(class string, x, height float64, words string) string {
	s.y += height
	return text(class, x, s.y-height/2, words)
}
