package trace

import (
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/tensor"
)

// TestSelf: in pasted code self is a module, whose members are not those of a tensor, unless a step before gives it a shape.
func TestSelf(t *testing.T) {
	for text, want := range map[string]string{
		"self.norm(x)":     "unknown self.norm",
		"self.view(2, -1)": "unknown self.view",
		"x = self.norm(x)": "unknown self.norm",
		"q, k, v = x.chunk(3, dim=1)\nself.norm(q)":     "unknown self.norm",
		"F.relu(self.norm(x))":                          "unknown self.norm",
		"self = (2, 3)\nself.t()":                       "(3, 2):(1, 3) view",
		"self.block.norm(x)":                            "unknown self.block.norm",
		"self.weight.t().view(-1)":                      "refused",
		"self.weight = (4, 6)\nself.weight.view(2, -1)": "(2, 12):(12, 1) view",
	} {
		compareOutcome(t, []int{6, 8}, text, want)
	}
}

// TestFirstName: the first name without a value is the tensor wherever it stands, also in a call of a new tensor. (results of PyTorch 2.15)
func TestFirstName(t *testing.T) {
	const all = "(2, 3, 8, 8):(192, 64, 8, 1)"
	for text, want := range map[string]string{
		"torch.matmul(torch.ones(8), x)":                  "(2, 3, 8):(24, 8, 1) new",
		"torch.ones(8) @ x":                               "(2, 3, 8):(24, 8, 1) new",
		"torch.add(torch.ones(8), x)":                     all + " new",
		"torch.add(torch.ones(8), other=y)":               all + " new",
		"torch.maximum(torch.ones(8), x)":                 all + " new",
		"torch.ones(8).mul(x)":                            all + " new",
		"torch.ones(8) * hidden":                          all + " new",
		"torch.zeros(8).expand_as(x)":                     "(2, 3, 8, 8):(0, 0, 0, 1) view",
		"torch.arange(384).view_as(y)":                    all + " view",
		"F.conv2d(torch.ones(1, 3, 9, 9), x)":             "(1, 2, 2, 2):(8, 4, 2, 1) new",
		"w = torch.ones(8)\ntorch.matmul(w, x)":           "(2, 3, 8):(24, 8, 1) new",
		"w = torch.ones(8)\ny.mT\ntorch.matmul(w, y)":     "(2, 3, 8):(24, 8, 1) new",
		"torch.cat([torch.ones(2, 3, 8, 8), x], dim=1)":   "(2, 6, 8, 8):(384, 64, 8, 1) new",
		"torch.stack([torch.ones(2, 3, 8, 8), x], dim=1)": "(2, 2, 3, 8, 8):(384, 192, 64, 8, 1) new",
		"torch.where(torch.ones(8) > 0, x, 0)":            all + " new",
		"torch.einsum('d,bcwd->bcw', torch.ones(8), x)":   "(2, 3, 8):(24, 8, 1) new",
		"torch.ones(2, 3, 1, 8).broadcast_to(x.shape)":    "(2, 3, 8, 8):(24, 8, 0, 1) view",
		"add(x)":                            all + " new",
		"cat(x, dim=1)":                     "(2, 6, 8, 8):(384, 64, 8, 1) new",
		"x.add(z)":                          "error: the shape of z is not known",
		"x.mT\ntorch.add(torch.ones(8), z)": "error: the shape of z is not known",
		"w = torch.ones(b, 8)":              "error: the value of b is not known",
	} {
		compareOutcome(t, []int{2, 3, 8, 8}, text, want)
	}
}

// TestJoinedNumbers: a number is not a tensor of cat and its kind. (TypeError of PyTorch 2.15)
func TestJoinedNumbers(t *testing.T) {
	for text, want := range map[string]string{
		"y = 2\ntorch.cat([x, y])":         "refused",
		"torch.stack([x, 2])":              "refused",
		"torch.stack([2, x])":              "refused",
		"torch.cat([x, 2.5])":              "refused",
		"torch.cat((x, True), dim=1)":      "refused",
		"torch.cat([x, zz])":               "error: the shape of zz is not known",
		"y = (6, 8)\ntorch.cat([x, y], 1)": "(6, 16):(16, 1) new",
		"torch.stack([x, x], 2)":           "(6, 8, 2):(16, 2, 1) new",
	} {
		compareOutcome(t, []int{6, 8}, text, want)
	}
}

// TestIndexWithoutDims: an integer tensor without dims selects an index that is not known, of uint8 or bool it is a mask; beside other
// indices it is an int. (PyTorch 2.15)
func TestIndexWithoutDims(t *testing.T) {
	const view, mask = "unknown an index by a tensor without dims", "unknown an index by a mask"
	for text, want := range map[string]string{
		"x[:, torch.tensor(1)]":                    view,
		"i = x[0, 0, 0].argmax()\nx[:, i]":         view,
		"x[torch.tensor(1, dtype=torch.int8)]":     view,
		"x[:, torch.tensor(1, dtype=torch.uint8)]": mask,
		"x[:, torch.tensor(True)]":                 mask,
		"x[0, 0, 0, 0, torch.tensor(0)]":           "refused",
		"x[torch.tensor(1.)]":                      "refused",
		"x[torch.tensor(1), [0, 1]]":               "(2, 8, 8):(64, 8, 1) copy",
		"x[torch.tensor(1), :, [0, 1]]":            "(3, 2, 8):(16, 8, 1) copy",
		"x[[0, 1], :, torch.tensor(1)]":            "(2, 3, 8):(24, 8, 1) copy",
		"x[:, torch.tensor([1])]":                  "(2, 1, 8, 8):(64, 64, 8, 1) copy",
	} {
		compareOutcome(t, []int{2, 3, 8, 8}, text, want)
	}
}

// TestAssignedNames: an assignment can name the tensor without a step.
func TestAssignedNames(t *testing.T) {
	for text, want := range map[string]string{
		"q, k = x, x.mT\nk.add(q.mT)":                             "(8, 6):(1, 8) new",
		"q, k = x.mT, x\nk.t()":                                   "(8, 6):(1, 8) view",
		"y = x\ny.mT":                                             "(8, 6):(1, 8) view",
		"b, c = x.shape\nx.view(c, b)":                            "(8, 6):(6, 1) view",
		"b, c = 2, 24\nx.view(b, c)":                              "(2, 24):(24, 1) view",
		"keep = True\nx.sum(1, keepdim=keep)":                     "(6, 1):(1, 1) new",
		"d = float16\nx.to(d).mT":                                 "(8, 6):(1, 8) view",
		"d = contiguous_format\nx.mT.contiguous(memory_format=d)": "(8, 6):(6, 1) copy",
		"d = None\nx[d, 0]":                                       "(1, 8):(48, 1) view",
		"q, k = x, *x.shape\nx.t()":                               "error: ",
	} {
		compareOutcome(t, []int{6, 8}, text, want)
	}
}

// TestLastCall: a stop and a refusal name the call, also of a new tensor or of a result that is called.
func TestLastCall(t *testing.T) {
	for text, want := range map[string]string{
		"torch.nn.Linear(4, 8)(x)":                    "torch.nn.Linear(4, 8)(x): what this function returns is not known",
		"self.layers[0](x)":                           "self.layers[0](x): what this function returns is not known",
		"torch.arange(0, 10, 0)":                      "torch.arange(0, 10, 0): step must be nonzero",
		"torch.arange(10, 0)":                         "torch.arange(10, 0): upper bound and lower bound inconsistent with step sign",
		"F.interpolate(x, scale_factor=float('nan'))": "F.interpolate(x, scale_factor=float('nan')): value cannot be converted to type int64_t without overflow",
		"F.interpolate(x, scale_factor=float('inf'))": "F.interpolate(x, scale_factor=float('inf')): value cannot be converted to type int64_t without overflow",
		"torch.permut(x, (0, 1))":                     "torch.permut(x, (0, 1)): what it returns is not known; did you mean permute?",
		"F.reluu(x)":                                  "F.reluu(x): what it returns is not known; did you mean relu?",
	} {
		got, err := lastCall(text)
		if got != want {
			t.Errorf("%s\n got %s, %v\nwant %s", text, got, err, want)
		}
	}
}

func lastCall(text string) (string, error) {
	statements, err := Parse(text)
	if err != nil {
		return "", err
	}
	f, err := start([]int{2, 3, 8, 8}, nil, 384).FollowAll(statements)
	if err != nil {
		return "", err
	}
	if f.Stop != nil {
		return f.Last.Text + ": " + f.Stop.Why, nil
	}
	return f.Last.Text + ": " + f.Refusal.Text, nil
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
