package main

import (
	"bytes"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tlayout/tlayout/internal/bench"
)

func TestParseAnswer(t *testing.T) {
	for _, c := range []struct {
		line    string
		seconds float64
		can     bool
		err     string
	}{
		{"7 0.00125", 0.00125, true, ""}, {"7 1.5e-05", 1.5e-5, true, ""}, {"7 -", 0, false, ""},
		{"7 ! mismatch", 0, false, "mismatch"}, {"7 ! not a row", 0, false, "not a row"}, {"8 0.1", 0, false, "no answer to 7"},
		{"", 0, false, "no answer"}, {"7", 0, false, "no number of seconds"}, {"7 fast", 0, false, "no number of seconds"}, {"7 0", 0, false, "no number of seconds"},
		{"7 NaN", 0, false, "no number of seconds"},
	} {
		seconds, can, err := parseAnswer("7", c.line)
		if seconds != c.seconds && err == nil || can != c.can || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%q: %v, %v, %v", c.line, seconds, can, err)
		}
	}
}

// Every row has a plan, and none occurs twice.
func TestRows(t *testing.T) {
	for want, rows := range map[int][]row{28: peerRows(), 5 * 5 * 7 * 2: markRows(), (12 + 17) * 5 * 5 * 2: oddRows()} {
		seen := map[string]bool{}
		for _, r := range rows {
			if _, _, _, err := r.plan(); err != nil || seen[r.String()] {
				t.Errorf("%s: twice %v, %v", r, seen[r.String()], err)
			}
			seen[r.String()] = true
		}
		if len(rows) != want {
			t.Errorf("%d rows, want %d", len(rows), want)
		}
	}
	if r := peerRows()[0]; r.question() != "32 3 224 224 4 nchw nhwc" {
		t.Errorf("peers are asked %q", r.question())
	}
	if rows := (options{all: true, only: "chwn4 to"}).rows(); len(rows) != 25 {
		t.Errorf("%d rows from chwn4", len(rows))
	}
}

// Each round asks every program once; one that cannot is asked once in all; an error ends everything.
func TestInRounds(t *testing.T) {
	asked := map[string]float64{}
	answers := func(name string, can bool, err error) program {
		return program{name, func() (float64, bool, error) { asked[name]++; return asked[name], can, err }}
	}
	got, err := inRounds([]program{answers("a", true, nil), answers("b", false, nil), answers("c", true, nil)}, 3)
	if want := map[string]float64{"a": 3, "b": 1, "c": 3}; err != nil || !maps.Equal(asked, want) {
		t.Errorf("%v, asked %v", err, asked)
	}
	if len(got) != 2 || !slices.Equal(got["a"].SamplesNS, []float64{1e9, 2e9, 3e9}) || got["c"].MedianNS != 2e9 {
		t.Errorf("%v", got)
	}
	if _, err := inRounds([]program{answers("d", false, errors.New("mismatch"))}, 3); err == nil {
		t.Error("an error is lost")
	}
}

// A program's seconds are those of one pass, also of a short one.
func TestTimed(t *testing.T) {
	for _, c := range []struct {
		pass   time.Duration
		passes int // one to see whether it is short, and then some that take repeatedFor
	}{{time.Millisecond, 1 + 42}, {shortRun - 1, 1 + 3}, {shortRun, 1}, {25 * time.Millisecond, 1}} {
		synctest.Test(t, func(t *testing.T) { // its clock moves while it sleeps, and only then
			passes := 0
			seconds, can, err := timed("sleep", func() { time.Sleep(c.pass); passes++ }).run()
			if !can || err != nil || seconds != c.pass.Seconds() || passes != c.passes {
				t.Errorf("of %d passes of %v one takes %v s, %v, %v", passes, c.pass, seconds, can, err)
			}
		})
	}
}

// The roof is the fastest copy, on one thread; ratios are to it.
func TestResult(t *testing.T) {
	timings := func(seconds map[string]float64) map[string]bench.Timing {
		all := map[string]bench.Timing{}
		for name, s := range seconds {
			all[name] = bench.NewTiming([]float64{s * 1e9})
		}
		return all
	}
	r := newResult(peerRows()[0], 1e9, timings(map[string]float64{copyBy + "go": 2, copyBy + cMemcpy: 1, copyByTwo + "go": 0.9, copyByTwo + "pages": 0.8,
		oneThread: 2, twoThreads: 1, oneDNN: 1.6}))
	if r.Roof != cMemcpy || r.RoofGBps != 1 || r.GBps != 0.5 || r.OfRoof != 0.5 || r.Threads != 2 || r.Peers[oneDNN] != 0.625 || len(r.Peers) != 1 ||
		r.CopyThreads != 1.25 || r.CopyThreadsBy != "pages" {
		t.Errorf("%+v", r)
	}
	if b := r.behind(); b < 0.249 || b > 0.251 || r.behindCell() != "by 25 %" {
		t.Errorf("behind by %v", b)
	}
	var line strings.Builder
	r.print(&line, []string{oneDNN, numPy})
	if line.String() != "| 32x3x224x224 4 B nchw to nhwc | 1.0 | memcpy | 0.50 | 2.00 | 1.25 | 0.62 | - | by 25 % |\n" {
		t.Error(line.String())
	}
	r = newResult(peerRows()[0], 1e9, timings(map[string]float64{copyBy + "stream": 1, oneThread: 1}))
	if r.Roof != "stream" || r.behind() != 0 || r.behindCell() != "-" || r.Threads != 0 || r.CopyThreads != 0 || r.CopyThreadsBy != "" {
		t.Errorf("%+v", r)
	}
}

// Conversions of a small shape are measured in every kind of layout; one with wrong elements is refused.
func TestMeasure(t *testing.T) {
	hasten(t)
	var b buffers
	for _, r := range bothWays([][4]int{{2, 5, 3, 7}}, []int{1, 4, 16}, oddLayouts) {
		got, err := b.measure(r, nil, 1, true)
		if err != nil || got.OfRoof <= 0 || got.Threads <= 0 || got.Bytes < 2*2*5*3*7*r.size || got.Roof == "" || (got.CopyThreads > 0) != twoProcessors() {
			t.Errorf("%s: %+v, %v", r, got, err)
		}
	}
	r := bothWays([][4]int{{2, 5, 3, 7}}, []int{4}, []string{"nhwc"})[0]
	_, to, from, err := r.plan()
	src := make([]byte, from.Alloc()*r.size)
	for i := range src {
		src[i] = byte(i)
	}
	if err != nil || r.check(bytes.Clone(src), src, to, from) == nil {
		t.Errorf("wrong elements pass the check, %v", err)
	}
}

func TestSummary(t *testing.T) {
	ofRoof := func(x float64) bench.Row { return bench.Row{OfRoof: x} }
	rows := []result{
		{Name: "a", Row: ofRoof(0.95), Threads: 1, Peers: map[string]float64{oneDNN: 0.96}}, {Name: "b", Row: ofRoof(0.8), Threads: 1.5},
		{Name: "c", Row: ofRoof(0.4), Threads: 1.9, Peers: map[string]float64{oneDNN: 0.6}}, {Name: "d", Row: ofRoof(1), Peers: map[string]float64{oneDNN: 0.6}},
	}
	want := summary{Rows: 4, Median: 0.875, Least: 0.4, LeastRow: "c", Under090: 2, Under070: 1, Under050: 1, WithOneDNN: 3, Behind: 2, BehindBy5: 1, Threads: 1.7}
	if got := summarize(rows); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestBracketed(t *testing.T) {
	if bracketed("always [madvise] never\n") != "madvise" || bracketed("") != "unknown" {
		t.Error("settings are misread")
	}
}

func TestGrowthRows(t *testing.T) {
	for mib, images := range map[int]int{1: 1, 4: 5, 1024: 1337} {
		if r := growthRow(mib, growthLayouts[0]); r.shape[0] != images {
			t.Errorf("%d MiB: %s", mib, r)
		}
	}
}
