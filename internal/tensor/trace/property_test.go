package trace

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tlayout/tlayout/internal/tensor"
)

// TestLogicalOrder proves that whatever gives another shape keeps the elements in logical order: element k is the same
// before and after, followed to the first storage through any copies.
func TestLogicalOrder(t *testing.T) {
	d := rand.New(rand.NewPCG(5, 6))
	copies := 0
	for range 600 {
		c := drawChain(t, d, PyTorch)
		at := c.start
		if len(c.states) > 0 {
			at = c.states[len(c.states)-1].State
		}
		for _, name := range []string{"view", "reshape", "ravel", "flatten"} {
			call := made(PyTorch, name)
			if name == "view" || name == "reshape" {
				call = made(PyTorch, name, drawer{d, at}.shape())
			}
			step, err := at.Apply(call.Call)
			if err != nil {
				continue
			}
			if step.Kind == Copy {
				copies++
			}
			if before, after := origins(t, at), origins(t, step.State); !slices.Equal(before, after) {
				t.Errorf("%s of %v: %v, then %v", call.python, at.Strided, before, after)
			}
		}
	}
	if copies < 100 {
		t.Errorf("only %d copies", copies)
	}
}

// origins lists where the elements were at the start, in logical order.
func origins(t *testing.T, s State) []int {
	t.Helper()
	l, err := s.Layout(nil, tensor.Unbounded)
	if err != nil {
		t.Fatal(err)
	}
	var all []int
	for _, off := range l.Logical() {
		o, ok := s.Storage.Origin(off)
		if !ok {
			t.Fatalf("nothing at offset %d of %v", off, s.Strided)
		}
		all = append(all, o)
	}
	return all
}

// TestInsideStorage proves that no chain leaves its storage, in either framework, and that every step says why.
func TestInsideStorage(t *testing.T) {
	d := rand.New(rand.NewPCG(7, 8))
	for _, rules := range []Rules{PyTorch, NumPy} {
		for range 1000 {
			c := drawChain(t, d, rules)
			for i, step := range c.states {
				s := step.State
				l, err := s.Layout(nil, s.Storage.Elems)
				if err != nil || !l.InBounds() {
					t.Errorf("%s\nstep %d: %v in %d: %v", c, i, s.Strided, s.Storage.Elems, err)
				}
				if len(s.Names) != s.Rank() || len(step.Why) == 0 {
					t.Errorf("%s\nstep %d: names %q, why %q", c, i, s.Names, step.Why)
				}
			}
			if r := c.refused; r != nil && r.Text == "" {
				t.Errorf("%s\nrefused without a word", c)
			}
		}
	}
}
