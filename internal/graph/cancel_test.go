package graph_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/graph"
	"github.com/tlayout/tlayout/internal/graph/graphtest"
)

// pairs returns what each change cancels, and repeats: "0↔1 2=0".
func pairs(p *graph.Program) string {
	var all []string
	for k, c := range p.Changes() {
		switch {
		case c.Cancels > k:
			all = append(all, fmt.Sprintf("%d↔%d", k, c.Cancels))
		case c.Repeats >= 0:
			all = append(all, fmt.Sprintf("%d=%d", k, c.Repeats))
		}
	}
	return strings.Join(all, " ")
}

type pairCase struct{ what, program, want string }

func wantPairs(t *testing.T, cases []pairCase) {
	t.Helper()
	for _, c := range cases {
		if got := pairs(graphtest.Program(t, c.program)); got != c.want {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
}

// A change cancels the first later one that gives its elements their order back, across operators that compute elements one by one of this
// tensor alone, and views of the same dims.
func TestCancel(t *testing.T) {
	const there = "x 2,8,4,4 NHWC\ny 2,8,4,4 = copies contiguous x\n"
	wantPairs(t, []pairCase{
		{"directly", there + "z 2,8,4,4 NHWC = copies contiguous y", "0↔1"},
		{"not back", there + "z 2,8,4,4 0,3,2,1 = copies clone y", ""},
		{"across relu", there + "r 2,8,4,4 = elementwise relu y\nz 2,8,4,4 NHWC = copies contiguous r", "0↔1"},
		{"across two", there + "r 2,8,4,4 = elementwise relu y\ns 2,8,4,4 = elementwise mul r -\nz 2,8,4,4 NHWC = copies contiguous s", "0↔1"},
		{"across a bias", there + "b 8,1,1\nr 2,8,4,4 = elementwise add y b\nz 2,8,4,4 NHWC = copies contiguous r", "0↔1"},
		{"across a weight", there + "w weight 2,8,4,4\nr 2,8,4,4 = elementwise add y w\nz 2,8,4,4 NHWC = copies contiguous r", "0↔1"},
		{"not across a sum", there + "b 2,8,4,4\nr 2,8,4,4 = elementwise add y b\nz 2,8,4,4 NHWC = copies contiguous r", ""},
		{"not across an unknown tensor", there + "b ?\nr 2,8,4,4 = elementwise add y b\nz 2,8,4,4 NHWC = copies contiguous r", ""},
		{"not across softmax", there + "r 2,8,4,4 = follows softmax y\nz 2,8,4,4 NHWC = copies contiguous r", ""},
		{"not across an unknown operator", there + "r 2,8,4,4 = unknown f y\nz 2,8,4,4 NHWC = copies contiguous r", ""},
		{"across a view", there + "r 2,8,4,4 = views detach y\nz 2,8,4,4 NHWC = copies contiguous r", "0↔1"},
		{"not across a transpose", there + "r 2,8,4,4 0,1,3,2 = views transpose y perm 0,1,3,2\nz 2,8,4,4 NHWC = copies contiguous r", ""},
		{"not across another shape", there + "r 2,8,16 = views flatten y\nz 2,8,16 0,2,1 = copies contiguous r", ""},
		{"implied back", there + "w weight 8,8,1,1\nv weight 8,8,3,3 NHWC\nz 2,8,2,2 NHWC = follows conv2d y v", "0↔1"},
		{"the first of two", there + "z 2,8,4,4 NHWC = copies contiguous y\nu 2,8,4,4 NHWC = copies clone y", "0↔1 2=1"},
		{"a second reader between", there + "r 2,8,4,4 = elementwise relu y\nu 2,8,4,4 = elementwise exp y\nz 2,8,4,4 NHWC = copies contiguous r", "0↔1"},
		{"twice in turn", there + "z 2,8,4,4 NHWC = copies contiguous y\nu 2,8,4,4 = copies contiguous z\nv 2,8,4,4 NHWC = copies contiguous u", "0↔1 2↔3"},
	})
}

// Permutations cancel if they compose to the identity, in dims of any size.
func TestCancelPermutations(t *testing.T) {
	wantPairs(t, []pairCase{
		{"there and back", "x 2,3,4,4\ny 2,4,4,3 = copies Transpose x perm 0,2,3,1\nz 2,3,4,4 = copies Transpose y perm 0,3,1,2", "0↔1"},
		{"the same twice", "x 2,3,4,4\ny 2,4,4,3 = copies Transpose x perm 0,2,3,1\nz 2,4,3,4 = copies Transpose y perm 0,2,3,1", ""},
		{"the same twice, equal sizes", "x 3,3,3\ny 3,3,3 = copies Transpose x perm 1,2,0\nz 3,3,3 = copies Transpose y perm 1,2,0", ""},
		{"back, equal sizes", "x 3,3,3\ny 3,3,3 = copies Transpose x perm 1,2,0\nz 3,3,3 = copies Transpose y perm 2,0,1", "0↔1"},
		{"across relu", "x n,3,4\ny n,4,3 = copies Transpose x perm 0,2,1\nr n,4,3 = elementwise Relu y\nz n,3,4 = copies Transpose r perm 0,2,1", "0↔1"},
		{"unknown sizes", "x ?\ny ? = copies Transpose x perm 0,2,3,1\nr ? = elementwise Relu y\nz ? = copies Transpose r perm 0,3,1,2", "0↔1"},
		{"unknown sizes, not back", "x ?\ny ? = copies Transpose x perm 0,2,3,1\nz ? = copies Transpose y perm 0,2,3,1", ""},
		{"unknown sizes, other ranks", "x ?\ny ? = copies Transpose x perm 0,2,1\nz ? = copies Transpose y perm 0,2,3,1", ""},
		{"unknown sizes, across a sum", "x ?\nb ?\ny ? = copies Transpose x perm 0,2,1\nr ? = elementwise Add y b\nz ? = copies Transpose r perm 0,2,1", ""},
	})
}

// A change of the same value into the same order repeats the first one; into another order it does not.
func TestRepeats(t *testing.T) {
	const first = "x 2,8,4,4 NHWC\ny 2,8,4,4 = copies contiguous x\n"
	wantPairs(t, []pairCase{
		{"two", first + "z 2,8,4,4 = copies contiguous x", "1=0"},
		{"three", first + "z 2,8,4,4 = copies contiguous x\nu 2,8,4,4 strides 256,32,8,1 = copies clone x", "1=0 2=0"},
		{"another order", first + "z 2,8,4,4 3,0,1,2 = copies clone x", ""},
		{"another value", first + "u 2,8,4,4 NHWC\nz 2,8,4,4 = copies contiguous u", ""},
	})
}

// A chain of more than 64 operators is not followed, and one that ends in itself ends.
func TestCancelLimits(t *testing.T) {
	chain := func(n int) string {
		var b strings.Builder
		b.WriteString("x 2,8,4,4 NHWC\ny0 2,8,4,4 = copies contiguous x\n")
		for i := range n {
			fmt.Fprintf(&b, "y%d 2,8,4,4 = elementwise relu y%d\n", i+1, i)
		}
		fmt.Fprintf(&b, "z 2,8,4,4 NHWC = copies contiguous y%d", n)
		return b.String()
	}
	wantPairs(t, []pairCase{
		{"63 operators", chain(63), "0↔1"},
		{"64 operators", chain(64), ""},
		{"a value that is read before it is made", "a 2,8,4,4 NHWC = copies contiguous c\nb 2,8,4,4 NHWC = elementwise relu a\nc 2,8,4,4 = elementwise exp b", ""},
		{"an operator that reads its output", "a 2,8,4,4 NHWC = elementwise relu a\nb 2,8,4,4 = copies contiguous a", ""},
		{"a copy into itself", "a 2,8,4,4 = copies contiguous a", ""},
	})
}

// An operator whose outputs are no tensors, or have none, is followed no further.
func TestCancelWithoutOutputs(t *testing.T) {
	p := graphtest.Program(t, "x 2,8,4,4 NHWC\ny 2,8,4,4 = copies contiguous x")
	p.Operators = append(p.Operators, graph.Operator{Name: "print", Kind: graph.Elementwise, Inputs: []graph.ID{1}},
		graph.Operator{Name: "split", Kind: graph.Elementwise, Inputs: []graph.ID{1}, Outputs: []graph.ID{graph.NoValue}},
		graph.Operator{Name: "copy", Kind: graph.Copies, Inputs: []graph.ID{1}, Outputs: []graph.ID{graph.NoValue}, Perm: []int{1, 0}},
		graph.Operator{Name: "view", Kind: graph.Views, Inputs: []graph.ID{1}},
		graph.Operator{Name: "conv2d", Kind: graph.Follows, Inputs: []graph.ID{1, graph.NoValue}, Outputs: []graph.ID{graph.NoValue}})
	if got := pairs(p); got != "" {
		t.Error(got)
	}
}
