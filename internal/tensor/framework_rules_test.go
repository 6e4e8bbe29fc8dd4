package tensor

import (
	"slices"
	"testing"
)

// TestFromBytes: strides in bytes of C- and Fortran-contiguous arrays of several elements a dim are recognized as such and come back in elements;
// those in elements are not taken for bytes.
func TestFromBytes(t *testing.T) {
	for _, shape := range [][]int{{2, 3}, {4}, {2, 3, 4, 5}, {3, 3, 2}, {480, 640}} {
		c, err := Packed(shape)
		if err != nil {
			t.Fatal(err)
		}
		fortran := Strided{Shape: shape, Strides: make([]int, len(shape))}
		step := 1
		for d, n := range shape {
			fortran.Strides[d], step = step, step*n
		}
		for _, s := range []Strided{c, fortran} {
			for _, item := range []int{2, 4, 8, 16} {
				bytes := Strided{Shape: shape, Strides: make([]int, len(shape))}
				for d := range shape {
					bytes.Strides[d] = s.Strides[d] * item
				}
				if got, ok := bytes.FromBytes(item); !ok || !slices.Equal(got, s.Strides) {
					t.Errorf("%v of %d bytes: %v, %t", bytes, item, got, ok)
				}
				if got, ok := s.FromBytes(item); ok {
					t.Errorf("%v of %d bytes, in elements: %v", s, item, got)
				}
			}
			if _, ok := s.FromBytes(1); ok {
				t.Errorf("%v of one byte", s)
			}
		}
	}
	for _, s := range []Strided{{Shape: []int{2, 20, 5, 4}, Strides: []int{640, 320, 64, 16}}, {Shape: []int{2, 3}, Strides: []int{8, 2}}, {}, {Shape: []int{0}, Strides: []int{4}}} {
		if got, ok := s.FromBytes(4); ok {
			t.Errorf("%v: %v", s, got)
		}
	}
}
