package bench

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tlayout/tlayout/internal/fault"
)

// A report survives a round trip through JSON.
func TestReadReport(t *testing.T) {
	want := sampleReport()
	want.Baseline = Compare(want, baselineReport(), "before.json")
	want.Gates = []Gate{mustGate(t, "nhwc.conv2d.gbps > 1").Eval(want, nil)}
	got, err := ReadReport(marshal(t, want))
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
}

func marshal(t *testing.T, r *Report) []byte {
	t.Helper()
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Medians and intervals are computed from the samples, not read from the file.
func TestReadReportRecomputes(t *testing.T) {
	r := sampleReport()
	r.Rows[0].MedianNS, r.Rows[0].CINS, r.Rows[0].Outliers = 1, [2]float64{0, 2}, -5
	got, err := ReadReport(marshal(t, r))
	if err != nil || !cmp.Equal(got.Rows[0].Timing, sampleReport().Rows[0].Timing) {
		t.Errorf("%+v, %v", got.Rows[0].Timing, err)
	}
}

// Anything but a report is Malformed, with a text of what was found and where.
func TestReadReportRefusals(t *testing.T) {
	edited := func(edit func(r *Report)) string {
		r := sampleReport()
		edit(r)
		return string(marshal(t, r))
	}
	replaced := func(old, new string) string {
		s := string(marshal(t, sampleReport()))
		if !strings.Contains(s, old) {
			t.Fatalf("no %s in %s", old, s)
		}
		return strings.Replace(s, old, new, 1)
	}
	for _, c := range []struct{ name, data, want string }{
		{"empty", "", "invalid JSON: byte 0: unexpected end"},
		{"npy", "\x93NUMPY", `invalid JSON: byte 1: invalid character`},
		{"cut", string(marshal(t, sampleReport())[:500]), "invalid JSON: byte 500: unexpected end"},
		{"trailing data", string(marshal(t, sampleReport())) + "{}", "invalid JSON: byte "},
		{"a list", "[]", "cannot be a JSON array"},
		{"null", "null", "JSON without a schema, want tlayout/bench/v1"},
		{"no schema", "{}", "JSON without a schema, want tlayout/bench/v1"},
		{"schema", `{"schema":"tlayout/plan/v1\u001b","rows":3}`, `schema tlayout/plan/v1\x1b, want tlayout/bench/v1`},
		{"type", replaced(`"numel":120`, `"numel":"many"`), "numel cannot be a JSON string"},
		{"NaN", replaced(`"samples_ns":[394`, `"samples_ns":[NaN`), "invalid JSON: byte "},
		{"too great", replaced(`"samples_ns":[394`, `"samples_ns":[1e999`), "cannot be a JSON number 1e999"},
		{"elements", edited(func(r *Report) { r.Elems = 0 }), "report has 0 elements, but shape"},
		{"suite", edited(func(r *Report) { r.Rows[1].Suite = "acess" }), "row 2: neither access"},
		{"layout", edited(func(r *Report) { r.Rows[1].Layout = "" }), "row 2: neither access"},
		{"from", edited(func(r *Report) { r.Rows[7].From = "" }), "row 8: neither access"},
		{"no samples", edited(func(r *Report) { r.Rows[1].SamplesNS = nil }), "row 2: nchw.spatial has no samples"},
		{"zero", edited(func(r *Report) { r.Rows[1].SamplesNS[3] = 0 }), "row 2: nchw.spatial has a sample of 0 ns"},
		{"negative", edited(func(r *Report) { r.Rows[1].SamplesNS[3] = -1 }), "nchw.spatial has a sample of -1 ns"},
		{"twice", edited(func(r *Report) { r.Rows[1] = r.Rows[0] }), "row 2: duplicate nchw.channel"},
	} {
		_, err := ReadReport([]byte(c.data))
		if fault.ClassOf(err) != fault.Malformed || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v\nwant %s", c.name, err, c.want)
		}
	}
}

// All bytes are read or refused with Malformed, and a report that is read can be compared and evaluated.
func FuzzReadReport(f *testing.F) {
	const head = `{"schema":"tlayout/bench/v1","numel":1,"rows":[`
	f.Add([]byte(head + `{"suite":"access","layout":"a","pattern":"b","samples_ns":[1]}]}`))
	f.Add([]byte(head + `{"suite":"convert","from":"a","to":"b","samples_ns":[2,1e9]}]}`))
	f.Add([]byte(`{"schema":"tlayout/bench/v2"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := ReadReport(data)
		if err != nil {
			if fault.ClassOf(err) != fault.Malformed {
				t.Fatal(err)
			}
			return
		}
		c := Compare(r, r, "x")
		if len(c.Missing)+len(c.Differences) != 0 || len(c.Rows) != len(r.Rows) {
			t.Fatalf("a report differs from itself: %+v", c)
		}
		for _, change := range c.Rows {
			if change.Delta != "~" {
				t.Fatalf("a row differs from itself: %+v", change)
			}
		}
	})
}

// Changes cover the rows that both reports have, in the order of the new one; ~ if the U test sees none.
func TestCompareReports(t *testing.T) {
	now, before := sampleReport(), baselineReport()
	before.Rows = before.Rows[2:] // nchw has no row
	now.Rows[2], now.Rows[4] = now.Rows[4], now.Rows[2]
	got := Compare(now, before, "before.json")
	const certain = 2. / 924 // 2 of the C(12, 6) ways to split 12 samples are this far apart
	want := &Comparison{
		File:        "before.json",
		Differences: []string{},
		Rows: []Change{
			{"nhwc.channel", 400, 200, "-50.00%", 5 * certain}, {"nchw4c.conv2d", 300, 300, "~", 1},
			{"nchw4c.channel", 201, 201, "~", 1}, {"nhwc.spatial", 300, 300, "~", 1}, {"nhwc.conv2d", 301, 301, "~", 1},
		},
		Missing: []string{"nchw.channel", "nchw.spatial", "nchw.to.nhwc", "nhwc.to.nchw4c"},
		Gone:    []string{},
	}
	if diff := cmp.Diff(want, got, nearly); diff != "" {
		t.Error(diff)
	}
}

// p of many tests is corrected as in Holm's paper, computed by hand: 0.01·4, 0.02·3, then at least the previous one.
func TestHolm(t *testing.T) {
	rows := []Change{{P: 0.02}, {P: 0.9}, {P: 0.01}, {P: 0.025}}
	holm(rows)
	for i, want := range []float64{0.06, 0.9, 0.04, 0.06} {
		if math.Abs(rows[i].P-want) > 1e-12 {
			t.Errorf("test %d: %v, not %v", i, rows[i].P, want)
		}
	}
}

// A significant change that does not exceed the machine's own is not reported.
func TestCompareFloor(t *testing.T) {
	at := func(ns float64, roof float64) *Report {
		return &Report{Machine: Machine{Roofs: []Roof{{Level: tensorRoof, ReadGBps: roof}}}, Elems: 1,
			Rows: []Row{{Suite: Access, Layout: "nchw", Pattern: Channel, Timing: newTiming(slices.Repeat([]float64{ns}, 10))}}}
	}
	for _, c := range []struct {
		ns, roof float64
		want     string
	}{{100, 20, "~"}, {120, 20, "+20.00%"}, {120, 16, "~"}, {130, 16, "+30.00%"}, {80, 26, "~"}, {70, 24, "-30.00%"}} {
		if got := Compare(at(c.ns, c.roof), at(100, 20), "").Rows[0].Delta; got != c.want {
			t.Errorf("%v ns, roof %v: %s, expected %s", c.ns, c.roof, got, c.want)
		}
	}
}

// Every difference between two machines that affects times is listed; the baseline's text cannot control a terminal.
func TestCompareMachines(t *testing.T) {
	now, before := sampleReport(), sampleReport()
	m := &before.Machine
	m.CPU, m.Cores, m.L1, m.L2, m.L3, m.Kernels = "Old\x1b[2J CPU", 2, 48<<10, 1<<19, 0, "sse2"
	m.OS, m.Arch, m.Go, m.Tlayout, m.Cache, m.Memory = "darwin", "arm64", "go1.25", "1.2.2", "l1=48K,12,64", 5
	want := []string{
		`CPU: was Old\x1b[2J CPU, is Some CPU @ 3.00GHz`, "cores: was 2, is 4", "L1 cache: was 48 KiB, is 32 KiB",
		"L2 cache: was 512 KiB, is 1024 KiB", "L3 cache: was unknown, is 8192 KiB", "kernels: was sse2, is avx2",
		"operating system: was darwin, is linux", "architecture: was arm64, is amd64", "Go: was go1.25, is go1.26",
		"tlayout: was 1.2.2, is 1.2.3", "model caches: was l1=48K,12,64, is l1=32K,8,64",
	}
	if diff := cmp.Diff(want, Compare(now, before, "x").Differences); diff != "" {
		t.Error(diff)
	}
}

// Baselines with nothing to compare are refused before the measurement.
func TestComparable(t *testing.T) {
	before := sampleReport()
	for _, c := range []struct {
		layout string
		shape  []int
		dtype  string
		torch  *TorchOptions
		want   string
	}{
		{"nhwc", []int{2, 3, 4, 5}, "float32", nil, ""},
		{"nhwc", []int{2, 3, 5, 4}, "float32", nil, "the baseline has shape (2, 3, 4, 5), this tensor (2, 3, 5, 4)"},
		{"nhw", []int{2, 3, 4}, "float32", nil, "the baseline has shape (2, 3, 4, 5), this tensor (2, 3, 4)"},
		{"nhwc", []int{2, 3, 4, 5}, "int8", nil, "the baseline has dtype float32, this tensor int8"},
		{"chwn", []int{2, 3, 4, 5}, "float32", nil, "the baseline has no row in common with this run: chwn.channel"},
		{"nhwc", []int{2, 3, 4, 5}, "float32", &TorchOptions{}, "only one of the baseline and this run measures PyTorch"},
	} {
		s := Subject{DType: dtypeOf(t, c.dtype), Patterns: Walks[:1], Layouts: []Layout{{c.layout, bind(t, c.layout, c.shape...)}}}
		err := Comparable(before, s, c.torch)
		var f *fault.Error
		refused := errors.As(err, &f) && f.Class == fault.Usage && f.Text == c.want
		if c.want == "" && err != nil || c.want != "" && !refused {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

// A baseline of other operators is refused.
func TestComparableOperators(t *testing.T) {
	before := sampleReport()
	before.Machine.Torch = &Torch{TorchOptions: TorchOptions{Device: "cuda:0", OutChannels: 8, Kernel: 3}}
	s := Subject{DType: dtypeOf(t, "float32"), Patterns: Walks[:1], Layouts: []Layout{{"nhwc", bind(t, "nhwc", 2, 3, 4, 5)}}}
	for _, c := range []struct {
		torch TorchOptions
		want  string
	}{
		{TorchOptions{Device: "cpu", OutChannels: 8, Kernel: 3}, ""},
		{TorchOptions{OutChannels: 8, Kernel: 1}, "the baseline has --out-channels 8 and --kernel-size 3, this run 8 and 1"},
		{TorchOptions{OutChannels: 4, Kernel: 3}, "the baseline has --out-channels 8 and --kernel-size 3, this run 4 and 3"},
	} {
		switch err := Comparable(before, s, &c.torch); {
		case (err == nil) != (c.want == ""), err != nil && err.Error() != c.want:
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}
