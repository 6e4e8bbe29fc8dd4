package bench

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/bench/cachesim"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/words"
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
	r.Rows[6] = accessRow("nhwc", Sum, 301, 300, 302, 301, 900, 301, 300, 302)
	r.Verdict = newVerdict(r.Rows)
	return r
}

// baselineReport is sampleReport with nhwc.channel twice as slow and without a conversion.
func baselineReport() *Report {
	r := sampleReport()
	r.Rows[4] = accessRow("nhwc", Channel, around(400)...)
	r.Rows = r.Rows[:7]
	r.Verdict = newVerdict(r.Rows)
	return r
}

func mustGate(t *testing.T, expr string) *Condition {
	t.Helper()
	c, err := ParseGate(expr, strings.ToLower)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Every metric comes from its row, every operator is Go's, and Why shows the values.
func TestGateEval(t *testing.T) {
	now, before := sampleReport(), baselineReport()
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
		{"nhwc.sum.outliers == 1", true, "nhwc.sum.outliers 1 == 1"},
		{"nchw.to.NHWC.bytes == 2 * nhwc.sum.bytes", true, "nchw.to.nhwc.bytes 960 == 2 * nhwc.sum.bytes 480"},
		{"nhwc.channel.model.lines_per_elem == 0.0625", true, "nhwc.channel.model.lines_per_elem 0.0625 == 0.0625"},
		{"nhwc.channel.model.touches_per_elem == 0.25", true, "nhwc.channel.model.touches_per_elem 0.25 == 0.25"},
		{"nhwc.channel.model.bytes_used_per_byte_fetched == 1", true,
			"nhwc.channel.model.bytes_used_per_byte_fetched 1 == 1"},
		{"nhwc.channel.model.pages_per_elem == 0.001", true, "nhwc.channel.model.pages_per_elem 0.001 == 0.001"},
		{"nhwc.channel.model.miss_per_elem.l1 == 0.0625", true, "nhwc.channel.model.miss_per_elem.l1 0.0625 == 0.0625"},
		{"nhwc.channel.model.miss_per_elem.l2 == 0.03", true, "nhwc.channel.model.miss_per_elem.l2 0.03 == 0.03"},
		{"nhwc.channel.model.sampling_error == 0", true, "nhwc.channel.model.sampling_error 0 == 0"},
		{"nchw.channel_over_spatial == 4", true, "nchw.channel_over_spatial 4 == 4"},
		{"nhwc.channel.median_ns < 0.6 * baseline.nhwc.channel.median_ns", true,
			"nhwc.channel.median_ns 200 < 0.6 * baseline.nhwc.channel.median_ns 400"},
		{"baseline.NHWC.channel_over_spatial > 1.3", true, "baseline.nhwc.channel_over_spatial 1.333 > 1.3"},
		{"nhwc.sum.bytes - 80 * (2 + 3) / 4 == 380", true, "nhwc.sum.bytes 480 - 80 * (2 + 3) / 4 == 380"},
		{"-nhwc.sum.bytes < - -1", true, "-nhwc.sum.bytes 480 < - -1"},
		{"nhwc.sum.bytes > 1 && nhwc.sum.bytes < 2", false, "nhwc.sum.bytes 480 > 1 && nhwc.sum.bytes 480 < 2"},
		{"nhwc.sum.bytes < 1 || nhwc.sum.bytes > 2", true, "nhwc.sum.bytes 480 < 1 || nhwc.sum.bytes 480 > 2"},
		{"!(nhwc.sum.bytes > 1_000)", true, "!(nhwc.sum.bytes 480 > 1_000)"},
		{"nchw.to.nhwc.median_ns > 1e2 || nhwc.sum.bytes > 1 && 1 > 2", true,
			"nchw.to.nhwc.median_ns 1000 > 1e2 || nhwc.sum.bytes 480 > 1 && 1 > 2"},
	} {
		condition := mustGate(t, c.expr)
		if err := condition.Check(now.keys(), cachesim.Reference, before); err != nil {
			t.Errorf("%s: %v", c.expr, err)
		}
		if got, want := condition.Eval(now, before), (Gate{c.expr, c.holds, c.why}); got != want {
			t.Errorf("got  %+v\nwant %+v", got, want)
		}
	}
}

// The table above must cover every metric.
func TestGateEvalIsComplete(t *testing.T) {
	now := sampleReport()
	for _, m := range metrics {
		c := mustGate(t, "nhwc.channel."+m.name+" >= 0")
		if absent := m.name == "model.miss_per_elem.l3"; c.Eval(now, nil).Holds == absent {
			t.Errorf("%s is there: %v", m.name, !absent)
		}
	}
	if len(metrics) != 16 {
		t.Errorf("%d metrics: add the new ones to TestGateEval", len(metrics))
	}
}

// With a value that is not finite, neither a condition nor its negation holds; a term that is not evaluated is harmless.
func TestGateNotANumber(t *testing.T) {
	now := sampleReport()
	zero := "(nhwc.sum.bytes - 480)"
	for expr, bad := range map[string]string{
		zero + " / " + zero + " >= 0":                     "(nhwc.sum.bytes - 480) / (nhwc.sum.bytes - 480)",
		"!(" + zero + " / " + zero + " >= 0)":             "(nhwc.sum.bytes - 480) / (nhwc.sum.bytes - 480)",
		"1 / " + zero + " > 0":                            "1 / (nhwc.sum.bytes - 480)",
		"nhwc.channel.model.miss_per_elem.l3 < 1":         "nhwc.channel.model.miss_per_elem.l3",
		"nchw.channel.model.lines_per_elem < 1":           "nchw.channel.model.lines_per_elem",
		"baseline.nhwc.sum.bytes > 0":                     "baseline.nhwc.sum.bytes",
		"1e308 * nhwc.sum.bytes > 0 || 1 < 2":             "1e308 * nhwc.sum.bytes",
		"nchw4c.channel_over_spatial > 0":                 "nchw4c.channel_over_spatial",
		"!(nchw4c.to.nchw.gbps > 0) || nhwc.sum.gbps > 0": "nchw4c.to.nchw.gbps",
	} {
		g := mustGate(t, expr).Eval(now, nil)
		if g.Holds || !strings.HasSuffix(g.Why, ": "+bad+" is not a number") {
			t.Errorf("%+v\nwant %s", g, bad)
		}
	}
	if g := mustGate(t, zero+" == 0 || 1 / "+zero+" > 0").Eval(now, nil); !g.Holds {
		t.Errorf("%+v", g)
	}
}

// A gate that cannot be parsed is refused with the column and the reason, and a hint shows a valid one.
func TestGateRefusals(t *testing.T) {
	for _, c := range []struct{ expr, column, text, hint string }{
		{"", "1", "expected operand", "nhwc.channel.gbps >= 2"},
		{"nhwc.channel.gbps >=", "21", "expected operand", "nhwc.channel.gbps >= 2"},
		{"nhwc.channel.gbps > 1)", "22", "expected", "nhwc.channel.gbps >= 2"},
		{"nhwc.range.gbps > 1", "6", "expected", "nhwc.channel.gbps >= 2"},
		{"1.to.nhwc.gbps > 1", "3", "expected", "nhwc.channel.gbps >= 2"},
		{"nhwc.channel.gbps = 1", "19", "expected", "nhwc.channel.gbps >= 2"},
		{"\x1b[31m", "1", "illegal character", "nhwc.channel.gbps >= 2"},
		{"nhwc.channel.gbps", "1", "only a number", "nhwc.channel.gbps >= 2"},
		{"(nhwc.channel.gbps + 1)", "1", "only a number", "nhwc.channel.gbps >= 2"},
		{"1 < 2", "1", "must name a figure", "nhwc.channel.gbps >= 2"},
		{"0.5 <= nhwc.channel.gbps < 1", "26", "joined by &&", "nhwc.channel.gbps >= 2"},
		{"nhwc.channel.gbps && 1 < 2", "19", "&& takes comparisons", "nhwc.channel.gbps >= 2"},
		{"!nhwc.channel.gbps", "1", "! takes a comparison", "nhwc.channel.gbps >= 2"},
		{"2 > -(1 < 2)", "5", "- takes a number", "nhwc.channel.gbps >= 2"},
		{"+nhwc.channel.gbps > 1", "1", "unary + is", "nhwc.channel.gbps >= 2"},
		{"nhwc.channel.gbps % 2 > 1", "19", "operator % is not supported", "nhwc.channel.gbps >= 2"},
		{"nhwc.channel.gbps / 0 > 1", "21", "division by zero", "nhwc.channel.gbps >= 2"},
		{"nhwc.channel.gbps / (-0.0) > 1", "21", "division by zero", "nhwc.channel.gbps >= 2"},
		{"nhwc.channel.gbps > 0x10", "21", "0x10 is not a decimal", "nhwc.channel.gbps >= 2"},
		{"nhwc.channel.gbps > 0x1p2", "21", "0x1p2 is not a decimal", "nhwc.channel.gbps >= 2"},
		{"nhwc.channel.gbps > 'x'", "21", "'x' is not a decimal", "nhwc.channel.gbps >= 2"},
		{"nhwc.channel.gbps > 3i", "21", "3i is not a decimal", "nhwc.channel.gbps >= 2"},
		{"nhwc.channel.gbps > 1e999", "21", "1e999 is not a decimal", "nhwc.channel.gbps >= 2"},
		{`nhwc.channel.gbps > "1"`, "21", "is not a decimal", "nhwc.channel.gbps >= 2"},
		{"max(nhwc.channel.gbps, 1) > 1", "1", "consists only of figures", "nhwc.channel.gbps >= 2"},
		{"nhwc.channel[0] > 1", "1", "consists only of figures", "nhwc.channel.gbps >= 2"},
		{"nhwc.channel[0:1] > 1", "1", "consists only of figures", "nhwc.channel.gbps >= 2"},
		{"(nhwc.channel).gbps > 1", "1", "consists only of figures", "nhwc.channel.gbps >= 2"},
		{"func() {} > 1", "1", "consists only of figures", "nhwc.channel.gbps >= 2"},
		{"gbps > 1", "1", "gbps is not the name", "LAYOUT.PATTERN.METRIC"},
		{"1 < nhwc.gbps", "5", "nhwc.gbps is not the name", "LAYOUT.PATTERN.METRIC"},
		{"nchw.to.nhwc > 1", "1", "nchw.to.nhwc is not the name", "LAYOUT.PATTERN.METRIC"},
		{"baseline > 1", "1", "baseline is not the name", "LAYOUT.PATTERN.METRIC"},
		{"nhwc.chanel.gbps > 1", "1", `unknown pattern "chanel"`, "did you mean channel?"},
		{"nhwc.channel.gbs > 1", "1", "unknown metric gbs", "did you mean gbps?"},
		{"nhwc.channel.speed > 1", "1", "unknown metric speed", "model.lines_per_elem"},
		{"nhwc.sum.model.lines_per_elem > 1", "1", "which only walks have", "channel and spatial"},
		{"nchw.to.nhwc.model.lines_per_elem > 1", "1", "which only walks have", "channel and spatial"},
		{"größe.channel.gbps > 1 && größe > 1", "27", "größe is not the name", "LAYOUT.PATTERN.METRIC"},
	} {
		_, err := ParseGate(c.expr, strings.ToLower)
		var f *fault.Error
		if !errors.As(err, &f) || f.Class != fault.Usage {
			t.Errorf("%q: %v", c.expr, err)
			continue
		}
		where := `gate "` + words.Quote(c.expr) + `", column ` + c.column + ": "
		why, found := strings.CutPrefix(f.Text, where)
		if !found || !strings.Contains(why, c.text) || !strings.Contains(f.Hint, c.hint) {
			t.Errorf("got %s\nhint %s\nwant column %s, %s, %s", f.Text, f.Hint, c.column, c.text, c.hint)
		}
	}
}

// The longest gate is parsed at maximum depth; one byte more is refused.
func TestGateLength(t *testing.T) {
	const inner = "nhwc.sum.gbps > 0"
	deep := (maxGate - len(inner)) / 2
	expr := strings.Repeat("(", deep) + inner + strings.Repeat(")", deep)
	expr += strings.Repeat(" ", maxGate-len(expr))
	if g := mustGate(t, expr).Eval(sampleReport(), nil); !g.Holds {
		t.Error("it does not hold")
	}
	_, err := ParseGate(expr+" ", strings.ToLower)
	if fault.ClassOf(err) != fault.Usage || !strings.Contains(err.Error(), "4097 bytes") {
		t.Errorf("%v", err)
	}
}

// Rows that will not be measured, or that the baseline lacks, are refused before the measurement.
func TestGateCheck(t *testing.T) {
	now, before := sampleReport(), baselineReport()
	for _, c := range []struct {
		expr       string
		before     *Report
		text, hint string
	}{
		{"nhwcc.channel.gbps > 1", nil, "no row nhwcc.channel", "did you mean nhwc.channel?"},
		{"1 < 2 && !(1 < 2 + -nhwc.depthwise.gbps)", nil, "no row nhwc.depthwise",
			"rows are nchw.channel, nchw.spatial, nchw4c.channel"},
		{"nchw.to.chwn.gbps > 1", nil, "no row nchw.to.chwn", "did you mean nchw.to.nhwc?"},
		{"nchw4c.channel_over_spatial > 1", nil, "no row nchw4c.spatial", "did you mean nchw.spatial?"},
		{"baseline.nhwc.sum.gbps > 1", nil, "baseline.nhwc.sum.gbps needs a baseline", "--baseline"},
		{"baseline.nchw.to.nhwc.gbps > 1", before, "no row nchw.to.nhwc in the baseline", "rows are nchw.channel"},
	} {
		err := mustGate(t, c.expr).Check(now.keys(), cachesim.Reference, c.before)
		var f *fault.Error
		text := `gate "` + c.expr + `": ` + c.text
		if !errors.As(err, &f) || f.Class != fault.Usage || f.Text != text || !strings.Contains(f.Hint, c.hint) {
			t.Errorf("got %v: %+v\nwant %s, %s", err, f, c.text, c.hint)
		}
	}
}

// Layouts may have any spelling that Names resolves: upper case, digits, aliases.
func TestGateNames(t *testing.T) {
	names := func(s string) string {
		if s == "channels_last" {
			return "nhwc"
		}
		return strings.ToLower(s)
	}
	for expr, want := range map[string]string{
		"NCHW16c.channel.gbps>1":                   "nchw16c.channel.gbps > 1",
		"channels_last.to.NCHW.gbps > 1":           "nhwc.to.nchw.gbps > 1",
		"baseline.NHWC.channel_over_spatial  <= 1": "baseline.nhwc.channel_over_spatial <= 1",
	} {
		c, err := ParseGate(expr, names)
		if err != nil || c.String() != want {
			t.Errorf("%s: %v, %v", expr, c, err)
		}
	}
}

// All text is parsed or refused with Usage. A parsed gate survives a round trip through text, can be checked and evaluated,
// and holds only if all values are finite.
func FuzzGate(f *testing.F) {
	for _, expr := range []string{
		"nhwc.channel.gbps >= 2 * nchw.channel.gbps", "1.to.nhwc.gbps > 1", "a.range.gbps > 1", "[]int{",
		"!(a.to.b.gbps < 1) || -baseline.nhwc.channel_over_spatial - -1 != 1e3", "nhwc.channel.gbps > 0x1p-2",
		"nhwc.sum.bytes / (nhwc.sum.bytes - 480) > 0", "nhwc.channel.model.miss_per_elem.l3 > 1_0.5", "\ufeffa > 1",
		"//line x:1\nnhwc.sum.gbps > 0 // why", "a.b\n.c > 1", "\xff", "ä > 'x'", "f(func() { for {} }) > 1",
		"x.(type) == 1", "<-a.sum.gbps > 1", "~a.sum.gbps > 1", "a.sum[int, b] > 1",
	} {
		f.Add(expr)
	}
	identity := func(s string) string { return s }
	now, before := sampleReport(), baselineReport()
	f.Fuzz(func(t *testing.T, expr string) {
		c, err := ParseGate(expr, identity)
		if err != nil {
			if fault.ClassOf(err) != fault.Usage {
				t.Fatalf("%q: %v", expr, err)
			}
			return
		}
		again, err := ParseGate(c.String(), identity)
		if err != nil || !reflect.DeepEqual(again.root, c.root) || again.String() != c.String() {
			t.Fatalf("%q is written as %q: %v", expr, c, err)
		}
		if err := c.Check(now.keys(), cachesim.Reference, before); err != nil && fault.ClassOf(err) != fault.Usage {
			t.Fatal(err)
		}
		g := c.Eval(now, before)
		if g.Holds && strings.HasSuffix(g.Why, "is not a number") {
			t.Fatalf("%+v", g)
		}
	})
}

// String writes the condition as ParseGate reads it, with layouts named as in rows.
func (c *Condition) String() string {
	return c.root.format(func(figure) string { return "" })
}
