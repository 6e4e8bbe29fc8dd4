package notation

import (
	"slices"
	"testing"

	"github.com/tlayout/tlayout/internal/tensor"
)

// awkward formats: blocks outermost, twice, of several dims, in tiles that count one value, larger than any size.
var awkward = []string{"NCHW", "NHWC", "WH", "NCHW4c", "CHWN4c", "16cNCHW", "OIHW4i16o4i", "NC3hHW2w", "NCHW64c", "2n3c5h7wNCHW",
	"{1,0:T(8,128)(2,1)}", "{0,1:T(2,4)(2,1,1,1)}", "C//2 N C%2 W H", "d0 d2 d1", "acdb", "goihw"}

// Each operation's post-condition, over every awkward format and sizes with 0, 1, whole and ragged blocks.
func TestPostConditions(t *testing.T) {
	for _, name := range awkward {
		f := mustParse(t, name)
		for _, base := range [][]int{{1, 1, 1, 1, 1}, {2, 5, 3, 4, 2}, {3, 8, 1, 6, 1}, {1, 17, 2, 0, 3}, {4, 4, 4, 4, 2}} {
			sizes := base[:f.Rank()]
			physical, err := f.PhysicalShape(sizes)
			if err != nil {
				t.Fatal(err)
			}
			l, err := f.Bind(sizes)
			if err != nil {
				t.Fatal(err)
			}
			if want, _ := tensor.Numel(physical); l.Alloc() != want || l.Occupancy().Unique != l.Numel() || !l.InBounds() {
				t.Errorf("%s of %v: %s in %d elements, physical shape %v", name, sizes, l, l.Alloc(), physical)
			}
			padded, err := f.LogicalShape(physical)
			if err != nil {
				t.Fatal(err)
			}
			if again, _ := f.PhysicalShape(padded); !slices.Equal(again, physical) {
				t.Errorf("%s: physical %v is logical %v, which is physical %v", name, physical, padded, again)
			}
			if !f.Agrees(l) {
				t.Errorf("%s of %v does not agree with its own layout %s", name, sizes, l)
			}
			if found, ok := Of(l); !ok || !found.Agrees(l) {
				t.Errorf("the order of %s is found to be %s, %t", l, found, ok)
			}
		}
		if back := f.Reversed().Reversed(); back.Explicit() != f.Explicit() {
			t.Errorf("%s reversed twice is %s", f.Explicit(), back.Explicit())
		}
	}
}
