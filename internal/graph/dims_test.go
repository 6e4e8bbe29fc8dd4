package graph_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tlayout/tlayout/internal/graph"
	"github.com/tlayout/tlayout/internal/graph/graphtest"
	"github.com/tlayout/tlayout/internal/hostile"
	"github.com/tlayout/tlayout/internal/random"
)

// named returns the names of the dims of all values that have any.
func named(p *graph.Program) string {
	p.Changes()
	var all []string
	for i := range p.Values {
		if v := &p.Values[i]; v.Dims != "" {
			all = append(all, v.Name+":"+v.Dims)
		}
	}
	return strings.Join(all, " ")
}

// Operators of images name the dims of images and kernels. Copies, views, elementwise operators and permutations give them on, in both directions.
func TestNamesOfDims(t *testing.T) {
	for _, c := range []struct{ what, program, want string }{
		{"a convolution", "x 2,3,8,8\nw 4,3,3,3\nb 4\ny 2,4,6,6 = follows conv2d x w b", "x:NCHW w:OIHW y:NCHW"},
		{"of volumes", "x 2,3,8,8,8\nw 4,3,3,3,3\ny 2,4,6,6,6 = follows conv3d x w", "x:NCDHW w:OIDHW y:NCDHW"},
		{"of sequences", "x 2,3,8\nw 4,3,3\ny 2,4,6 = follows conv1d x w", ""},
		{"of groups", "x 2,4,8,8\nw 2,2,2,3,3\ny 2,4,6,6 = follows convolution x w", "x:NCHW w:GOIHW y:NCHW"},
		{"transposed", "x 2,3,8,8\nw 3,4,3,3\ny 2,4,9,9 = follows conv_transpose2d x w", "x:NCHW w:IOHW y:NCHW"},
		{"gradients of weights", "x 2,3,8,8\ng 2,4,6,6\ny 4,3,3,3 = computes convolution x g", "x:NCHW"},
		{"backward", "g 2,4,6,6\nx 2,3,8,8\nw 4,3,3,3\ny 2,3,8,8 = computes convolution_backward g x w", "g:NCHW x:NCHW w:OIHW"},
		{"ONNX", "x 2,3,8,8\ny 2,3,4,4 = follows MaxPool x", "x:NCHW y:NCHW"},
		{"no images", "x 2,3,8,8\ny 2,3,8,8 = follows softmax x", ""},
		{"forth", "x 2,3,8,8\ny 2,3,4,4 = follows max_pool2d x\nz 2,3,4,4 = elementwise relu y\nu 2,4,4,3 = views permute z perm 0,2,3,1",
			"x:NCHW y:NCHW z:NCHW u:NHWC"},
		{"back", "u 2,8,8,3\nx 2,3,8,8 NHWC = views permute u perm 0,3,1,2\nz 2,3,8,8 NHWC = elementwise relu x\ny 2,3,4,4 = follows max_pool2d z",
			"u:NHWC x:NCHW z:NCHW y:NCHW"},
		{"beside", "x 2,3,8,8\ny 2,3,4,4 = follows max_pool2d x\nb 2,3,4,4\nz 2,3,4,4 = elementwise add y b", "x:NCHW y:NCHW b:NCHW z:NCHW"},
		{"joined", "x 2,3,8,8\ny 2,3,4,4 = follows max_pool2d x\nb 2,5,4,4\nz 2,8,4,4 = joins cat y b", "x:NCHW y:NCHW b:NCHW z:NCHW"},
		{"not reshaped", "x 2,3,8,8\ny 2,3,4,4 = follows max_pool2d x\nz 2,48 = views flatten y\nu 2,4,4,3 = views view z", "x:NCHW y:NCHW"},
		{"not split", "x 2,3,8,8\ny 2,3,4,4 = follows max_pool2d x\nz 2,3,16,1 = views view y", "x:NCHW y:NCHW"},
		{"not a permutation", "x 2,3,8,8\ny 2,3,4,4 = follows max_pool2d x\nz 2,4,4,3 = views permute y perm 0,2,3,3", "x:NCHW y:NCHW"},
		{"not computed", "x 2,3,8,8\ny 2,3,4,4 = follows max_pool2d x\nz 3,2,4,4 = computes f y", "x:NCHW y:NCHW"},
	} {
		if got := named(graphtest.Program(t, c.program)); got != c.want {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
}

// A convolution that says which its dims are has them in any order, as XLA's.
func TestNamesOfOwnDims(t *testing.T) {
	p := graphtest.Program(t, "x 2,8,8,3\nw 3,3,3,4\ny 2,6,6,4 = follows convolution x w")
	p.Operators[0].Dims = []string{"NHWC", "HWIO", "NHWC"}
	if got := named(p); got != "x:NHWC w:HWIO y:NHWC" {
		t.Error(got)
	}
	if got := p.OrderName(1); got != "HWIO" {
		t.Error(got)
	}
}

// Names go as far as a program is long, in a few passes, also where each pass takes them one operator on: that ends.
func TestNamesZigzag(t *testing.T) {
	const n = 2000
	steps := make([]string, n)
	for i := range n {
		at := i / 2
		if i%2 == 1 {
			at = n - 1 - i/2
		}
		steps[at] = fmt.Sprintf("v%d 2,3,4,4 = elementwise relu v%d", i+1, i)
	}
	begin := time.Now()
	p := graphtest.Program(t, "x 2,3,8,8\nv0 2,3,4,4 = follows max_pool2d x\n"+strings.Join(steps, "\n"))
	if got := strings.Count(named(p), "NCHW"); got < 30 {
		t.Errorf("%d values have names", got)
	}
	if took := time.Since(begin); took > 20*time.Second {
		t.Errorf("took %v", took)
	}
}

// A million operators take seconds, in memory that is in proportion.
func TestMillionOperators(t *testing.T) {
	n := 20_000
	if random.Thorough() {
		n = 1_000_000
	}
	const sixths = 6 // operators of a step, of which 4 change the layout
	p := graphtest.Program(t, "x 2,3,8,8\nw 3,3,3,3 NHWC\na 2,3,8,8 NHWC = copies contiguous x\nb 2,3,8,8 = elementwise relu a")
	image, channelsLast, weight := p.Tensor(0), p.Tensor(2), graph.ID(1)
	p.Operators = nil
	last := graph.ID(0)
	add := func(name string, kind graph.Kind, tensor *graph.Tensor, more ...graph.ID) {
		to := p.Add(graph.Value{Tensor: tensor})
		p.Operators = append(p.Operators, graph.Operator{Name: name, Kind: kind, Inputs: append([]graph.ID{last}, more...), Outputs: []graph.ID{to}})
		last = to
	}
	for range n / sixths {
		first := last
		add("contiguous", graph.Copies, channelsLast)
		add("relu", graph.Elementwise, channelsLast)
		add("contiguous", graph.Copies, image)
		add("add", graph.Elementwise, image, first)
		add("conv2d", graph.Follows, channelsLast, weight)
		add("mul", graph.Elementwise, image, first)
	}
	begin := time.Now()
	var found int
	used := hostile.AllocatedBy(func() { found = len(p.Changes()) })
	t.Logf("%d operators, %d changes: %v, %d MiB allocated", len(p.Operators), found, time.Since(begin).Round(time.Millisecond), used>>20)
	if want := n / sixths * 4; found != want {
		t.Errorf("%d changes, want %d", found, want)
	}
}
