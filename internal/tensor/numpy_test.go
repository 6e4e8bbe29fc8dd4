package tensor

import (
	"testing"

	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/oracle"
)

// numpyCase is an array. Names in JSON are those of testdata/numpy_oracle.py.
type numpyCase struct {
	Shape    []int `json:"shape"`
	Strides  []int `json:"strides"`
	Offset   int   `json:"offset"`
	ItemSize int   `json:"item_size"`
	View     []int `json:"view"`
}

type numpyAnswer struct {
	C          bool  `json:"c"`
	F          bool  `json:"f"`
	Fortran    bool  `json:"fortran_order"`
	Bounds     []int `json:"bounds"`
	Overlap    bool  `json:"overlap"`
	Addresses  []int `json:"addresses"`
	ViewExists bool  `json:"view_exists"`
}

// TestAgainstNumPy proves that the model answers as the installed NumPy does on random arrays, negative strides
// included: flags, bounds, exact self-overlap, the address of every element, and whether a reshape must copy.
// TLAYOUT_TEST_NUMPY_CASES sets their number; TLAYOUT_TEST_REQUIRE_NUMPY=1 fails where there is no NumPy.
func TestAgainstNumPy(t *testing.T) {
	o := oracle.NumPy(t, "numpy_oracle.py")
	differential(t, o, cases(t, "TLAYOUT_TEST_NUMPY_CASES", 10000), drawNumPyCase, compareNumPy)
}

func drawNumPyCase(d dice) numpyCase {
	s := someStrided(d, 400, pick(d, 0, -8))
	shape := someReshape(d, s.Numel())
	for ints.Product(shape) != s.Numel() { // NumPy reads a -1 as PyTorch does not, and its errors are its own
		shape = someReshape(d, s.Numel())
	}
	return numpyCase{s.Shape, s.Strides, s.Offset, between(d, 1, 16), shape}
}

func compareNumPy(t reporter, c numpyCase, a numpyAnswer) {
	t.Helper()
	s := Strided{c.Shape, c.Strides, c.Offset}
	same(t, "C_CONTIGUOUS", s, s.CContiguous().OK, a.C)
	same(t, "F_CONTIGUOUS", s, s.FContiguous().OK, a.F)
	same(t, "fortran_order", s, s.SavedFortran(), a.Fortran)
	low, high := s.ByteBounds(c.ItemSize)
	same(t, "byte_bounds", s, []int{low, high}, a.Bounds)

	l, err := s.Layout(nil, Unbounded)
	if err != nil {
		t.Errorf("%v", err)
		return
	}
	same(t, "internal_overlap", s, l.Occupancy().Overlapping == Yes, a.Overlap)
	var all []int
	for _, off := range l.Logical() {
		all = append(all, off)
	}
	same(t, "addresses", s, all, a.Addresses)

	_, err = s.View(c.View)
	same(t, "whether a view exists", s, err == nil, a.ViewExists)
}
