package layout_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/random"
	"github.com/tlayout/tlayout/layout"
)

// coords calls f for each coordinate of a shape.
func coords(shape []int, f func(coord []int)) {
	n := 1
	for _, s := range shape {
		n *= s
	}
	coord := make([]int, len(shape))
	for i := range n {
		for d := len(shape) - 1; d >= 0; d-- {
			coord[d], i = i%shape[d], i/shape[d]
		}
		f(coord)
	}
}

// TestLayout: offsets, coordinates and strides agree, and no offset reaches Size.
func TestLayout(t *testing.T) {
	r := random.New(t)
	for range random.Cases(t, "TLAYOUT_TEST_RANDOM_CASES", 300) {
		shape := []int{1 + r.IntN(3), 1 + r.IntN(9), 1 + r.IntN(4), 1 + r.IntN(4)}
		l := anyLayout(t, r, shape)
		strides, plain := l.Strides()
		n := 0
		coords(shape, func(c []int) {
			at := l.Offset(c...)
			sum := l.Offset()
			for d, i := range c {
				if plain {
					sum += i * strides[d]
				}
			}
			if found, ok := l.Find(at); !ok || !slices.Equal(found, c) || at >= l.Size() || plain && at != sum {
				t.Fatalf("%s: element %v is at %d of %d, where %v is", l, c, at, l.Size(), found)
			}
			n++
		})
		if n != l.Len() || !slices.Equal(l.Shape(), shape) || len(l.Dims()) != 4 {
			t.Errorf("%s: %d elements of shape %v", l, l.Len(), l.Shape())
		}
	}
}

// TestString: Parse reads what String writes: each element is at its offset again, in a storage of the same size.
func TestString(t *testing.T) {
	same := func(l layout.Layout) {
		t.Helper()
		m, err := layout.Parse(l.String())
		if err != nil || !slices.Equal(m.Shape(), l.Shape()) || m.Size() != l.Size() {
			t.Fatalf("%s is read as %s, %v", l, m, err)
		}
		coords(l.Shape(), func(c []int) {
			if m.Offset(c...) != l.Offset(c...) {
				t.Fatalf("%s: %v is at %d, not at %d", l, c, m.Offset(c...), l.Offset(c...))
			}
		})
	}
	for _, name := range []string{"NCHW4c", "kHWC8", "OIhw4i16o4i", "nchw", "fortran"} {
		same(layout.MustParse(name, 2, 5, 3, 2))
	}
	for _, text := range []string{"f32[10]{0:L(1024)}", "f32[8,100]{1,0:T(8,128)}", "Sw<3,3,3> o 0 o (8,64):(64,1)"} {
		same(layout.MustParse(text))
	}
	r := random.New(t)
	for range random.Cases(t, "TLAYOUT_TEST_RANDOM_CASES", 300) {
		same(anyLayout(t, r, []int{1 + r.IntN(3), 1 + r.IntN(9), 1 + r.IntN(4), 1 + r.IntN(4)}))
	}
}

// TestStorage: a storage that does not hold the elements, or is no number, is refused.
func TestStorage(t *testing.T) {
	if l := layout.MustParse("(10):(1) in 10"); l.Size() != 10 || l.String() != "(10):(1)" {
		t.Errorf("%s has size %d", l, l.Size())
	}
	for _, bad := range []string{"(10):(1) in 9", "(10):(1) in ", "(10):(1) in -1", "(10):(1) in 99999999999999999999", "(0):(1) in x"} {
		if l, err := layout.Parse(bad); err == nil {
			t.Errorf("%q is read as %s", bad, l)
		}
	}
}

// TestRefused: errors of Parse name what is wrong, and coordinates outside of the shape panic.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		spelling string
		sizes    []int
		want     string
	}{
		{"nhwc", []int{2, 3}, "layout NHWC has dims N,C,H,W: 2 sizes for them"}, {"nope", []int{2}, ""}, {"", nil, "empty"}, {"nhwc", []int{2, 3, 4, -1}, "-1"},
		{"(2,3):(3,1)", []int{2, 4}, "has the sizes (2, 3)"}, {"nhwc", []int{math.MaxInt, 9, 9, 9}, ""}, {"f32[8,4]{7}", nil, ""},
	} {
		if _, err := layout.Parse(c.spelling, c.sizes...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %v: %v, want %q", c.spelling, c.sizes, err, c.want)
		}
	}
	for _, coord := range [][]int{{1}, {0, 9}, {-1, 0}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("coordinate %v is accepted", coord)
				}
			}()
			layout.MustParse("c", 2, 3).Offset(coord...)
		}()
	}
}

// TestZero: the zero Layout has no element and no name.
func TestZero(t *testing.T) {
	var zero layout.Layout
	if names := zero.Names(); len(names) > 0 || zero.Len() != 0 || zero.Size() != 0 {
		t.Errorf("the zero Layout is called %v, and has %d elements in %d", names, zero.Len(), zero.Size())
	}
	for coord := range zero.All() {
		t.Errorf("the zero Layout has an element at %v", coord)
	}
	defer func() {
		if recover() == nil {
			t.Error("the zero Layout has an element")
		}
	}()
	zero.Offset()
}
