package trace

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tlayout/tlayout/internal/tensor"
)

// TestRefusedViewExplained: the refusal of pytorch/examples #836, a channels_last tensor flattened.
func TestRefusedViewExplained(t *testing.T) {
	s := start([]int{1, 32, 35, 35}, []int{39200, 1, 1120, 32}, 39200)
	s.Names = []string{"N", "C", "H", "W"}
	want := &Refusal{
		Text: "view size is not compatible with input tensor's size and stride (at least one dimension spans across two contiguous " +
			"subspaces). Use .reshape(...) instead.",
		Why: "dims 1 (C) and 2 (H) cannot be merged: that needs stride[C] = size[H]·stride[H] = 35·1120 = 39200, got 1; " +
			"a view of shape (1, 32, 1225) is possible",
		Brief: "dims 1 (C) and 2 (H) cannot be merged",
		Numbers: "that needs stride[C] = size[H]·stride[H] = 35·1120 = 39200, got 1; " +
			"a view of shape (1, 32, 1225) is possible",
		Dims: []int{1, 2}, Expected: 39200, Found: 1,
		Hint: "reshape(1,39200), or contiguous() first, copies 39200 elements, 156800 bytes; " +
			"if the order of elements does not matter, permute(0,2,3,1) first avoids the copy",
	}
	if diff := cmp.Diff(want, refusal(t, s, "view(1, 39200)")); diff != "" {
		t.Error(diff)
	}
}

// TestRefusals: what other refusals add to the framework's message.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		rules     Rules
		shape     []int
		step      string
		why, hint string
	}{
		{PyTorch, []int{3, 4}, "view(3,5)", "the tensor has 12 elements, 3·4; (3,5) needs 3·5 = 15", "view(3,-1) gives (3, 4)"},
		{PyTorch, []int{3, 4}, "view(5,-1)", "the tensor has 12 elements, 3·4; 12 is not a multiple of 5",
			"the other sizes must divide 12"},
		{PyTorch, []int{12}, "reshape(5,2)", "the tensor has 12 elements; (5,2) needs 5·2 = 10", "reshape(-1,2) gives (6, 2)"},
		{PyTorch, []int{12}, "view(-1,-1)", "two sizes of -1 are ambiguous", "write the size of one"},
		{PyTorch, []int{0, 3}, "view(0,-1)", "with a size of 0, -1 can be any size", "write the size instead of -1"},
		{PyTorch, []int{3}, "expand(3,4)", "dim 0 (a) has size 3; only a dim of size 1 can expand to 4",
			"unsqueeze(1) first"},
		{PyTorch, []int{3, 2}, "expand(5,4)", "dim 1 (b) has size 2; only a dim of size 1 can expand to 4", ""},
		{NumPy, []int{3}, "broadcast_to((3,4))", "dim 0 (a) has size 3; only a dim of size 1 can expand to 4",
			"expand_dims(1) first"},
		{PyTorch, []int{3, 4}, "[::-1]", "PyTorch has no negative strides", "flip(0), which copies 12 elements, 48 bytes"},
		{PyTorch, []int{3, 4}, "[:, ::-2]", "PyTorch has no negative strides",
			"flip(1), which copies 12 elements, 48 bytes, then step 2"},
		{PyTorch, []int{3, 4}, "permute(0,2)", "the tensor has dims 0 (a) and 1 (b)",
			"valid: 0 to 1, or -2 to -1 from the end"},
		{PyTorch, []int{3, 4, 5}, "permute(0,2)", "the tensor has 3 dims, but (0,2) names 2", "transpose(0,2) swaps two dims"},
		{PyTorch, []int{3, 4}, "permute(0,0)", "dim 0 is repeated in (0,0)", ""},
		{PyTorch, []int{3, 4}, "[0,0,0]", "the index has 3 dims, the tensor 2", ""},
		{PyTorch, []int{3, 4}, "[3]", "dim 0 (a) has size 3", "valid: 0 to 2, or -3 to -1 from the end"},
		{PyTorch, []int{3, 4, 5}, "contiguous(channels_last)", "channels_last requires 4 dims, the tensor has 3",
			"unsqueeze(0) first adds a batch dim"},
		{PyTorch, []int{3, 4}, "as_strided((2,2),(1,11),0)",
			"the highest offset is 0 + 1·1 + 1·11 = 12, the storage has 12 elements", ""},
		{NumPy, []int{3, 4}, "as_strided((2,2),(4,44))", "NumPy does not check, and would read outside the array",
			"strides are in bytes, 4 per element; offsets 0 to 11 are inside"},
		{NumPy, []int{3, 4}, "squeeze(1)", "dim 1 (b) has size 4", "[:, 0] selects one index"},
	} {
		s := start(c.shape, nil, 12)
		s.Rules = c.rules
		for d := range s.Names {
			s.Names[d] = string(rune('a' + d))
		}
		if r := refusal(t, s, c.step); r.Why != c.why || r.Hint != c.hint {
			t.Errorf("%s of %v: why %q, hint %q", c.step, c.shape, r.Why, r.Hint)
		}
	}
}

var (
	proposal = regexp.MustCompile(`(reshape|permute|view|unsqueeze|flip|transpose)\([-\d, ()]*\)`)
	possible = regexp.MustCompile(`a view of shape \(([\d, ]*)\) is possible`)
)

// TestWhichRefusalFirst: of a call with a repeated dim and one out of range, which error each framework reports first; the messages
// are those of torch 1.13 and NumPy 1.24.
func TestWhichRefusalFirst(t *testing.T) {
	const (
		torchRange = "Dimension out of range (expected to be in range of [-3, 2], but got 9)"
		numpyRange = "axis 9 is out of bounds for array of dimension 3"
	)
	for _, c := range []struct {
		rules      Rules
		step, text string
	}{
		{PyTorch, "permute(1,1,9)", "permute(): duplicate dims are not allowed."},
		{PyTorch, "permute(9,1,1)", torchRange},
		{PyTorch, "flip(0,0,9)", "dim 0 appears multiple times in the list of dims"},
		{PyTorch, "flip(9,0,0)", torchRange},
		{PyTorch, "movedim((0,0),(1,9))", torchRange},
		{NumPy, "transpose(1,1,9)", "repeated axis in transpose"},
		{NumPy, "transpose(9,1,1)", numpyRange},
		{NumPy, "squeeze((0,0,9))", "duplicate value in 'axis'"},
		{NumPy, "squeeze((9,0,0))", numpyRange},
		{NumPy, "flip((0,0,9))", numpyRange},
		{NumPy, "moveaxis((0,0,9),(0,1,2))", "source: " + numpyRange},
		{NumPy, "moveaxis((0,0),(0,9))", "repeated axis in `source` argument"},
		{NumPy, "expand_dims((0,0,9))", "axis 9 is out of bounds for array of dimension 6"},
	} {
		s := start([]int{1, 3, 4}, []int{12, 4, 1}, 12)
		s.Rules = c.rules
		if got := refusal(t, s, c.step).Text; got != c.text {
			t.Errorf("%s %s: %q, expected %q", c.rules, c.step, got, c.text)
		}
	}
}

// TestProposalsWork: over random tensors and shapes, the hints of a refused view work: the reshape, which copies what the hint
// says; contiguous and permute, followed by the view; and the shape that is possible.
func TestProposalsWork(t *testing.T) {
	d := rand.New(rand.NewPCG(1, 2))
	refused, free, other := 0, 0, 0
	for refused < 500 {
		s, elems := drawStart(d, PyTorch)
		from := Start(s, nil, elems, 4, PyTorch)
		call := made(PyTorch, "view", drawer{d, from}.shape())
		_, err := from.Apply(call.Call)
		var r *Refusal
		if !errors.As(err, &r) || r.Dims == nil {
			continue
		}
		refused++
		name := fmt.Sprintf("%v: %s\n%s\n%s", s, call.python, r.Why, r.Hint)
		steps := proposal.FindAllString(r.Hint, -1)
		copied := apply(t, name, from, steps[0])
		if want := fmt.Sprintf("copies %s", from.copySize()); copied.Copied != s.Numel()*4 || !strings.Contains(r.Hint, want) {
			t.Errorf("%s\ncopies %d bytes", name, copied.Copied)
		}
		again(t, name, apply(t, name, from, "contiguous()").State, call)
		if len(steps) > 1 {
			free++
			moved := apply(t, name, from, steps[1])
			if moved.Kind != View {
				t.Errorf("%s\n%s is a %s", name, steps[1], moved.Kind)
			}
			again(t, name, moved.State, call)
		}
		if m := possible.FindStringSubmatch(r.Why); m != nil {
			other++
			if slices.Equal(apply(t, name, from, "view(("+m[1]+"))").State.Shape, s.Shape) {
				t.Errorf("%s\nis the old shape", name)
			}
		}
		if b := r.Dims; r.Found == r.Expected || s.Strides[b[0]] != r.Found || s.Shape[b[1]]*s.Strides[b[1]] != r.Expected {
			t.Errorf("%s\n%+v", name, r)
		}
	}
	if free < 100 || other < 100 {
		t.Errorf("of %d refusals only %d propose permute, %d another shape", refused, free, other)
	}
}

// TestFittingProposalsWork: over random tensors and shapes of a wrong size, the call in the hint is not refused: a view if one is
// possible, else a reshape that copies.
func TestFittingProposalsWork(t *testing.T) {
	given := Start(tensor.Strided{Shape: []int{6, 7}, Strides: []int{1, 6}}, nil, 42, 4, PyTorch)
	if r := refusal(t, given, "view(6)"); r.Hint != "reshape(-1) gives (42,), with a copy" {
		t.Errorf("view(6) of (6, 7) by columns: %s", r.Hint)
	}
	given = Start(tensor.Strided{Shape: []int{6, 2, 4, 5}, Strides: []int{1, 5, 12, 6}}, nil, 100, 4, PyTorch)
	if r := refusal(t, given, "view(2,5,6)"); !strings.HasPrefix(r.Hint, "reshape(2,5,-1) gives (2, 5, 24), with a copy") {
		t.Errorf("view(2,5,6) of (6, 2, 4, 5): %s", r.Hint)
	}
	d := rand.New(rand.NewPCG(5, 6))
	views, copies := 0, 0
	for range 6000 {
		s, elems := drawStart(d, PyTorch)
		from := Start(s, nil, elems, 4, PyTorch)
		shape := slices.Clone(drawer{d, from}.shape())
		if len(shape) == 0 || shape[0] < 0 {
			continue
		}
		shape[0]++
		call := made(PyTorch, "view", shape)
		_, err := from.Apply(call.Call)
		var r *Refusal
		if !errors.As(err, &r) || !strings.Contains(r.Hint, " gives ") {
			continue
		}
		name := fmt.Sprintf("%v: %s\n%s", s, call.Call, r.Hint)
		step := apply(t, name, from, proposal.FindString(r.Hint))
		if (step.Kind == Copy) != strings.Contains(r.Hint, "copy") || !strings.Contains(r.Hint, tensor.Tuple(step.State.Shape)) {
			t.Errorf("%s\nis a %s, %v", name, step.Kind, step.State.Strided)
		}
		if views++; step.Kind == Copy {
			views, copies = views-1, copies+1
		}
	}
	if views < 50 || copies < 50 {
		t.Errorf("only %d views and %d copies are proposed", views, copies)
	}
}

func apply(t *testing.T, name string, s State, text string) Step {
	t.Helper()
	c, err := parseOne(text)
	if err != nil {
		t.Fatalf("%s\n%s: %v", name, text, err)
	}
	step, err := s.Apply(c)
	if err != nil {
		t.Fatalf("%s\n%s: %v", name, text, err)
	}
	return step
}

// again applies the call that was refused before; now it must be a view.
func again(t *testing.T, name string, s State, call python) {
	t.Helper()
	if step, err := s.Apply(call.Call); err != nil || step.Kind != View {
		t.Errorf("%s\nthen %s: %s, %v", name, call.python, step.Kind, err)
	}
}

// TestRoomProposalsWork: over random tensors, expand succeeds after the unsqueeze of the hint.
func TestRoomProposalsWork(t *testing.T) {
	d := rand.New(rand.NewPCG(3, 4))
	proposed := 0
	for range 4000 {
		s := start([]int{1 + d.IntN(3), 1 + d.IntN(3)}[:1+d.IntN(2)], nil, 100)
		target := []int{1 + d.IntN(3), 1 + d.IntN(3), 1 + d.IntN(3)}[:1+d.IntN(3)]
		call := made(PyTorch, "expand", target)
		_, err := s.Apply(call.Call)
		var r *Refusal
		if !errors.As(err, &r) || !strings.Contains(r.Hint, "unsqueeze") {
			continue
		}
		proposed++
		for _, step := range proposal.FindAllString(r.Hint, -1) {
			s = apply(t, call.python, s, step).State
		}
		if _, err := s.Apply(call.Call); err != nil {
			t.Errorf("%s: %s: %v", call.python, r.Hint, err)
		}
	}
	if proposed < 150 {
		t.Errorf("only %d proposals", proposed)
	}
}

// TestBorders: the dims that a refused view names if several pairs cannot be merged, the outermost that a new dim crosses; and the
// shape that is possible instead.
func TestBorders(t *testing.T) {
	for _, c := range []struct {
		shape, strides, view, dims []int
		expected, found            int
		possible                   string
	}{
		{[]int{2, 3, 4}, []int{1, 2, 6}, []int{24}, []int{0, 1}, 6, 1, ""},
		{[]int{2, 3, 4}, []int{1, 2, 6}, []int{2, 12}, []int{1, 2}, 24, 2, ""},
		{[]int{2, 3, 4, 5}, []int{1, 2, 30, 6}, []int{120}, []int{0, 1}, 6, 1, "(2, 3, 20)"},
		{[]int{2, 3, 4, 5}, []int{1, 2, 30, 6}, []int{2, 60}, []int{1, 2}, 120, 2, "(2, 3, 20)"},
		{[]int{2, 3, 4, 5}, []int{1, 2, 30, 6}, []int{8, 15}, []int{0, 1}, 6, 1, "(2, 3, 20)"}, // 15 is not a multiple of 20
		{[]int{3, 2, 2}, []int{1, 6, 3}, []int{2, 6}, []int{0, 1}, 12, 1, "(3, 4)"},            // nor 6 of 4
		{[]int{3, 1, 4}, []int{1, 7, 3}, []int{1, 12}, []int{0, 2}, 12, 1, "(1, 3, 4)"},
	} {
		r := refusal(t, start(c.shape, c.strides, 200), made(PyTorch, "view", c.view).Text)
		instead := ""
		if m := possible.FindStringSubmatch(r.Why); m != nil {
			instead = "(" + m[1] + ")"
		}
		if !slices.Equal(r.Dims, c.dims) || r.Expected != c.expected || r.Found != c.found || instead != c.possible {
			t.Errorf("%v:%v to %v: %+v", c.shape, c.strides, c.view, r)
		}
	}
}
