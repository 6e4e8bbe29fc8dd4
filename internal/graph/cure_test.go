package graph_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tlayout/tlayout/internal/graph"
	"github.com/tlayout/tlayout/internal/graph/graphtest"
)

// cures returns a line for each change with a cure, whether it is proved, and what asks for the order.
func cures(p *graph.Program) []string {
	var all []string
	for _, c := range p.Changes() {
		line := strings.Trim(c.Cure+" | "+c.Forced, " |")
		if c.Proved {
			line += " (proved)"
		}
		if line != "" {
			all = append(all, line)
		}
	}
	return all
}

// A copy is proved to be needless if all that reads it, and what is made of that, takes the order before it without a copy: no matmul that merges
// dims, no view without strides, no operator that writes in place, no output of the program.
func TestUnneeded(t *testing.T) {
	const there, cure = "x 2,4,3 0,2,1\ny 2,4,3 = copies contiguous x\n", "no operator needs 0,1,2: leave out contiguous() (proved)"
	for _, c := range []struct{ what, program, want string }{
		{"relu and a sum", "r 2,4,3 = elementwise relu y\ns 2,4 = computes sum r", cure},
		{"nothing reads it", "", ""},
		{"an output", "out y", ""},
		{"relu is an output", "r 2,4,3 = elementwise relu y\nout r", ""},
		{"an unknown operator", "r 2,4,3 = unknown f y", ""},
		{"softmax", "r 2,4,3 = follows softmax y", ""},
		{"rows", "r 8,3 = views view y\ns 8 = computes sum r", "view merges dims that are not next to each other in 0,2,1"},
		{"rows after relu", "r 2,4,3 = elementwise relu y\nv 8,3 = views view r", ""},
		{"a view that keeps them", "r 2,4,3,1 = views unsqueeze y\ns 2,4,3 = computes sum r", cure},
		{"a linear that would copy", "w weight 5,3\nr 2,4,5 = multiplies linear y w", ""},
		{"a product of batches", "w 2,3,5\nr 2,4,5 = multiplies matmul y w", cure},
		{"a sum of two", "b 2,4,3\nr 2,4,3 = elementwise add y b\ns 2 = computes sum r", ""},
		{"written in place", "r 2,4,3 = elementwise add_ y -\ns 2 = computes sum r", ""},
		{"read by what writes in place", "b 2,4,1\nr 2,4,1 = elementwise mul_ b y\ns 2 = computes sum r", cure},
		{"a view of what a stack makes", "s 2,2,4,3 = computes stack y y\nv 4,12 = views view s", ""},
		{"a product of what a stack makes", "s 2,2,4,3 = computes stack y y\nw 2,2,3,3\nv 2,2,4,3 = multiplies matmul s w\nu 4,12 = views view v", cure},
	} {
		t.Run(c.what, func(t *testing.T) { graphtest.WantLines(t, cures(graphtest.Program(t, there+c.program)), c.want) })
	}
}

// Two changes that cancel are left out: proved if no other reader needs the order between them, nor what is made of it a view.
func TestCancelCures(t *testing.T) {
	const there = "x 2,8,4,4 NHWC\ny 2,8,4,4 = copies contiguous x\n"
	const back = there + "z 2,8,4,4 NHWC = copies clone y\n"
	const both, proved = "leave out both, contiguous() and clone()", " (proved)"
	for _, c := range []struct{ what, program, want string }{
		{"nothing between", back, both + proved},
		{"the first is an output", back + "out y", both},
		{"a view needs it", back + "v 2,128 = views view y", both + " | view merges dims that are not next to each other in 0,2,3,1"},
		{"a view of what is made of it", back + "r 2,8,4,4 = elementwise relu y\nv 2,128 = views view r", both},
		{"relu reads it too", back + "r 2,8,4,4 = elementwise relu y", both + proved},
		{"written in place", back + "r 2,8,4,4 = elementwise relu_ y", both},
		{"an unknown reader", back + "r 2,8,4,4 = unknown f y", both},
		{"implied", there + "w weight 8,8,3,3 NHWC\nz 2,8,2,2 NHWC = follows conv2d y w",
			"without contiguous(), conv2d reads its input as it is" + proved + "\nits weight is channels_last"},
		{"implied, before a view", there + "w weight 8,8,3,3 NHWC\nz 2,8,2,2 NHWC = follows conv2d y w\nv 2,32 = views view z",
			"without contiguous(), conv2d reads its input as it is" + proved + "\nits weight is channels_last"},
		{"a permutation", "x 2,3,4\ny 2,4,3 = copies permute_copy x perm 0,2,1\nz 2,3,4 = copies permute_copy y perm 0,2,1",
			"leave out both, permute_copy() and permute_copy()"},
	} {
		t.Run(c.what, func(t *testing.T) { graphtest.WantLines(t, cures(graphtest.Program(t, c.program)), c.want) })
	}
	p := graphtest.Program(t, back)
	p.Engine = graph.Profile
	graphtest.WantLines(t, cures(p), both)
}

// The second of two equal changes needs no copy, unless an operator after the first one writes in place.
func TestRepeatCures(t *testing.T) {
	const first, cure = "x 2,8,4,4 NHWC\ny 2,8,4,4 = copies contiguous x\nv 2,128 = views view y\n", "keep the result of the first change"
	const forced = " | view merges dims that are not next to each other in 0,2,3,1"
	second := "z 2,8,4,4 = copies contiguous x\nu 2,128 = views view z\n"
	graphtest.WantLines(t, cures(graphtest.Program(t, first+second)), forced[3:]+"\n"+cure+forced+" (proved)")
	graphtest.WantLines(t, cures(graphtest.Program(t, first+"i 2,128 = elementwise add_ v -\n"+second)), forced[3:]+"\n"+cure+forced)
}

// An implied change says which operand asks for the order, and which statement or operand to change.
func TestOperandCures(t *testing.T) {
	for _, c := range []struct{ what, program, want string }{
		{"the input of a convolution", "x 2,8,4,4\nw weight 8,8,3,3 NHWC\ny 2,8,2,2 NHWC = follows conv2d x w",
			"pass x.to(memory_format=torch.channels_last) | its weight is channels_last"},
		{"what an operator makes", "x 2,8,4,4\nr 2,8,4,4 = elementwise relu x\nw weight 8,8,3,3 NHWC\ny 2,8,2,2 NHWC = follows conv2d r w",
			"keep the output of relu() channels_last | its weight is channels_last"},
		{"its weight", "x 2,8,4,4 NHWC\nw weight 8,8,3,3\ny 2,8,2,2 NHWC = follows conv2d x w",
			"model.to(memory_format=torch.channels_last) converts the weight once | its input is channels_last"},
		{"its weight to NCHW", "x 2,8,4,4\nw weight 8,8,3,3 NHWC\ny 2,8,2,2 = follows conv2d x w",
			"convert the weight once, before the model runs | its input is NCHW"},
		{"add of an input", "x 2,3,4\ny 2,3,4 0,2,1\nc 2,3,4 = elementwise add x y", "the output is 0,1,2"},
		{"add of what was changed", "x 2,3,4 0,2,1\ny 2,3,4 = copies contiguous x\nc 2,3,4 = elementwise add y x",
			"without contiguous(), add reads all operands in 0,2,1 | the output is 0,1,2"},
		{"linear", "x 6,4,5 1,0,2\nw weight 7,5\ny 6,4,7 = multiplies linear x w", "linear merges dims, which needs rows"},
	} {
		t.Run(c.what, func(t *testing.T) { graphtest.WantLines(t, cures(graphtest.Program(t, c.program)), c.want) })
	}
}

// Cures of other engines than PyTorch are in their words; XLA's own copies have none.
func TestEngineCures(t *testing.T) {
	for _, c := range []struct {
		engine        graph.Engine
		program, want string
	}{
		{graph.ONNX, "x 2,4,4,3\ny 2,3,4,4 = copies Transpose x perm 0,3,1,2\nw weight 8,3,3,3\nz 2,8,2,2 = follows Conv y w",
			"export the model with this input in NCHW: tf2onnx --inputs-as-nchw | Conv reads NCHW"},
		{graph.ONNX, "x 2,3,4,4\nw weight 8,3,3,3\nz 2,8,2,2 = follows Conv x w\ny 2,2,2,8 = copies Transpose z perm 0,2,3,1\nout y",
			"export the model with this output in NCHW: tf2onnx --outputs-as-nchw"},
		{graph.OneDNN, "x 2,8,4,4\ny 2,8,4,4 NHWC = copies reorder x\nw weight 8,8,3,3\nz 2,8,2,2 NHWC = computes convolution y w",
			"run the model in channels_last: oneDNN's convolutions take NHWC without a reorder"},
		{graph.OneDNN, "w weight 8,8,3,3\ny 8,8,3,3 NHWC = copies reorder w", "reorder the weight once, when the model is loaded"},
		{graph.XLA, "x 2,3\ny 2,3 1,0 = copies copy x\nz 2,3 = copies copy y", ""},
		{graph.TensorRT, "w weight 2,3\ny 2,3 1,0 = copies Reformat w", ""},
	} {
		p := graphtest.Program(t, c.program)
		p.Engine = c.engine
		p.ListsCopies = true
		t.Run(string(c.engine), func(t *testing.T) { graphtest.WantLines(t, cures(p), c.want) })
	}
}

// A place is a line, else a node or a module; the call in a line has its receiver and ends with its bracket.
func TestPlace(t *testing.T) {
	for want, place := range map[string]graph.Place{"net.py:18": {File: "net.py", Line: 18, Node: "n", Module: "m"}, "n": {Node: "n", Module: "m"}, "m": {Module: "m"}, "": {}} {
		if got := place.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for code, want := range map[string]string{
		"x = self.head(x.contiguous()).relu()": "x.contiguous()",
		"return f(a, contiguous(b, (1, 2)))":   "contiguous(b, (1, 2))",
		"y = x[0].contiguous(":                 "",
		"y = contiguous":                       "",
		"":                                     "",
		"contiguous(":                          "",
	} {
		if got := (graph.Place{Code: code}).Call("contiguous"); got != want {
			t.Errorf("%q: %q, want %q", code, got, want)
		}
	}
}

// Chains in which every operator reads its operand twice, or writes what another wrote, end: there are as many paths as 2 to their length.
func TestManyPaths(t *testing.T) {
	var twice, again strings.Builder
	for i := range 60 {
		fmt.Fprintf(&twice, "y%d 2,4,3 = elementwise add y%d y%d\n", i+1, i, i)
		fmt.Fprintf(&again, "y%d 2,4,3 = elementwise relu y%d\ny%d 2,4,3 = elementwise exp y%d\n", i+1, i, i+1, i)
	}
	begin := time.Now()
	for _, chain := range []string{twice.String(), again.String()} {
		p := graphtest.Program(t, "x 2,4,3 0,2,1\ny0 2,4,3 = copies contiguous x\n"+chain)
		for _, c := range p.Changes() {
			if c.Proved {
				t.Errorf("proved: %s", c.Cure)
			}
		}
	}
	if took := time.Since(begin); took > 20*time.Second {
		t.Errorf("took %v", took)
	}
}
