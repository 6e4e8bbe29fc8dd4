package render

import (
	"bytes"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tlayout/tlayout/internal/golden"
	"github.com/tlayout/tlayout/internal/random/property"
)

// layouts is a chart like those of tlayout bench: eight layouts, walked in two ways.
func layouts() Chart {
	names := []string{"nchw", "nhwc", "nchw4c", "nchw8c", "nchw16c", "nchw32c", "chwn", "chwn4c"}
	c := Chart{
		Title: "Read speed of float32 (8,64,56,56)",
		Subtitle: "GB/s read by one thread, with the interval of the median; " +
			"the line is what reading in storage order gets",
		Unit:      "GB/s",
		Limit:     29.4,
		LimitName: "in storage order: 29.4 GB/s", BestName: "fastest",
	}
	for _, g := range []struct {
		name   string
		values []float64
		spread float64
	}{
		{"channel-wise", []float64{28.9, 1.43, 4.1, 8.02, 15.6, 22.4, 11.7, 9.3}, 0.01},
		{"spatial", []float64{3.37, 29.1, 17.2, 19.9, 24.8, 27.3, 2.05, 6.6}, 0.12},
	} {
		group := Group{Name: g.name}
		for i, v := range g.values {
			text := fmt.Sprintf("%4.1f GB/s  %3.0f %%", v, v/c.Limit*100)
			low, high := float64(v*(1-g.spread)), float64(v*(1+g.spread/2))
			group.Bars = append(group.Bars, Bar{names[i], v, low, high, text, v > 28})
		}
		c.Groups = append(c.Groups, group)
	}
	return c
}

// three is a chart without names and limit.
func three() Chart {
	bars := []Bar{
		{"nchw to nhwc", 0.412, 0.405, 0.44, "0.412 ms", true},
		{"nchw to nchw16c", 0.587, 0.587, 0.587, "0.587 ms", false},
		{"chwn4c to nhwc", 1.31, 1.1, 1.42, "1.31 ms", false},
	}
	return Chart{Title: "Time to convert", Subtitle: "milliseconds; less is better", Unit: "ms", Groups: []Group{{Bars: bars}}}
}

// TestChartGolden: charts as text and SVG.
func TestChartGolden(t *testing.T) {
	type draw func(*bytes.Buffer) error
	text := func(c Chart, width int, unicode, color bool) draw {
		return func(b *bytes.Buffer) error { return c.Text(b, width, unicode, color) }
	}
	for name, draw := range map[string]draw{
		"layouts_80.golden.txt":    text(layouts(), 80, true, false),
		"layouts_bold.golden.txt":  text(layouts(), 80, true, true),
		"layouts_200.golden.txt":   text(layouts(), 200, true, false),
		"layouts_40.golden.txt":    text(layouts(), 40, true, false),
		"layouts_ascii.golden.txt": text(layouts(), 80, false, false),
		"three_80.golden.txt":      text(three(), 80, true, false),
		"three_ascii.golden.txt":   text(three(), 80, false, false),
		"layouts.golden.svg":       func(b *bytes.Buffer) error { return layouts().Drawing().SVG(b) },
		"three.golden.svg":         func(b *bytes.Buffer) error { return three().Drawing().SVG(b) },
	} {
		var got bytes.Buffer
		if err := draw(&got); err != nil {
			t.Fatal(err)
		}
		golden.Compare(t, filepath.Join("testdata", name), got.Bytes())
	}
}

// TestTicks: ticks are round numbers.
func TestTicks(t *testing.T) {
	for _, c := range []struct {
		end, length, apart float64
		want               string
	}{
		{30, 60, 9, "0 5 10 15 20 25 30"},
		{30, 60, 11, "0 10 20 30"},
		{0.3, 60, 20, "0 0.1 0.2 0.3"},
		{1.31, 50, 9, "0 0.5 1"},
		{7, 10, 9, "0"},
		{2.5e6, 60, 9, "0 500000 1e+06 1.5e+06 2e+06 2.5e+06"},
		{4e-7, 40, 10, "0 1e-07 2e-07 3e-07 4e-07"},
		{math.MaxFloat64, 40, 20, "0 1e+308"},
		{5e-324, 40, 9, "0"},
		{0, 40, 9, "0"},
	} {
		var labels []string
		for _, tick := range (scale{c.end, c.length}).ticks(c.apart) {
			labels = append(labels, tick.label)
		}
		if got := strings.Join(labels, " "); got != c.want {
			t.Errorf("to %v: %s, want %s", c.end, got, c.want)
		}
	}
}

// TestTicksApart: ticks start at 0, stay on the scale, and keep the given distance; a step 2.5 times smaller would not.
func TestTicksApart(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		s := scale{rapid.Float64Range(1e-300, 1e300).Draw(t, "end"), rapid.Float64Range(100, 600).Draw(t, "length")}
		apart := rapid.Float64Range(5, 100).Draw(t, "apart")
		ticks := s.ticks(apart)
		for i, tick := range ticks {
			if x := s.at(tick.value); x < 0 || x > s.length || i == 0 && x != 0 {
				t.Fatalf("tick %v at %v of %v", tick.value, x, s.length)
			}
		}
		if len(ticks) > 1 {
			if step := s.at(ticks[1].value); step < apart*(1-1e-9) || step > 2.5*apart*(1+1e-9) {
				t.Fatalf("a step of %v, want %v", step, apart)
			}
		} else if s.length >= 2.5*apart*(1+1e-9) {
			t.Fatalf("one tick on a length of %v, want one every %v", s.length, apart)
		}
	})
}
