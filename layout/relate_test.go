package layout_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/random"
	"github.com/tlayout/tlayout/layout"
)

// noise returns numbers that all differ.
func noise(r *rand.Rand, n int) []float32 {
	values := make([]float32, n)
	for i := range values {
		values[i] = float32(r.NormFloat64())
	}
	return values
}

// TestRelateCounts: of 1000 elements, 92 were replaced: the same order, with the count of both.
func TestRelateCounts(t *testing.T) {
	r := random.New(t)
	l := layout.MustParse("c", 10, 100)
	a := noise(r, 1000)
	b := append([]float32{}, a...)
	for _, i := range r.Perm(1000)[:92] {
		b[i] = 7
	}
	found, err := layout.Relate(layout.TensorOf(a, l), layout.TensorOf(b, l))
	if err != nil || found.Differ != 92 || found.Explained != 908 || found.Padding != 0 || !strings.HasSuffix(found.String(), "the same order; 92 of 1000 elements differ") {
		t.Errorf("%v: %+v, %s", err, found, found)
	}
	found, err = layout.Relate(layout.TensorOf(a, l), layout.TensorOf(a, l))
	if err != nil || found.Differ != 0 || found.Explained != 1000 || found.String() != found.Sentence {
		t.Errorf("%v: %+v, %s", err, found, found)
	}
}

// TestRelatePadding: rows that were padded are counted as such.
func TestRelatePadding(t *testing.T) {
	r := random.New(t)
	a := noise(r, 10*7)
	b := make([]float32, 10*8)
	rows := layout.MustParse("c", 10, 7)
	if err := layout.Convert(b, layout.MustParse("(10,7):(8,1)"), a, rows); err != nil {
		t.Fatal(err)
	}
	found, err := layout.Relate(layout.TensorOf(a, rows), layout.TensorOf(b, layout.MustParse("c", 10, 8)))
	if err != nil || found.Explained != 70 || found.Padding != 10 || found.Differ != 0 {
		t.Errorf("%v: %+v", err, found)
	}
}

// TestRelateUndo: Convert with the layout that was found returns the elements in their order.
func TestRelateUndo(t *testing.T) {
	r := random.New(t)
	shape := []int{2, 3, 4, 5}
	nchw := layout.MustParse("nchw", shape...)
	a := noise(r, nchw.Len())
	b := make([]float32, nchw.Len())
	if err := layout.Convert(b, layout.MustParse("nhwc", shape...), a, nchw); err != nil {
		t.Fatal(err)
	}
	found, err := layout.Relate(layout.TensorOf(a, nchw), layout.TensorOf(b, nchw))
	if err != nil || found.Layout == nil || !strings.Contains(found.Sentence, "N H W C") {
		t.Fatalf("%v: %+v", err, found)
	}
	undone := make([]float32, nchw.Len())
	if err := layout.Convert(undone, nchw, b, *found.Layout); err != nil || fmt.Sprint(undone) != fmt.Sprint(a) {
		t.Errorf("%v: %v, want %v", err, undone, a)
	}
}

// TestRelateViews: tensors are compared by their elements, whatever their layouts and byte order.
func TestRelateViews(t *testing.T) {
	r := random.New(t)
	values := noise(r, 200)
	l := layout.MustParse("c", 20, 10)
	part, err := l.Slice(1, 1, 10, 3)
	if err != nil {
		t.Fatal(err)
	}
	dense := make([]float32, part.Len())
	if err := layout.Convert(dense, layout.MustParse("fortran", 20, 3), values, part); err != nil {
		t.Fatal(err)
	}
	found, err := layout.Relate(layout.TensorOf(values, part), layout.TensorOf(dense, layout.MustParse("fortran", 20, 3)))
	if err != nil || found.Explained != 60 || !strings.Contains(found.Sentence, "the same order") {
		t.Errorf("%v: %+v", err, found)
	}
}

// TestUnrelated: nothing in common, and too few elements to tell.
func TestUnrelated(t *testing.T) {
	r := random.New(t)
	for _, n := range []int{3, 1000} {
		l := layout.MustParse("c", n)
		if found, err := layout.Relate(layout.TensorOf(noise(r, n), l), layout.TensorOf(noise(r, n), l)); !errors.Is(err, layout.ErrUnrelated) {
			t.Errorf("%d elements: %v, %v", n, found, err)
		}
	}
}

// TestRelateNarrow: values below a byte share bytes, and are related one by one.
func TestRelateNarrow(t *testing.T) {
	values := []byte{1, 9, 4, 15, 3, 6, 8, 2, 12, 5, 0, 7, 14, 10, 11, 13, 2, 2, 7, 1, 0, 4, 9, 3}
	pack := func(at func(i int) byte) layout.Tensor {
		b := make([]byte, 12)
		for i := range values {
			b[i/2] |= at(i) << (i % 2 * 4)
		}
		return layout.Tensor{DType: "uint4", Layout: layout.MustParse("c", 4, 6), Data: b}
	}
	a := pack(func(i int) byte { return values[i] })
	b := pack(func(i int) byte { return values[i%4*6+i/4] })
	r, err := layout.Relate(a, b)
	if err != nil || r.Layout == nil || r.Layout.String() != "(4,6):(1,4)" {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := a.In(layout.MustParse("fortran", 4, 6)); err == nil || !strings.Contains(err.Error(), "share bytes") {
		t.Errorf("values that share bytes are moved: %v", err)
	}
}

// TestRelateRefused: tensors that are not what they claim.
func TestRelateRefused(t *testing.T) {
	one := layout.TensorOf([]float64{1}, layout.MustParse("c", 1))
	for _, c := range []struct {
		tensor layout.Tensor
		want   string
	}{
		{layout.Tensor{Data: make([]byte, 7), DType: "float32", Layout: layout.MustParse("c", 2)}, "b: storage too short: 7 bytes, (2):(1) of float32 needs 8"},
		{layout.Tensor{Data: make([]byte, 8), DType: "float64", Layout: layout.MustParse("c", math.MaxInt/4)}, "b: "},
		{layout.Tensor{Data: make([]byte, 1), DType: "int4", Layout: layout.MustParse("c", 3)}, "b: storage too short: 1 bytes, (3):(1) of int4 needs 2"},
		{layout.Tensor{Data: make([]byte, 8), DType: "float5", Layout: layout.MustParse("c", 1)}, "b: unknown dtype"},
		{layout.Tensor{Data: make([]byte, 8), DType: "float32"}, "b: "},
	} {
		if _, err := layout.Relate(one, c.tensor); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s %s: %v, want %s", c.tensor.DType, c.tensor.Layout, err, c.want)
		}
	}
}
