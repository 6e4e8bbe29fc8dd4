package relate

import (
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/random"
)

// TestBudget: a search has the steps of its bytes and a quarter of the reserve, and ends where it asks for more; all searches together have
// no more than the reserve and the steps of their bytes.
func TestBudget(t *testing.T) {
	w := NewWork()
	b := w.Budget(1000)
	limit := 1000*stepsPerByte + reserveSteps/4
	if !b.Take(limit-1) || b.Out() || b.Take(2) || !b.Out() || b.Take(1) || b.Taken() != limit-1 {
		t.Errorf("%+v after %d of %d steps", b, limit-1, limit)
	}
	total := limit - 1
	for range 1000 {
		b := w.Budget(1000)
		for b.Take(1 << 10) {
		}
		if b.Taken() < 1000*stepsPerByte-1<<10 {
			t.Fatalf("a search of 1000 bytes took %d steps", b.Taken())
		}
		total += b.Taken()
	}
	if most := reserveSteps + 1001*1000*stepsPerByte; total > most {
		t.Errorf("%d steps in all, more than %d", total, most)
	}
}

// TestSearchEnds: where values repeat so often that every map must be tried, the search ends with its budget, says so, and has the same
// answer and the same steps each time.
func TestSearchEnds(t *testing.T) {
	r := random.New(t)
	for _, c := range []struct {
		shape  []int
		values int
	}{{[]int{64, 64, 3, 3}, 3}, {[]int{8, 8, 8, 8}, 2}, {slices.Repeat([]int{2}, 16), 3}} {
		a := Values{Type: typeOf("int8"), Shape: c.shape}
		for range ints.Product(c.shape) {
			a.Bytes = append(a.Bytes, byte(r.IntN(c.values)))
		}
		b := a
		b.Bytes = slices.Clone(a.Bytes)
		r.Shuffle(len(b.Bytes), func(i, j int) { b.Bytes[i], b.Bytes[j] = b.Bytes[j], b.Bytes[i] })
		taken := 0
		for range 2 {
			w := Work{} // no reserve
			budget := w.Budget(len(a.Bytes) + len(b.Bytes))
			rel := Find(a, b, Options{Threads: 2, Alike: true, Budget: budget})
			if rel != nil && (rel.Kind != Shuffled || !strings.HasPrefix(rel.Why, "no order found within ")) || !budget.Out() {
				t.Errorf("%v: %+v, %+v", c.shape, rel, budget)
			}
			if limit := stepsPerByte * 2 * len(a.Bytes); budget.Taken() > limit || taken > 0 && taken != budget.Taken() {
				t.Errorf("%v: %d steps, before %d; the limit is %d", c.shape, budget.Taken(), taken, limit)
			}
			taken = budget.Taken()
		}
	}
}
