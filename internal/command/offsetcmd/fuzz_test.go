package offsetcmd

import (
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// FuzzCoord parses any text as a coordinate and as a target of --at: the result is a printable usage error, or indices within the sizes,
// which stay the same when written as a list; indices within the sizes are accepted.
func FuzzCoord(f *testing.F) {
	for _, s := range []string{"1,0,1", "{1,0,1}", "n=1,c=-2", "[1][0][3]", "(1, 2, 3)", "1x2x3", "-1,-1,-1", "9223372036854775808,0,0", "30B", "7,30B", "1:2,0,0"} {
		f.Add(s, uint8(0))
	}
	names := []string{"nchw", "nhwc", "NCHW4", "c"}
	shapes := [][]int{{2, 3, 4, 5}, {1, 5, 2, 2}, {2, 6, 1, 0}, {2, 3, 4}}
	f.Fuzz(func(t *testing.T, typed string, which uint8) {
		k := int(which) % len(names)
		l := bound(t, names[k], shapes[k])
		coord, err := parseCoord(typed, l)
		if err != nil {
			checkUsage(t, typed, err)
		} else {
			again, err := parseCoord(text.Ints(coord, ","), l)
			if err != nil || !slices.Equal(again, coord) {
				t.Fatalf("%q is %v, which reads as %v, %v", typed, coord, again, err)
			}
			for d, i := range coord {
				if i < 0 || i >= l.Dim(d).Size {
					t.Fatalf("%q is %v, outside of %v", typed, coord, l.Shape())
				}
			}
		}
		if xs, bad := notation.ParseInts(typed); bad == nil && err != nil && len(xs) == l.Rank() {
			inside := !slices.ContainsFunc(l.Shape(), func(n int) bool { return n == 0 })
			for d, i := range xs {
				inside = inside && i >= -l.Dim(d).Size && i < l.Dim(d).Size
			}
			if inside {
				t.Fatalf("%q is %v, but %v", typed, xs, err)
			}
		}
		if err := new(targets).Set(typed); err != nil {
			checkUsage(t, typed, err)
		}
		looksLikeCoord(typed)
		splitIndex([]string{typed})
		if _, err := gather(strings.Fields(typed), l); err != nil {
			checkUsage(t, typed, err)
		}
	})
}

func checkUsage(t *testing.T, typed string, err error) {
	t.Helper()
	if fault.ClassOf(err) != fault.Usage || text.Quote(err.Error()) != err.Error() || err.Error() == "" {
		t.Fatalf("%q: class %d, %q", typed, fault.ClassOf(err), err)
	}
}

// bound returns the layout of that name and those sizes.
func bound(t *testing.T, name string, shape []int) tensor.Layout {
	t.Helper()
	if name == "c" {
		s, err := tensor.Packed(shape)
		if err != nil {
			t.Fatal(err)
		}
		l, err := s.Layout(nil, s.Numel())
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	n, err := notation.Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	l, err := n.Format.Bind(shape)
	if err != nil {
		t.Fatal(err)
	}
	return l
}
