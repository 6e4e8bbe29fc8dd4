package tensor

import (
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
)

// wantRefusal checks an error's class and what it names.
func wantRefusal(t *testing.T, err error, class fault.Class, names string) {
	t.Helper()
	switch {
	case err == nil:
		t.Errorf("accepted; it should be refused for %q", names)
	case fault.ClassOf(err) != class || !strings.Contains(err.Error(), names):
		t.Errorf("class %d, %q; want class %d and %q", fault.ClassOf(err), err, class, names)
	}
}

// TestNewRefuses proves that a Layout never exists whose digits do not cover its dims.
func TestNewRefuses(t *testing.T) {
	dim := func(size int, gs ...Digit) []Dim { return []Dim{{"C", size, gs}} }
	for name, c := range map[string]struct {
		dims  []Dim
		names string
	}{
		"negative size":             {dim(-1, Digit{1, -1, 1}), "size -1 of dim C is negative"},
		"no digits":                 {dim(3), "dim C has no digits"},
		"first digit divides by 2":  {dim(4, Digit{2, 2, 1}), "digit 0 of dim C divides by 2, expected 1"},
		"first digit divides by 0":  {dim(4, Digit{0, 4, 1}), "divides by 0, expected 1"},
		"digits leave a hole":       {dim(16, Digit{1, 4, 1}, Digit{8, 2, 4}), "digit 1 of dim C divides by 8, expected 4"},
		"digits overlap":            {dim(8, Digit{1, 4, 1}, Digit{2, 4, 4}), "digit 1 of dim C divides by 2, expected 4"},
		"last digit too short":      {dim(9, Digit{1, 4, 1}, Digit{4, 2, 4}), "needs a last digit of extent 3, found 2"},
		"last digit too long":       {dim(8, Digit{1, 4, 1}, Digit{4, 3, 4}), "needs a last digit of extent 2, found 3"},
		"extent of a plain dim":     {dim(5, Digit{1, 4, 1}), "needs a last digit of extent 5, found 4"},
		"block of 0":                {dim(4, Digit{1, 0, 1}, Digit{0, 4, 1}), "block of 0 in dim C is out of range"},
		"negative block":            {dim(4, Digit{1, -2, 1}, Digit{-2, 2, 1}), "block of -2 in dim C is out of range"},
		"blocks past what int says": {dim(4, Digit{1, math.MaxInt, 1}, Digit{math.MaxInt, 2, 1}, Digit{-2, 1, 1}), "block of 2 in dim C is out of range"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := New(c.dims, 0, Unbounded)
			wantRefusal(t, err, fault.Usage, c.names)
		})
	}
	_, err := New(nil, 0, -2)
	wantRefusal(t, err, fault.Usage, "storage size -2 is negative")
}

// TestNewRefusesOverflow proves that no address of an existing Layout, in padding or not, passes what an int can say,
// nor the distance between two of them.
func TestNewRefusesOverflow(t *testing.T) {
	const top = math.MaxInt
	for name, c := range map[string]struct {
		shape, strides []int
		offset         int
		fits           bool
	}{
		"sizes":                      {[]int{top/2 + 1, 2}, []int{0, 0}, 0, false},
		"sizes but for a 0":          {[]int{top, top, 0}, []int{1, 1, 1}, 0, false},
		"largest size":               {[]int{top}, []int{0}, 0, true},
		"large size and a 0":         {[]int{0, top}, []int{1, top}, 0, true},
		"stride":                     {[]int{3}, []int{top}, 0, false},
		"largest stride":             {[]int{2}, []int{top - 1}, 0, true},
		"stride at the end":          {[]int{2}, []int{top}, 0, false},
		"sum of strides":             {[]int{2, 2}, []int{top / 2, top/2 + 1}, 0, false},
		"largest sum":                {[]int{2, 2}, []int{top / 2, top / 2}, 0, true},
		"unused stride":              {[]int{1, 2}, []int{top, 1}, 0, true},
		"unused lowest stride":       {[]int{1, 2}, []int{math.MinInt, 1}, 0, true},
		"offset":                     {[]int{2}, []int{1}, top - 1, false},
		"largest offset":             {[]int{2}, []int{1}, top - 2, true},
		"offset without elements":    {[]int{0}, []int{1}, top, true},
		"lowest stride":              {[]int{2}, []int{math.MinInt}, 0, false},
		"down to the lowest address": {[]int{2}, []int{-top}, -1, false},
		"down, but one":              {[]int{2}, []int{-top + 1}, 0, true},
		"both ways":                  {[]int{2, 2}, []int{top / 2, -top/2 - 2}, 0, false},
		"both ways, but less":        {[]int{2, 2}, []int{top / 2, -top / 2}, 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := NewStrided(c.shape, c.strides, c.offset)
			if !c.fits {
				wantRefusal(t, err, fault.Unsupported, "overflows a 64-bit address")
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			l := layoutOf(t, s)
			if low, high, ok := l.Span(); ok && (low > high || l.Extent() < 1 || l.Extent() != high-low+1) {
				t.Errorf("span %d to %d, extent %d", low, high, l.Extent())
			}
		})
	}
	_, err := New([]Dim{digitsOf("C", math.MaxInt, []int{4, math.MaxInt/4 + 1}, []int{0, 0})}, 0, Unbounded)
	wantRefusal(t, err, fault.Unsupported, "dim C is too large once padded")
}

// TestRankLimit proves that 64 dims are accepted and 65 refused, by every constructor and by what makes new dims.
func TestRankLimit(t *testing.T) {
	most, over := slices.Repeat([]int{1}, MaxRank), slices.Repeat([]int{1}, MaxRank+1)
	made := map[string]func(shape []int) error{
		"Numel":       func(shape []int) error { _, err := Numel(shape); return err },
		"NewStrided":  func(shape []int) error { _, err := NewStrided(shape, shape, 0); return err },
		"Packed":      func(shape []int) error { _, err := Packed(shape); return err },
		"ColumnMajor": func(shape []int) error { _, err := ColumnMajor(shape); return err },
		"View":        func(shape []int) error { _, err := Strided{}.View(shape); return err },
		"Reshape":     func(shape []int) error { _, _, err := Strided{}.Reshape(shape); return err },
		"Expand":      func(shape []int) error { _, err := Strided{}.Expand(shape); return err },
		"AsStrided":   func(shape []int) error { _, err := AsStrided(1, 4, shape, shape, 0); return err },
	}
	for name, make := range made {
		if err := make(most); err != nil {
			t.Errorf("%s of 64 dims: %v", name, err)
		}
		t.Run(name, func(t *testing.T) {
			wantRefusal(t, make(over), fault.Unsupported, "rank 65 is over the limit of 64 dims")
		})
	}
}

// TestStridedRefuses proves what the constructors of strided tensors refuse, and that packed ones are what they say.
func TestStridedRefuses(t *testing.T) {
	_, err := NewStrided([]int{2, 3}, []int{1}, 0)
	wantRefusal(t, err, fault.Usage, "1 strides for 2 dims: strides (1,), shape (2, 3)")
	_, err = NewStrided([]int{2, -3}, []int{1, 1}, 0)
	wantRefusal(t, err, fault.Usage, "size -3 of dim d1 is negative")
	for name, pack := range map[string]func([]int) (Strided, error){"Packed": Packed, "ColumnMajor": ColumnMajor} {
		t.Run(name, func(t *testing.T) {
			_, err := pack([]int{2, -3})
			wantRefusal(t, err, fault.Usage, "size -3 of dim 1 is negative")
			_, err = pack([]int{math.MaxInt, 2})
			wantRefusal(t, err, fault.Unsupported, "overflows a 64-bit address")
		})
	}
	for _, shape := range [][]int{{}, {5}, {2, 3, 4}, {2, 0, 4}, {1, 3, 1}} {
		if p, f := mustPacked(t, shape), mustColumnMajor(t, shape); !p.CContiguous().OK || !f.FContiguous().OK {
			t.Errorf("%v: row-major %v, column-major %v", shape, p.Strides, f.Strides)
		}
	}
	wantStrides(t, mustPacked(t, []int{2, 0, 4}), 4, 4, 1)
}

// TestPyTorchRefusals shows errors of PyTorch that no definition reaches; the vectors and the torch test have the rest.
func TestPyTorchRefusals(t *testing.T) {
	six := mustPacked(t, []int{6})
	view := func(shape ...int) error { _, err := six.View(shape); return err }
	wantRefusal(t, view(-1, -1), fault.Usage, "only one dimension can be inferred")
	wantRefusal(t, view(-2, 3), fault.Usage, "invalid shape dimension -2")
	wantRefusal(t, view(0, -1), fault.Usage, "shape '[0, -1]' is invalid for input of size 6")
	wantRefusal(t, view(-1, 4), fault.Usage, "shape '[-1, 4]' is invalid for input of size 6")
	wantRefusal(t, view(math.MaxInt, 2), fault.Usage, "is invalid for input of size 6")

	expand := func(target ...int) error { _, err := mustPacked(t, []int{1}).Expand(target); return err }
	wantRefusal(t, expand(), fault.Usage, "the number of sizes provided (0) must be greater or equal")
	wantRefusal(t, expand(-2), fault.Usage, "invalid size -2 in dimension 0")
	wantRefusal(t, expand(-1, 1), fault.Usage, "The expanded size of the tensor (-1) isn't allowed in a leading, "+
		"non-existing dimension 0")
	wantRefusal(t, expand(math.MaxInt, 2), fault.Unsupported, "overflows a 64-bit address")

	asStrided := func(shape, strides []int, offset int) error {
		_, err := AsStrided(100, 4, shape, strides, offset)
		return err
	}
	wantRefusal(t, asStrided([]int{2}, nil, 0), fault.Negative, "mismatch in length of strides and shape")
	wantRefusal(t, asStrided([]int{-2}, []int{1}, 0), fault.Usage, "size -2 of dim 0 is negative")
	wantRefusal(t, asStrided([]int{2}, []int{math.MaxInt / 2}, 0), fault.Negative, "Storage size calculation overflowed")
	wantRefusal(t, asStrided([]int{3}, []int{math.MaxInt}, 0), fault.Negative, "Storage size calculation overflowed")
	wantRefusal(t, asStrided([]int{0}, []int{1}, -1), fault.Negative, "Tensor: invalid storage offset -1")
}

// TestCheckBytes: elements, and those of a storage, are as many as can be counted in bytes, and no more; those without bytes are any number.
func TestCheckBytes(t *testing.T) {
	typ := new(big.Int) // of which nothing but its text counts
	for _, c := range []struct {
		size, alloc int
		ok          bool
	}{{8, math.MaxInt / 8, true}, {8, math.MaxInt/8 + 1, false}, {0, math.MaxInt, true}, {1, math.MaxInt, true}} {
		l, err := New([]Dim{{Name: "N", Size: 2, Digits: []Digit{{Div: 1, Extent: 2, Stride: 1}}}}, 0, c.alloc)
		if err != nil {
			t.Fatal(err)
		}
		if err = l.CheckBytes(c.size, typ); c.ok && err != nil || !c.ok && err == nil {
			t.Errorf("%d elements of %d bytes: %v", c.alloc, c.size, err)
		}
	}
	if l, err := New([]Dim{{Name: "N", Size: 1 << (strconv.IntSize - 2), Digits: []Digit{{Div: 1, Extent: 1 << (strconv.IntSize - 2), Stride: 0}}}}, 0, 1); err != nil || l.CheckBytes(4, typ) == nil {
		t.Errorf("2^62 elements that are one are accepted: %v", err)
	}
}
