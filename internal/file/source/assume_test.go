package source

import (
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/file/filename"
	"github.com/tlayout/tlayout/internal/file/npy"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// named is the name that a text is.
func named(s string) name.Name { return name.Parse(s) }

// ofShape is a tensor of a file of this shape, read without --from.
func ofShape(t *testing.T, shape []int, fortran bool) *Tensor {
	t.Helper()
	d, err := dtype.Parse("float32")
	if err != nil {
		t.Fatal(err)
	}
	x := &Tensor{Source: named("x.npy"), Header: npy.Header{DType: d, Shape: shape, Fortran: fortran}}
	if err := x.interpret(Options{}); err != nil {
		t.Fatal(err)
	}
	return x
}

// TestAssumeLike: a tensor whose letters are assumed takes those of any family, in the family's order, and no element moves; one
// whose letters are known, and formats of letters in the order as written, change nothing.
func TestAssumeLike(t *testing.T) {
	tried := 0
	for _, family := range filename.Families() {
		names := strings.Split(family, "")
		if len(names) > 5 {
			continue
		}
		for _, fortran := range []bool{false, true} {
			shape := []int{11, 12, 13, 14, 15}[:len(names)]
			x := ofShape(t, shape, fortran)
			old := x.Layout
			f := notation.RowMajor(names).Reversed()
			parsed, err := notation.Parse(strings.Join(f.Names(), ""))
			if err != nil {
				t.Fatal(err)
			}
			x.AssumeLike(parsed.Format)
			if !x.Assumed() || x.Layout.String() != old.String() || !x.Format.Agrees(x.Layout) {
				t.Errorf("%s: %v of %v, %v", family, x.Layout, old, x.Format)
			}
			written := notation.AsWritten(parsed.Format.Names())
			if got := x.Layout.Names(); slices.Equal(got, old.Names()) != (written || text.SameSet(got, old.Names())) || !written && !slices.Equal(got, parsed.Format.Names()) {
				t.Errorf("%s: dims %v", family, got)
			}
			if tried++; fortran {
				continue
			}
			known := ofShape(t, shape, false)
			known.OrderSource = ByUser
			if known.AssumeLike(parsed.Format); !slices.Equal(known.Layout.Names(), old.Names()) {
				t.Errorf("%s: known letters became %v", family, known.Layout.Names())
			}
		}
	}
	if tried < 40 {
		t.Errorf("only %d cases", tried)
	}
}

// TestDoubt: which shapes speak against an assumed order, and for which they speak.
func TestDoubt(t *testing.T) {
	for _, c := range []struct {
		shape     []int
		to, looks string
	}{
		{[]int{2, 224, 224, 3}, "nhwc", "nhwc"},
		{[]int{2, 3, 224, 224}, "nhwc", ""},
		{[]int{0, 224, 224, 3}, "nhwc", ""},
		{[]int{2, 1, 224, 3}, "nhwc", ""},
		{[]int{64, 32, 3, 3}, "nhwc", ""},
		{[]int{480, 640, 3}, "hwc", "hwc"},
		{[]int{480, 640, 3}, "nwc", "nwc"},
		{[]int{480, 4, 3}, "nwc", ""},
		{[]int{2, 8, 9, 10, 4}, "ndhwc", "ndhwc"},
		{[]int{64, 32, 3, 3}, "ohwi", ""},
		{[]int{3, 3, 64, 32}, "ohwi", "hwio"},
		{[]int{1, 1, 64, 32}, "ohwi", "hwio"},
		{[]int{64, 3, 3, 32}, "ohwi", "ohwi"},
		{[]int{64, 3, 5, 32}, "ohwi", ""},
		{[]int{8, 4, 3, 2}, "ohwi", ""},
		{[]int{0, 0, 64, 32}, "ohwi", ""},
		{[]int{0, 3, 4}, "hwc", ""},
		{[]int{3, 3, 3, 16, 32}, "dhwio", "dhwio"},
		{[]int{3, 16, 32}, "oiw", ""},
		{[]int{480, 3}, "wh", ""},
	} {
		x := ofShape(t, c.shape, false)
		l, err := notation.Parse(c.to)
		if err != nil {
			t.Fatal(err)
		}
		x.notes = []string{"another note"} // stays
		x.AssumeLike(l.Format)
		if got := x.LooksLike(); got != c.looks {
			t.Errorf("%v to %s looks like %q, expected %q", c.shape, c.to, got, c.looks)
		}
		if notes := x.Notes(); notes[0] != "another note" || (x.Doubt() != "") != (c.looks != "") || c.looks == "" && len(notes) != 1 ||
			c.looks != "" && !slices.Equal(notes[1:], []string{x.Doubt()}) || !strings.Contains(x.Doubt(), strings.ToUpper(c.looks)) {
			t.Errorf("%v to %s: notes %q, doubt %q", c.shape, c.to, notes, x.Doubt())
		}
	}
}
