package cute

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tlayout/tlayout/internal/random/property"
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
	property.Check(t, func(t *rapid.T) {
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
	property.Check(t, func(t *rapid.T) {
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
	property.Check(t, func(t *rapid.T) {
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
		if left := slices.Max(indices) >= a.Size(); left != strings.Contains(strings.Join(r.notes, ""), "outside A's domain") {
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

// TestNegativeComposition: a negative stride of B goes the same way as the positive one, negated.
func TestNegativeComposition(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
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
