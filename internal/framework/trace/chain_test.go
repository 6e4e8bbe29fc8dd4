package trace

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// chain is a tensor and steps, as sent to Python, with the result of each.
type chain struct {
	Shape    []int    `json:"shape"`
	Strides  []int    `json:"strides"`
	Offset   int      `json:"offset"`
	Elems    int      `json:"elems"`
	ItemSize int      `json:"item_size"`
	Steps    []string `json:"steps"`

	start   State
	calls   []Call
	states  []Step // of the steps that the model accepts
	refused *Refusal
}

func (c chain) String() string {
	return fmt.Sprintf("%s:%s@%d of %d, itemsize %d: %s", tensor.Tuple(c.Shape), tensor.Tuple(c.Strides), c.Offset, c.Elems,
		c.ItemSize, strings.Join(c.Steps, "  "))
}

// compare returns the first difference between the framework and the model, but for messages that an older PyTorch has.
func (c chain) compare(answers []answer, old bool) string {
	for i, a := range answers[:min(len(answers), len(c.states))] {
		if old && c.states[i].olderProduct(a) {
			c.Steps, c.states, answers = c.Steps[:i], c.states[:i], answers[:i]
			break
		}
	}
	if n := len(answers); n != len(c.Steps) {
		return fmt.Sprintf("%d answers to %d steps, the last %+v; the model refuses %v", n, len(c.Steps), answers[n-1], c.refused)
	}
	for i, a := range answers {
		if i == len(c.states) {
			if text := typeless(a.Error); text != c.refused.Text && !(text != "" && strings.HasPrefix(c.refused.Text, ownWords)) && !(old && olderSays(text, c.refused.Text)) {
				return fmt.Sprintf("step %d: the framework refuses with\n  %q, returns %+v\nthe model with\n  %q",
					i, a.Error, a, c.refused.Text)
			}
			continue
		}
		if trouble := c.states[i].compare(a); trouble != "" {
			return fmt.Sprintf("step %d, %s: %s\nthe framework says %+v\nthe model %s %+v", i, c.Steps[i], trouble, a, c.states[i].Kind,
				c.states[i].State.Strided)
		}
	}
	return ""
}

// typeless removes the tensor's type from a message: State does not know it.
func typeless(text string) string {
	if rest, ok := strings.CutPrefix(text, "expand("); ok {
		_, rest, _ = strings.Cut(rest, "{")
		return "expand(torch.Tensor{" + rest
	}
	return text
}

// olderProduct reports whether PyTorch 1.13 returns a matmul with other strides, but not where they are used: it folds a batch behind a
// vector or matrix, and returns the result transposed. The chain ends there.
func (step Step) olderProduct(a answer) bool {
	s := step.State
	if step.Call.Name != "matmul" || !slices.Equal(a.Shape, s.Shape) || slices.Equal(a.Strides, s.Strides) {
		return false
	}
	for d, n := range s.Shape {
		if n > 1 && a.Strides[d] != s.Strides[d] && !s.Empty() {
			return false
		}
	}
	return true
}

func (step Step) compare(a answer) string {
	s := step.State
	empty, copied := s.Numel() == 0, step.Kind == Copy || step.Kind == New
	switch {
	case a.Error != "":
		return "the framework refuses"
	case !slices.Equal(a.Shape, s.Shape):
		return "shape"
	case !slices.Equal(a.Strides, s.Strides):
		return "strides"
	case a.Self != (step.Kind == Self):
		return "is it itself"
	case empty:
		return ""
	case a.Offset != s.Offset:
		return "offset"
	case a.Shared == copied:
		return "view or copy"
	case (step.Kind == Copy) != (step.Copied == s.Numel()*s.ItemSize && step.Copied > 0):
		return "bytes copied"
	case s.Rules == PyTorch && a.DType != s.DType.String():
		return "dtype"
	case !s.Storage.HasOrigin():
		return ""
	}
	return s.compareValues(a.Values)
}

// compareValues follows some elements to the first storage, which holds its own offsets.
func (s State) compareValues(values []int64) string {
	every := max(1, s.Numel()/24)
	k := 0
	l, err := s.Layout(nil, tensor.Unbounded)
	if err != nil {
		return err.Error()
	}
	for coord, off := range l.Logical() {
		if k++; (k-1)%every != 0 {
			continue
		}
		origin, ok := s.Storage.Origin(off)
		if !ok || len(values) == 0 || values[0] != int64(origin) {
			return fmt.Sprintf("the value at %v: the framework has %v…, the model %d, %v", coord, values, origin, ok)
		}
		values = values[1:]
	}
	if len(values) > 0 {
		return "values left over"
	}
	return ""
}

// maxElems keeps the drawn tensors small.
const maxElems = 1500

// drawChain draws a tensor and up to eight steps. One chain in five ends with a step that Apply refuses.
func drawChain(t testing.TB, d *rand.Rand, rules Rules) chain {
	s, elems := drawStart(d, rules)
	c := chain{Shape: s.Shape, Strides: s.Strides, Offset: s.Offset, Elems: elems, ItemSize: oneOf(d, 2, 4, 8)}
	c.start = Start(s, nil, elems, c.ItemSize, rules)
	c.start.DType, _ = dtype.Parse(map[int]string{2: "int16", 4: "float32", 8: "float64"}[c.ItemSize])
	at := c.start
	for range 1 + d.IntN(8) {
		call, step, err := drawStep(t, d, at, false)
		if err != nil {
			break
		}
		c.calls, c.Steps, c.states = append(c.calls, call.Call), append(c.Steps, call.python), append(c.states, step)
		at = step.State
	}
	if d.IntN(5) > 0 && len(c.Steps) > 0 {
		return c
	}
	call, _, err := drawStep(t, d, at, true)
	if errors.As(err, &c.refused) && call.python != "" {
		c.calls, c.Steps = append(c.calls, call.Call), append(c.Steps, call.python)
		return c
	}
	return drawChain(t, d, rules)
}

// drawStep draws calls until Apply accepts one, or refuses one if that is wanted, up to a limit.
func drawStep(t testing.TB, d *rand.Rand, s State, refuse bool) (python, Step, error) {
	for range 60 {
		call := drawCall(d, s)
		step, err := s.Apply(s.asX(call.Call))
		var r *Refusal
		switch {
		case call.Name == "conv2d" && isStop(err): // depends on the number of threads
		case err != nil && !errors.As(err, &r):
			t.Fatalf("%s of %v: %v", call.python, s.Strided, err)
		case refuse && err != nil && !call.unasked:
			return call, step, r
		case !refuse && err == nil && step.State.Numel() <= maxElems && step.State.Rank() <= 8:
			return call, step, nil
		}
	}
	return python{}, Step{}, errors.New("no such step was drawn")
}

// drawStart draws a tensor and a storage that holds it. Only NumPy has negative strides.
func drawStart(d *rand.Rand, rules Rules) (tensor.Strided, int) {
	shape := make([]int, d.IntN(6))
	for i := range shape {
		shape[i] = oneOf(d, 1, 1, 2, 2, 3, 3, 4, 5, 6)
	}
	if len(shape) > 0 && d.IntN(12) == 0 {
		shape[d.IntN(len(shape))] = 0
	}
	s := tensor.Strided{Shape: shape, Strides: make([]int, len(shape)), Offset: d.IntN(6) * d.IntN(2)}
	run := 1
	for _, k := range drawOrder(d, len(shape)) {
		if s.Strides[k] = run; d.IntN(12) == 0 {
			s.Strides[k] = oneOf(d, 0, 0, run+1, 2*run, d.IntN(9))
		}
		run = max(run, s.Strides[k]*max(shape[k], 1))
	}
	low, high := 0, 0
	for i, n := range shape {
		if rules == NumPy && d.IntN(8) == 0 {
			s.Strides[i] = -s.Strides[i]
		}
		low, high = low+min(0, (n-1)*s.Strides[i]), high+max(0, (n-1)*s.Strides[i])
	}
	if s.Empty() {
		low, high = 0, 0
	}
	s.Offset -= low
	return s, s.Offset + high + 1 + d.IntN(5)*d.IntN(2)
}

// drawOrder is an order of dims, innermost first: mostly C order, sometimes channels_last, Fortran order, or any.
func drawOrder(d *rand.Rand, rank int) []int {
	order := ints.Range(rank)
	slices.Reverse(order)
	switch d.IntN(6) {
	case 0:
		return d.Perm(rank)
	case 1:
		slices.Reverse(order)
	case 2:
		if rank > 3 {
			return append([]int{1}, slices.DeleteFunc(order, func(k int) bool { return k == 1 })...)
		}
	}
	return order
}

func oneOf[T any](d *rand.Rand, xs ...T) T { return xs[d.IntN(len(xs))] }

// asX returns a call with the tensor itself for x among its arguments.
func (s State) asX(c Call) Call {
	of := func(g Arg) Arg {
		if g.Kind == Word && g.Word == "x" {
			return Arg{Kind: Tensor, Of: &s}
		}
		return g
	}
	c.Args = slices.Clone(c.Args)
	for i, g := range c.Args {
		c.Args[i] = of(g)
	}
	c.Keywords = maps.Clone(c.Keywords)
	for key, g := range c.Keywords {
		c.Keywords[key] = of(g)
	}
	return c
}
