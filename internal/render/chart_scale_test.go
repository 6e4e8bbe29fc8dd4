package render

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Ticks are the round numbers that one would choose.
func TestTicks(t *testing.T) {
	for _, c := range []struct {
		end, length, apart float64
		want               string
	}{
		{30, 60, 9, "0 5 10 15 20 25 30"},
		{30, 60, 11, "0 10 20 30"},
		{0.3, 60, 20, "0 0.1 0.2 0.3"},
		{1.31, 50, 9, "0 0.5 1"},
		{7, 10, 9, "0"},
		{2.5e6, 60, 9, "0 500000 1e+06 1.5e+06 2e+06 2.5e+06"},
		{4e-7, 40, 10, "0 1e-07 2e-07 3e-07 4e-07"},
		{math.MaxFloat64, 40, 20, "0 1e+308"},
		{5e-324, 40, 9, "0"},
		{0, 40, 9, "0"},
	} {
		var labels []string
		for _, tick := range (scale{c.end, c.length}).ticks(c.apart) {
			labels = append(labels, tick.label)
		}
		if got := strings.Join(labels, " "); got != c.want {
			t.Errorf("to %v: %s, want %s", c.end, got, c.want)
		}
	}
}

// Ticks begin at 0, do not leave the scale, and are as far apart as asked; a step 2.5 times less would not be.
func TestTicksApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := scale{rapid.Float64Range(1e-300, 1e300).Draw(t, "end"), rapid.Float64Range(100, 600).Draw(t, "length")}
		apart := rapid.Float64Range(5, 100).Draw(t, "apart")
		ticks := s.ticks(apart)
		for i, tick := range ticks {
			if x := s.at(tick.value); x < 0 || x > s.length || i == 0 && x != 0 {
				t.Fatalf("tick %v at %v of %v", tick.value, x, s.length)
			}
		}
		if len(ticks) > 1 {
			if step := s.at(ticks[1].value); step < apart*(1-1e-9) || step > 2.5*apart*(1+1e-9) {
				t.Fatalf("a step of %v, asked for %v", step, apart)
			}
		} else if s.length >= 2.5*apart*(1+1e-9) {
			t.Fatalf("one tick on a length of %v, asked for one every %v", s.length, apart)
		}
	})
}
