package bench

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// around returns 6 samples, all different, with a median of ns and an interval of 3 % of it on both sides.
func around(ns float64) []float64 {
	samples := make([]float64, 6)
	for i, part := range []float64{0.985, 1.03, 0.97, 1.015, 0.995, 1.005} {
		samples[i] = ns * part
	}
	return samples
}

func accessRow(layout string, p Pattern, samples ...float64) Row {
	r := Row{Suite: Access, Layout: layout, Pattern: p, Shape: []int{2, 3, 4, 5}, DType: "float32", Bytes: 480}
	return finished(r, samples)
}

func convertRow(from, to string, samples ...float64) Row {
	r := Row{Suite: Convert, From: from, To: to, Shape: []int{2, 3, 4, 5}, DType: "float32", Bytes: 960}
	return finished(r, samples)
}

func finished(r Row, samples []float64) Row {
	r.Timing = newTiming(samples)
	r.GBps = float64(r.Bytes) / r.MedianNS
	return r
}

// sampleRows are three layouts: nhwc is fast by channel, nchw by pixel, and nchw4c is near nhwc by channel.
func sampleRows() []Row {
	return []Row{
		accessRow("nchw", Channel, around(400)...), accessRow("nchw", Spatial, around(100)...),
		accessRow("nchw4c", Channel, around(201)...), accessRow("nchw4c", Conv2D, around(300)...),
		accessRow("nhwc", Channel, around(200)...), accessRow("nhwc", Spatial, around(300)...),
		accessRow("nhwc", Conv2D, around(301)...),
		convertRow("nchw", "nhwc", around(1000)...), convertRow("nhwc", "nchw4c", around(500)...),
	}
}

// Ratios cover the layouts with both walks, in the order of their rows.
func TestVerdictRatios(t *testing.T) {
	want := []Ratio{{"nchw", 4, [2]float64{4, 4}}, {"nhwc", 2. / 3, [2]float64{2. / 3, 2. / 3}}}
	got := newVerdict(sampleRows()).Ratios
	if diff := cmp.Diff(want, got, nearly); diff != "" {
		t.Error(diff)
	}
}

var nearly = cmp.Comparer(func(x, y float64) bool { return math.Abs(x-y) <= 1e-9*math.Abs(x) })

// Slowdowns have every row of a pattern against the fastest one, which is not slower than itself, and say which are tied with it.
func TestVerdictSlowdowns(t *testing.T) {
	one := func(x float64) [2]float64 { return [2]float64{x, x} }
	want := []Slowdown{
		{Channel, "nchw", 2, one(2), false}, {Channel, "nchw4c", 1.005, one(1.005), true}, {Channel, "nhwc", 1, one(1), true},
		{Spatial, "nchw", 1, one(1), true}, {Spatial, "nhwc", 3, one(3), false},
		{Conv2D, "nchw4c", 1, one(1), true}, {Conv2D, "nhwc", 301. / 300, one(301. / 300), true},
	}
	if diff := cmp.Diff(want, newVerdict(sampleRows()).Slowdowns, nearly); diff != "" {
		t.Error(diff)
	}
}

// The fastest layout comes first, wherever its row is, followed only by the layouts statistically tied with it.
func TestVerdictBest(t *testing.T) {
	want := []Best{
		{Channel, []string{"nhwc", "nchw4c"}, 200},
		{Spatial, []string{"nchw"}, 100},
		{Conv2D, []string{"nchw4c", "nhwc"}, 300},
	}
	if diff := cmp.Diff(want, newVerdict(sampleRows()).Best, nearly); diff != "" {
		t.Error(diff)
	}
}

// A layout with a median between those of two tied ones is no worse than the slower of them.
func TestVerdictBestBetween(t *testing.T) {
	row := func(layout string, samples ...float64) Row {
		return Row{Suite: Access, Layout: layout, Pattern: Channel, Timing: newTiming(samples)}
	}
	steady := func(ns float64) []float64 { return slices.Repeat([]float64{ns}, 10) }
	rows := []Row{row("wide", 80, 80, 80, 80, 102, 102, 150, 150, 150, 150), row("between", steady(101)...), row("slow", steady(140)...),
		row("first", steady(100)...)}
	if best, _ := bestOf(rows, Channel); !slices.Equal(best.Layouts, []string{"first", "between", "wide"}) {
		t.Errorf("%+v", best)
	}
}

// Every conversion has a break-even for each pattern that both sides have, without a number if it never pays.
func TestVerdictBreakEven(t *testing.T) {
	number := func(x float64) *float64 { return &x }
	want := []BreakEven{
		// The interval of around(x) is from 0.97 to 1.03 of x.
		{"nchw", "nhwc", Channel, number(1000. / 200), number(970 / (412 - 194.)), number(1030 / (388 - 206.))},
		{"nchw", "nhwc", Spatial, nil, nil, nil},
		{"nhwc", "nchw4c", Channel, nil, number(485 / (206 - 0.97*201)), nil},
		{"nhwc", "nchw4c", Conv2D, nil, number(485 / (1.03*301 - 291)), nil}, // faster, but not for sure
	}
	if diff := cmp.Diff(want, newVerdict(sampleRows()).BreakEven, nearly); diff != "" {
		t.Error(diff)
	}
}

// After Passes passes, rounded up, converting was faster, and one pass earlier it was not.
func TestBreakEvenPays(t *testing.T) {
	for _, c := range []struct{ convert, from, to float64 }{
		{1000, 400, 200}, {999, 400, 200}, {50, 400, 200}, {7777, 310, 205},
	} {
		b := newBreakEven(newTiming(around(c.convert)), newTiming(around(c.from)), newTiming(around(c.to)))
		if b.Passes == nil || b.Lo == nil || b.Hi == nil || *b.Lo > *b.Passes || *b.Passes > *b.Hi {
			t.Fatalf("%+v: %+v", c, b)
		}
		pays := func(passes float64) bool { return c.convert+passes*c.to <= passes*c.from+1e-6 }
		if n := math.Ceil(*b.Passes - 1e-9); !pays(n) || pays(n-1) {
			t.Errorf("%+v: %v passes", c, *b.Passes)
		}
	}
}

// A verdict over no rows has empty lists, which JSON writes as [].
func TestVerdictEmpty(t *testing.T) {
	want := Verdict{[]Ratio{}, []Best{}, []Slowdown{}, []BreakEven{}}
	if diff := cmp.Diff(want, newVerdict(nil)); diff != "" {
		t.Error(diff)
	}
}
