package notation

import (
	"testing"

	"github.com/tlayout/tlayout/internal/tensor"
)

// The order of a bound format is the format, and gaps do not hide it.
func TestOf(t *testing.T) {
	for _, name := range []string{"NCHW", "NHWC", "CHWN", "NCHW4c", "CHWN4c", "NHCW4c", "NHWC8c", "NC3hHW2w", "16cNCHW"} {
		l, err := mustParse(t, name).Bind([]int{2, 37, 5, 7})
		if err != nil {
			t.Fatal(err)
		}
		if f, ok := Of(l); !ok || f.String() != name {
			t.Errorf("%s is found to be %s, %t", name, f, ok)
		}
	}
	gaps, err := ParseLayout("(2,(4,2)<5,2,3):(99,(1,40),17,5)")
	if err != nil {
		t.Fatal(err)
	}
	if f, ok := Of(gaps); !ok || f.Rename([]string{"N", "C", "H", "W"}).String() != "NCHW4c" {
		t.Errorf("%s is found to be %s, %t", gaps, f, ok)
	}
}

// Strides that do not nest have no order.
func TestOfRefuses(t *testing.T) {
	for _, s := range []tensor.Strided{
		{Shape: []int{4, 4}, Strides: []int{2, 1}}, {Shape: []int{3, 2}, Strides: []int{2, 3}}, {Shape: []int{2, 3}, Strides: []int{0, 1}},
		{Shape: []int{2, 3}, Strides: []int{3, -1}},
	} {
		l, err := s.Layout(nil, tensor.Unbounded)
		if err != nil {
			t.Fatal(err)
		}
		if f, ok := Of(l); ok {
			t.Errorf("%s is found to be %s", l, f)
		}
	}
}
