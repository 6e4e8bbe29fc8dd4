package source

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tlayout/tlayout/internal/random/property"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// TestDims: the names of a shape's dims, in any order, name them and change nothing else: the sizes and strides stay in their order, of typed
// sizes, of strides, of a layout as a source, of raw bytes and of a file.
func TestDims(t *testing.T) {
	float, path := mustType(t, "float32"), dump(t, make([]byte, 4*2*3*4*5))
	property.Check(t, func(t *rapid.T) {
		dims := rapid.Permutation(strings.Split(rapid.SampledFrom([]string{"NCHW", "BTHD", "OIHW", "BHSD"}).Draw(t, "letters"), "")).Draw(t, "dims")
		shape := []int{2, 3, 4, 5}
		strides := rapid.Permutation([]int{60, 20, 5, 1}).Draw(t, "strides")
		s := tensor.Strided{Shape: shape, Strides: strides}
		exact, err := s.Layout(nil, tensor.Unbounded)
		if err != nil {
			t.Fatal(err)
		}
		packed := []int{60, 20, 5, 1}
		for what, c := range map[string]struct {
			open    func() (*Tensor, error)
			strides []int
		}{
			"sizes": {func() (*Tensor, error) { return Describe(Typed{Shape: shape, Dims: dims, DType: *float}) }, packed},
			"strides": {func() (*Tensor, error) {
				return Describe(Typed{Shape: shape, Dims: dims, Strides: strides, DType: *float})
			}, strides},
			"layout": {func() (*Tensor, error) {
				return Describe(Typed{Layout: &notation.Layout{Exact: &exact}, Dims: dims, DType: *float})
			}, strides},
			"raw": {func() (*Tensor, error) {
				return OpenOnly(named(path), Options{Raw: &Typed{Shape: shape, Dims: dims}, DType: float})
			}, packed},
			"raw with strides": {func() (*Tensor, error) {
				return OpenOnly(named(path), Options{Raw: &Typed{Shape: shape, Dims: dims, Strides: packed}, DType: float})
			}, packed},
			"file": {func() (*Tensor, error) { return OpenOnly(named("../../../testdata/x.npy"), Options{Dims: dims}) }, packed},
		} {
			x, err := c.open()
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			if names := x.Layout.Names(); !slices.Equal(names, dims) || x.OrderSource != ByUser {
				t.Errorf("%s: dims %v of %v, by %s", what, names, dims, x.OrderSource)
			}
			if got, _ := x.Layout.Strided(); !slices.Equal(got.Shape, shape) || !slices.Equal(got.Strides, c.strides) {
				t.Errorf("%s of %v: %v", what, dims, got)
			}
			x.Close()
		}
	})
	// Sizes that are named one by one say nothing of memory.
	nhwc, err := notation.Parse("nhwc")
	if err != nil {
		t.Fatal(err)
	}
	sizes, names := []int{1, 224, 224, 3}, []string{"N", "H", "W", "C"}
	for _, c := range []struct {
		layout  *notation.Layout
		strides []int
		order   OrderSource
	}{{nil, []int{150528, 50176, 224, 1}, ByRank}, {&nhwc, []int{150528, 1, 672, 3}, ByUser}} {
		x, err := Describe(Typed{Shape: sizes, Named: names, Layout: c.layout, DType: *float})
		if err != nil {
			t.Fatal(err)
		}
		if s, _ := x.Layout.Strided(); !slices.Equal(s.Shape, []int{1, 3, 224, 224}) || !slices.Equal(s.Strides, c.strides) || x.OrderSource != c.order {
			t.Errorf("%v, %v by %s", s.Shape, s.Strides, x.OrderSource)
		}
	}
	for want, y := range map[string]Typed{
		"B,T names 2 dims, the shape has 4":          {Shape: sizes, Dims: []string{"B", "T"}},
		"layout NHWC has dims N,C,H,W, the shape B,": {Shape: sizes, Dims: []string{"B", "T", "H", "D"}, Layout: &nhwc},
		"exclude each other":                         {Shape: sizes, Dims: names, Named: names},
	} {
		y.DType = *float
		if x, err := Describe(y); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, %v, expected %q", x, err, want)
		}
	}
	for _, name := range []string{"conv1.weight", "fc.weight"} {
		x, err := OpenOnly(named(checkpoints+"views.pt:"+name), Options{})
		if err != nil {
			t.Fatal(err)
		}
		dims := []string{"B", "T", "H", "D"}[:x.Layout.Rank()]
		y, err := OpenOnly(named(checkpoints+"views.pt:"+name), Options{Dims: dims})
		if err != nil || y.OrderSource != ByUser || !slices.Equal(y.Layout.Names(), dims) {
			t.Fatalf("%s: %+v, %v", name, y, err)
		}
		a, _ := x.Layout.Strided()
		if b, _ := y.Layout.Strided(); !slices.Equal(a.Strides, b.Strides) || a.Offset != b.Offset {
			t.Errorf("%s: %v, and %v with names", name, a, b)
		}
		x.Close()
		y.Close()
	}
}
