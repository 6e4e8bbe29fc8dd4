package printed

import (
	"strings"
	"testing"
)

// TestPrintedStrides: what print(x.shape, x.stride()) of PyTorch 2.15 and print(x.shape, x.strides) of NumPy 2.5 print is the layout of x:
// PyTorch's strides are elements, NumPy's bytes.
func TestPrintedStrides(t *testing.T) {
	for _, c := range []struct {
		text string
		bits int
		want string // or the error
	}{
		{"torch.Size([2, 3]) (3, 1)", 32, "(2,3):(3,1)"},
		{"torch.Size([2, 3]) (24, 8)", 64, "(2,3):(24,8)"},
		{"torch.Size([2, 3]) (5, 1) 4", 32, "(2,3):(5,1)@4"},
		{"(torch.Size([2, 3]), (1, 2))", 32, "(2,3):(1,2)"},
		{"(torch.Size([2, 3]), (1, 2), 7)", 32, "(2,3):(1,2)@7"},
		{"torch.Size([3]) (1,)", 32, "(3):(1)"},
		{"(2, 3) (24, 8)", 64, "(2,3):(3,1)"},
		{"(2, 3) (24, 8)", 32, "(2,3):(6,2)"},
		{"(2, 3) (3, 1)", 32, "(2,3):(3,1)"},
		{"(2, 3) (-24, 8)", 64, "(2,3):(-3,1)"},
		{"(1, 64, 5, 4) (5120, 4, 1024, 256)", 32, "(1,64,5,4):(1280,1,256,64)"},
		{"(2, 3) (24, 4)", 64, "4 is no multiple of 8 bytes"},
		{"(2, 3) (24, 8)", 4, "is no multiple of"},
		{"(2, 3) (24, 8)", 0, "the type of the elements is not known"},
		{"(2, 3) (24,)", 64, "strides"},
	} {
		l, _, err := ParseLayout(c.text)
		if err == nil {
			l, err = l.ForElements(c.bits)
		}
		switch {
		case err != nil && !strings.Contains(err.Error(), c.want), err == nil && (l.Exact == nil || l.Exact.String() != c.want):
			t.Errorf("%s of %d bits: %v, %v; want %s", c.text, c.bits, l.Exact, err, c.want)
		case !Is(c.text):
			t.Errorf("%s is not taken for a layout with strides", c.text)
		}
	}
	for text, want := range map[string]string{"(2, 3) (24, 8)": "float64", "(4,) (4,)": "float32", "(2, 3) (3, 1)": "", "torch.Size([2, 3]) (24, 8)": "",
		"(2, 3) (6, 2)": "float16"} {
		if l, _, err := ParseLayout(text); err != nil || l.DType != want {
			t.Errorf("%s has elements of %q (%v), want %q", text, l.DType, err, want)
		}
	}
}
