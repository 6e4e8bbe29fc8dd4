package convert

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tlayout/tlayout/internal/convert/kernel"
	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/random/property"
	"github.com/tlayout/tlayout/internal/tensor"
)

func swizzledLayout(t testing.TB, z tensor.Swizzle, names []string, shape, strides []int) tensor.Layout {
	t.Helper()
	l := must(must(tensor.NewStrided(shape, strides, 0)).Layout(names, tensor.Unbounded))
	return must(l.Swizzled(z, tensor.Unbounded))
}

// TestSwizzledBoxes: a swizzle costs as many boxes as its source bits have values, for a tensor of any size; equal swizzles on both sides
// need no copy.
func TestSwizzledBoxes(t *testing.T) {
	z, hw := tensor.Swizzle{Bits: 3, Base: 3, Shift: 3}, []string{"H", "W"}
	for _, rows := range []int{8, 64, 4096} {
		swizzled := swizzledLayout(t, z, hw, []int{rows, 64}, []int{64, 1})
		for _, c := range []struct {
			name     string
			dst, src tensor.Layout
			boxes    int
		}{
			{"to rows", swizzled.Plain(), swizzled, 8},
			{"from rows", swizzled, swizzled.Plain(), 8},
			{"from columns", swizzled, swizzledLayout(t, tensor.Swizzle{}, hw, []int{rows, 64}, []int{1, rows}), 8},
			{"both", swizzled, swizzled, 64},
		} {
			p, err := NewPlan(c.dst, c.src, 2)
			if err != nil || len(p.Boxes) > c.boxes {
				t.Errorf("%d rows, %s: %d boxes, expected %d, %v", rows, c.name, len(p.Boxes), c.boxes, err)
			}
			if err == nil && p.InPlace() != (c.name == "both") {
				t.Errorf("%d rows, %s: in place is %v", rows, c.name, p.InPlace())
			}
		}
	}
}

// TestSwizzleWithoutPeriod: strides without a small common period with the swizzle are refused, and the two steps of the hint work.
func TestSwizzleWithoutPeriod(t *testing.T) {
	z, names := tensor.Swizzle{Bits: 3, Base: 9, Shift: 3}, []string{"A", "B"}
	shape, rows, columns := []int{3001, 2999}, []int{2999, 1}, []int{1, 3001}
	swizzled := swizzledLayout(t, z, names, shape, rows)
	_, err := NewPlan(swizzledLayout(t, tensor.Swizzle{}, names, shape, columns), swizzled, 1)
	if err == nil || !strings.Contains(err.Error(), "no small common period") {
		t.Errorf("%s to columns: %v", swizzled, err)
	}
	if _, err := NewPlan(swizzled.Plain(), swizzled, 1); err != nil {
		t.Errorf("%s to the same strides: %v", swizzled, err)
	}
}

// TestSwizzledExplanations: the explanation of swizzled layouts has a piece for each box: its last step has the loops of the plan, and the
// earlier ones visit the plain offsets.
func TestSwizzledExplanations(t *testing.T) {
	pieces := 0
	property.Check(t, func(r *rapid.T) {
		rank := rapid.IntRange(0, 3).Draw(r, "rank")
		sizes := rapid.SliceOfN(rapid.IntRange(0, 9), rank, rank).Draw(r, "sizes")
		draw := func(side string) tensor.Layout {
			b := rapid.IntRange(0, 2).Draw(r, side+" bits")
			z := must(tensor.NewSwizzle(b, rapid.IntRange(0, 2).Draw(r, side+" base"), rapid.SampledFrom([]int{b, b + 1, -b}).Draw(r, side+" shift")))
			return must(drawLayout(r, side, sizes).Swizzled(z, tensor.Unbounded))
		}
		src, dst := draw("src"), draw("dst")
		e, err := Explain(dst, src, 4, kernel.Best())
		if err != nil {
			r.Fatal(err)
		}
		plain := src.Swizzle().IsZero() && dst.Swizzle().IsZero()
		for k, b := range e.Boxes {
			last := b.Steps[len(b.Steps)-1]
			if plain != (b.Pieces == 0) || plain == (last.Pass == "swizzle") || b.Elems() != elemsOf(e.Plan.Boxes[k].Loops) {
				r.Fatalf("%s to %s, box %d: %+v", src, dst, k, b)
			}
			if !plain && (last.Src.IsZero() && last.Dst.IsZero() || len(last.Loops) > 0 && last.Loops[0].Name() == "") {
				r.Fatalf("%s to %s, box %d: step %+v", src, dst, k, last)
			}
			pieces = max(pieces, b.Pieces)
		}
	})
	if pieces < 4 {
		t.Errorf("a box was cut into %d pieces at most", pieces)
	}
}

// The loops of a piece have the names of the dims whose indices they count: a source of rows of four says which these are.
func TestSwizzledNames(t *testing.T) {
	hw, rows := []string{"H", "W"}, []int{32, 4}
	src := swizzledLayout(t, tensor.Swizzle{}, hw, rows, []int{4, 1})
	dst := swizzledLayout(t, tensor.Swizzle{Bits: 3, Base: 1, Shift: 3}, hw, rows, []int{12, 1})
	e, err := Explain(dst, src, 4, kernel.Best())
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, b := range e.Boxes {
		for _, l := range b.Steps[len(b.Steps)-1].Loops {
			want, step := "H", ints.Abs(l.Src)
			if step < 4 {
				want = "W"
			}
			if step < 4 && l.N*step > 4 {
				want = "H·W"
			}
			if l.Name() != want {
				t.Errorf("box %d: loop %+v, expected %s", b.Piece, l, want)
			}
			seen[want] = true
		}
	}
	if !seen["H·W"] || !seen["H"] {
		t.Errorf("the loops are of %v", seen)
	}
}
