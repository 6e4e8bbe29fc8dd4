package trace

import (
	"testing"

	"github.com/tlayout/tlayout/internal/tensor"
)

// TestAsked: a last statement that is no tensor has its value. (results of PyTorch 2.15 and NumPy 2.4)
func TestAsked(t *testing.T) {
	for _, c := range []struct {
		rules      Rules
		text, want string
	}{
		{PyTorch, "x.stride()", "(60, 20, 5, 1)"},
		{PyTorch, "x.permute(0, 2, 3, 1).stride()", "(60, 5, 1, 20)"},
		{PyTorch, "x.permute(0, 2, 3, 1).stride(-1)", "20"},
		{PyTorch, "x.stride(dim=1)", "20"},
		{PyTorch, "x.mT.shape", "(2, 3, 5, 4)"},
		{PyTorch, "x.size(1) * x.size(2)", "12"},
		{PyTorch, "x.is_contiguous()", "True"},
		{PyTorch, "x.is_contiguous(memory_format=torch.channels_last)", "False"},
		{PyTorch, "x.contiguous(memory_format=torch.channels_last).is_contiguous(memory_format=torch.channels_last)", "True"},
		{PyTorch, "x[1:].storage_offset()", "60"},
		{PyTorch, "x.nbytes", "480"},
		{PyTorch, "x.view(-1).shape", "(120,)"},
		{PyTorch, "torch.empty(2, 3, 4, 5, memory_format=torch.channels_last).stride()", "(60, 1, 15, 3)"},
		{PyTorch, "torch.zeros(2, 3, dtype=float).element_size()", "8"},
		{PyTorch, "torch.arange(start=0, end=10, step=2).size()", "(5,)"},
		{PyTorch, "torch.eye(n=3, m=2).stride()", "(2, 1)"},
		{PyTorch, "torch.randint(3, 10, (2, 3)).stride()", "(3, 1)"},
		{PyTorch, "torch.empty_strided((2, 3), (1, 2)).stride()", "(1, 2)"},
		{NumPy, "np.zeros((2, 3), np.float32).strides", "(12, 4)"},
		{NumPy, "np.zeros((2, 3), dtype='f4').strides", "(12, 4)"},
		{NumPy, "np.zeros((2, 3), dtype=int).strides", "(24, 8)"},
		{NumPy, "np.zeros((2, 3)).size", "6"},
		{NumPy, "np.zeros((0, 3)).strides", "(0, 0)"},
		{NumPy, "np.linspace(0, 1).shape", "(50,)"},
		{NumPy, "np.eye(3, 4, 1).strides", "(32, 8)"},
		{NumPy, "np.arange(5, 2).shape", "(0,)"},
		{NumPy, "np.asarray([[1, 2]]).strides", "(16, 8)"},
		{NumPy, "x.strides", "(240, 80, 20, 4)"},
		{NumPy, "x.T.strides", "(4, 20, 80, 240)"},
		{NumPy, "np.zeros((2, 3)).strides", "(24, 8)"},
		{NumPy, "np.ones((2, 3), order='F').strides", "(8, 16)"},
		{NumPy, "np.arange(6).itemsize", "8"},
		{NumPy, "np.array([[1, 2], [3, 4]], dtype=np.float32).nbytes", "16"},
	} {
		f := outcomeOf(t, c.rules, c.text)
		if f.Value != c.want || f.Asked != c.text {
			t.Errorf("%s: %q of %q, want %q", c.text, f.Value, f.Asked, c.want)
		}
	}
}

// TestMade: a tensor that a function makes, or that a framework prints, is a step, before the one that follows it; operands are not.
func TestMade(t *testing.T) {
	for _, c := range []struct {
		rules            Rules
		text             string
		steps            []string
		tensor, lastType string
	}{
		{PyTorch, "torch.zeros(2, 3)", []string{"torch.zeros(2, 3)"}, "", "float32"},
		{PyTorch, "torch.arange(6).view(2, 3).t()", []string{"torch.arange(6)", "view(2, 3)", "t()"}, "", "int64"},
		{PyTorch, "y = torch.ones(4)\ny.view(2, 2)", []string{"torch.ones(4)", "view(2, 2)"}, "", "float32"},
		{PyTorch, "tensor([[1., 2.], [3., 4.]]).T", []string{"tensor([[1., 2.], [3., 4.]])", "T"}, "", "float32"},
		{PyTorch, "tensor([1, 2])", []string{"tensor([1, 2])"}, "", "int64"},
		{PyTorch, "tensor([1, 2], dtype=torch.float16)", []string{"tensor([1, 2], dtype=torch.float16)"}, "", "float16"},
		{PyTorch, "x + torch.ones(5)", []string{"x + torch.ones(5)"}, "x", "float32"},
		{NumPy, "np.zeros((2, 3)).T", []string{"np.zeros((2, 3))", "T"}, "", "float64"},
		{NumPy, "array([1, 2])", []string{"array([1, 2])"}, "", "int64"},
		{NumPy, "np.array([1, 2.5])", []string{"np.array([1, 2.5])"}, "", "float64"},
	} {
		f := outcomeOf(t, c.rules, c.text)
		var got []string
		for _, s := range f.Steps {
			got = append(got, s.Call.Text)
		}
		if len(got) != len(c.steps) || f.Reads != (c.tensor != "") {
			t.Errorf("%s: steps %q, reads %v, want %q", c.text, got, f.Reads, c.steps)
			continue
		}
		for i := range got {
			if got[i] != c.steps[i] {
				t.Errorf("%s: step %q, want %q", c.text, got[i], c.steps[i])
			}
		}
		if d := f.Steps[len(got)-1].State.DType.String(); d != c.lastType {
			t.Errorf("%s is of %s, want %s", c.text, d, c.lastType)
		}
	}
}

// TestPrinted: a print that leaves out elements has no known sizes, and lists of other lengths are no tensor.
func TestPrinted(t *testing.T) {
	for text, want := range map[string]string{
		"tensor([1., 2., ..., 9.])":                            "unknown tensor",
		"tensor([[1., ..., 2.], [3., 4.]])":                    "unknown tensor",
		"tensor([[1, 2], [3]])":                                "refused",
		"tensor([[1, 2], 3])":                                  "refused",
		"tensor([])":                                           "(0,):(1,) new",
		"tensor([], size=(0, 3))":                              "(0, 3):(3, 1) new",
		"tensor([nan, inf])":                                   "(2,):(1,) new",
		"torch.tensor([1, 2], names=('N',))":                   "unknown tensor",
		"torch.zeros(2, foo=3)":                                "unknown zeros",
		"torch.tensor(8, 3)":                                   "error: tensor takes 1 positional argument",
		"torch.arange(5, 2)":                                   "refused",
		"torch.arange(1e30)":                                   "error: arange: 1e+30 elements are too many",
		"torch.empty(2, 3, memory_format=torch.channels_last)": "refused",
		"tensor(5.)":                                           "():() new",
	} {
		compareOutcome(t, []int{2, 3}, text, want)
	}
}

func outcomeOf(t *testing.T, r Rules, text string) Followed {
	t.Helper()
	statements, err := Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	s, err := tensor.Packed([]int{2, 3, 4, 5})
	if err != nil {
		t.Fatal(err)
	}
	begin := Start(s, nil, 120, 4, r)
	begin.DType = typed("float32")
	f, err := begin.FollowAll(statements)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return f
}
