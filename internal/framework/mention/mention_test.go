package mention

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// TestTensorsStrided: any tensor, in each spelling of shape and strides, is read as it is.
func TestTensorsStrided(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 300 {
		shape, strides := make([]int, 2+r.IntN(4)), []int{}
		for d := range shape {
			shape[d] = 1 + r.IntN(40)
			strides = append(strides, r.IntN(5000))
		}
		s := tensor.Strided{Shape: shape, Strides: strides}
		if r.IntN(2) == 0 {
			s, _ = tensor.Packed(shape)
		}
		sizes, steps := text.Ints(s.Shape, ", "), text.Ints(s.Strides, ", ")
		for _, spelling := range []string{"x.shape torch.Size([%s]), x.stride() (%s)", "(torch.Size([%s]), (%s))", "Layout { shape: [%s], stride: [%s], start_offset: 0 }",
			"sizes() = [%s], strides() = [%s]", "Dimensions were: [%s], strides were [%s].", "size=(%s), stride=(%s)"} {
			message := fmt.Sprintf("Error: "+spelling+" of a.b(0, 1)", sizes, steps)
			all := Tensors(message)
			if len(all) != 1 || !slices.Equal(all[0].Shape, s.Shape) || !slices.Equal(all[0].Strides, s.Strides) {
				t.Fatalf("%s: %+v", message, all)
			}
		}
	}
}

// TestRoles: of two lists, the words before each say which was expected; an arrow points to it.
func TestRoles(t *testing.T) {
	for text, want := range map[string][]Role{
		"expected shape [1, 3, 8, 8], got shape [1, 8, 8, 3]": {Expected, Actual}, "shape [1, 8, 8, 3] -> shape [1, 3, 8, 8]": {Unsaid, Expected},
		"stride mismatch: expected [150528, 50176, 224, 1], got [3, 1, 672, 3]": {Expected, Actual}, "from shape (3,8,8) into shape (8,8,3)": {Actual, Expected},
		"Target sizes: [8, 3]. Tensor sizes: [3, 8]": {Expected, Unsaid}, "shapes (3,8,8) and sizes (8,8,3)": {Unsaid, Unsaid}, "expected shape (None, 3) but received shape (8, 4)": {Expected, Actual},
		"out= has stride (1, 4) but expected (6, 1)": {Actual, Expected},
	} {
		var got []Role
		for _, m := range Tensors(text) {
			got = append(got, m.Role)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, expected %v", text, got, want)
		}
	}
}

// TestPassages: the exception that was raised last comes first, with the line of the user's code that raised it; lines of a log follow.
func TestPassages(t *testing.T) {
	for name, c := range map[string]struct{ text, words, code string }{
		"traceback": {"INFO a layout\nTraceback (most recent call last):\n  File \"/home/u/net.py\", line 12, in f\n    y = g(x)\n  File \"/usr/lib/python3/dist-packages/g.py\", line 1, in g\n    h()\nRuntimeError: last\nmore\n",
			"RuntimeError: last more", "net.py:12: y = g(x)"},
		"two":     {"  File \"a.py\", line 1, in f\n    g(x)\nKeyError: 'x'\n  File \"a.py\", line 3, in f\n    h(w)\nRuntimeError: last\n2026-11-29 10:00:00 next\n", "RuntimeError: last", "a.py:3: h(w)"},
		"windows": {"  File \"C:\\u\\net.py\", line 2, in f\n    y = g(x)\nValueError: last\n", "ValueError: last", "net.py:2: y = g(x)"},
		"pytest":  {">       y = g(x)\nE       RuntimeError: last\n", "E RuntimeError: last", "y = g(x)"},
		"guards": {"V0101 1:0 a.py:1] [0/1] [__recompiles] - 0/0: stride mismatch  # y = g(x)  # /home/u/net.py:7 in f\n", "V0101 1:0 a.py:1] [0/1] [__recompiles] - 0/0: stride mismatch # y = g(x) # /home/u/net.py:7 in f",
			"net.py:7: y = g(x)"},
		"aside": {"# x.shape (2, 3), x.stride() (3, 1)\nOSError: last\n", "OSError: last", ""},
	} {
		p := Passages(c.text)[0]
		if p.Words() != c.words || p.Code != c.code {
			t.Errorf("%s: %q raised by %q, expected %q raised by %q", name, p.Words(), p.Code, c.words, c.code)
		}
	}
	for _, p := range Passages("# x.shape (2, 3), x.stride() (3, 1)\n") {
		if p.At > 0 {
			t.Errorf("an aside complains: %q", p.Words())
		}
	}
	if s := WithoutEscapes("\x1b[31mred\x1b[0m, \x1b[1;2Kand \x1b["); s != "red, and " {
		t.Errorf("%q", s)
	}
	if n := len(Passages(strings.Repeat("RuntimeError: stride\nlog of a layout\n", 1<<15))); n > MaxErrors+maxLogged+1 {
		t.Errorf("%d passages", n)
	}
}
