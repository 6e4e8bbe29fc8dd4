package bench

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tlayout/tlayout/internal/bench/cachesim"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/gate"
)

// sampleReport has a model on one walk, 120 elements, and the rows of sampleRows.
func sampleReport() *Report {
	r := &Report{
		Schema: Schema, Shape: []int{2, 3, 4, 5}, Dims: []string{"N", "C", "H", "W"}, DType: "float32", Elems: 120,
		Rows: sampleRows(), Notes: []string{},
		Machine: Machine{
			CPU: "Some CPU @ 3.00GHz", Cores: 4, L1: 32 << 10, L2: 1 << 20, L3: 8 << 20, Kernels: "avx2", Go: "go1.26",
			OS: "linux", Arch: "amd64", Tlayout: "1.2.3", Cache: "l1=32K,8,64", Roofs: []Roof{},
		},
	}
	r.Rows[4].Model = &Model{
		TouchesPerElem: 0.25, LinesPerElem: 0.0625, BytesUsed: 1, PagesPerElem: 0.001,
		MissPerElem: map[string]float64{"l1": 0.0625, "l2": 0.03},
	}
	r.Rows[4].OfRoof = 0.5
	r.Rows[6] = accessRow("nhwc", Conv2D, 301, 300, 302, 301, 900, 301, 300, 302)
	r.Verdict = newVerdict(r.Rows)
	return r
}

// slowerReport is sampleReport with nhwc.channel twice as slow and without a conversion.
func slowerReport() *Report {
	r := sampleReport()
	r.Rows[4] = accessRow("nhwc", Channel, around(400)...)
	r.Rows = r.Rows[:7]
	r.Verdict = newVerdict(r.Rows)
	return r
}

// names are the figures of a report.
func names(r *Report) []string { return slices.Collect(maps.Keys(r.Figures())) }

func (r *Report) keys() (keys []string) {
	for _, row := range r.Rows {
		keys = append(keys, row.Key())
	}
	return keys
}

func mustGate(t *testing.T, expr string) *gate.Condition {
	t.Helper()
	c, err := gate.Parse(expr, strings.ToLower, GateExample)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Every metric comes from its row, every operator is Go's, and Why shows the values.
func TestGateEval(t *testing.T) {
	now := sampleReport()
	for _, c := range []struct {
		expr  string
		holds bool
		why   string
	}{
		{"nhwc.channel.gbps >= 1.1 * nchw.channel.gbps", true, "nhwc.channel.gbps 2.4 >= 1.1 * nchw.channel.gbps 1.2"},
		{"nhwc.channel.gbps>=2.1*nchw.channel.gbps", false, "nhwc.channel.gbps 2.4 >= 2.1 * nchw.channel.gbps 1.2"},
		{"NHWC.channel.of_roof == 0.5", true, "nhwc.channel.of_roof 0.5 == 0.5"},
		{"nhwc.channel.median_ns != 200", false, "nhwc.channel.median_ns 200 != 200"},
		{"nhwc.channel.lo_ns < 195", true, "nhwc.channel.lo_ns 194 < 195"},
		{"nhwc.channel.hi_ns <= 205", false, "nhwc.channel.hi_ns 206 <= 205"},
		{"nhwc.channel.ns_per_elem > 1.66", true, "nhwc.channel.ns_per_elem 1.667 > 1.66"},
		{"nhwc.conv2d.outliers == 1", true, "nhwc.conv2d.outliers 1 == 1"},
		{"nchw.to.NHWC.bytes == 2 * nhwc.conv2d.bytes", true, "nchw.to.nhwc.bytes 960 == 2 * nhwc.conv2d.bytes 480"},
		{"nhwc.channel.model.lines_per_elem == 0.0625", true, "nhwc.channel.model.lines_per_elem 0.0625 == 0.0625"},
		{"nhwc.channel.model.touches_per_elem == 0.25", true, "nhwc.channel.model.touches_per_elem 0.25 == 0.25"},
		{"nhwc.channel.model.bytes_used_per_byte_fetched == 1", true,
			"nhwc.channel.model.bytes_used_per_byte_fetched 1 == 1"},
		{"nhwc.channel.model.pages_per_elem == 0.001", true, "nhwc.channel.model.pages_per_elem 0.001 == 0.001"},
		{"nhwc.channel.model.miss_per_elem.l1 == 0.0625", true, "nhwc.channel.model.miss_per_elem.l1 0.0625 == 0.0625"},
		{"nhwc.channel.model.miss_per_elem.l2 == 0.03", true, "nhwc.channel.model.miss_per_elem.l2 0.03 == 0.03"},
		{"nhwc.channel.model.sampling_error == 0", true, "nhwc.channel.model.sampling_error 0 == 0"},
		{"nchw.channel_over_spatial == 4", true, "nchw.channel_over_spatial 4 == 4"},
		{" nhwc.conv2d.bytes>1.5e+2*nchw.to.chwn4.gbps", false, "nhwc.conv2d.bytes 480 > 1.5e+2 * nchw.to.chwn4.gbps NaN"},
		{"nhwc.conv2d.bytes < .5 ", false, "nhwc.conv2d.bytes 480 < .5"},
		{"nhwc.conv2d.bytes > nhwc.channel.gbps", true, "nhwc.conv2d.bytes 480 > nhwc.channel.gbps 2.4"},
	} {
		condition := mustGate(t, c.expr)
		if err := condition.Check(names(now), FigureHint); (err != nil) != strings.Contains(c.why, "NaN") {
			t.Errorf("%s: %v", c.expr, err)
		}
		if got, want := condition.Eval(now.Figures()), (gate.Gate{Expr: c.expr, Holds: c.holds, Why: c.why}); got != want {
			t.Errorf("got  %+v\nwant %+v", got, want)
		}
	}
}

// The table above must cover every metric.
func TestGateEvalIsComplete(t *testing.T) {
	now := sampleReport()
	for _, m := range metrics {
		c := mustGate(t, "nhwc.channel."+m.name+" >= 0")
		if absent := m.name == "model.miss_per_elem.l3"; c.Eval(now.Figures()).Holds == absent {
			t.Errorf("%s present: %v", m.name, !absent)
		}
	}
	if len(metrics) != 16 {
		t.Errorf("%d metrics: add the new ones to TestGateEval", len(metrics))
	}
}

// TestGateWithoutFigure: no condition holds if a report lacks its figure.
func TestGateWithoutFigure(t *testing.T) {
	for _, figure := range []string{"nhwc.channel.model.miss_per_elem.l3", "nchw.channel.model.lines_per_elem",
		"nchw4c.channel_over_spatial", "nchw4c.to.nchw.gbps"} {
		for _, op := range []string{">=", "<=", ">", "<", "==", "!="} {
			for _, expr := range []string{figure + " " + op + " 1", "nhwc.conv2d.bytes " + op + " " + figure} {
				if g := mustGate(t, expr).Eval(sampleReport().Figures()); g.Holds || !strings.Contains(g.Why, figure+" NaN") {
					t.Errorf("%+v", g)
				}
			}
		}
	}
}

// TestGateCheck: figures that will not be measured are refused before the measurement.
func TestGateCheck(t *testing.T) {
	now := sampleReport()
	const forms = "use LAYOUT.PATTERN.METRIC, FROM.to.TO.METRIC or LAYOUT.channel_over_spatial of a measured row: tlayout help gates"
	for _, c := range []struct{ expr, text, hint string }{
		{"nhwcc.channel.gbps > 1", "no figure nhwcc.channel.gbps", "did you mean nhwc.channel.gbps?"},
		{"nhwc.conv2d.gbps > nhwc.batch_norm.gbps", "no figure nhwc.batch_norm.gbps", forms},
		{"nhwc.chanel.gbps > 1", "no figure nhwc.chanel.gbps", "did you mean nhwc.channel.gbps?"},
		{"nhwc.channel.gbs > 1", "no figure nhwc.channel.gbs", "did you mean nhwc.channel.gbps?"},
		{"nhwc.channel.speed > 1", "no figure nhwc.channel.speed", forms},
		{"nhwc.conv2d.model.lines_per_elem > 1", "no figure nhwc.conv2d.model.lines_per_elem", forms},
		{"gbps > 1", "no figure gbps", forms},
		{"nchw.to.chwn.gbps > 1", "no figure nchw.to.chwn.gbps", "did you mean nchw.to.nhwc.gbps?"},
		{"nchw4c.channel_over_spatial > 1", "no figure nchw4c.channel_over_spatial", "did you mean nchw.channel_over_spatial?"},
	} {
		err := mustGate(t, c.expr).Check(names(now), FigureHint)
		var f *fault.Error
		text := `gate "` + c.expr + `": ` + c.text
		if !errors.As(err, &f) || f.Class != fault.Usage || f.Text != text || f.Hint != c.hint {
			t.Errorf("got  %v: %+v\nwant %s, %s", err, f, text, c.hint)
		}
	}
}

// TestFigures: the announced figures are those of the report, for any caches of the model.
func TestFigures(t *testing.T) {
	for _, cache := range []string{"", "l3=none", "l2=none l3=none"} {
		s, err := subject(t, "float32", Walks, []string{"nchw", "nhwc"}, 1, 3, 4, 4)
		if err != nil {
			t.Fatal(err)
		}
		o := testOptions(2 * time.Millisecond)
		if o.Geometry, err = cachesim.Parse(cache); err != nil {
			t.Fatal(err)
		}
		r, err := Run(s, o)
		if err != nil {
			t.Fatal(err)
		}
		got, want := s.Figures(o.Geometry), names(r)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%q: %s", cache, cmp.Diff(want, got))
		}
	}
}
