package notation

import (
	"slices"
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
	gaps, err := parseShapeStride("(2,(4,2)<5,2,3):(99,(1,40),17,5)")
	if err != nil {
		t.Fatal(err)
	}
	if f, ok := Of(gaps); !ok || f.Rename([]string{"N", "C", "H", "W"}).String() != "NCHW4c" {
		t.Errorf("%s is found to be %s, %t", gaps, f, ok)
	}
}

// A layout agrees with its own order, with gaps and with size-1 dims anywhere, and with no other.
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
		l, err := parseShapeStride(c.layout)
		if err != nil {
			t.Fatal(err)
		}
		if got := mustParse(t, c.name).Agrees(l); got != c.want {
			t.Errorf("%s agrees with %s: %t", c.layout, c.name, got)
		}
	}
}

// A layout that a format's packed layout equals, element by element, has the format's steps, and most others have not.
func TestSteps(t *testing.T) {
	formats := []string{"NCHW", "NHWC", "CHWN", "NCHW4c", "NCHW16c", "CHWN4c", "NHCW4c", "NHWC8c", "NC3hHW2w", "16cNCHW", "NCHW4c2c"}
	same, others, told := 0, 0, 0
	for _, sizes := range [][]int{{2, 37, 5, 7}, {1, 16, 1, 4}, {3, 1, 1, 1}, {1, 1, 1, 1}, {2, 4, 3, 3}, {1, 8, 2, 2}, {4, 32, 1, 1}, {5, 2, 9, 1}} {
		for _, f := range formats {
			packed := must(mustParse(t, f).Bind(sizes))
			for _, g := range formats {
				l := must(mustParse(t, g).Bind(sizes))
				steps, equal := mustParse(t, f).Steps(l), true
				for k := range l.Numel() {
					n, c, h, w := k/sizes[3]/sizes[2]/sizes[1], k/sizes[3]/sizes[2]%sizes[1], k/sizes[3]%sizes[2], k%sizes[3]
					equal = equal && packed.At(n, c, h, w) == l.At(n, c, h, w)
				}
				switch {
				case equal && !steps:
					t.Errorf("%v: %s is %s, whose steps it has not", sizes, g, f)
				case equal:
					same++
				default:
					if others++; !steps {
						told++
					}
				}
			}
		}
	}
	if same < 100 || told < others*9/10 {
		t.Errorf("%d are the same, %d of %d others are told apart", same, told, others)
	}
}

func must(l tensor.Layout, err error) tensor.Layout {
	if err != nil {
		panic(err)
	}
	return l
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
