package cute

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/tlayout/tlayout/internal/random/property"
)

// TestDivide: the first mode of logical_divide is A∘B, the second A∘complement(B, size(A)). If the tiles fit A, both together
// are a permutation of A's indices. zipped_divide has the same modes, by mode.
func TestDivide(t *testing.T) {
	permutations := 0
	property.Check(t, func(t *rapid.T) {
		a, b := drawLayout(t, "A", false), drawLayout(t, "B", false)
		r := &reasons{}
		got, err := divide(a, b, r)
		if err != nil {
			return
		}
		tile, err := compose(a, b, nil)
		if err != nil || !got.modes[0].equal(tile) || got.Rank() != 2 {
			t.Fatalf("%s / %s = %s, and A∘B = %s, %v", a, b, got, tile, err)
		}
		rest, err := complement(b, a.size, nil)
		if err != nil {
			t.Fatal(err)
		}
		if tiles, err := compose(a, rest, nil); err != nil || !got.modes[1].equal(tiles) {
			t.Fatalf("%s / %s = %s, and A∘rest = %s, %v", a, b, got, tiles, err)
		}
		fills, err := join(b, rest)
		if err != nil {
			t.Fatal(err)
		}
		cover := image(fills)
		slices.Sort(cover)
		if len(r.warnings) == 0 && slices.Equal(cover, ints0(a.size)) {
			permutations++
			is, of := image(got), image(a)
			slices.Sort(is)
			slices.Sort(of)
			if !slices.Equal(is, of) {
				t.Fatalf("%s / %s = %s has other indices", a, b, got)
			}
		}
	})
	if permutations == 0 {
		t.Error("no division was a permutation")
	}
}

// TestProduct: the first mode of logical_product is A, the second repeats it at other indices: if A and B are injective and B's
// strides positive, no index is hit twice.
func TestProduct(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		a, b := drawLayout(t, "A", false), drawLayout(t, "B", false)
		r := &reasons{}
		got, err := product(a, b, r)
		if err != nil {
			return
		}
		if !got.modes[0].equal(a) || got.modes[1].size != b.size || !compatible(b, got.modes[1]) {
			t.Fatalf("%s × %s = %s", a, b, got)
		}
		all, injective := image(got), len(distinct(image(a))) == a.size && len(distinct(image(b))) == b.size
		if injective && len(r.warnings) == 0 && len(distinct(all)) != len(all) {
			t.Fatalf("%s × %s = %s hits an index twice", a, b, got)
		}
	})
}

// TestRankedProducts: the index of coordinate ((a0,b0),(a1,b1),…) of blocked_product, and of ((b0,a0),…) of raked_product, is the
// sum of those of a in A and of b in the repetitions.
func TestRankedProducts(t *testing.T) {
	paired := 0
	property.Check(t, func(t *rapid.T) {
		a, b := drawLayout(t, "A", false), drawLayout(t, "B", false)
		rank := max(a.Rank(), b.Rank())
		padded, _ := pad(a, rank)
		over, _ := pad(b, rank)
		both, err := product(padded, over, nil)
		if err != nil {
			return
		}
		for _, raked := range []bool{false, true} {
			got, err := rankedProduct(a, b, raked, nil)
			if err != nil {
				continue
			}
			paired++
			if got.Rank() != rank {
				t.Fatalf("%s, %s: %s has rank %d", a, b, got, got.Rank())
			}
			first, second := both.modes[0], both.modes[1]
			if raked {
				first, second = second, first
			}
			left, right := parts(first, rank), parts(second, rank)
			for k, m := range got.modes {
				if len(m.modes) != 2 || !m.modes[0].equal(left[k]) || !m.modes[1].equal(right[k]) {
					t.Fatalf("%s, %s, raked %v: %s of %s", a, b, raked, got, both)
				}
			}
		}
	})
	if paired == 0 {
		t.Error("no product had modes that pair up")
	}
}

// parts returns the modes of a layout; at rank 1 a layout that is not a tuple of one mode is that mode.
func parts(l Layout, rank int) []Layout {
	if rank == 1 && len(l.modes) != 1 {
		return []Layout{l}
	}
	return l.modes
}

// TestGathered: zipped_divide has composition as its first mode; tiled and flat ones have its modes, in the same order.
func TestGathered(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		a := drawLayout(t, "A", false)
		b := argument{kind: tiler}
		for range rapid.IntRange(1, a.Rank()).Draw(t, "parts") {
			b.parts = append(b.parts, argument{kind: typed, layout: drawLayout(t, "tile", false)})
		}
		for _, of := range []struct {
			zipped, tiled, flat func(Layout, argument, *reasons) (Layout, error)
		}{
			{zippedDivide, tiledDivide, flatDivide}, {zippedProduct, tiledProduct, flatProduct},
		} {
			zipped, err := of.zipped(a, b, nil)
			if err != nil {
				continue
			}
			tiled, errT := of.tiled(a, b, nil)
			flattened, errF := of.flat(a, b, nil)
			if errT != nil || errF != nil || !slices.Equal(zipped.leaves(), tiled.leaves()) || !slices.Equal(zipped.leaves(), flattened.leaves()) ||
				tiled.Rank() != 1+zipped.modes[1].Rank() || flattened.Rank() != zipped.modes[0].Rank()+zipped.modes[1].Rank() {
				t.Fatalf("%s, %s: %s, %s, %s", a, b, zipped, tiled, flattened)
			}
		}
		if zipped, err := zippedDivide(a, b, nil); err == nil {
			tiles, err := composeBy(a, b, nil)
			if err != nil || !slices.EqualFunc(zipped.modes[0].children(), tiles.children()[:len(b.parts)], Layout.equal) {
				t.Fatalf("zipped_divide(%s, %s) = %s, composition %s, %v", a, b, zipped, tiles, err)
			}
		}
	})
}
