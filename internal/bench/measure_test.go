package bench

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
)

// watch is a clock advanced by programs only.
type watch struct{ now time.Duration }

func (w *watch) read() time.Duration { return w.now }

// takes returns a program whose passes take time d on the watch, counting its passes.
func (w *watch) takes(d time.Duration, key string, passes *int) *program {
	return &program{row: Row{Suite: Access, Layout: key, Pattern: Channel}, pass: func() { w.now += d; *passes++ }}
}

const sampleTime = 3 * time.Millisecond

func ten([]*program, time.Duration) (int, []string) { return 10, nil }

// A sample is the time of one pass, for passes longer and shorter than a sample.
func TestMeasure(t *testing.T) {
	for pass, warm := range map[time.Duration]int{20 * time.Nanosecond: 3, 7 * time.Microsecond: 3, 2 * time.Millisecond: 3,
		40 * time.Millisecond: 1, 300 * time.Millisecond: 0} {
		var w watch
		count := 0
		p := w.takes(pass, "nchw", &count)
		m := measurer{w.read, sampleTime, func(int, int) {}}
		if _, _, err := m.measure([]*program{p}, ten); err != nil {
			t.Fatal(err)
		}
		if len(p.samples) != 10 {
			t.Fatalf("%v: %d samples", pass, len(p.samples))
		}
		for _, s := range p.samples {
			if s != float64(pass) {
				t.Errorf("%v: a sample is %v ns", pass, s)
			}
		}
		if spent := time.Duration(p.passes) * pass; spent < sampleTime/2 || p.passes > 1 && spent > 2*sampleTime {
			t.Errorf("%v: a sample takes %v", pass, spent)
		}
		if p.warm != warm {
			t.Errorf("%v: %d warm passes, want %d", pass, p.warm, warm)
		}
	}
}

// A round takes one sample of each program, and no program always follows the same one.
func TestInterleaved(t *testing.T) {
	var w watch
	var order []string
	programs := make([]*program, 5)
	for i := range programs {
		name := string(rune('a' + i))
		programs[i] = &program{pass: func() {
			w.now += 300 * time.Millisecond
			order = append(order, name)
		}}
	}
	m := measurer{w.read, sampleTime, func(int, int) {}}
	chosen := func([]*program, time.Duration) (int, []string) { order = nil; return 10, nil }
	if _, _, err := m.measure(programs, chosen); err != nil {
		t.Fatal(err)
	}
	after := map[string]bool{}
	for i := 0; i < len(order); i += 5 {
		round := order[i : i+5]
		if got := strings.Join(slices.Sorted(slices.Values(round)), ""); got != "abcde" {
			t.Errorf("a round measures %v", round)
		}
		if at := slices.Index(round, "a"); at > 0 {
			after[round[at-1]] = true
		}
	}
	if len(after) < 2 {
		t.Errorf("a always follows %v", after)
	}
}

// A wrong result, before or after the measurement, ends it with an error that names the row.
func TestMeasureChecks(t *testing.T) {
	var w watch
	for _, good := range []int{0, 1} { // the number of checks that pass: one, or none
		count, checked := 0, 0
		p := w.takes(time.Millisecond, "nhwc", &count)
		p.check = func() error {
			if checked++; checked > good {
				return errors.New("it is 3, not 4")
			}
			return nil
		}
		_, _, err := measurer{w.read, sampleTime, func(int, int) {}}.measure([]*program{p}, ten)
		if err == nil || !strings.Contains(err.Error(), "nhwc.channel: it is 3, not 4") || (count == 0) != (good == 0) {
			t.Errorf("error %v after %d passes", err, count)
		}
	}
}

// TestClockThatStops: a clock that does not advance does not make a sample endless.
func TestClockThatStops(t *testing.T) {
	var w watch
	count := 0
	p := w.takes(0, "nchw", &count)
	if _, _, err := (measurer{w.read, sampleTime, func(int, int) {}}).measure([]*program{p}, ten); err != nil {
		t.Fatal(err)
	}
	if most := 20 * maxPasses; count > most || slices.Min(p.samples) <= 0 {
		t.Errorf("%d passes, samples %v", count, p.samples)
	}
}

// If the rows exceed the limit, fewer samples are taken, but at least MinSamples.
func TestWithinSamples(t *testing.T) {
	all := []*program{{row: Row{Suite: Access, Pattern: Channel}, once: time.Second, passes: 1}}
	for limit, want := range map[time.Duration]int{0: 100, 101 * time.Second: 100, 51 * time.Second: 50, 5 * time.Second: MinSamples} {
		samples, notes := Options{Samples: 100, Limit: limit}.within(all, time.Second)
		if samples != want || (len(notes) == 0) != (samples == 100) {
			t.Errorf("limit %v: %d samples, notes %q", limit, samples, notes)
		}
	}
}
