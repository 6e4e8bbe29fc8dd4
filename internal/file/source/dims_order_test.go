package source

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/random/property"
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// TestDimsOrder: the order of --dims is that of the tensor's dims, shape and strides, whatever names its memory order: letters, positions,
// strides, c and fortran. Sizes that are named one by one have the logical order of their names, and their strides move with them. A layout to
// convert to, to read as, or to compare with has the same order of dims.
func TestDimsOrder(t *testing.T) {
	float := mustType(t, "float32")
	property.Check(t, func(t *rapid.T) {
		letters := rapid.SampledFrom([]string{"NCHW", "BTHD", "OIHW", "BHSD", "NDHWC", "MK", "XYZ"}).Draw(t, "letters")
		dims := rapid.Permutation(strings.Split(letters, "")).Draw(t, "dims")
		order := rapid.Permutation(ints.Range(len(dims))).Draw(t, "memory order, positions of dims")
		shape := make([]int, len(dims))
		for i := range shape {
			shape[i] = rapid.IntRange(2, 5).Draw(t, "size")
		}
		strides, written, positions := make([]int, len(dims)), make([]string, len(dims)), make([]string, len(dims))
		run := 1
		for k := len(order) - 1; k >= 0; k-- {
			strides[order[k]], run = run, run*shape[order[k]]
			written[k], positions[k] = dims[order[k]], fmt.Sprint(order[k])
		}
		byName, byPosition := parse(t, strings.Join(written, " ")), parse(t, strings.Join(positions, ","))
		ways := map[string]Typed{
			"names":     {Layout: &byName},
			"positions": {Layout: &byPosition},
			"strides":   {Strides: strides},
		}
		for what, y := range ways {
			y.Shape, y.Dims, y.DType = shape, dims, *float
			x, err := Describe(y)
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			is(t, what, x, dims, shape, strides)
			other := rapid.Permutation(dims).Draw(t, "other order")
			target := parse(t, strings.Join(other, " "))
			l, err := x.In(target.Format)
			if err != nil || !slices.Equal(l.Names(), dims) || !slices.Equal(l.Shape(), shape) {
				t.Errorf("%s as %v: %v, %v", what, other, l, err)
			}
		}
		// Named one by one: in logical order.
		logical := notation.LogicalOrder(dims)
		for what, y := range ways {
			if what == "positions" { // of the logical order
				continue
			}
			y.Shape, y.Named, y.DType = shape, dims, *float
			x, err := Describe(y)
			if err != nil {
				t.Fatalf("named, %s: %v", what, err)
			}
			is(t, "named, "+what, x, logical, reordered(shape, dims, logical), reordered(strides, dims, logical))
		}
	})
}

// is checks a tensor's dims, sizes and strides.
func is(t *rapid.T, what string, x *Tensor, dims []string, shape, strides []int) {
	s, ok := x.Layout.Strided()
	if !ok || !slices.Equal(x.Layout.Names(), dims) || !slices.Equal(s.Shape, shape) || !slices.Equal(s.Strides, strides) {
		t.Errorf("%s: %v of %v, want %v with strides %v of %v", what, s, x.Layout.Names(), shape, strides, dims)
	}
	if x.HasFormat && !slices.Equal(x.Format.Names(), dims) {
		t.Errorf("%s: the format's dims are %v, want %v", what, x.Format.Names(), dims)
	}
}

// parse returns a layout by its name.
func parse(t *rapid.T, name string) notation.Layout {
	l, err := notation.Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	return l
}
