package layout_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
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

// anyLayout returns a layout of a shape, by name or by strides that may leave gaps, and be 0 or negative.
func anyLayout(r *rand.Rand, shape []int) (layout.Layout, error) {
	names := []string{"nchw", "nhwc", "chwn", "NCHW4c", "nChw16c", "NHWC8c", "c", "fortran", "0,2,3,1"}
	if k := r.IntN(2 * len(names)); k < len(names) {
		return layout.Parse(names[k], shape...)
	}
	strides, step, offset := make([]int, 4), 1, r.IntN(3)
	for _, d := range r.Perm(4) {
		strides[d] = step
		step *= shape[d] + r.IntN(2)
		if r.IntN(4) == 0 {
			offset, strides[d] = offset+strides[d]*(shape[d]-1), -strides[d]
		}
	}
	return layout.Strided(shape, strides, offset)
}

// TestConvert: the element at each coordinate arrives at its offset, whatever the layouts; all other bytes are zero.
func TestConvert(t *testing.T) {
	r := random.New(t)
	for range random.Cases(t, "TLAYOUT_TEST_RANDOM_CASES", 300) {
		shape := []int{1 + r.IntN(3), 1 + r.IntN(20), 1 + r.IntN(6), 1 + r.IntN(6)}
		from, err := anyLayout(r, shape)
		if err != nil {
			t.Fatal(err)
		}
		to, err := anyLayout(r, shape)
		if err != nil {
			t.Fatal(err)
		}
		size := []int{1, 2, 3, 4, 8, 16}[r.IntN(6)]
		src, dst := make([]byte, from.Size()*size), bytes.Repeat([]byte{99}, to.Size()*size+5)
		for i := range src {
			src[i] = byte(r.Uint32())
		}
		want := slices.Concat(make([]byte, to.Size()*size), dst[to.Size()*size:])
		coords(shape, func(c []int) {
			copy(want[to.Offset(c...)*size:][:size], src[from.Offset(c...)*size:])
		})
		if err := layout.Convert(dst, src, from, to, size); err != nil || !bytes.Equal(dst, want) {
			t.Fatalf("%d bytes, %s to %s: %v", size, from, to, err)
		}
		if err := layout.Convert(dst[:to.Size()*size-1], src, from, to, size); err == nil {
			t.Errorf("%s: a storage that is too short is accepted", to)
		}
	}
}

// TestOverlap: storages that share a byte are refused, whichever begins first; neighbors are not.
func TestOverlap(t *testing.T) {
	plan, err := layout.NewPlan(parsed(t, "nchw", 2, 3, 4, 5), parsed(t, "nhwc", 2, 3, 4, 5), 4)
	if err != nil {
		t.Fatal(err)
	}
	memory := make([]byte, 3*480)
	for _, c := range []struct {
		dst, src int // bytes
		ok       bool
	}{{0, 0, false}, {0, 8, false}, {8, 0, false}, {479, 0, false}, {0, 479, false}, {480, 0, true}, {0, 480, true}} {
		err := plan.Convert(memory[c.dst:], memory[c.src:]) // longer than the layouts need
		if (err == nil) != c.ok || err != nil && !strings.Contains(err.Error(), "overlap") {
			t.Errorf("into byte %d from byte %d: %v", c.dst, c.src, err)
		}
	}
}

// TestNamed: dims of the same names are matched by name, in whatever order; others by position.
func TestNamed(t *testing.T) {
	src := []byte{1, 2, 3, 4, 5, 6}
	for _, c := range []struct {
		from, to layout.Layout
		want     []byte
	}{
		{parsed(t, "K N", 2, 3), parsed(t, "N K", 3, 2), []byte{1, 4, 2, 5, 3, 6}},
		{parsed(t, "K N", 2, 3), parsed(t, "K N", 2, 3), src},
		{parsed(t, "K N", 2, 3), parsed(t, "H W", 2, 3), src},
		{parsed(t, "K N", 2, 3), parsed(t, "fortran", 2, 3), []byte{1, 4, 2, 5, 3, 6}},
	} {
		dst := make([]byte, 6)
		if err := layout.Convert(dst, src, c.from, c.to, 1); err != nil || !bytes.Equal(dst, c.want) {
			t.Errorf("%s (%s) to %s (%s): %v, %v, want %v", c.from, c.from.Dims(), c.to, c.to.Dims(), dst, err, c.want)
		}
	}
}

// TestRelateNarrow: values below a byte share bytes, and are related one by one.
func TestRelateNarrow(t *testing.T) {
	values := []byte{1, 9, 4, 15, 3, 6, 8, 2, 12, 5, 0, 7, 14, 10, 11, 13, 2, 2, 7, 1, 0, 4, 9, 3}
	pack := func(at func(i int) byte) []byte {
		b := make([]byte, 12)
		for i := range values {
			b[i/2] |= at(i) << (i % 2 * 4)
		}
		return b
	}
	a := layout.Tensor{Data: pack(func(i int) byte { return values[i] }), DType: "uint4", Shape: []int{4, 6}}
	b := layout.Tensor{Data: pack(func(i int) byte { return values[i%4*6+i/4] }), DType: "uint4", Shape: []int{4, 6}}
	r, err := layout.Relate(a, b)
	if err != nil || r == nil || r.Layout == nil || r.Layout.String() != "(4,6):(1,4)" {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestLayout: offsets, coordinates and strides agree, and no offset reaches Size.
func TestLayout(t *testing.T) {
	r := random.New(t)
	for range random.Cases(t, "TLAYOUT_TEST_RANDOM_CASES", 300) {
		shape := []int{1 + r.IntN(3), 1 + r.IntN(9), 1 + r.IntN(4), 1 + r.IntN(4)}
		l, err := anyLayout(r, shape)
		if err != nil {
			t.Fatal(err)
		}
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
		same(parsed(t, name, 2, 5, 3, 2))
	}
	for _, text := range []string{"f32[10]{0:L(1024)}", "f32[8,100]{1,0:T(8,128)}", "Sw<3,3,3> o 0 o (8,64):(64,1)"} {
		same(parsed(t, text))
	}
	r := random.New(t)
	for range random.Cases(t, "TLAYOUT_TEST_RANDOM_CASES", 300) {
		l, err := anyLayout(r, []int{1 + r.IntN(3), 1 + r.IntN(9), 1 + r.IntN(4), 1 + r.IntN(4)})
		if err != nil {
			t.Fatal(err)
		}
		same(l)
	}
}

// TestStorage: a storage that does not hold the elements, or is no number, is refused.
func TestStorage(t *testing.T) {
	if l := parsed(t, "(10):(1) in 10"); l.Size() != 10 || l.String() != "(10):(1)" {
		t.Errorf("%s has size %d", l, l.Size())
	}
	for _, bad := range []string{"(10):(1) in 9", "(10):(1) in ", "(10):(1) in -1", "(10):(1) in 99999999999999999999", "(0):(1) in x"} {
		if l, err := layout.Parse(bad); err == nil {
			t.Errorf("%q is read as %s", bad, l)
		}
	}
}

// TestRefused: errors name what is wrong.
func TestRefused(t *testing.T) {
	parse := func(s string, sizes ...int) layout.Layout {
		l, err := layout.Parse(s, sizes...)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
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
	negative, err := layout.Strided([]int{3}, []int{-1}, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		from, to layout.Layout
		size     int
		want     string
	}{
		{parse("nchw", 2, 3, 4, 5), parse("nhwc", 2, 3, 5, 4), 4, "H"}, {parse("nchw", 2, 3, 4, 5), parse("chw", 3, 4, 5), 4, "the other has 4"},
		{parse("c", 3), parse("c", 3), 0, "0 bytes"}, {negative, parse("c", 3), 4, "at offset -2"}, {parse("c", math.MaxInt/2), parse("c", math.MaxInt/2), 4, "exceed"},
	} {
		if _, err := layout.NewPlan(c.from, c.to, c.size); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s to %s: %v, want %q", c.from, c.to, err, c.want)
		}
	}
	for _, coord := range [][]int{{1}, {0, 9}, {-1, 0}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("coordinate %v is accepted", coord)
				}
			}()
			parse("c", 2, 3).Offset(coord...)
		}()
	}
	one := layout.Tensor{Data: make([]byte, 8), DType: "float64", Shape: []int{1}}
	for _, c := range []struct {
		tensor layout.Tensor
		want   string
	}{
		{layout.Tensor{Data: make([]byte, 7), DType: "float32", Shape: []int{2}}, "b has 7 bytes; shape [2] of float32 has 8"},
		{layout.Tensor{Data: make([]byte, 8), DType: "float64", Shape: []int{math.MaxInt/4 + 2}}, fmt.Sprintf("b: shape (%d,) of float64 overflows", math.MaxInt/4+2)},
		{layout.Tensor{Data: make([]byte, 8), DType: "int8", Shape: []int{math.MaxInt/2 + 1, math.MaxInt/2 + 1}}, "b: "},
		{layout.Tensor{Data: make([]byte, 3), DType: "int4", Shape: []int{3}}, "b has 3 bytes; shape [3] of int4 has 2"},
		{layout.Tensor{Data: make([]byte, 8), DType: "float5", Shape: []int{1}}, "b: unknown dtype"},
	} {
		if _, err := layout.Relate(one, c.tensor); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s %v: %v, want %s", c.tensor.DType, c.tensor.Shape, err, c.want)
		}
	}
}

// TestZero: the zero values have no element, no name and no conversion.
func TestZero(t *testing.T) {
	var plan layout.Plan
	if err := plan.Convert(make([]byte, 9), make([]byte, 9)); err == nil || !strings.Contains(err.Error(), "use NewPlan") {
		t.Errorf("the zero Plan: %v", err)
	}
	if names := (layout.Layout{}).Names(); len(names) > 0 {
		t.Errorf("the zero Layout is called %v", names)
	}
	if _, err := layout.NewPlan(layout.Layout{}, layout.Layout{}, 4); err == nil || !strings.Contains(err.Error(), "use Parse") {
		t.Errorf("the zero Layout: %v", err)
	}
	defer func() {
		if recover() == nil {
			t.Error("the zero Layout has an element")
		}
	}()
	layout.Layout{}.Offset()
	if l := (layout.Layout{}); l.Len() != 0 || l.Size() != 0 {
		t.Errorf("the zero layout has %d elements in %d", l.Len(), l.Size())
	}
}
