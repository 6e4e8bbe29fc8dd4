package pytorch

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/graph"
)

// An operator has its kind under the names of profiles and of exports, in place too; those of other namespaces keep theirs.
func TestNames(t *testing.T) {
	for target, want := range map[string]string{
		"aten::conv2d": "conv2d true", "torch.ops.aten.conv2d.default": "conv2d true", "torch.ops.aten.add.Tensor": "add true",
		"torch.ops.aten.add_.Tensor": "add_ true", "torch.ops.mylib.conv2d.default": "mylib.conv2d false", "mylib::conv2d": "mylib::conv2d false",
		"_operator.mul": "_operator.mul false", "": " false", "torch.ops.aten.": " true",
	} {
		name, own := Name(target)
		if got := fmt.Sprint(name, " ", own); got != want {
			t.Errorf("%s: %s, want %s", target, got, want)
		}
	}
	for name, want := range map[string]graph.Kind{"add": graph.Elementwise, "add_": graph.Elementwise, "conv2d": graph.Follows, "cat": graph.Joins,
		"linear": graph.Multiplies, "view": graph.Views, "clone": graph.Copies, "copy_": graph.Copies, "sum": graph.Computes, "zero_": graph.Computes,
		"convolution_backward": graph.Computes, "threshold_backward": graph.Elementwise, "no_such": graph.Unknown, "": graph.Unknown, "_": graph.Unknown} {
		if got := Kind(name); got != want {
			t.Errorf("%s: kind %d, want %d", name, got, want)
		}
	}
}

// No operator has two kinds.
func TestKindsOnce(t *testing.T) {
	seen := map[string]graph.Kind{}
	for kind, names := range kinds {
		for name := range strings.FieldsSeq(names) {
			if other, twice := seen[name]; twice {
				t.Errorf("%s is of kind %d and %d", name, other, kind)
			}
			seen[name] = kind
		}
	}
}

// A stack's innermost line that is not PyTorch's is where an operator is, on any system.
func TestStack(t *testing.T) {
	const own = "  File \"/usr/lib/python3/site-packages/torch/nn/modules/conv.py\", line 565, in forward\n    return self._conv_forward()\n"
	for stack, want := range map[string]graph.Place{
		"File \"/home/me/net.py\", line 15, in forward\n    x = self.stem(image)\n" + own: {File: "net.py", Line: 15, Code: "x = self.stem(image)"},
		"File \"a.py\", line 1, in f\n    g()\nFile \"b.py\", line 2, in g\n    h()":      {File: "b.py", Line: 2, Code: "h()"},
		"File \"C:\\me\\net.py\", line 3":                                                 {File: "net.py", Line: 3},
		"File \"net.py\", line x, in f":                                                   {File: "net.py"},
		"File \"net.py\", line 99999999999999999999":                                      {File: "net.py", Line: math.MaxInt},
		own:                   {},
		"":                    {},
		"\n\n":                {},
		"net.py\", line 3":    {},
		"torch/x.py: forward": {},
	} {
		if got := Stack(stack); got != want {
			t.Errorf("%q: %+v, want %+v", stack, got, want)
		}
	}
	for file, want := range map[string]bool{"/x/site-packages/torch/nn.py": true, "/x/dist-packages/torch/nn.py": true, `C:\x\site-packages\torch\nn.py`: true,
		"torch/nn.py": true, "/home/torch/net.py": false, "/x/site-packages/torchvision/a.py": false, "": false} {
		if got := IsOwn(file); got != want {
			t.Errorf("%s: %t", file, got)
		}
	}
}

// The dims of a view are those with the same strides and sizes; equal ones stay in order, and those that are new are -1.
func TestExchanged(t *testing.T) {
	tensorOf := func(shape, strides []int) *graph.Tensor {
		l, err := graph.Strided(shape, strides)
		if err != nil {
			t.Fatal(err)
		}
		return &graph.Tensor{Layout: l}
	}
	for _, c := range []struct {
		from, strides, to, then []int
		want                    string
	}{
		{[]int{2, 3, 4}, []int{12, 4, 1}, []int{2, 4, 3}, []int{12, 1, 4}, "[0 2 1]"},
		{[]int{3, 3}, []int{3, 1}, []int{3, 3}, []int{1, 3}, "[1 0]"},
		{[]int{3, 3}, []int{0, 0}, []int{3, 3}, []int{0, 0}, "[0 1]"},
		{[]int{2, 3}, []int{3, 1}, []int{6}, []int{1}, "[]"},
		{[]int{2, 3}, []int{3, 1}, []int{2, 3}, []int{3, 2}, "[0 -1]"},
	} {
		if got := fmt.Sprint(Exchanged(tensorOf(c.from, c.strides), tensorOf(c.to, c.then))); got != c.want {
			t.Errorf("%v %v to %v %v: %s, want %s", c.from, c.strides, c.to, c.then, got, c.want)
		}
	}
}
