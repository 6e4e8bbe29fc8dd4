package convert

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tlayout/tlayout/internal/convert/kernel"
	"github.com/tlayout/tlayout/internal/random/property"
	"github.com/tlayout/tlayout/internal/tensor"
)

// TestExplanations: every step of an explanation visits the same pairs of offsets, the last one is the plan, and the names of the loops
// give the coordinates at each offset, each once.
func TestExplanations(t *testing.T) {
	for _, sizes := range [][]int{{2, 5, 3, 4}, {1, 23, 1, 3}, {3, 1, 1, 1}, {0, 3, 2, 2}, {2, 12, 2, 2}} {
		for _, from := range activations {
			for _, to := range activations {
				src, dst := bind(t, from, sizes...), bind(t, to, sizes...)
				e, err := Explain(dst, src, 4, kernel.Best())
				if err != nil {
					t.Fatal(err)
				}
				checkExplanation(t, e, dst, src)
			}
		}
	}
}

// TestRandomExplanations: the same for random layouts on both sides.
func TestRandomExplanations(t *testing.T) {
	property.Check(t, func(r *rapid.T) {
		rank := rapid.IntRange(0, 4).Draw(r, "rank")
		sizes := rapid.SliceOfN(rapid.IntRange(0, 9), rank, rank).Draw(r, "sizes")
		src, dst := drawLayout(r, "src", sizes), drawLayout(r, "dst", sizes)
		e, err := Explain(dst, src, 4, kernel.Best())
		if err != nil {
			r.Fatal(err)
		}
		checkExplanation(r, e, dst, src)
	})
}

// failer is a test or a rapid test.
type failer interface {
	Helper()
	Fatalf(string, ...any)
}

func checkExplanation(t failer, e Explanation, dst, src tensor.Layout) {
	t.Helper()
	seen := map[int]bool{}
	for k, s := range e.Boxes {
		b, paired := e.Plan.Boxes[k], s.Steps[0].Loops
		for _, step := range s.Steps {
			if !slices.Equal(pairs(step.Loops), pairs(paired)) {
				t.Fatalf("%s to %s: %s copies other elements: %+v", src, dst, step.Pass, s)
			}
		}
		if last := s.Steps[len(s.Steps)-1]; !slices.Equal(last.Loops, b.Loops) {
			t.Fatalf("%s to %s: the last step is %v, the plan %v", src, dst, last, b)
		}
		elems := elemsOf(b.Loops)
		if s.Kernel.Boxes > 1 {
			elems = e.Plan.Elems()
		}
		if kernel := s.Kernel; kernel.Item*kernel.Rows*kernel.Cols*kernel.Times != 4*elems {
			t.Fatalf("%s to %s: kernel %+v moves other bytes than %v", src, dst, kernel, b)
		}
		checkNames(t, s, b, dst, src, seen)
	}
	if len(e.Boxes) == len(e.Plan.Boxes) && len(seen) != src.Numel() {
		t.Fatalf("%s to %s: %d of %d coordinates", src, dst, len(seen), src.Numel())
	}
}

// checkNames goes through the loops, counts the coordinates as their names say, and checks that they have these offsets.
func checkNames(t failer, s BoxExplanation, b Box, dst, src tensor.Layout, seen map[int]bool) {
	t.Helper()
	first := make([]int, src.Rank())
	for _, part := range s.Held {
		name, from, _ := strings.Cut(part, " ")
		fmt.Sscan(from, &first[slices.Index(src.Names(), name)]) //nolint:errcheck // it begins with a number
	}
	for _, step := range s.Steps[:2] {
		var visit func(loops []Loop, coord []int, from, to int)
		visit = func(loops []Loop, coord []int, from, to int) {
			if len(loops) == 0 {
				at := make([]int, len(coord))
				for i, name := range src.Names() {
					at[slices.Index(dst.Names(), name)] = coord[i]
				}
				if src.At(coord...) != from || dst.At(at...) != to {
					t.Fatalf("%s to %s: %v is at %d and %d, the loops say %d and %d: %+v", src, dst, coord, src.At(coord...), dst.At(at...), from, to, s)
				}
				seen[to] = true
				return
			}
			l, div := loops[0], 1
			digit, _, _ := strings.Cut(l.Name(), "%")
			dim, by, _ := strings.Cut(digit, "//")
			fmt.Sscan(by, &div) //nolint:errcheck // it stays 1
			for k := range l.N {
				moved := slices.Clone(coord)
				moved[slices.Index(src.Names(), dim)] += k * div
				visit(loops[1:], moved, from+k*l.Src, to+k*l.Dst)
			}
		}
		visit(step.Loops, first, b.Src, b.Dst)
	}
}

// The explanation of NCHW to NHWC: H and W are one loop, and a kernel transposes.
func TestExplanationOfTheGuide(t *testing.T) {
	e, err := Explain(bind(t, "nhwc", 8, 64, 56, 56), bind(t, "nchw", 8, 64, 56, 56), 4, kernel.Best())
	if err != nil {
		t.Fatal(err)
	}
	s := e.Boxes[0]
	if got := digitsOf(s); got != "N C H W; N C H W; N H W C; N H·W C" || len(s.Held) != 0 {
		t.Errorf("loops %s, parts %v", got, s.Held)
	}
	if k := s.Kernel; k.Kind != "transpose" || k.Item != 4 || k.Rows != 64 || k.Cols != 3136 || k.Times != 8 {
		t.Errorf("kernel %+v", k)
	}
}

// Ragged ends and periods are named.
func TestParts(t *testing.T) {
	for _, c := range []struct {
		from, to string
		channels int
		digits   string
		parts    string
	}{
		{"chw", "chw4c", 62, "C//4 C%4 H W; C//4 C%4; C//4 C%4; C//4·C%4", "C 0..59; C 60..61, a partial last block"},
		{"chw", "chw4c", 3, "C H W; C; C; C", ""},
		{"CHW4c", "CHW6c", 26, "C//12 C%12 H W; C//12 C%12; C//12 C%12; C//12 C%12",
			"C 0..3 of every 12; C 4..5 of every 12; C 6..7 of every 12; C 8..11 of every 12; C 24..25, a partial last block"},
		{"CHW4c", "CHW6c", 10, "C//10 C H W; C; C; C",
			"C 0..3; C 4..5; C 6..7; C 8..9"},
	} {
		e, err := Explain(bind(t, c.to, c.channels, 1, 1), bind(t, c.from, c.channels, 1, 1), 4, kernel.Best())
		if err != nil {
			t.Fatal(err)
		}
		var parts []string
		for _, s := range e.Boxes {
			parts = append(parts, s.Held...)
		}
		if got := digitsOf(e.Boxes[0]); got != c.digits || strings.Join(parts, "; ") != c.parts {
			t.Errorf("%s to %s: loops %s, parts %q", c.from, c.to, got, parts)
		}
	}
}

// digitsOf lists the names of the loops, step by step.
func digitsOf(s BoxExplanation) string {
	var steps []string
	for _, step := range s.Steps {
		var names []string
		for _, l := range step.Loops {
			names = append(names, l.Name())
		}
		steps = append(steps, strings.Join(names, " "))
	}
	return strings.Join(steps, "; ")
}

// TestInPlace: a tensor with equal offsets on both sides needs no copy.
func TestInPlace(t *testing.T) {
	for _, c := range []struct {
		from, to string
		sizes    []int
		want     bool
	}{
		{"nchw", "nchw", []int{2, 3, 4, 5}, true}, {"nchw", "nhwc", []int{2, 3, 4, 5}, false}, {"nchw", "nhwc", []int{2, 1, 4, 5}, true},
		{"nchw", "nhwc", []int{2, 3, 1, 1}, true}, {"nchw", "nchw4", []int{2, 4, 1, 1}, true}, {"nchw", "nchw4", []int{2, 3, 1, 1}, false},
		{"nchw", "nhwc", []int{2, 0, 4, 5}, true},
	} {
		plan, err := NewPlan(bind(t, c.to, c.sizes...), bind(t, c.from, c.sizes...), 4)
		if err != nil || plan.InPlace() != c.want {
			t.Errorf("%s to %s, %v: %v, %v", c.from, c.to, c.sizes, plan.InPlace(), err)
		}
	}
	s := tensor.Strided{Shape: []int{2, 3}, Strides: []int{3, 1}, Offset: 2}
	src, err := s.Layout([]string{"H", "W"}, tensor.Unbounded)
	if err != nil {
		t.Fatal(err)
	}
	if plan, err := NewPlan(bind(t, "hw", 2, 3), src, 4); err != nil || plan.InPlace() {
		t.Errorf("a view with offset 2 is in place, %v", err)
	}
}
