package graph_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/graph"
	"github.com/tlayout/tlayout/internal/graph/graphtest"
)

// programCase is a program and its changes, a line each.
type programCase struct{ what, program, want string }

func wantChanges(t *testing.T, cases []programCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.what, func(t *testing.T) {
			graphtest.WantLines(t, graphtest.NamedChanges(graphtest.Program(t, c.program)), c.want)
		})
	}
}

// A copy is a change only if it moves elements: not into padding, not in the same order, not along dims of size 1 or those that are repeated.
func TestCopies(t *testing.T) {
	wantChanges(t, []programCase{
		{"channels_last to NCHW", "x 2,8,4,4 NHWC\ny 2,8,4,4 = copies contiguous x", "contiguous 2,8,4,4 0,2,3,1 0,1,2,3"},
		{"same order", "x 2,8,4,4 NHWC\ny 2,8,4,4 NHWC = copies clone x", ""},
		{"into padding", "x 2,3 \ny 2,3 strides 8,1 = copies clone x", ""},
		{"out of padding", "x 2,3 strides 8,2\ny 2,3 = copies clone x", ""},
		{"padding and order", "x 2,3 strides 1,4\ny 2,3 = copies clone x", "clone 2,3 1,0 0,1"},
		{"channels of size 1", "x 2,1,4,4 NHWC\ny 2,1,4,4 = copies contiguous x", ""},
		{"batch of 1", "x 1,8,4,4 NHWC\ny 1,8,4,4 = copies contiguous x", "contiguous 1,8,4,4 0,2,3,1 0,1,2,3"},
		{"pixels of size 1", "x 2,8,1,1 NHWC\ny 2,8,1,1 = copies contiguous x", ""},
		{"repeated rows", "x 4,5 strides 0,1\ny 4,5 1,0 = copies clone x", ""},
		{"repeated pixels in NHWC", "x 2,8,4,4 strides 8,1,0,0\ny 2,8,4,4 = copies contiguous x", ""},
		{"repeated, others exchanged", "x 2,8,4 strides 1,2,0\ny 2,8,4 = copies contiguous x", "contiguous 2,8,4 1,0,2 0,1,2"},
		{"one element", "x 1,1 \ny 1,1 = copies contiguous x", ""},
		{"no elements", "x 0,3 1,0\ny 0,3 = copies contiguous x", ""},
		{"an unknown output", "x 2,3\ny ? = copies contiguous x", ""},
		{"an unknown input", "x ?\ny 2,3 = copies contiguous x", ""},
		{"no operand that is a tensor", "y 2,3 = copies full -", ""},
	})
}

// A copy with a permutation is compared in the dims of its input: Transpose by 0,2,3,1 makes NHWC of NCHW, one of dims of size 1 moves nothing.
func TestCopiesPermuted(t *testing.T) {
	wantChanges(t, []programCase{
		{"moved", "x 2,3,4,4\ny 2,4,4,3 = copies Transpose x perm 0,2,3,1", "Transpose 2,3,4,4 0,1,2,3 0,2,3,1"},
		{"rotated", "x 2,3,4\ny 4,2,3 = copies Transpose x perm 2,0,1", "Transpose 2,3,4 0,1,2 2,0,1"},
		{"moved back by strides", "x 2,3,4,4 NHWC\ny 2,4,4,3 = copies Transpose x perm 0,2,3,1", ""},
		{"a dim of size 1", "x 2,1,4\ny 2,4,1 = copies Transpose x perm 0,2,1", ""},
		{"identity", "x 2,3\ny 2,3 = copies Transpose x perm 0,1", ""},
		{"a dim twice", "x 2,3\ny 2,3 = copies Transpose x perm 0,0", ""},
		{"a dim that is not there", "x 2,3\ny 3,2 = copies Transpose x perm 2,0", ""},
		{"too few dims", "x 2,3\ny 3,2 = copies Transpose x perm 0", ""},
		{"an open size", "x n,3,4\ny n,4,3 = copies Transpose x perm 0,2,1", "Transpose 2,3,4 0,1,2 0,2,1"},
		{"unknown sizes", "x ?\ny ? = copies Transpose x perm 0,2,1", "Transpose 2,2,2 0,1,2 0,2,1"},
		{"unknown sizes, identity", "x ?\ny ? = copies Transpose x perm 0,1,2", ""},
		{"unknown sizes, a dim twice", "x ?\ny ? = copies Transpose x perm 0,1,1", ""},
		{"an unknown result", "x 2,3,4\ny ? = copies Transpose x perm 0,2,1", "Transpose 2,3,4 0,1,2 0,2,1"},
		{"an unknown result, dims of size 1", "x 2,1,4\ny ? = copies Transpose x perm 1,0,2", ""},
		{"an unknown result, another rank", "x 2,3,4\ny ? = copies Transpose x perm 1,0", ""},
		{"unknown sizes and permutation", "x ?\ny ? = copies Transpose x", ""},
	})
}

// A copy into another shape is compared as the view of its output that has the shape of its input: reshape of a transposed tensor makes rows.
func TestCopiesReshaped(t *testing.T) {
	wantChanges(t, []programCase{
		{"tokens into rows", "x 2,4,3 0,2,1\ny 8,3 = copies reshape x", "reshape 2,4,3 0,2,1 0,1,2"},
		{"rows of padding", "x 2,3 strides 4,1\ny 6 = copies reshape x", ""},
		{"a size that does not fit", "x 2,3 1,0\ny 7 = copies reshape x", ""},
	})
}

// Blocked layouts are compared digit by digit and have the names of oneDNN's tags, in letters of their dims.
func TestCopiesBlocked(t *testing.T) {
	wantChanges(t, []programCase{
		{"into blocks", "x 2,32,4,4\ny 2,32,4,4 NCHW16c = copies reorder x", "reorder 2,32,4,4 0,1,2,3 ABCD16b"},
		{"between blocks", "x 2,32,4,4 NCHW16c\ny 2,32,4,4 NCHW8c = copies reorder x", "reorder 2,32,4,4 ABCD16b ABCD8b"},
		{"the same blocks", "x 2,32,4,4 NCHW8c\ny 2,32,4,4 NCHW8c = copies reorder x", ""},
		{"named", "x 2,32,4,4 NHWC\ny 2,32,4,4 NCHW8c = copies reorder x\nz 2,32,2,2 NCHW8c = computes max_pool2d y",
			"reorder 2,32,4,4 NHWC NCHW8c"},
	})
}

// An implied change is a copy that a profile has inside another operator, of its operand.
func TestCopiesInside(t *testing.T) {
	p := graphtest.Program(t, "x 2,8,4,4\nw weight 8,8,3,3 NHWC\ny 2,8,4,4 NHWC = copies copy_ x inside conv2d\nz 2,8,4,4 NHWC = follows conv2d y w")
	p.ListsCopies = true
	all := p.Changes()
	if len(all) != 1 || !all[0].Implied || all[0].Forced != "its weight is channels_last" {
		t.Errorf("changes %+v", all)
	}
}

// A convolution changes what is not in the order of its output; pooling does where both have pixels; an operator whose copies are listed never.
func TestImpliedFollows(t *testing.T) {
	const conv = "x 2,8,6,6 %s\nw weight 8,8,3,3 %s\nb weight 8\ny 2,8,4,4 %s = follows conv2d x w b"
	cases := []programCase{
		{"pooling", "x 2,8,4,4\ny 2,8,2,2 NHWC = follows max_pool2d x", "max_pool2d 2,8,4,4 NCHW NHWC"},
		{"pooling to one pixel", "x 2,8,4,4 NHWC\ny 2,8,1,1 = follows adaptive_avg_pool2d x", ""},
		{"pooling of one pixel", "x 2,8,1,1\ny 2,8,2,2 NHWC = follows upsample x", ""},
		{"1x1 weights", "x 2,8,4,4 NHWC\nw weight 8,8,1,1\ny 2,8,4,4 NHWC = follows conv2d x w", ""},
		{"an unknown output", "x 2,8,4,4\nw weight 8,8,3,3 NHWC\ny ? = follows conv2d x w", ""},
		{"an unknown operand", "x ?\nw weight 8,8,3,3 NHWC\ny 2,8,4,4 NHWC = follows conv2d x w", ""},
		{"another rank", "x 8,4,4\ny 1,8,4,4 NHWC = follows conv2d x", ""},
	}
	for _, c := range []struct{ input, weight, output, want string }{
		{"NCHW", "NCHW", "NCHW", ""},
		{"NHWC", "NHWC", "NHWC", ""},
		{"NHWC", "NCHW", "NHWC", "conv2d 8,8,3,3 OIHW OHWI weight"},
		{"NCHW", "NHWC", "NHWC", "conv2d 2,8,6,6 NCHW NHWC"},
		{"NHWC", "NHWC", "NCHW", "conv2d 2,8,6,6 NHWC NCHW\nconv2d 8,8,3,3 OHWI OIHW weight"},
	} {
		program := fmt.Sprintf(conv, c.input, c.weight, c.output)
		cases = append(cases, programCase{fmt.Sprint(c.input, " by ", c.weight), program, c.want})
	}
	wantChanges(t, cases)
	p := graphtest.Program(t, fmt.Sprintf(conv, "NCHW", "NHWC", "NHWC"))
	p.ListsCopies = true
	graphtest.WantLines(t, graphtest.NamedChanges(p), "")
}

// An elementwise operator reads the operand out of order whose order its output does not have; if none has it, the file is not believed.
// Operands of other shapes, and repeated ones, are read in any order.
func TestImpliedElementwise(t *testing.T) {
	wantChanges(t, []programCase{
		{"two orders", "x 2,3,4\ny 2,3,4 0,2,1\nz 2,3,4 = elementwise add x y", "add 2,3,4 0,2,1 0,1,2"},
		{"two alike", "x 2,3,4 0,2,1\ny 2,3,4 0,2,1\nz 2,3,4 0,2,1 = elementwise add x y", ""},
		{"all but the output alike", "x 2,3,4 0,2,1\ny 2,3,4 0,2,1\nz 2,3,4 = elementwise add x y", ""},
		{"a smaller operand", "x 2,3,4\ny 1,3,4 0,2,1\nz 2,3,4 = elementwise add x y", ""},
		{"a repeated operand", "x 2,3,4\ny 2,3,4 strides 0,1,0\nz 2,3,4 = elementwise add x y", ""},
		{"three operands", "c 2,3 1,0\nx 2,3\ny 2,3 1,0\nz 2,3 = elementwise where c x y", "where 2,3 1,0 0,1\nwhere 2,3 1,0 0,1"},
		{"an operand that is no tensor", "x 2,3\nz 2,3 = elementwise add x -", ""},
		{"an unknown output", "x 2,3\ny 2,3 1,0\nz ? = elementwise add x y", ""},
	})
}

// cat reads each operand out of order that has another order than its output, whatever its size along the dim that is joined.
func TestImpliedJoins(t *testing.T) {
	wantChanges(t, []programCase{
		{"one", "x 2,8,4,4 NHWC\ny 2,3,4,4\nz 2,11,4,4 NHWC = joins cat x y", "cat 2,3,4,4 0,1,2,3 0,2,3,1"},
		{"both", "x 2,8,4,4 NHWC\ny 2,3,4,4 NHWC\nz 2,11,4,4 = joins cat x y", "cat 2,8,4,4 0,2,3,1 0,1,2,3\ncat 2,3,4,4 0,2,3,1 0,1,2,3"},
		{"a single channel", "x 2,8,4,4 NHWC\ny 2,1,4,4\nz 2,9,4,4 NHWC = joins cat x y", ""},
		{"an empty list", "z 2,9 = joins cat", ""},
	})
}

// A product copies an operand whose dims no view merges: beside a weight of two dims, or a view of one, all but one, else all but the last two.
// These are the copies of PyTorch 2.15's profiler for the same strides.
func TestImpliedMultiplies(t *testing.T) {
	wantChanges(t, []programCase{
		{"rows", "x 2,3,4\nw weight 4,5\ny 2,3,5 = multiplies matmul x w", ""},
		{"rows with padding", "x 4,6,5 strides 48,8,1\nw weight 5,7\ny 4,6,7 = multiplies matmul x w", ""},
		{"batch and rows exchanged", "x 6,4,5 1,0,2\nw weight 5,7\ny 6,4,7 = multiplies matmul x w", "matmul 6,4,5 1,0,2 0,1,2"},
		{"beside no weight", "x 6,4,5 1,0,2\nw 5,7\ny 6,4,7 = multiplies matmul x w", ""},
		{"beside a weight's view", "x 6,4,5 1,0,2\nw weight 7,5\nv 5,7 1,0 = views t w\ny 6,4,7 = multiplies matmul x v", "matmul 6,4,5 1,0,2 0,1,2"},
		{"beside a weight of 3 dims", "x 6,4,5 1,0,2\nw weight 6,5,7\ny 6,4,7 = multiplies matmul x w", ""},
		{"beside a weight of 1 dim", "x 6,4,5 1,0,2\nw weight 5\ny 6,4 = multiplies matmul x w", "matmul 6,4,5 1,0,2 0,1,2"},
		{"columns", "x 4,6,5 0,2,1\nw weight 7,5\ny 4,6,7 = multiplies linear x w", "linear 4,6,5 0,2,1 0,1,2"},
		{"columns beside no weight", "x 4,6,5 0,2,1\nw 5,7\ny 4,6,7 = multiplies matmul x w", ""},
		{"a batch of 1", "x 6,1,5 1,0,2\nw weight 5,7\ny 6,1,7 = multiplies matmul x w", ""},
		{"a transposed matrix", "x 2,3 1,0\nw weight 3,4 1,0\ny 2,4 = multiplies matmul x w", ""},
		{"a weight first", "w weight 5,6\nx 2,6,7\ny 2,5,7 = multiplies matmul w x", "matmul 2,6,7 0,1,2 0,2,1"},
		{"a weight before columns", "w weight 5,6\nx 2,6,7 0,2,1\ny 2,5,7 = multiplies matmul w x", ""},
		{"a matrix first", "w 5,6\nx 2,6,7\ny 2,5,7 = multiplies matmul w x", ""},
		{"heads", "x 2,4,8,16 0,2,1,3\nw 2,4,16,8\ny 2,4,8,8 = multiplies matmul x w", "matmul 2,4,8,16 0,2,1,3 0,1,2,3"},
		{"heads beside a matrix", "x 2,4,3,5 0,2,1,3\nw 5,7\ny 2,4,3,7 = multiplies matmul x w", "matmul 2,4,3,5 0,2,1,3 0,1,2,3"},
		{"one head", "x 2,1,8,16 0,2,1,3\nw 2,1,16,8\ny 2,1,8,8 = multiplies matmul x w", ""},
		{"the second operand", "x 2,4,8,16\nw 2,4,16,8 0,3,1,2\ny 2,4,8,8 = multiplies matmul x w", "matmul 2,4,16,8 0,3,1,2 0,1,2,3"},
		{"an unknown operand", "x ?\nw weight 4,5\ny 2,3,5 = multiplies matmul x w", ""},
		{"one operand", "x 2,3,4 1,0,2\ny 2,3,5 = multiplies matmul x", ""},
		{"no tensor beside", "x 2,3,4 1,0,2\ny 2,3,5 = multiplies matmul x -", ""},
		{"no elements", "x 0,3,4 1,0,2\nw weight 4,5\ny 0,3,5 = multiplies matmul x w", ""},
	})
}

// Operators that no table has, reductions and views change nothing, whatever their strides.
func TestNoChange(t *testing.T) {
	for _, kind := range []string{"unknown", "computes", "views"} {
		p := graphtest.Program(t, "x 2,3,4 0,2,1\ny 2,3,4 = "+kind+" f x")
		if all := p.Changes(); len(all) > 0 {
			t.Errorf("%s: %d changes", kind, len(all))
		}
	}
}

// Copies between the same orders are counted, those inside of an operator and those of unknown tensors are not.
func TestSameOrder(t *testing.T) {
	p := graphtest.Program(t, `
x 2,3
y 2,3 strides 8,1 = copies clone x
z 2,3 1,0 = copies contiguous y
u ? = copies contiguous z
v 2,3 = copies contiguous u
w 2,3 = copies copy_ v inside linear`)
	if n := p.SameOrder(p.Changes()); n != 1 {
		t.Errorf("%d copies keep the order, want 1", n)
	}
}

// Bytes are those of the elements, a size that is open counts once, and sizes have the names of open ones.
func TestBytes(t *testing.T) {
	p := graphtest.Program(t, "x n,3,h,5 \ny 4,2 strides 100,1")
	for id, want := range []string{"n,3,h,5 60", "4,2 32"} {
		x := p.Tensor(graph.ID(id))
		if got := fmt.Sprint(x.Sizes(), " ", x.Bytes()); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// Operators that no table has are counted by name.
func TestUnknownOperators(t *testing.T) {
	p := graphtest.Program(t, "x 2\ny 2 = unknown f x\nz 2 = unknown f y\nu 2 = computes g z\nv 2 = unknown h u")
	if got := fmt.Sprint(p.UnknownOperators()); !strings.Contains(got, "f:2 h:1]") || strings.Contains(got, "g") {
		t.Error(got)
	}
}
