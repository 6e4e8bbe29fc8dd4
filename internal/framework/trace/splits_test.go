package trace

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// followed returns the shapes and offsets after steps, each an argument of the command, and the error.
func followed(t *testing.T, rules Rules, steps ...string) (string, error) {
	t.Helper()
	s := start([]int{4, 6}, nil, 24)
	s.DType, _ = dtype.Parse("float32")
	s.Rules = rules
	statements, err := ParseAll(steps)
	if err != nil {
		t.Fatal(err)
	}
	all, err := s.FollowAll(statements)
	if all.Refusal != nil {
		return "", all.Refusal
	}
	var shown []string
	for _, step := range all.Steps {
		shown = append(shown, fmt.Sprintf("%s %s@%d", step.Call.Text, tensor.List(step.State.Shape), step.State.Offset))
	}
	return strings.Join(shown, "; "), err
}

// TestSeveral: a call that returns several tensors has a step for each; an index after it selects one, and no other step may follow.
func TestSeveral(t *testing.T) {
	for _, c := range []struct {
		rules Rules
		steps []string
		want  string
	}{
		{PyTorch, []string{"chunk(2)"}, "chunk(2)[0] [2, 6]@0; chunk(2)[1] [2, 6]@12"},
		{PyTorch, []string{"T", "split((1,5))"}, "T [6, 4]@0; split((1,5))[0] [1, 4]@0; split((1,5))[1] [5, 4]@1"},
		{PyTorch, []string{"unbind(1)[2]"}, "unbind(1)[2] [4]@2"},
		{PyTorch, []string{"chunk(2)", "[1]", "T"}, "chunk(2)[1] [2, 6]@12; T [6, 2]@12"},
		{PyTorch, []string{"tensor_split(3,1)"}, "tensor_split(3,1)[0] [4, 2]@0; tensor_split(3,1)[1] [4, 2]@2; tensor_split(3,1)[2] [4, 2]@4"},
		{PyTorch, []string{"torch.hsplit(x,2)[-1]"}, "torch.hsplit(x,2)[-1] [4, 3]@3"},
		{NumPy, []string{"np.array_split(x,3)"}, "np.array_split(x,3)[0] [2, 6]@0; np.array_split(x,3)[1] [1, 6]@12; np.array_split(x,3)[2] [1, 6]@18"},
		{NumPy, []string{"vsplit(2)[1]", "T"}, "vsplit(2)[1] [2, 6]@12; T [6, 2]@12"},
	} {
		if got, err := followed(t, c.rules, c.steps...); err != nil || got != c.want {
			t.Errorf("%v: %s, %v\nwant %s", c.steps, got, err, c.want)
		}
	}
	for _, steps := range [][]string{{"chunk(2)", "T"}, {"chunk(2).T"}, {"expand(4,6)", "unsqueeze(0)", "expand(65,4,6)", "unbind"}} {
		if _, err := followed(t, PyTorch, steps...); fault.ClassOf(err) != fault.Usage {
			t.Errorf("%v: %v", steps, err)
		}
	}
	if _, err := followed(t, PyTorch, "chunk(2)", "[2]"); err == nil || err.Error() != "tuple index out of range" {
		t.Errorf("a part that does not exist: %v", err)
	}
}

// TestPassesThrough: steps that keep shape and strides; is is what each returns.
func TestPassesThrough(t *testing.T) {
	gaps := start([]int{2, 3}, []int{2, 4}, 12)
	for step, is := range map[string]Kind{
		"detach()": View, "x.data": View, "torch.detach(x)": View, "requires_grad_(True)": Self, "requires_grad_": Self, "cpu()": Self, "detach_()": Self,
		"to('cpu')": Self, "to(device='cpu')": Self, "to('cpu', torch.float32)": Self, "type(torch.float32)": Self,
		"cuda()": Copy, "cuda(0)": Copy, "to('cuda:1')": Copy, "to('cuda', torch.float32)": Copy, "to('cuda', torch.float16)": New, "type(float16)": New, "clone()": Copy,
	} {
		s := gaps
		s.DType, _ = dtype.Parse("float32")
		got := follow(t, s, nil, step)
		want := []int{2, 4}
		if is == Copy || is == New {
			want = []int{1, 2}
		}
		if got.Kind != is || !slices.Equal(got.State.Strides, want) {
			t.Errorf("%s: %s %v, want %s %v", step, got.Kind, got.State.Strides, is, want)
		}
	}
	gaps.Rules = NumPy
	if got := follow(t, gaps, nil, "np.asarray(x)"); got.Kind != Self {
		t.Errorf("asarray: %s", got.Kind)
	}
}
