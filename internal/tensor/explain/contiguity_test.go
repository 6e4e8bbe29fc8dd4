package explain

import (
	"fmt"
	"math/rand/v2"
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
// strides of a no, and suggest_memory_format.
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
		h := NewHint(s, names)
		if want := s.SuggestMemoryFormat() != tensor.ContiguousFormat; (h.Reason == HintNested) != want {
			t.Errorf("%v: %s, but the hint is %s", s, h, s.SuggestMemoryFormat())
		}
		seen["hint "+string(h.Reason)]++
	})
	for _, key := range []string{"walk 0 true", "walk 0 false", "walk 1 true", "walk 1 false", "hint nested", "hint less", "hint broadcast"} {
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
