package graphcmd

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/graph"
	"github.com/tlayout/tlayout/internal/graph/graphtest"
	"github.com/tlayout/tlayout/internal/name"
)

// blocks returns a program of n blocks alike, with two changes that cancel each, in the same or in different modules.
func blocks(t *testing.T, n int, modules bool) *graph.Program {
	t.Helper()
	var b strings.Builder
	b.WriteString("x0 2,8,4,4 NHWC\n")
	for i := range n {
		fmt.Fprintf(&b, "y%d 2,8,4,4 = copies contiguous x%d\nx%d 2,8,4,4 NHWC = copies clone y%d\n", i, i, i+1, i)
	}
	p := graphtest.Program(t, b.String())
	if modules {
		for i := range p.Operators {
			p.Operators[i].Place.Module = fmt.Sprint("layers.", i/2)
		}
	}
	return p
}

func reportOf(p *graph.Program) *report { return newReport(name.Parse("net.pt2"), p) }

// Changes that are alike are one, with how often it is made, the bytes of all, and the numbers of those that cancel.
func TestAlike(t *testing.T) {
	r := reportOf(blocks(t, 12, false))
	if len(r.Changes) != 2 || r.Moved.Times != 24 || r.Moved.Bytes != 24*1024 {
		t.Fatalf("%d changes, %+v", len(r.Changes), r.Moved)
	}
	for i, c := range r.Changes {
		if c.Number != i+1 || c.Times != 12 || c.Bytes != 12*1024 || fmt.Sprint(c.Cancels) != fmt.Sprint([]int{2 - i}) {
			t.Errorf("%d: %d times, %d bytes, cancels %v", c.Number, c.Times, c.Bytes, c.Cancels)
		}
	}
	if want := "net.pt2: torch.export, 24 operators; 24 change the layout of 1024 bytes each, and undo each other"; r.Answer != want {
		t.Errorf("%s, want %s", r.Answer, want)
	}
	if got := reportOf(blocks(t, 12, true)); len(got.Changes) != 24 {
		t.Errorf("%d changes of 12 modules", len(got.Changes))
	}
}

// A page has the nine changes that take most, in the order of the program; --all has all, and five cures at most without it.
func TestListed(t *testing.T) {
	p := blocks(t, 6, true)
	p.Timed = true
	for i := range p.Operators {
		p.Operators[i].Seconds = float64(1 + i*5%12)
	}
	r := reportOf(p)
	moving := r.moving(false)
	if got := listed(moving, true); len(got) != 12 {
		t.Errorf("%d changes with --all", len(got))
	}
	var numbers []int
	for _, c := range listed(moving, false) {
		numbers = append(numbers, c.Number)
	}
	if got := fmt.Sprint(numbers); got != "[2 3 4 5 7 8 9 10 12]" {
		t.Errorf("listed %s", got)
	}
	if got := r.cures(moving, false, false); len(got) != 6 || got[4] != "9 and 10 cancel: leave out both, contiguous() in layers.4 and clone() in layers.4" {
		t.Errorf("cures %q", got)
	}
	if *r.Moved.Seconds != 78 || *r.Moved.Share != 1 {
		t.Errorf("%v seconds, %v", *r.Moved.Seconds, *r.Moved.Share)
	}
}

// Five cures are on a page, and how many more --all has.
func TestCures(t *testing.T) {
	var b strings.Builder
	for i := range 8 {
		fmt.Fprintf(&b, "x%d 2,8,4,4\nw%d weight 8,8,3,3 NHWC\ny%d 2,8,2,2 NHWC = follows conv2d x%d w%d\n", i, i, i, i, i)
	}
	r := reportOf(graphtest.Program(t, b.String()))
	if got := r.cures(r.moving(false), true, false); len(got) != 8 || got[7] != "8: pass x7.to(memory_format=torch.channels_last)" {
		t.Errorf("cures %q", got)
	}
	if got := r.cures(r.moving(false), false, false); len(got) != 6 || got[5] != "--all has 3 more" {
		t.Errorf("cures %q", got)
	}
}

// Weights are summed apart, and unknown operators counted, the most frequent first.
func TestTotals(t *testing.T) {
	r := reportOf(graphtest.Program(t, "x 2,8,4,4 NHWC\nw weight 8,8,3,3\ny 2,8,2,2 NHWC = follows conv2d x w\na 2 = unknown f y\nb 2 = unknown g y\nc 2 = unknown g y"))
	if r.Weights.Times != 1 || r.Weights.Bytes != 2304 || r.Moved.Times != 0 || r.Moved.Share != nil {
		t.Errorf("weights %+v, others %+v", r.Weights, r.Moved)
	}
	if got := fmt.Sprint(r.Unknown); got != "[{g 2} {f 1}]" {
		t.Error(got)
	}
	if want := "net.pt2: torch.export, 4 operators; none changes the layout; 3 operators unknown"; r.Answer != want {
		t.Errorf("%s, want %s", r.Answer, want)
	}
	figures := r.figures()
	if _, timed := figures["seconds"]; timed || figures["weights"] != 1 || figures["unknown"] != 3 || figures["operators"] != 4 {
		t.Errorf("figures %v", figures)
	}
}

// Sizes that a file leaves open have their names on a page and -1 in JSON, without strides.
func TestOpenSizes(t *testing.T) {
	r := reportOf(graphtest.Program(t, "x batch,3,4\ny batch,4,3 = copies Transpose x perm 0,2,1"))
	c := r.Changes[0]
	if c.sizes != "batch,3,4" || fmt.Sprint(c.Shape) != "[-1 3 4]" || c.FromS != nil || c.ToS != nil || c.Bytes != 48 {
		t.Errorf("%+v", c)
	}
	r = reportOf(graphtest.Program(t, "x n,3,4\ny n,4,3 = copies Transpose x perm 0,2,1\nz m,3,4\nu m,4,3 = copies Transpose z perm 0,2,1"))
	if len(r.Changes) != 2 {
		t.Errorf("sizes with different names: %d changes", len(r.Changes))
	}
}

// The drawing has a row for each change, one for the operators between two, and one that counts the rows over its limit.
func TestStrips(t *testing.T) {
	r := reportOf(graphtest.Program(t, "x 2,8,4,4 NHWC\na 2,8,4,4 NHWC = elementwise relu x\nb 2,8,4,4 NHWC = elementwise exp a\n"+
		"c 2,8,4,4 = copies contiguous b\nd 2,8,4,4 = elementwise relu c\ne 2,8,4,4 = elementwise relu d"))
	var got []string
	for _, s := range r.strips() {
		got = append(got, s.words(r))
	}
	graphtest.WantLines(t, got, "2 operators: relu, exp\n1  contiguous  0,2,3,1 → 0,1,2,3  1024 bytes\n2 operators: relu")
	long := reportOf(blocks(t, 300, true)).drawing()
	if n := len(long.Marks); n > maxDrawn+30 {
		t.Errorf("%d marks", n)
	}
	if empty := reportOf(&graph.Program{Engine: graph.Export}).drawing(); empty.Height <= 0 {
		t.Errorf("height %v of no operators", empty.Height)
	}
}

// A share of all has no exponent.
func TestPercent(t *testing.T) {
	for share, want := range map[float64]string{1: "100 %", 0.996: "100 %", 0.6: "60 %", 0.0951: "9.5 %", 0.000023: "0.0023 %", 0: "0 %"} {
		if got := percent(share); got != want {
			t.Errorf("%v is %q, want %q", share, got, want)
		}
	}
}

// The second operand of linear is its weight, that of an operator with another name that ends so is not.
func TestOperandName(t *testing.T) {
	for operator, want := range map[string]string{"linear": "weight", "conv2d": "weight", "upsample_bilinear2d": "operand 1", "add": "operand 1",
		"convolution_backward": "input"} {
		if got := operandName(operator, 1); got != want {
			t.Errorf("%s: %s, want %s", operator, got, want)
		}
	}
}
