package trace

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
)

// TestLogicalOrder: operations that change the shape keep the logical order of elements. Element k is the same before and after,
// followed to the first storage through all copies.
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
	if !s.Storage.HasOrigin() {
		return nil
	}
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

// TestOrderK: order 'K' walks memory by falling stride, and dims of equal strides in their own order, those of 0 where they are: the
// elements as NumPy 1.24 printed them, numpy.lib.stride_tricks.as_strided(numpy.arange(20), shape, strides).flatten('K').
func TestOrderK(t *testing.T) {
	for _, c := range []struct{ shape, strides, want []int }{
		{[]int{2, 3}, []int{1, 1}, []int{0, 1, 2, 1, 2, 3}},
		{[]int{2, 3, 2}, []int{1, 1, 4}, []int{0, 1, 2, 1, 2, 3, 4, 5, 6, 5, 6, 7}},
		{[]int{2, 2, 2}, []int{1, 0, 2}, []int{0, 1, 2, 3, 0, 1, 2, 3}},
		{[]int{2, 3}, []int{1, 2}, []int{0, 1, 2, 3, 4, 5}},
	} {
		s := start(c.shape, c.strides, 20)
		s.Rules = NumPy
		if got := origins(t, follow(t, s, nil, "x.flatten('K')").State); !slices.Equal(got, c.want) {
			t.Errorf("%v:%v: %v, NumPy %v", c.shape, c.strides, got, c.want)
		}
	}
}

// alwaysCopy are operations that copy whatever the strides are.
var alwaysCopy = map[Rules][]string{PyTorch: {"clone"}, NumPy: {"copy", "flatten"}}

// TestReason: only copies have a reason for one, and a copy that only some strides need names these first.
func TestReason(t *testing.T) {
	d := rand.New(rand.NewPCG(9, 10))
	reasons := map[Rules]int{}
	for _, rules := range []Rules{PyTorch, NumPy} {
		for range 1000 {
			c := drawChain(t, d, rules)
			for i, step := range c.states {
				switch of := c.calls[i].Name; {
				case step.Reason != "":
					if reasons[rules]++; step.Kind != Copy || step.Why[0] != step.Reason {
						t.Errorf("%s\nstep %d is a %s: reason %q, why %q", c, i, step.Kind, step.Reason, step.Why)
					}
				case step.Kind == Copy && !slices.Contains(alwaysCopy[rules], of) && step.Copied > 0:
					t.Errorf("%s\nstep %d copies without a reason: %q", c, i, step.Why)
				}
			}
		}
	}
	if reasons[PyTorch] < 100 || reasons[NumPy] < 100 {
		t.Errorf("only %v reasons", reasons)
	}
}

// TestInsideStorage: no chain leaves its storage, in either framework, and every step has an equation.
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

// fuzzStrides are strides that a byte selects: small ones, and the largest that fit an int, alone or times 2, 4 or 6, of both
// signs.
var fuzzStrides = []int{0, 1, 2, 6, 24, 48, -1, -6, math.MaxInt, math.MaxInt - 1, math.MaxInt / 2, math.MaxInt/2 + 1, math.MaxInt / 4,
	math.MaxInt / 6, math.MaxInt/6 + 1, math.MinInt, -math.MaxInt, -math.MaxInt / 2, -math.MaxInt / 6}

// fuzzStart has sizes of up to 6 and any strides; false if no storage holds it.
func fuzzStart(shape, strides string, item uint8, numpy bool) (State, bool) {
	s := tensor.Strided{Shape: []int{}, Strides: []int{}}
	for d := range min(len(shape), len(strides), 5) {
		n, stride := int(shape[d]%7), fuzzStrides[int(strides[d])%len(fuzzStrides)]
		if stride < 0 && !numpy {
			return State{}, false
		}
		s.Shape, s.Strides = append(s.Shape, n), append(s.Strides, stride)
	}
	l, err := s.Layout(nil, tensor.Unbounded)
	if err != nil {
		return State{}, false
	}
	if low, _, _ := l.Span(); low < 0 {
		s.Offset = -low
		if l, err = s.Layout(nil, tensor.Unbounded); err != nil {
			return State{}, false
		}
	}
	rules := PyTorch
	if numpy {
		rules = NumPy
	}
	return Start(s, nil, l.Alloc(), []int{0, 1, 4}[item%3], rules), true
}

// FuzzApply: no text makes Apply panic, leave the storage, lose a name, refuse without a message, or write a wrong equation, for
// strides and itemsizes of any size.
func FuzzApply(f *testing.F) {
	const shape, strides = "\x02\x04\x01\x06", "\x04\x03\x03\x01"
	for _, rules := range []Rules{PyTorch, NumPy} {
		for _, u := range Steps(rules) {
			f.Add(u.Example, rules == NumPy, uint8(2), shape, strides)
			f.Add(u.Example, rules == NumPy, uint8(0), shape, strides)
		}
	}
	f.Add("x.diagonal(-9223372036854775808,0,1)[::9223372036854775807]", true, uint8(1), shape, strides)
	f.Add("x.unfold(0,1,9223372036854775807).narrow(0,-1,9223372036854775807)", false, uint8(1), shape, strides)
	f.Add("[..., 2:][...,None].view(4)", false, uint8(1), "\x02\x02", "\x01\x0b")
	f.Add("[2:, 2:]", false, uint8(1), "\x02\x02", "\x0a\x0c")
	f.Add("[::3, ::5]", false, uint8(1), "\x02\x02", "\x0c\x0a")
	f.Add("diagonal(0)", false, uint8(1), "\x01\x01", "\x08\x08")
	f.Add("view(4)", false, uint8(1), "\x02\x02", "\x01\x0b")
	f.Add("[::-9223372036854775808]", true, uint8(1), "\x05", "\x00")
	f.Fuzz(func(t *testing.T, text string, numpy bool, item uint8, shape, strides string) {
		calls, err := ParseChain(text)
		s, ok := fuzzStart(shape, strides, item, numpy)
		if err != nil || len(calls) > 8 || !ok {
			return
		}
		for _, c := range calls {
			step, err := s.Apply(c)
			var r *Refusal
			var e *fault.Error
			var unknown *Stop
			switch {
			case errors.As(err, &unknown) && unknown.Why != "":
				return
			case errors.As(err, &r) && r.Text != "":
				wantTrue(t, r.Why+"; "+r.Hint)
				return
			case errors.As(err, &e) && e.Text != "":
				return
			case err != nil:
				t.Fatalf("%q: %#v", text, err)
			}
			wantTrue(t, strings.Join(step.Why, "; "))
			s = step.State
			l, err := s.Layout(nil, s.Storage.Elems)
			if err != nil || !l.InBounds() || len(s.Names) != s.Rank() || len(step.Why) == 0 || step.Copied < 0 {
				t.Fatalf("%q: %s gives %+v in %d, why %q: %v", text, c.Text, s.Strided, s.Storage.Elems, step.Why, err)
			}
		}
	})
}
