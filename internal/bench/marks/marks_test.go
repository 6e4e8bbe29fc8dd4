package marks

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
)

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		xs   []float64
		want float64
	}{{[]float64{3}, 3}, {[]float64{3, 1}, 2}, {[]float64{9, 1, 2}, 2}, {[]float64{4, 1, 3, 2}, 2.5}} {
		before := slices.Clone(c.xs)
		if got := median(c.xs); got != c.want || !slices.Equal(c.xs, before) {
			t.Errorf("median of %v is %v, want %v", before, got, c.want)
		}
	}
}

func TestParseAnswer(t *testing.T) {
	for _, c := range []struct {
		line    string
		seconds float64
		can     bool
		err     string
	}{
		{"7 0.00125", 0.00125, true, ""}, {"7 1.5e-05", 1.5e-5, true, ""}, {"7 -", 0, false, ""},
		{"7 ! mismatch", 0, false, "mismatch"}, {"7 ! not a row", 0, false, "not a row"}, {"8 0.1", 0, false, "no answer to 7"},
		{"", 0, false, "no answer"}, {"7", 0, false, "no seconds"}, {"7 fast", 0, false, "no seconds"}, {"7 0", 0, false, "no seconds"},
		{"7 NaN", 0, false, "no seconds"},
	} {
		seconds, can, err := parseAnswer("7", c.line)
		if seconds != c.seconds && err == nil || can != c.can || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%q: %v, %v, %v", c.line, seconds, can, err)
		}
	}
}

// Every row has a plan, and none is there twice.
func TestRows(t *testing.T) {
	for want, rows := range map[int][]row{28: peerRows(), 5 * 5 * 7 * 2: markRows(), (12 + 17) * 5 * 5 * 2: oddRows()} {
		seen := map[string]bool{}
		for _, r := range rows {
			if _, _, err := r.plan(); err != nil || seen[r.String()] {
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

// Programs take turns; one that cannot is asked once; an error ends it all.
func TestInTurn(t *testing.T) {
	var asked []string
	answers := func(name string, can bool, err error) program {
		return program{name, func() (float64, bool, error) { asked = append(asked, name); return float64(len(asked)), can, err }}
	}
	got, err := inTurn([]program{answers("a", true, nil), answers("b", false, nil), answers("c", true, nil)}, 3)
	if want := map[string]float64{"a": 4, "c": 5}; err != nil || !maps.Equal(got, want) || strings.Join(asked, "") != "abcacac" {
		t.Errorf("%v, %v, asked %v", got, err, asked)
	}
	if _, err := inTurn([]program{answers("d", false, errors.New("mismatch"))}, 3); err == nil {
		t.Error("an error is lost")
	}
}

// The roof is the faster copy; ratios are to it.
func TestResult(t *testing.T) {
	r := newResult(peerRows()[0], 1e9, map[string]float64{goCopy: 2, cMemcpy: 1, one: 2, two: 1, oneDNN: 1.6})
	if r.Roof != cMemcpy || r.RoofGBPerS != 1 || r.Tlayout != 0.5 || r.Threads != 2 || r.Peers[oneDNN] != 0.625 || len(r.Peers) != 1 {
		t.Errorf("%+v", r)
	}
	if b := r.behind(); b < 0.249 || b > 0.251 || behindCell(r) != "by 25 %" || ratioCell(r.Peers, numPy) != "-" {
		t.Errorf("behind by %v", b)
	}
	r = newResult(peerRows()[0], 1e9, map[string]float64{streamCopy: 1, one: 1})
	if r.Roof != streamCopy || r.behind() != 0 || behindCell(r) != "-" || r.Threads != 0 {
		t.Errorf("%+v", r)
	}
}

func TestSummary(t *testing.T) {
	rows := []result{
		{Name: "a", Tlayout: 0.95, Threads: 1, Peers: map[string]float64{oneDNN: 0.96}}, {Name: "b", Tlayout: 0.8, Threads: 1.5},
		{Name: "c", Tlayout: 0.4, Threads: 1.9, Peers: map[string]float64{oneDNN: 0.6}}, {Name: "d", Tlayout: 1, Peers: map[string]float64{oneDNN: 0.6}},
	}
	want := summary{Rows: 4, Median: 0.875, Least: 0.4, LeastRow: "c", Under090: 2, Under070: 1, Under050: 1, WithOneDNN: 3, Behind: 2, BehindBy5: 1, Threads: 1.7}
	if got := summarize(rows); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestMachine(t *testing.T) {
	if got := cpuModel("processor\t: 0\nmodel name\t: Some CPU @ 2 GHz\nmodel name\t: Other\n"); got != "Some CPU @ 2 GHz" {
		t.Error(got)
	}
	if cpuModel("") != "unknown" || chosen("always [madvise] never\n") != "madvise" || chosen("") != "unknown" {
		t.Error("settings are misread")
	}
	if got := statusKiB("Name:\tx\nVmHWM:\t  1204 kB\nRssAnon:\t     312 kB\n", "RssAnon"); got != 312 {
		t.Errorf("RssAnon is %d", got)
	}
}

func TestGrowthRows(t *testing.T) {
	for mib, images := range map[int]int{1: 1, 4: 5, 1024: 1337} {
		if r := growthRow(mib, growthLayouts[0]); r.shape[0] != images {
			t.Errorf("%d MiB: %s", mib, r)
		}
	}
}
