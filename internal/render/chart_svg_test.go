package render

import (
	"bytes"
	"encoding/xml"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// element is a parsed element of an SVG.
type element struct {
	XMLName  xml.Name
	Attrs    []xml.Attr `xml:",any,attr"`
	Children []element  `xml:",any"`
	Text     string     `xml:",chardata"`
}

func (e element) attr(name string) string {
	for _, a := range e.Attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// all lists the elements of some name and class; of any class for "".
func (e element) all(name, class string) []element {
	var found []element
	if e.XMLName.Local == name && (class == "" || strings.Contains(" "+e.attr("class")+" ", " "+class+" ")) {
		found = append(found, e)
	}
	for _, child := range e.Children {
		found = append(found, child.all(name, class)...)
	}
	return found
}

type failer interface {
	Helper()
	Fatalf(string, ...any)
}

func parseSVG(t failer, c Chart) element {
	t.Helper()
	var out bytes.Buffer
	if err := c.SVG(&out); err != nil {
		t.Fatalf("%v", err)
	}
	var svg element
	if err := xml.Unmarshal(out.Bytes(), &svg); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	return svg
}

// Whatever the chart, it is XML of the elements that a chart needs, without scripts and references, with title and
// description under the ids that name them, and with all coordinates on the page.
func TestSVGIsSafe(t *testing.T) {
	known := strings.Fields("svg title desc style rect g text path")
	attrs := strings.Fields("xmlns width height viewBox role aria-labelledby id class x y rx d")
	var walk func(*rapid.T, element)
	walk = func(t *rapid.T, e element) {
		if !slices.Contains(known, e.XMLName.Local) || strings.Contains(e.Text, "url(") && e.XMLName.Local == "style" {
			t.Fatalf("element %s", e.XMLName.Local)
		}
		for _, a := range e.Attrs {
			if !slices.Contains(attrs, a.Name.Local) || strings.Contains(a.Value, "NaN") || strings.Contains(a.Value, "Inf") {
				t.Fatalf("%s %s=%q", e.XMLName.Local, a.Name.Local, a.Value)
			}
		}
		for _, child := range e.Children {
			walk(t, child)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		c := anyChart(t)
		svg := parseSVG(t, c)
		walk(t, svg)
		title, desc := svg.Children[0], svg.Children[1]
		if title.XMLName.Local != "title" || desc.XMLName.Local != "desc" || svg.attr("role") != "img" ||
			svg.attr("aria-labelledby") != title.attr("id")+" "+desc.attr("id") || title.Text != printable(c.Title) {
			t.Fatalf("not told to a screen reader: %v", svg.Attrs)
		}
		if got := len(svg.all("g", "")); got != len(c.bars()) {
			t.Fatalf("%d of %d bars", got, len(c.bars()))
		}
		onPage(t, svg)
	})
}

var (
	number = regexp.MustCompile(`-?[0-9.]+`)
	coord  = regexp.MustCompile(`^[0-9]+(\.[0-9]{1,2})?$`)
)

// onPage fails where anything but text goes on beyond the page, or has more than two decimals.
func onPage(t *rapid.T, svg element) {
	height, _ := strconv.ParseFloat(svg.attr("height"), 64)
	for _, e := range append(append(svg.all("rect", "bar"), svg.all("path", "")...), svg.all("text", "")...) {
		for _, a := range []string{"x", "y", "width", "d"} {
			for _, n := range number.FindAllString(e.attr(a), -1) {
				v, _ := strconv.ParseFloat(n, 64)
				if !coord.MatchString(n) || v > max(height, svgWidth) || a == "y" && v > height || a != "d" && v > svgWidth {
					t.Fatalf("%s %s=%q on a page of %v", e.XMLName.Local, a, e.attr(a), height)
				}
			}
		}
	}
}

// Bars are as long as their values, and intervals and the limit lie on the same scale.
func TestSVGProportions(t *testing.T) {
	c := layouts()
	svg := parseSVG(t, c)
	rects, whiskers := svg.all("rect", "bar"), svg.all("path", "whisker")
	if len(rects) != 16 || len(whiskers) != 16 {
		t.Fatalf("%d bars and %d intervals", len(rects), len(whiskers))
	}
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 0.011 {
			t.Errorf("%s is at %v, want %v", what, got, want)
		}
	}
	read := func(s string) float64 { return must(strconv.ParseFloat(s, 64)) }
	unit := read(rects[0].attr("width")) / c.bars()[0].Value
	zero := read(rects[0].attr("x"))
	for i, b := range c.bars() {
		numbers := number.FindAllString(whiskers[i].attr("d"), -1)
		near(b.Label, read(rects[i].attr("width")), b.Value*unit)
		near(b.Label+" begins", read(rects[i].attr("x")), zero)
		near(b.Label+" low", read(numbers[0]), zero+b.Low*unit)
		near(b.Label+" high", read(numbers[5]), zero+b.High*unit)
	}
	near("limit", read(number.FindString(svg.all("path", "limit")[0].attr("d"))), zero+c.Limit*unit)
	for _, tick := range svg.all("text", "middle") {
		if v, err := strconv.ParseFloat(tick.Text, 64); err == nil {
			near("tick", read(tick.attr("x")), zero+v*unit)
		}
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Text comes out of the file as it went in, whatever it holds; what XML cannot hold is replaced.
func TestSVGEscapes(t *testing.T) {
	for in, want := range map[string]string{
		"</text><script>f()":  "</text><script>f()",
		`"&amp;'`:             `"&amp;'`,
		"]]>":                 "]]>",
		"a\x00b\x1b[1m\ufffe": "a\ufffdb\ufffd[1m\ufffd",
		"a\nb\u2028c":         "a b c",
		"\xffa":               "\ufffda",
		"größer ★ 日本":         "größer ★ 日本",
	} {
		group := Group{in, []Bar{{Label: in, Text: in, Value: 1}}}
		c := Chart{Title: in, Subtitle: in, Unit: in, Limit: 2, LimitName: in, Groups: []Group{group}}
		svg := parseSVG(t, c)
		seen := 0
		for _, e := range svg.all("text", "") {
			if e.Text == want {
				seen++
			}
		}
		if seen != 7 || svg.Children[0].Text != want || !strings.Contains(svg.Children[1].Text, want+", "+want+": "+want) {
			t.Errorf("%q: seen %d times as %q, title %q", in, seen, want, svg.Children[0].Text)
		}
	}
}

// The description tells all that is to be seen.
func TestSVGDescription(t *testing.T) {
	want := "milliseconds; less is better. nchw to nhwc: 0.412 ms, best. nchw to nchw16c: 0.587 ms. " +
		"chwn4c to nhwc: 1.31 ms."
	if got := parseSVG(t, three()).Children[1].Text; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	want = "Line at 29.4: in storage order: 29.4 GB/s."
	if got := parseSVG(t, layouts()).Children[1].Text; !strings.HasSuffix(got, want) {
		t.Error(got)
	}
}
