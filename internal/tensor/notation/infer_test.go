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

// A layout agrees with the order that it lies in, with gaps and with size-1 dims anywhere, and with no other.
func TestAgrees(t *testing.T) {
	for _, c := range []struct {
		name, layout string
		want         bool
	}{
		{"NCHW", "(2,3,4,5):(60,20,5,1)", true}, {"NHWC", "(2,3,4,5):(60,20,5,1)", false}, {"NHWC", "(2,3,4,5):(80,1,20,4)", true},
		{"NCHW", "(2,1,4,5):(20,1,5,1)", true}, {"NHWC", "(2,1,4,5):(20,1,5,1)", true}, {"NCHW4c", "(2,(4,2)<5,2,3):(48,(1,24),12,4)", true},
		{"NCHW4c", "(2,(4,2)<5,2,3):(48,(24,1),12,4)", false}, {"NHCW4c", "(2,(4,2)<5,2,3):(48,(1,24),12,4)", false},
		{"NCHW", "(2,(4,2)<5,2,3):(48,(1,24),12,4)", false}, {"NCHW8c", "(2,(4,2)<5,2,3):(48,(1,24),12,4)", false}, {"NCHW", "(2,3,4,5):(0,20,5,1)", true}, {"NCHW", "(2,3,4,5):(0,5,20,1)", false},
	} {
		l, err := ParseLayout(c.layout)
		if err != nil {
			t.Fatal(err)
		}
		if got := mustParse(t, c.name).Agrees(l); got != c.want {
			t.Errorf("%s agrees with %s: %t", c.layout, c.name, got)
		}
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
