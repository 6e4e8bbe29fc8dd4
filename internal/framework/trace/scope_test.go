package trace

import (
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/tensor"
)

// TestSelf: in pasted code self is a module, whose members are not those of a tensor, unless a step before gives it a shape.
func TestSelf(t *testing.T) {
	for text, want := range map[string]string{
		"self.norm(x)":                                  "unknown self.norm",
		"self.view(2, -1)":                              "unknown self.view",
		"x = self.norm(x)":                              "unknown self.norm",
		"q, k, v = x.chunk(3, dim=1)\nself.norm(q)":     "unknown self.norm",
		"F.relu(self.norm(x))":                          "unknown self.norm",
		"self = (2, 3)\nself.t()":                       "(3, 2):(1, 3) view",
		"self.weight.t().view(-1)":                      "refused",
		"self.weight = (4, 6)\nself.weight.view(2, -1)": "(2, 12):(12, 1) view",
	} {
		compareOutcome(t, []int{6, 8}, text, want)
	}
}

// compareOutcome compares the end of a text with "(2, 3):(3, 1) view", "unknown NAME", "refused", or the start of an error.
func compareOutcome(t *testing.T, shape []int, text, want string) {
	t.Helper()
	got := outcome(t, shape, text)
	isError := strings.HasPrefix(want, "error: ") && strings.HasPrefix(got, want)
	if got != want && !isError {
		t.Errorf("%s\n got %s\nwant %s", text, got, want)
	}
}

func outcome(t *testing.T, shape []int, text string) string {
	t.Helper()
	statements, err := Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	f, err := start(shape, nil, tensor.Strided{Shape: shape}.Numel()).FollowAll(statements)
	if err != nil {
		return "error: " + err.Error()
	}
	if f.Stop != nil {
		return "unknown " + f.Stop.Name
	}
	if f.Refusal != nil {
		return "refused"
	}
	last := f.Steps[len(f.Steps)-1]
	return Arg{Kind: Tensor, Of: &last.State}.String() + " " + string(last.Kind)
}
