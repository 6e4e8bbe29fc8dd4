package benchcmd

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/clipperhouse/displaywidth"

	"github.com/tlayout/tlayout/internal/bench"
	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/gate"
	"github.com/tlayout/tlayout/internal/golden"
)

// everything is a report of all patterns over eight layouts, of a noisy run. Layout k is 1 + k·p/4 times as slow as the first one
// in pattern p.
func everything() *report {
	layouts := []string{"nchw", "nhwc", "nchw4c", "nchw8c", "nchw16c", "nchw32c", "chwn", "chwn4c"}
	r := &bench.Report{Schema: bench.Schema, Source: "activations.npy", Shape: []int{32, 64, 56, 56}, Dims: []string{"N", "C", "H", "W"}, DType: "float32",
		Machine: bench.Machine{CPU: "a test's", Kernels: "generic"},
		Noise:   bench.Noise{Spread: 0.093, Samples: 960, Outliers: 12, Advice: "times vary: close other programs; raise --samples"},
		Notes:   []string{"--quick measures 3 of the 32 images"}}
	timing := func(ns float64) bench.Timing {
		return bench.Timing{SamplesNS: []float64{ns}, MedianNS: ns, CINS: [2]float64{ns * 0.97, ns * 1.04}}
	}
	for p, pattern := range bench.Walks {
		best := bench.Best{Pattern: pattern, MedianNS: 1000}
		for k := range layouts {
			slower := 1 + float64(k*p)/4
			layout := layouts[(k+p)%len(layouts)]
			r.Rows = append(r.Rows, bench.Row{Suite: bench.Access, Layout: layout, Pattern: pattern, Bytes: 25690112, Timing: timing(1000 * slower)})
			if k == 0 || k == 1 && p > 0 && p < 3 {
				best.Layouts = append(best.Layouts, layout)
			}
			r.Verdict.Slowdowns = append(r.Verdict.Slowdowns, bench.Slowdown{Pattern: pattern, Layout: layout, Ratio: slower,
				CI: [2]float64{slower, slower}, Tied: slices.Contains(best.Layouts, layout)})
		}
		r.Verdict.Best = append(r.Verdict.Best, best)
	}
	passes, low := 1.27, 0.98
	for _, layout := range layouts[1:] {
		r.Verdict.Ratios = append(r.Verdict.Ratios, bench.Ratio{Layout: layout, Ratio: 2})
		r.Rows = append(r.Rows, bench.Row{Suite: bench.Convert, From: "nchw", To: layout, Bytes: 51380224, Timing: timing(5000)})
		r.Verdict.BreakEven = append(r.Verdict.BreakEven, bench.BreakEven{From: "nchw", To: layout, Pattern: bench.Spatial, Passes: &passes, Lo: &low})
	}
	return &report{Report: r}
}

// pageOf is the page of a report on a terminal.
func pageOf(t *testing.T, r *report, change func(*cli.App)) string {
	t.Helper()
	var out bytes.Buffer
	a := &cli.App{Streams: &cli.Streams{Width: 80, Unicode: true, Env: func(string) (string, bool) { return "", false }}, Stdout: &out, Format: cli.Table}
	change(a)
	if err := a.Write(r); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestPage: all that was measured of eight layouts by default is answered in 20 lines of 80 columns, and with gates that do not
// hold, in as many.
func TestPage(t *testing.T) {
	gated := everything()
	gated.Gates = []gate.Gate{{Why: "nhwc.channel.gbps 3.1 >= 2 * nchw.channel.gbps 4.6"}, {Holds: true, Why: "nhwc.channel.gbps 3.1 > 0"}}
	gated.Noise.Advice, gated.Notes = "", nil
	for name, r := range map[string]*report{"everything": everything(), "gates": gated} {
		got := pageOf(t, r, func(*cli.App) {})
		golden.Compare(t, "testdata/"+name+".golden", []byte(got))
		lines := strings.Split(strings.TrimSuffix(got, "\n"), "\n")
		if len(lines) > 20 || slices.ContainsFunc(lines, func(l string) bool { return displaywidth.String(l) > 80 }) {
			t.Errorf("%s: %d lines, or one is wider than 80 columns:\n%s", name, len(lines), got)
		}
		all := pageOf(t, r, func(a *cli.App) { a.All = true })
		for _, title := range []string{"Walks;", "Conversions", "Break-even passes", "Slowdown,"} {
			if !strings.Contains(all, title) {
				t.Errorf("%s: --all has no %q:\n%s", name, title, all)
			}
		}
		if quiet := pageOf(t, r, func(a *cli.App) { a.Quiet = true }); (quiet != "") != r.Failed() || strings.Count(quiet, "\n") > 2 {
			t.Errorf("%s: quietly:\n%s", name, quiet)
		}
	}
}

// TestTorchPage: the widest page of all operators under autocast, on a noisy machine and with fewer samples, has 20 lines of 80 columns; it says
// what pays, and what is tied.
func TestTorchPage(t *testing.T) {
	r := &bench.Report{Shape: []int{128, 2048, 112, 112}, Dims: []string{"N", "C", "H", "W"}, DType: "float32",
		Machine: bench.Machine{Torch: &bench.Torch{Version: "2.15.0+cu132", Name: "NVIDIA H100 80GB HBM3", Threads: 128,
			TorchOptions: bench.TorchOptions{Device: "cuda:0", OutChannels: 2048, Kernel: 11}}},
		Noise: bench.Noise{Spread: 0.5, Advice: "times vary"}, Notes: []string{"took 1h32m13.4s, longer than --time 50s: a round takes 1m12.3s"}}
	for i, p := range bench.Under("bfloat16", bench.Operators) {
		times := [2]float64{123456 * float64(1+i), 123456}
		if i == 1 {
			times = [2]float64{123456, 1.23e9} // 10,000 times as slow
		}
		best := bench.Best{Pattern: p, MedianNS: 123456, Layouts: bench.TorchLayouts}
		for k, layout := range bench.TorchLayouts {
			r.Rows = append(r.Rows, bench.Row{Suite: bench.Access, Layout: layout, Pattern: p,
				Timing: bench.Timing{SamplesNS: []float64{times[k]}, MedianNS: times[k], CINS: [2]float64{times[k], times[k]}}})
			if times[k] > 123456 {
				passes := 123.4
				best.Layouts = []string{bench.TorchLayouts[1-k]}
				r.Verdict.BreakEven = append(r.Verdict.BreakEven, bench.BreakEven{From: layout, To: best.Layouts[0], Pattern: p, Passes: &passes})
			}
			r.Verdict.Slowdowns = append(r.Verdict.Slowdowns, bench.Slowdown{Pattern: p, Layout: layout, Ratio: times[k] / 123456})
		}
		r.Verdict.Best = append(r.Verdict.Best, best)
	}
	for k, layout := range bench.TorchLayouts {
		r.Rows = append(r.Rows, bench.Row{Suite: bench.Convert, From: layout, To: bench.TorchLayouts[1-k], Timing: bench.Timing{MedianNS: 1234567}})
	}
	r.Notes = append(r.Notes, torchNotes(r)...)
	got := pageOf(t, &report{Report: r}, func(*cli.App) {})
	golden.Compare(t, "testdata/torch.golden", []byte(got))
	lines := strings.Split(strings.TrimSuffix(got, "\n"), "\n")
	if len(lines) > 20 || slices.ContainsFunc(lines, func(l string) bool { return displaywidth.String(l) > 80 }) {
		t.Errorf("%d lines, or one is wider than 80 columns:\n%s", len(lines), got)
	}
}
