package cute

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// drawLayout draws a nested layout of small sizes: strides dense in some order with gaps, or any.
func drawLayout(t *rapid.T, name string, negative bool) Layout {
	n := rapid.IntRange(1, 4).Draw(t, name+" modes")
	sizes := rapid.SliceOfN(rapid.SampledFrom([]int{1, 2, 2, 3, 4, 4, 6, 8}), n, n).Draw(t, name+" sizes")
	strides := make([]int, n)
	run := rapid.SampledFrom([]int{1, 1, 1, 2, 3}).Draw(t, name+" first stride")
	order := rapid.Permutation(ints0(n)).Draw(t, name+" order")
	for _, k := range order {
		strides[k] = run
		run *= sizes[k] * rapid.SampledFrom([]int{1, 1, 1, 2, 3}).Draw(t, name+" gap")
	}
	low := 0
	if negative {
		low = -4
	}
	if rapid.IntRange(0, 9).Draw(t, name+" any") == 0 {
		strides[rapid.IntRange(0, n-1).Draw(t, name+" which")] = rapid.IntRange(low, 12).Draw(t, name+" stride")
	}
	all := make([]Layout, n)
	for k := range all {
		all[k] = single(sizes[k], strides[k])
	}
	for len(all) > 1 && rapid.Bool().Draw(t, name+" nest") {
		k := rapid.IntRange(0, len(all)-2).Draw(t, name+" from")
		pair, err := join(all[k], all[k+1])
		if err != nil {
			t.Fatal(err)
		}
		all = slices.Replace(all, k, k+2, pair)
	}
	if len(all) == 1 {
		return all[0]
	}
	l, err := join(all...)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func ints0(n int) []int {
	all := make([]int, n)
	for k := range all {
		all[k] = k
	}
	return all
}

// image lists the indices of all coordinates, leftmost mode fastest, by the definition of a layout's function: a digit of each
// leaf, times its stride.
func image(l Layout) []int {
	out := []int{0}
	for _, m := range l.leaves() {
		var next []int
		for i := range m.size {
			for _, x := range out {
				next = append(next, x+i*m.stride)
			}
		}
		out = next
	}
	return out
}

// TestAt: At of every coordinate is the definition of the function, and Cosize the span of its image.
func TestAt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := drawLayout(t, "A", true)
		all := image(l)
		if len(all) != l.Size() || slices.Max(all)-slices.Min(all)+1 != l.Cosize() {
			t.Fatalf("%s: size %d, cosize %d; by definition %d, %d…%d", l, l.Size(), l.Cosize(), len(all), slices.Min(all), slices.Max(all))
		}
		for i, want := range all {
			if got, err := l.At(i); err != nil || got != want {
				t.Fatalf("%s(%d) = %d, %v; want %d", l, i, got, err, want)
			}
		}
	})
}

// TestCoalesce keeps the function and the size, flattens, and leaves nothing to merge; by mode it keeps the rank and each
// mode's function.
func TestCoalesce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := drawLayout(t, "A", true)
		got := coalesce(l, nil)
		if !slices.Equal(image(got), image(l)) || got.depth() > 1 || !coalesce(got, nil).equal(got) {
			t.Fatalf("coalesce(%s) = %s", l, got)
		}
		leaves := got.leaves()
		for k := 1; k < len(leaves); k++ {
			if leaves[k].size == 1 || leaves[k].stride == leaves[k-1].size*leaves[k-1].stride {
				t.Fatalf("coalesce(%s) = %s: mode %d is left", l, got, k)
			}
		}
		by, err := coalesceBy(l, argument{kind: tuple, parts: make([]argument, l.Rank())}, nil)
		if err != nil || by.Rank() != l.Rank() {
			t.Fatalf("coalesce of %s by mode: %s, %v", l, by, err)
		}
		for k, m := range l.children() {
			if !slices.Equal(image(by.modes[k]), image(m)) {
				t.Fatalf("coalesce of %s by mode: %s", l, by)
			}
		}
	})
}

// TestComposition: R(i) = A(B(i)) for every i of B's domain, or a warning names the first i at which that does not hold, and both
// numbers. A may end in modes of size 1, and B may leave A's domain, where A's last mode goes on. The coordinates of B are
// coordinates of R.
func TestComposition(t *testing.T) {
	done, inside, outside := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		a, b := trailing(t, drawLayout(t, "A", true)), drawLayout(t, "B", false)
		r := &reasons{}
		got, err := compose(a, b, r)
		if err != nil {
			return
		}
		done++
		indices, is := image(b), image(got)
		if len(is) != len(indices) || !compatible(b, got) {
			t.Fatalf("%s ∘ %s = %s", a, b, got)
		}
		want := ""
		for i, x := range indices {
			if of := definition(a, x); is[i] != of {
				want = fmt.Sprintf("the result is not A∘B at %d: A(B(%d)) = A(%d) = %d, but the result has %d; ", i, i, x, of, is[i])
				if x < a.Size() {
					inside++
				} else {
					outside++
				}
				break
			}
		}
		if len(r.warnings) > 1 || !strings.HasPrefix(strings.Join(r.warnings, ""), want) || want == "" && len(r.warnings) > 0 {
			t.Fatalf("%s ∘ %s = %s: %q, want %q", a, b, got, r.warnings, want)
		}
		if left := slices.Max(indices) >= a.Size(); left != strings.Contains(strings.Join(r.notes, ""), "outside of A's domain") {
			t.Fatalf("%s ∘ %s leaves A's domain: %v; %q", a, b, left, r.notes)
		}
	})
	t.Logf("%d compositions; %d with a warning about A's domain, %d beyond it", done, inside, outside)
}

// trailing appends up to two modes of size 1 to a layout, with any strides or those at which its last mode goes on.
func trailing(t *rapid.T, l Layout) Layout {
	modes := slices.Clone(l.children())
	for range rapid.IntRange(0, 2).Draw(t, "modes of size 1") {
		last := l.leaves()[len(l.leaves())-1]
		modes = append(modes, single(1, rapid.SampledFrom([]int{0, 1, 3, 5, -2, last.size * last.stride}).Draw(t, "stride of a mode of size 1")))
	}
	if len(modes) == 1 {
		return modes[0]
	}
	l, err := join(modes...)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// definition is A(x) for any x ≥ 0: a digit of each leaf, and in the last one what is left.
func definition(a Layout, x int) int {
	sum, all := 0, a.leaves()
	for _, m := range all[:len(all)-1] {
		sum, x = sum+x%m.size*m.stride, x/m.size
	}
	return sum + x*all[len(all)-1].stride
}

// compatible: each leaf of b has become a mode of the same size, which may be a tuple.
func compatible(b, r Layout) bool {
	if b.modes == nil {
		return r.size == b.size
	}
	return len(b.modes) == len(r.modes) && !slices.ContainsFunc(ints0(len(b.modes)), func(k int) bool { return !compatible(b.modes[k], r.modes[k]) })
}

// TestComplement: the post-conditions of 02_layout_algebra.md. The result is ordered and disjoint from the layout but for 0, its
// size is bounded, and both together reach the bound, unless a note says that indices are left out.
func TestComplement(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
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
	rapid.Check(t, func(t *rapid.T) {
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
	rapid.Check(t, func(t *rapid.T) {
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

// TestDivide: the first mode of logical_divide is A∘B, the second A∘complement(B, size(A)). If the tiles fit A, both together
// are a permutation of A's indices. zipped_divide has the same modes, by mode.
func TestDivide(t *testing.T) {
	permutations := 0
	rapid.Check(t, func(t *rapid.T) {
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
	rapid.Check(t, func(t *rapid.T) {
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
	rapid.Check(t, func(t *rapid.T) {
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

// parts are the modes of a layout; at rank 1 a layout that is no tuple of one mode is that mode.
func parts(l Layout, rank int) []Layout {
	if rank == 1 && len(l.modes) != 1 {
		return []Layout{l}
	}
	return l.modes
}

// TestGathered: zipped_divide has composition as its first mode; tiled and flat ones have its modes, in the same order.
func TestGathered(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
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

// TestNegativeComposition: a negative stride of B goes the same way as the positive one, negated.
func TestNegativeComposition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawLayout(t, "A", true)
		m := mode{rapid.IntRange(1, 8).Draw(t, "size"), rapid.IntRange(1, 12).Draw(t, "stride")}
		up, errUp := compose(a, single(m.size, m.stride), nil)
		down, errDown := compose(a, single(m.size, -m.stride), nil)
		if (errUp == nil) != (errDown == nil) {
			t.Fatalf("%s ∘ %s: %v, negated %v", a, m, errUp, errDown)
		}
		if errUp != nil {
			return
		}
		want := image(up)
		for i := range want {
			want[i] = -want[i]
		}
		if !slices.Equal(want, image(down)) {
			t.Fatalf("%s ∘ %s = %s, negated %s", a, m, up, down)
		}
	})
}
