package explain

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/tensor"
)

var names5 = []string{"N", "C", "D", "H", "W"}

// drawStrided visits tensors of rank 4 and 5 whose strides are those of an order, some of them spoiled.
func drawStrided(n int, visit func(s tensor.Strided, names []string)) {
	d := rand.New(rand.NewPCG(1, 1))
	for range n {
		shape := make([]int, 4+d.IntN(2))
		for i := range shape {
			shape[i] = 1 + d.IntN(3)
		}
		strides, step := make([]int, len(shape)), 1
		order := d.Perm(len(shape))
		if d.IntN(2) == 0 {
			order = ChannelsLast(len(shape))
		}
		for _, i := range order {
			if strides[i] = step; d.IntN(6) == 0 {
				strides[i] += d.IntN(3) - 1
			}
			step = max(1, strides[i]*shape[i])
		}
		visit(tensor.Strided{Shape: shape, Strides: strides}, names5[:len(shape)])
	}
}

// TestWalksAgree: walks and hints come to the answers of package tensor: contiguity in both senses, with the dim and the
// strides of a no, and suggest_memory_format by both rules. The last line of a derivation, and no other, is the answer.
func TestWalksAgree(t *testing.T) {
	seen := map[string]int{}
	drawStrided(3000, func(s tensor.Strided, names []string) {
		last := s.ChannelsLast()
		if s.Rank() == 5 {
			last = s.ChannelsLast3D()
		}
		for i, want := range []tensor.Verdict{s.CContiguous(), last} {
			order := [][]int{Packed(s.Rank()), ChannelsLast(s.Rank())}[i]
			w := NewWalk(s, names, order)
			end := w.Steps[len(w.Steps)-1]
			if w.OK != want.OK || !w.OK && (end.Dim != want.Dim || end.Expected.Value != want.Expected || end.Found != want.Found) {
				t.Errorf("%v: %+v, expected %+v", s, w, want)
			}
			seen[fmt.Sprint("walk ", i, w.OK)]++
		}
		like := map[HintRule]bool{Eager: s.SuggestMemoryFormat() != tensor.ContiguousFormat,
			Traced: s.PrimsLikeChannelsLast(tensor.ChannelsLastFormat) || s.PrimsLikeChannelsLast(tensor.ChannelsLast3D)}
		for rule, want := range like {
			h := NewHint(s, names, rule)
			lines := strings.Join(h.Lines(), "\n")
			if (h.Reason == HintNested) != want || strings.HasSuffix(lines, ": yes") != want || strings.Contains(lines, ": no\n") {
				t.Errorf("%v, %s: %s, expected %v:\n%s", s, rule, h, want, lines)
			}
			seen[fmt.Sprint("hint ", rule, " ", h.Reason)]++
		}
		seen[fmt.Sprint("rules differ ", like[Eager])] += map[bool]int{true: 1}[like[Eager] != like[Traced]]
	})
	for _, key := range []string{"walk 0 true", "walk 0 false", "walk 1 true", "walk 1 false", "hint C++ nested", "hint C++ less", "hint C++ broadcast", "hint C++ single",
		"hint Python nested", "hint Python less", "hint Python broadcast", "hint Python single", "rules differ true", "rules differ false"} {
		if seen[key] < 20 {
			t.Errorf("%s was hardly drawn: %v", key, seen)
		}
	}
}

// TestWalkText: a step shows the product it expects, in letters and sizes; size-1 dims are in no product.
func TestWalkText(t *testing.T) {
	s := tensor.Strided{Shape: []int{1, 64, 5, 4}, Strides: []int{7, 20, 4, 1}}
	w := NewWalk(s, []string{"N", "C", "H", "W"}, Packed(4))
	want := []string{"W: expected 1, found 1", "H: expected W = 4, found 4", "C: expected H · W = 5 · 4 = 20, found 20",
		"N: size 1, skipped: its stride of 7 is never used"}
	for i, step := range w.Steps {
		if step.String() != want[i] {
			t.Errorf("%q, expected %q", step, want[i])
		}
	}
	s.Strides[2] = 6
	w = NewWalk(s, []string{"N", "C", "H", "W"}, Packed(4))
	if got := w.Steps[len(w.Steps)-1].String(); len(w.Steps) != 2 || got != "H: expected W = 4, found 6: no" {
		t.Errorf("after %d steps: %q", len(w.Steps), got)
	}
}

// TestHintText derives the answers of PyTorch 1.13 for two tensors on which its C++ and its Python differ.
func TestHintText(t *testing.T) {
	for _, c := range []struct {
		shape, strides []int
		rule           HintRule
		want           []string
	}{
		{[]int{2, 1, 3, 1}, []int{3, 1, 1, 1}, Eager, []string{"C: stride 1 ≥ 0, spans 1 · 1 = 1", "W: stride 1 ≥ 1, spans 1 · 1 = 1",
			"H: stride 1 ≥ 1, spans 1 · 3 = 3", "N: stride 3 ≥ 3, and 3 is not the stride of C: yes"}},
		{[]int{2, 1, 3, 1}, []int{3, 1, 1, 1}, Traced, []string{"C: stride 1 ≥ 0, spans 1 · 1 = 1", "W: stride 1 ≥ 1, spans 1 · 1 = 1",
			"H: stride 1 ≥ 1, spans 1: a stride of 1 is not multiplied by the size, 3", "N: stride 3 ≥ 1, but 1 is the stride of C: no"}},
		{[]int{2, 3, 4, 4}, []int{48, 1, 12, 1}, Eager, []string{"C: stride 1 ≥ 0, spans 1 · 3 = 3", "W: stride 1 < 3: no"}},
		{[]int{2, 3, 4, 0}, []int{48, 1, 12, 3}, Eager, []string{"C: stride 1 ≥ 0, spans 1 · 3 = 3", "W: size 0: no"}},
		{[]int{2, 3, 4, 4}, []int{48, 0, 12, 3}, Traced, []string{"the stride of C is 0"}},
	} {
		got := NewHint(tensor.Strided{Shape: c.shape, Strides: c.strides}, []string{"N", "C", "H", "W"}, c.rule).Lines()
		if !slices.Equal(got, c.want) {
			t.Errorf("%v:%v, %s: %q, expected %q", c.shape, c.strides, c.rule, got, c.want)
		}
	}
}
