package framework

import (
	"slices"
	"testing"

	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// TestDirectML: leading sizes of 1, strides where the tensor is not packed, and source 2's bytes up to the last element,
// rounded up to four.
func TestDirectML(t *testing.T) {
	for _, c := range []struct {
		shape, strides, sizes, passed []int
		dtype, code                   string
		bytes                         int
	}{
		{[]int{3, 5}, []int{5, 1}, []int{1, 1, 3, 5}, nil, "float32", "desc.Strides = nullptr; // packed", 60},
		{[]int{3, 5}, []int{6, 1}, []int{1, 1, 3, 5}, []int{18, 18, 6, 1}, "float16", "const UINT strides[] = {18, 18, 6, 1}; // elements", 36},
		{[]int{2, 3, 1, 1, 1, 2}, []int{6, 2, 2, 2, 2, 1}, []int{2, 3, 1, 1, 1, 2}, nil, "uint8",
			"desc.DimensionCount = 6; // feature level 3.0; 5 before", 12},
	} {
		s, err := tensor.NewStrided(c.shape, c.strides, 0)
		if err != nil {
			t.Fatal(err)
		}
		typ, err := dtype.Parse(c.dtype)
		if err != nil {
			t.Fatal(err)
		}
		d, ok := NewDesc(s, typ)
		if !ok || !slices.Equal(d.Sizes, c.sizes) || !slices.Equal(d.Strides, c.passed) || d.Bytes != c.bytes || !slices.Contains(d.Lines(), c.code) {
			t.Errorf("%v:%v is %+v, %q, expected %v:%v of %d bytes, %q", c.shape, c.strides, d, d.Lines(), c.sizes, c.passed, c.bytes, c.code)
		}
	}
	empty, none := tensor.Strided{Shape: []int{2, 0}, Strides: []int{1, 1}}, dtype.Type{}
	if d, ok := NewDesc(empty, none); ok {
		t.Errorf("an empty tensor of no type is %+v", d)
	}
}
