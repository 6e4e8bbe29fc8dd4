package cute

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/tlayout/tlayout/internal/random/property"
)

// TestComplement: the post-conditions of 02_layout_algebra.md. The result is ordered and disjoint from the layout but for 0, its
// size is bounded, and both together reach the bound, unless a note says that indices are left out.
func TestComplement(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		l := drawLayout(t, "A", false)
		n := rapid.IntRange(1, 200).Draw(t, "n")
		r := &reasons{}
		got, err := complement(l, n, r)
		if err != nil {
			if !overlaps(l) {
				t.Fatalf("complement(%s) is refused: %v", l, err)
			}
			return
		}
		rest, taken := image(got), image(l)
		for k := 1; k < len(rest); k++ {
			if rest[k-1] >= rest[k] || slices.Contains(taken, rest[k]) {
				t.Fatalf("complement(%s, %d) = %s: index %d", l, n, got, rest[k])
			}
		}
		both, err := join(l, got)
		if err != nil {
			t.Fatal(err)
		}
		end := 1 // of the largest stride: what is repeated
		for _, m := range l.leaves() {
			if m.size > 1 {
				end = max(end, m.size*m.stride)
			}
		}
		if whole := (n + end - 1) / end * end; both.Cosize() > whole || len(r.notes) == 0 && both.Cosize() != whole {
			t.Fatalf("complement(%s, %d) = %s: cosize %d, with the layout %d", l, n, got, got.Cosize(), both.Cosize())
		}
		if all := image(both); !slices.ContainsFunc(l.leaves(), func(m mode) bool { return m.stride == 0 && m.size > 1 }) && len(distinct(all)) != len(all) {
			t.Fatalf("(%s, %s) maps two coordinates to one index", l, got)
		}
	})
}

func distinct(xs []int) []int {
	sorted := slices.Clone(xs)
	slices.Sort(sorted)
	return slices.Compact(sorted)
}

// TestRightInverse: A(R(i)) = i for every i. R has all of A if A is a bijection.
func TestRightInverse(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		l := drawLayout(t, "A", true)
		got, _, err := rightInverse(l, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, at := range image(got) {
			if x, _ := l.At(at); x != i || at >= l.size {
				t.Fatalf("right_inverse(%s) = %s: A(R(%d)) = A(%d) = %d", l, got, i, at, x)
			}
		}
		all := image(l)
		if slices.Min(all) == 0 && slices.Max(all) == len(all)-1 && len(distinct(all)) == len(all) && got.size != l.size {
			t.Fatalf("right_inverse(%s) = %s, of size %d", l, got, got.size)
		}
	})
}

// TestLeftInverse: L(A(i)) = i for every i, if A is injective; otherwise A(L(A(i))) = A(i), and a note says so.
func TestLeftInverse(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		l := drawLayout(t, "A", false)
		r := &reasons{}
		got, err := leftInverse(l, r)
		if err != nil {
			return
		}
		all := image(l)
		injective := len(distinct(all)) == len(all)
		for i, x := range all {
			j, _ := got.At(x)
			back, _ := l.At(j)
			if injective && j != i || back != x {
				t.Fatalf("left_inverse(%s) = %s: L(A(%d)) = L(%d) = %d", l, got, i, x, j)
			}
		}
		if !injective && len(r.notes) == 0 {
			t.Fatalf("left_inverse(%s) = %s: no note says that no left inverse exists", l, got)
		}
	})
}
