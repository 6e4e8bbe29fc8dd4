package bench

import (
	"bytes"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/perf/benchfmt"
)

func goBench(t *testing.T, r *Report) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := WriteGoBench(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// The text, line by line.
func TestWriteGoBenchText(t *testing.T) {
	r := sampleReport()
	r.Rows = []Row{
		accessRow("nhwc", Channel, 123456, 120000), convertRow("nchw", "nhwc", 48000),
	}
	miss := map[string]float64{"l1": 0.0625}
	r.Rows[0].Model = &Model{TouchesPerElem: 0.25, LinesPerElem: 0.0625, BytesUsed: 1, MissPerElem: miss}
	r.Rows[1].DType = "[('a', '<f4')]"
	r.Machine.L3, r.Machine.CPU = 0, "a\nb"
	got := string(goBench(t, r))
	want, err := os.ReadFile(filepath.Join("testdata", "gobench.txt"))
	if diff := cmp.Diff(string(want), got); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
}

// The format's own reader reads the output: every sample in order, bytes per second, and the model.
func TestWriteGoBenchReadBack(t *testing.T) {
	r := sampleReport()
	reader := benchfmt.NewReader(bytes.NewReader(goBench(t, r)), "report")
	samples, walks := map[string][]float64{}, 0
	for reader.Scan() {
		result, ok := reader.Result().(*benchfmt.Result)
		if !ok {
			if _, ok := reader.Result().(*benchfmt.UnitMetadata); !ok {
				t.Fatalf("%v", reader.Result())
			}
			continue
		}
		key := rowKey(t, result)
		row := byKey(r.Rows)[key]
		ns := result.Values[0]
		if ns.OrigUnit != "ns/op" || ns.Unit != "sec/op" {
			t.Fatalf("%+v", ns)
		}
		samples[key] = append(samples[key], ns.OrigValue)
		if speed, _ := result.Value("B/s"); math.Abs(speed*ns.OrigValue/1e9-float64(row.Bytes)) > 1e-3 {
			t.Errorf("%s: %v B/s", key, speed)
		}
		if lines, ok := result.Value("lines/elem"); ok != (row.Model != nil) || ok && lines != row.Model.LinesPerElem {
			t.Errorf("%s: %v lines/elem", key, lines)
		} else if ok {
			walks++
		}
		if cpu := result.GetConfig("cpu"); cpu != r.Machine.CPU {
			t.Errorf("cpu %q", cpu)
		}
	}
	want := map[string][]float64{}
	for _, row := range r.Rows {
		want[row.Key()] = row.SamplesNS
	}
	if diff := cmp.Diff(want, samples); diff != "" || walks == 0 {
		t.Errorf("%d lines with a model\n%s", walks, diff)
	}
	if unit := reader.Units().Get("lines/elem", "assume"); unit == nil || unit.Value != "exact" {
		t.Errorf("lines/elem: %+v", unit)
	}
}

// rowKey is the key of the row with a result's name.
func rowKey(t *testing.T, r *benchfmt.Result) string {
	t.Helper()
	base, parts := r.Name.Parts()
	of := map[string]string{}
	for _, part := range parts {
		key, value, ok := strings.Cut(strings.TrimPrefix(string(part), "/"), "=")
		if !ok {
			t.Fatalf("%s has a part without a key", r.Name)
		}
		of[key] = value
	}
	if of["shape"] != "2x3x4x5" || of["dtype"] != "float32" {
		t.Fatalf("%s", r.Name)
	}
	if string(base) == "Convert" {
		return of["from"] + ".to." + of["to"]
	}
	return of["layout"] + "." + of["pattern"]
}

// Benchstat itself matches the rows of two reports by different versions, and finds the one that became faster.
func TestBenchstat(t *testing.T) {
	if testing.Short() {
		t.Skip("builds benchstat")
	}
	dir := t.TempDir()
	now, before := sampleReport(), slowerReport()
	before.Machine.Tlayout, before.Machine.Go = "1.0.0", "go1.1"
	for name, r := range map[string]*Report{"old": before, "new": now} {
		if err := os.WriteFile(filepath.Join(dir, name), goBench(t, r), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", "tool", "benchstat", "-format=csv", "-ignore=tlayout,go",
		filepath.Join(dir, "old"), filepath.Join(dir, "new"))
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, said.String())
	}
	const size = "/shape=2x3x4x5/dtype=float32,"
	for _, want := range []string{
		"cpu: Some CPU @ 3.00GHz\n",
		"\nAccess/layout=nhwc/pattern=channel" + size + "4e-07,3%,2e-07,3%,-50.00%,p=0.002 n=6\n",
		"\nAccess/layout=nchw4c/pattern=conv2d" + size + "3e-07,3%,3e-07,3%,~,p=1.000 n=6\n",
		"\nConvert/from=nchw/to=nhwc" + size + ",,1e-06,3%\n",
		"\n,lines/elem,CI\nAccess/layout=nhwc/pattern=channel" + size + "0.0625,0%\n",
	} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

// TestGoBenchTorch: what benchstat must not compare differs in the settings.
func TestGoBenchTorch(t *testing.T) {
	r := sampleReport()
	r.Machine.Torch = &Torch{TorchOptions: TorchOptions{Device: "cuda:0", OutChannels: 8, Kernel: 3}, Name: "TestGPU"}
	var b strings.Builder
	if err := WriteGoBench(&b, r); err != nil || !strings.Contains(b.String(), "\ndevice: cuda:0 TestGPU\nout-channels: 8\nkernel-size: 3\n") {
		t.Errorf("%v\n%s", err, b.String())
	}
}
