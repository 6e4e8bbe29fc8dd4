package source

import (
	"errors"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/npy"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// zeroArray writes a .npy file of float32.
func zeroArray(t *testing.T, shape []int, fortran bool) string {
	t.Helper()
	header := must(npy.AppendHeader(nil, *mustType(t, "float32"), fortran, shape))
	return dump(t, append(header, make([]byte, 4*must(tensor.Numel(shape)))...))
}

// TestOwnOrder: --from c and --from fortran, which are of a file's own axes, agree with the order in the file's header or are refused, with flags that
// read its bytes in the order asked. A vector, an empty array and one with a single long axis are in both orders.
func TestOwnOrder(t *testing.T) {
	for _, c := range []struct {
		shape   []int
		fortran bool
		from    string
		hint    string // empty: not refused
	}{
		{[]int{2, 3}, false, "c", ""},
		{[]int{2, 3}, true, "fortran", ""},
		{[]int{2, 3}, false, "fortran", "(2,3):(1,2)"},
		{[]int{2, 3}, true, "c", "(2,3):(3,1)"},
		{[]int{2, 3, 4, 5}, false, "fortran", "(2,3,4,5):(1,2,6,24)"},
		{[]int{6}, false, "fortran", ""},
		{[]int{1, 6, 1}, false, "fortran", ""},
		{[]int{2, 0, 3}, false, "fortran", ""},
	} {
		path := zeroArray(t, c.shape, c.fortran)
		l := must(notation.Parse(c.from))
		x, err := OpenOnly(named(path), Options{Layout: &l})
		if err == nil {
			x.Close()
		}
		var e *fault.Error
		switch {
		case c.hint == "" && err != nil:
			t.Errorf("%v, Fortran order %t, --from %s: %v", c.shape, c.fortran, c.from, err)
		case c.hint != "" && (!errors.As(err, &e) || e.Class != fault.Usage || !strings.Contains(e.Hint, "--from '"+c.hint+"'")):
			t.Errorf("%v, Fortran order %t, --from %s: %v", c.shape, c.fortran, c.from, err)
		case c.hint != "":
			readsBytes(t, path, c.hint, c.from == "fortran")
		}
	}
}

// readsBytes checks that a file read by an exact layout is one that is stored in the order.
func readsBytes(t *testing.T, path, from string, fortran bool) {
	t.Helper()
	l := must(notation.Parse(from))
	x, err := OpenOnly(named(path), Options{Layout: &l})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	s, _ := x.Layout.Strided()
	if holds := map[bool]bool{false: s.CContiguous().OK, true: s.FContiguous().OK}[fortran]; !holds {
		t.Errorf("--from %s: strides %v", from, s.Strides)
	}
}

// TestPositionsNameNothing: a permutation of numbered axes is a memory order without names, unless --dims names the dims; letters name them.
func TestPositionsNameNothing(t *testing.T) {
	path, float := zeroArray(t, []int{2, 3, 4, 5}, false), mustType(t, "float32")
	for from, by := range map[string]OrderSource{"0,2,3,1": ByStrides, "acdb": ByStrides, "nhwc": ByUser} {
		l := must(notation.Parse(from))
		file := must(OpenOnly(named(path), Options{Layout: &l}))
		typed := must(Describe(Typed{Shape: []int{2, 3, 4, 5}, Layout: &l, DType: *float}))
		for _, x := range []*Tensor{file, typed} {
			if x.OrderSource != by || x.OrderName() != "NHWC" {
				t.Errorf("--from %s: %s by %s", from, x.OrderName(), x.OrderSource)
			}
		}
		file.Close()
		if named := must(Describe(Typed{Shape: []int{2, 3, 4, 5}, Dims: []string{"N", "C", "H", "W"}, Layout: &l, DType: *float})); !named.Named() {
			t.Errorf("--dims N,C,H,W --from %s: by %s", from, named.OrderSource)
		}
	}
}
