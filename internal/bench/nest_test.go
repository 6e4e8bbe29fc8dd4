package bench

import (
	"fmt"
	"testing"

	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

func bind(t testing.TB, name string, shape ...int) tensor.Layout {
	t.Helper()
	l, err := notation.Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	bound, err := l.Format.Bind(shape)
	if err != nil {
		t.Fatal(err)
	}
	return bound
}

// awkward are layouts and shapes with different nests: merged into one row, ragged blocks, sizes of 1, other ranks.
func awkward(t testing.TB) map[string]tensor.Layout {
	layouts := map[string]tensor.Layout{}
	for _, shape := range [][]int{{2, 3, 4, 5}, {1, 62, 3, 2}, {3, 1, 2, 2}, {2, 64, 1, 1}, {1, 8, 2, 3}, {5, 9, 3, 3}, {0, 3, 2, 2}} {
		for _, name := range []string{"nchw", "nhwc", "nchw4", "nchw8", "nchw16", "nchw32", "chwn", "chwn4", "nhcw", "whcn", "N C//4 H W C//2%2 C%2"} {
			layouts[fmt.Sprint(name, shape)] = bind(t, name, shape...)
		}
	}
	layouts["ncdhw"] = bind(t, "ncdhw", 2, 5, 2, 3, 2)
	layouts["NCDHW4c"] = bind(t, "NCDHW4c", 2, 5, 2, 3, 2)
	layouts["chw"] = bind(t, "chw", 5, 2, 3)
	s, err := tensor.NewStrided([]int{2, 3, 4, 5}, []int{100, 33, 8, 1}, 7)
	if err != nil {
		t.Fatal(err)
	}
	padded, err := s.Layout([]string{"N", "C", "H", "W"}, tensor.Unbounded)
	if err != nil {
		t.Fatal(err)
	}
	layouts["padded"] = padded
	return layouts
}

// plainOrder lists the byte addresses of a walk by definition: for every pixel all its channels, or for every channel all its
// pixels.
func plainOrder(p Pattern, l tensor.Layout, itemSize int) []int {
	var addresses []int
	names, shape := l.Names(), l.Shape()
	size := func(name string) int {
		for i, n := range names {
			if n == name {
				return shape[i]
			}
		}
		return 1
	}
	visit := func(at map[string]int) {
		coord := make([]int, len(names))
		for i, n := range names {
			coord[i] = at[n]
		}
		addresses = append(addresses, l.At(coord...)*itemSize)
	}
	pixels := func(f func(d, h, w int)) {
		for d := range size("D") {
			for h := range size("H") {
				for w := range size("W") {
					f(d, h, w)
				}
			}
		}
	}
	for n := range size("N") {
		if p == Channel {
			pixels(func(d, h, w int) {
				for c := range size("C") {
					visit(map[string]int{"N": n, "C": c, "D": d, "H": h, "W": w})
				}
			})
			continue
		}
		for c := range size("C") {
			pixels(func(d, h, w int) { visit(map[string]int{"N": n, "C": c, "D": d, "H": h, "W": w}) })
		}
	}
	return addresses
}

// A nest visits the addresses that the plain loops visit, in their order.
func TestNest(t *testing.T) {
	for name, l := range awkward(t) {
		for _, p := range []Pattern{Channel, Spatial} {
			const size = 4
			n, err := newNest(p, l, size)
			if err != nil {
				t.Fatal(err)
			}
			var got []int
			n.rows(func(at, bytes int) {
				for b := 0; b < bytes; b += size {
					got = append(got, at+b)
				}
			})
			if want := plainOrder(p, l, size); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s, %s: visits %v\nexpected %v", name, p, got, want)
			}
		}
	}
}

// Memory that is contiguous in the walk's order is one row, which makes a contiguous walk fast.
func TestNestFolds(t *testing.T) {
	for name, pattern := range map[string]Pattern{"nchw": Spatial, "nhwc": Channel} {
		l := bind(t, name, 4, 8, 6, 6)
		n, err := newNest(pattern, l, 2)
		if err != nil || n.parts != nil || n.n != 1 || n.row != 4*8*6*6*2 {
			t.Errorf("%s, %s: %+v, %v, expected one row", name, pattern, n, err)
		}
	}
}

// Walks need channels and pixels.
func TestOrderNeedsChannels(t *testing.T) {
	for _, name := range []string{"hw", "oihw"} {
		sizes := []int{2, 3, 4, 5}
		l := bind(t, name, sizes[:len(name)]...)
		if _, err := Channel.order(l); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
