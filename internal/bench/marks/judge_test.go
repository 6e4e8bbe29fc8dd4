package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/bench"
)

// standing is a row with its ratio to the roof, its speedup by two threads and that of copying.
func standing(name string, ofRoof, threads, copying float64) result {
	return result{Name: name, Row: bench.Row{OfRoof: ofRoof, Bytes: 4 << 20}, Threads: threads, CopyThreads: copying}
}

func lines(marks []mark) string {
	var all strings.Builder
	printMarks(&all, marks) //nolint:errcheck // a Builder never fails
	return all.String()
}

// Every mark is met or missed, and by which rows, the worst first.
func TestJudge(t *testing.T) {
	behind := standing("d", 0.97, 1.6, 1.9)
	behind.Peers = map[string]float64{oneDNN: 1.03}
	rows := []result{standing("a", 0.94, 1, 1), standing("b", 0.7, 0.9, 1.5), standing("c", 0.6, 1.5, 1.7), behind}
	want := `
Marks
- missed: median of 4 rows at least 0.95: 0.82
- missed: no row under 0.75: c (0.60), b (0.70)
- missed: none behind oneDNN by more than 5 %: d (by 6 %)
- missed: two threads never slower than one: b (0.90)
- missed: two threads at least 1.6 times one, or 0.9 of what copying reaches below that: b (0.90 of 1.35), c (1.50 of 1.60)
`
	if got := lines(peerStandard.judge(rows)); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	good := standing("e", 0.96, 1.36, 1.5)
	good.Peers = map[string]float64{oneDNN: 1}
	for _, m := range peerStandard.judge([]result{good}) {
		if m.Result != met || m.MissedBy != nil {
			t.Errorf("%+v", m)
		}
	}
}

// What was not measured is neither met nor missed.
func TestJudgeWithout(t *testing.T) {
	want := `
Marks
- met: median of 1 rows at least 0.95: 0.96
- met: no row under 0.75
- not measured: none behind oneDNN by more than 5 %
- not measured: two threads never slower than one
- not measured: two threads at least 1.6 times one, or 0.9 of what copying reaches below that
`
	if got := lines(peerStandard.judge([]result{standing("a", 0.96, 0, 0)})); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Where two threads copying are slower than one, the second processor is not free: two threads are not judged.
func TestJudgeBusy(t *testing.T) {
	rows := []result{standing("a", 0.96, 0.5, 0.4)}
	for _, m := range peerStandard.judge(rows)[3:] {
		if m.Result != notMeasured {
			t.Error(m)
		}
	}
	if s := summarize(rows); s.Busy != 1 {
		t.Errorf("%+v", s)
	}
	if idle := standing("b", 0.96, 0, 0); summarize([]result{idle}).Busy != 0 {
		t.Error("what was not measured is busy")
	}
}

// Each set of rows has its own marks; small rows of odd sizes count in the median only.
func TestStandards(t *testing.T) {
	small, large := standing("small", 0.1, 0, 0), standing("large", 0.39, 0, 0)
	small.Bytes, large.Bytes = 2*64<<10, 2*64<<10+2
	for o, want := range map[options]string{
		{all: true}: "missed: no row under 0.40: small (0.10), large (0.39)",
		{odd: true}: "missed: no row above 64 KiB under 0.40: large (0.39)",
		{}:          "missed: no row under 0.75: small (0.10), large (0.39)",
	} {
		if got := o.standard().judge([]result{small, large})[1].String(); got != want {
			t.Errorf("%+v: %s", o, got)
		}
	}
}

// The line of a mark has the worst rows and how many there are.
func TestMarkLine(t *testing.T) {
	rows := slices.Repeat([]result{standing("a", 0.3, 0, 0), standing("b", 0.2, 0, 0)}, 10)
	got := oddStandard.judge(rows)[1].String()
	if !strings.HasPrefix(got, "missed: no row above 64 KiB under 0.40: 20 rows, the worst b (0.20), b") || !strings.HasSuffix(got, "a (0.30)") ||
		strings.Count(got, "(") != shownMisses {
		t.Error(got)
	}
}
