package layout_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tlayout/tlayout/internal/random"
	"github.com/tlayout/tlayout/layout"
)

// TestViews: an element of a view is where that of the whole is, by the definitions of Permute, Slice and Index.
func TestViews(t *testing.T) {
	r := random.New(t)
	for range random.Cases(t, "TLAYOUT_TEST_RANDOM_CASES", 500) {
		l := anyLayout(t, r, []int{1 + r.IntN(3), 1 + r.IntN(40), 1 + r.IntN(5), 1 + r.IntN(5)})
		order := r.Perm(4)
		p, err := l.Permute(order...)
		if err != nil {
			t.Fatal(err)
		}
		for coord, at := range p.All() {
			whole := make([]int, 4)
			for k, d := range order {
				whole[d] = coord[k]
			}
			if l.Offset(whole...) != at {
				t.Fatalf("%s permuted by %v: %v is at %d, want %d", l, order, coord, at, l.Offset(whole...))
			}
		}
		sliced(t, r, l)
		dim := r.IntN(4)
		i := r.IntN(l.Shape()[dim])
		x, err := l.Index(dim, i)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(x.Shape(), slices.Delete(l.Shape(), dim, dim+1)) {
			t.Fatalf("index %d of dim %d of %s has shape %v", i, dim, l, x.Shape())
		}
		for coord, at := range x.All() {
			if whole := slices.Insert(slices.Clone(coord), dim, i); l.Offset(whole...) != at {
				t.Fatalf("index %d of dim %d of %s: %v is at %d, want %d", i, dim, l, coord, at, l.Offset(whole...))
			}
		}
	}
}

// sliced checks one slice of a layout. Those within blocks may have no layout.
func sliced(t *testing.T, r *rand.Rand, l layout.Layout) {
	t.Helper()
	dim := r.IntN(4)
	n := l.Shape()[dim]
	start := r.IntN(n + 1)
	stop := r.IntN(n + 1)
	step := 1 + r.IntN(3)
	if r.IntN(2) == 0 && start < n {
		step = -step
		stop--
	}
	v, err := l.Slice(dim, start, stop, step)
	_, plain := l.Strides()
	if err != nil {
		if plain {
			t.Fatalf("%s: %v", l, err)
		}
		return
	}
	var indices []int
	for i := start; step > 0 && i < stop || step < 0 && i > stop; i += step {
		indices = append(indices, i)
	}
	if v.Shape()[dim] != len(indices) {
		t.Fatalf("slice %d:%d:%d of dim %d of %s has %d indices, want %d", start, stop, step, dim, l, v.Shape()[dim], len(indices))
	}
	for coord, at := range v.All() {
		whole := slices.Clone(coord)
		whole[dim] = indices[coord[dim]]
		if l.Offset(whole...) != at {
			t.Fatalf("slice %d:%d:%d of dim %d of %s: %v is at %d, want %d", start, stop, step, dim, l, coord, at, l.Offset(whole...))
		}
	}
}

// TestBlocks: whole blocks are a view, as is a part of one; others are not.
func TestBlocks(t *testing.T) {
	l := layout.MustParse("NCHW4c", 1, 10, 2, 2)
	for _, c := range []struct {
		start, stop, step int
		ok                bool
	}{{0, 8, 1, true}, {4, 10, 1, true}, {0, 10, 1, true}, {5, 8, 1, true}, {1, 10, 4, true}, {0, 6, 1, false}, {1, 5, 1, false}, {0, 10, 3, false}} {
		if _, err := l.Slice(1, c.start, c.stop, c.step); (err == nil) != c.ok {
			t.Errorf("%d:%d:%d: %v", c.start, c.stop, c.step, err)
		}
	}
}

// TestLongSteps: a step beyond the dim, up to the greatest integer, leaves the first index.
func TestLongSteps(t *testing.T) {
	for _, name := range []string{"nchw", "NCHW2c"} {
		l := layout.MustParse(name, 2, 3, 4, 5)
		for _, c := range []struct{ start, stop, step, want int }{
			{0, 3, 4, 1}, {0, 3, math.MaxInt, 1}, {2, 3, math.MaxInt, 1}, {2, -1, -4, 1}, {2, -1, math.MinInt, 1}, {2, -1, -math.MaxInt, 1},
			{3, 3, math.MaxInt, 0}, {2, 1, math.MaxInt, 0}, {0, 2, math.MinInt, 0},
		} {
			v, err := l.Slice(1, c.start, c.stop, c.step)
			if err != nil || v.Shape()[1] != c.want {
				t.Errorf("%s %v: %s, %v, want size %d", name, c, v, err, c.want)
				continue
			}
			if c.want == 1 && v.Offset() != l.Offset(0, c.start, 0, 0) {
				t.Errorf("%s %v: it begins at %d, want %d", name, c, v.Offset(), l.Offset(0, c.start, 0, 0))
			}
		}
	}
}

// TestBadViews: indices that do not exist are refused.
func TestBadViews(t *testing.T) {
	l := layout.MustParse("c", 3, 4)
	for _, c := range [][4]int{{2, 0, 1, 1}, {-1, 0, 1, 1}, {0, 0, 4, 1}, {0, -1, 2, 1}, {0, 0, 3, 0}, {0, 3, -1, -1}, {0, 2, -2, -1}, {0, 4, 4, 1}, {0, 0, math.MinInt, 1}, {0, math.MinInt, 0, -1}, {0, 0, math.MaxInt, -1}, {0, math.MaxInt, 0, -1}} {
		if v, err := l.Slice(c[0], c[1], c[2], c[3]); err == nil {
			t.Errorf("slice %v is %s", c, v)
		}
	}
	for _, dims := range [][]int{{0}, {0, 0}, {0, 2}, {-1, 0}, {0, 1, 2}} {
		if v, err := l.Permute(dims...); err == nil {
			t.Errorf("permute %v is %s", dims, v)
		}
	}
	for _, i := range []int{-1, 3} {
		if v, err := l.Index(0, i); err == nil {
			t.Errorf("index %d is %s", i, v)
		}
	}
}

// TestEqual: layouts are equal by their offsets, whatever their dims are called and the strides of dims of size 1.
func TestEqual(t *testing.T) {
	for _, c := range []struct {
		a, b  string
		equal bool
	}{
		{"(2,3):(3,1)", "(2,3):(3,1)", true}, {"(1,3):(3,1)", "(1,3):(9,1)", true}, {"(2,3):(3,1)", "(2,3):(1,2)", false}, {"(2,3):(3,1)", "(3,2):(2,1)", false},
		{"(2,3):(3,1)", "(2,3):(3,1)@1", false}, {"(4):(1)", "(4):(1) in 8", false}, {"Sw<1,0,1> o 0 o (4):(1)", "(4):(1)", false},
	} {
		if layout.MustParse(c.a).Equal(layout.MustParse(c.b)) != c.equal {
			t.Errorf("%s equal to %s: %v", c.a, c.b, !c.equal)
		}
	}
}

// TestMustParse: what does not fit panics.
func TestMustParse(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("two sizes of NHWC are accepted")
		}
	}()
	layout.MustParse("nhwc", 2, 3)
}
