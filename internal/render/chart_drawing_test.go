package render

import (
	"bytes"
	"encoding/xml"
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tlayout/tlayout/internal/random/property"
	"github.com/tlayout/tlayout/internal/render/vector"
	"github.com/tlayout/tlayout/internal/text"
)

// marksOf lists a drawing's marks of one type, including those in groups.
func marksOf[M vector.Mark](marks []vector.Mark) []M {
	var found []M
	for _, m := range marks {
		if wanted, ok := m.(M); ok {
			found = append(found, wanted)
		}
		if g, ok := m.(vector.Group); ok {
			found = append(found, marksOf[M](g.Marks)...)
		}
	}
	return found
}

// TestChartOnPage: in any chart, every bar is a group with its title, all lines, bars and centers of texts are on the page, and no text has
// a control character.
func TestChartOnPage(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		c := anyChart(t)
		d := c.Drawing()
		inside := func(what string, x, y float64) {
			if !(0 <= x && x <= d.Width && 0 <= y && y <= d.Height) {
				t.Fatalf("%s at %v,%v on a page of %v,%v", what, x, y, d.Width, d.Height)
			}
		}
		for _, r := range marksOf[vector.Rect](d.Marks) {
			inside("begin", r.X, r.Y)
			inside("end", r.X+r.W, r.Y+r.H)
		}
		for _, l := range marksOf[vector.Line](d.Marks) {
			for _, p := range l.Points {
				inside("line", p.X, p.Y)
			}
		}
		for _, words := range marksOf[vector.Text](d.Marks) {
			inside(words.Words, words.X, words.Y)
			if text.Printable(words.Words) != strings.TrimSpace(words.Words) {
				t.Fatalf("%q", words.Words)
			}
		}
		if got := len(marksOf[vector.Group](d.Marks)); got != len(c.bars()) || d.Title != text.Printable(c.Title) {
			t.Fatalf("%d of %d bars below %q", got, len(c.bars()), d.Title)
		}
	})
}

// TestChartProportions: the lengths of bars are proportional to their values, and intervals and the limit have the same scale.
func TestChartProportions(t *testing.T) {
	c := layouts()
	d := c.Drawing()
	var whiskers, limits []vector.Line
	for _, l := range marksOf[vector.Line](d.Marks) {
		switch {
		case l.Stroke == vector.Ink && l.Points[0].Y == l.Points[1].Y:
			whiskers = append(whiskers, l)
		case l.Stroke == vector.Limit:
			limits = append(limits, l)
		}
	}
	rects := marksOf[vector.Rect](d.Marks)
	if len(rects) != 16 || len(whiskers) != 16 || len(limits) != 1 {
		t.Fatalf("%d bars, %d intervals, %d limits", len(rects), len(whiskers), len(limits))
	}
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-6 {
			t.Errorf("%s is at %v, want %v", what, got, want)
		}
	}
	unit, zero := rects[0].W/c.bars()[0].Value, rects[0].X
	for i, b := range c.bars() {
		near(b.Label, rects[i].W, b.Value*unit)
		near(b.Label+" begins", rects[i].X, zero)
		near(b.Label+" low", whiskers[i].Points[0].X, zero+b.Low*unit)
		near(b.Label+" high", whiskers[i].Points[1].X, zero+b.High*unit)
	}
	near("limit", limits[0].Points[0].X, zero+c.Limit*unit)
	ticks := 0
	for _, tick := range marksOf[vector.Text](d.Marks) {
		if v, err := strconv.ParseFloat(tick.Words, 64); err == nil {
			near("tick", tick.X, zero+v*unit)
			ticks++
		}
	}
	if ticks < 5 {
		t.Errorf("%d numbers below the bars", ticks)
	}
}

// TestChartColumns: names and texts are beside the bars, not on them.
func TestChartColumns(t *testing.T) {
	for _, c := range []Chart{layouts(), three()} {
		for _, g := range marksOf[vector.Group](c.Drawing().Marks) {
			bar := marksOf[vector.Rect](g.Marks)[0]
			for _, words := range marksOf[vector.Text](g.Marks) {
				wide := vector.Measure(words.Words, 13, words.Bold, words.Mono)
				if words.Anchor == vector.Start && words.X+wide > bar.X || words.Anchor == vector.End && words.X-wide < bar.X+bar.W {
					t.Errorf("%q covers its bar", words.Words)
				}
			}
		}
	}
}

// TestChartLimitName: the limit's name is centered above its line, unless the page ends there.
func TestChartLimitName(t *testing.T) {
	bars := []Group{{Bars: []Bar{{Label: "a", Value: 30}}}}
	names := map[float64]string{1: "a long name that begins far before its line does", 15: "roof", 30: "another long name"}
	for at, name := range names {
		c := Chart{Groups: bars, Limit: at, LimitName: name}
		d := c.Drawing()
		title := marksOf[vector.Text](d.Marks)[0]
		wide := vector.Measure(name, 12, false, false)
		left := title.X - float64(title.Anchor)*wide/2
		if title.Words != name || left < 24 || left+wide > d.Width-24 || (at == 15) != (title.Anchor == vector.Middle) {
			t.Errorf("%q extends from %.0f to %.0f", title.Words, left, left+wide)
		}
	}
}

// TestChartEscapes: any text survives in the SVG; characters that cannot be shown are replaced.
func TestChartEscapes(t *testing.T) {
	for in, want := range map[string]string{
		"</text><script>f()":  "</text><script>f()",
		`"&amp;'`:             `"&amp;'`,
		"a\x00b\x1b[1m\ufffe": "a\ufffdb\ufffd[1m\ufffd",
		"a\nb\u2028c":         "a b c",
		"\xffa":               "\ufffda",
		"größer ★ 日本":         "größer ★ 日本",
	} {
		group := Group{in, []Bar{{Label: in, Text: in, Value: 1, Best: true}}}
		c := Chart{Title: in, Subtitle: in, Unit: in, Limit: 2, LimitName: in, BestName: in, Groups: []Group{group}}
		var out bytes.Buffer
		if err := c.Drawing().SVG(&out); err != nil {
			t.Fatal(err)
		}
		var svg struct {
			Title string   `xml:"title"`
			Desc  string   `xml:"desc"`
			Texts []string `xml:"text"`
			Bars  []string `xml:"g>text"`
		}
		if err := xml.Unmarshal(out.Bytes(), &svg); err != nil {
			t.Fatalf("%v\n%s", err, out.String())
		}
		seen := 0
		for _, words := range append(svg.Texts, svg.Bars...) {
			if words == want || words == "★ "+want {
				seen++
			}
		}
		if seen != 8 || svg.Title != want || !strings.Contains(svg.Desc, want+", "+want+": "+want) {
			t.Errorf("%q: seen %d times as %q, title %q", in, seen, want, svg.Title)
		}
	}
}

// TestChartDescription: the description contains all names and texts.
func TestChartDescription(t *testing.T) {
	want := "milliseconds; less is better. nchw to nhwc: 0.412 ms, best. nchw to nchw16c: 0.587 ms. " +
		"chwn4c to nhwc: 1.31 ms."
	if got := three().Drawing().Desc; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	want = "Line at 29.4: in storage order: 29.4 GB/s."
	if got := layouts().Drawing().Desc; !strings.HasSuffix(got, want) {
		t.Error(got)
	}
}
