package render

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/clipperhouse/displaywidth"
	"pgregory.net/rapid"

	"github.com/tlayout/tlayout/internal/golden"
	"github.com/tlayout/tlayout/internal/random/property"
	"github.com/tlayout/tlayout/internal/text"
)

var oddValues = []float64{
	0, math.Copysign(0, -1), -1, 1, 1, 29.4, 1e-300, 5e-324, math.MaxFloat64, math.NaN(), math.Inf(1), math.Inf(-1),
}

// anyChart is a chart of any values and texts.
func anyChart(t *rapid.T) Chart {
	words := rapid.OneOf(rapid.SampledFrom(golden.Hostile), rapid.String())
	value := rapid.OneOf(rapid.SampledFrom(oddValues), rapid.Float64Range(0, 30), rapid.Float64())
	bar := rapid.Custom(func(t *rapid.T) Bar {
		b := Bar{Label: words.Draw(t, "label"), Text: words.Draw(t, "text"), Best: rapid.Bool().Draw(t, "best")}
		b.Value, b.Low, b.High = value.Draw(t, "value"), value.Draw(t, "low"), value.Draw(t, "high")
		if rapid.Bool().Draw(t, "around") {
			b.Low, b.High = b.Value*0.9, b.Value*1.1
		}
		return b
	})
	group := rapid.Custom(func(t *rapid.T) Group {
		return Group{words.Draw(t, "name"), rapid.SliceOfN(bar, 0, 5).Draw(t, "bars")}
	})
	return Chart{words.Draw(t, "title"), words.Draw(t, "subtitle"), words.Draw(t, "unit"),
		rapid.SliceOfN(group, 0, 3).Draw(t, "groups"), value.Draw(t, "limit"), words.Draw(t, "limit name"), words.Draw(t, "best name")}
}

// TestChartTextFits: in any chart, no line is wider than the terminal, ends in blanks or holds a control character; every bar has its line.
func TestChartTextFits(t *testing.T) {
	bold := strings.NewReplacer("\x1b[1m", "", "\x1b[0m", "")
	property.Check(t, func(t *rapid.T) {
		c := anyChart(t)
		width, color := rapid.IntRange(40, 200).Draw(t, "width"), rapid.Bool().Draw(t, "color")
		var out bytes.Buffer
		if err := c.Text(&out, width, rapid.Bool().Draw(t, "unicode"), color); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(out.String(), "\n")
		for _, line := range lines {
			plain := line
			if color {
				plain = bold.Replace(line)
			}
			w := displaywidth.String(plain)
			if w > width || strings.HasSuffix(plain, " ") || text.Printable(plain) != strings.TrimSpace(plain) {
				t.Fatalf("%d columns of %d: %q", w, width, line)
			}
		}
		if len(lines)-1 < len(c.bars()) {
			t.Fatalf("%d lines for %d bars", len(lines)-1, len(c.bars()))
		}
	})
}

// plotted draws one bar of a scale of 40 columns from 0 to 40, without the limit that makes it one.
func plotted(b Bar, g glyphs) string {
	t := textChart{glyphs: g, scale: scale{40, 40}, plot: 40}
	return strings.TrimRight(t.cells(b), " ")
}

// TestChartCells: a bar is as long as its value in eighths of a column; an interval is as wide as its values.
func TestChartCells(t *testing.T) {
	for _, c := range []struct {
		bar            Bar
		unicode, ascii string
	}{
		{Bar{Value: 3}, "███", "###"},
		{Bar{Value: 3.5}, "███▌", "####"},
		{Bar{Value: 2.875}, "██▉", "###"},
		{Bar{Value: 2.99}, "███", "###"},
		{Bar{Value: 0.001}, "▏", "#"},
		{Bar{Value: 40}, strings.Repeat("█", 40), strings.Repeat("#", 40)},
		{Bar{Value: 5, Low: 4, High: 8}, "████├┼─┤", "####|+-|"},
		{Bar{Value: 7, Low: 4, High: 7}, "████├┼┤", "####|+|"},
		{Bar{Value: 5, Low: 4, High: 6}, "████├┤", "####||"},
		{Bar{Value: 5, Low: 4.6, High: 6.4}, "█████", "#####"},
		{Bar{Value: 5, Low: 5, High: 5}, "█████", "#####"},
		{Bar{Value: 5, Low: 7, High: 9}, "█████", "#####"},
		{Bar{Value: 5, Low: math.NaN(), High: 9}, "█████", "#####"},
		{Bar{Value: 5, Low: 0, High: math.Inf(1)}, "█████", "#####"},
		{Bar{Value: 0, Low: 0, High: 3}, "├┼┤", "|+|"},
		{Bar{Value: 0}, "", ""},
		{Bar{Value: -3}, "", ""},
		{Bar{Value: math.NaN()}, "", ""},
		{Bar{Value: math.Inf(1)}, "", ""},
	} {
		if got := plotted(c.bar, blockGlyphs); got != c.unicode {
			t.Errorf("%v: %q, want %q", c.bar, got, c.unicode)
		}
		if got := plotted(c.bar, asciiGlyphs); got != c.ascii {
			t.Errorf("%v: %q, want %q", c.bar, got, c.ascii)
		}
	}
}

// TestChartOfNothing: an empty chart is its headings; a chart whose values draw nothing has no scale.
func TestChartOfNothing(t *testing.T) {
	for _, c := range []struct {
		chart Chart
		want  string
	}{
		{Chart{}, ""},
		{Chart{Title: "T", Subtitle: "S", Unit: "ms"}, "T\nS\n"},
		{Chart{Groups: []Group{{Name: "G"}, {}, {Name: "H"}}}, "G\n\nH\n"},
		{Chart{Groups: []Group{{Bars: []Bar{{Label: "a", Text: "none", Value: math.NaN()}}}}, Limit: math.Inf(1)},
			"  a" + strings.Repeat(" ", 72) + " none\n"},
	} {
		var out bytes.Buffer
		if err := c.chart.Text(&out, 80, true, false); err != nil || out.String() != c.want {
			t.Errorf("%v\n%q, want\n%q", err, out.String(), c.want)
		}
	}
}

// TestChartPlain: ASCII charts are ASCII, and nothing is bold without color.
func TestChartPlain(t *testing.T) {
	var out bytes.Buffer
	if err := layouts().Text(&out, 100, false, false); err != nil {
		t.Fatal(err)
	}
	for _, b := range out.Bytes() {
		if b != '\n' && (b < ' ' || b > '~') {
			t.Fatalf("%q in\n%s", b, out.String())
		}
	}
}

// TestChartFails: a chart that cannot be written is an error.
func TestChartFails(t *testing.T) {
	if layouts().Text(golden.Full{}, 80, true, false) == nil || layouts().Drawing().SVG(golden.Full{}) == nil {
		t.Error("no error for a chart on a full disk")
	}
}
