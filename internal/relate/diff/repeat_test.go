package diff

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/tlayout/tlayout/internal/convert"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
)

// TestBroadcast: tensors that both broadcast dims, or the outer blocks of dims, have the result of the plain loop over all
// coordinates, although each pair of elements is compared only once.
func TestBroadcast(t *testing.T) {
	d := dice{rand.New(rand.NewPCG(11, 3))}
	fewer, listed := 0, 0
	for range 1500 {
		a, b := d.sides(dtypeOf("int16"))
		for i := range a.Layout.Rank() {
			if d.percent(50) {
				from := []int{1, 1, 2, 4}[d.IntN(4)]
				a.Layout, b.Layout = still(a.Layout, i, from), still(b.Layout, i, from)
			}
		}
		if !a.Layout.InBounds() || !b.Layout.InBounds() {
			continue // without its negative strides, a layout may begin too late
		}
		limit := d.IntN(12)
		want := plainLoop(a, b, limit, bytes.Equal)
		got, err := Run(a, b, Rule{}, Options{Limit: limit, tile: 1 + d.IntN(200)})
		if err != nil || got.Differing != want.Differing || !slices.Equal(got.First, want.First) {
			t.Fatalf("%s and %s: %+v, %v, expected %+v", a.Layout, b.Layout, got, err, want)
		}
		if work := Work(a, b); work < int64(4*a.Layout.Numel()) {
			fewer++
			listed += len(got.First)
		}
	}
	if fewer < 150 || listed < 150 {
		t.Errorf("%d pairs had something to leave out, with %d elements that differ", fewer, listed)
	}
}

// still sets the strides of a dim's digits to 0, from a block size on.
func still(l tensor.Layout, dim, from int) tensor.Layout {
	dims := make([]tensor.Dim, l.Rank())
	for i := range dims {
		dims[i] = l.Dim(i)
		dims[i].Digits = slices.Clone(dims[i].Digits)
	}
	for k := range dims[dim].Digits {
		if g := &dims[dim].Digits[k]; g.Div >= from {
			g.Stride = 0
		}
	}
	return must(l.With(dims, l.Offset(), l.Alloc()))
}

// TestHugeBroadcast: 60 billion elements over the storage of 60 are compared at once, and counted; 1.8 billion where an int has
// 32 bits.
func TestHugeBroadcast(t *testing.T) {
	n := 1_000_000_000
	if strconv.IntSize == 32 {
		n = 30_000_000
	}
	s := must(tensor.NewStrided([]int{n, 3, 4, 5}, []int{0, 20, 5, 1}, 0))
	l := must(s.Layout(nil, 60))
	x, y := make([]byte, 240), make([]byte, 240)
	y[4*7], y[4*50] = 1, 1
	a, b := Side{Layout: l, DType: dtypeOf("float32"), Data: x}, Side{Layout: l, DType: dtypeOf("float32"), Data: y}
	r, err := Run(a, b, Rule{}, Options{Limit: 3})
	if err != nil || r.Differing != 2*n || !slices.Equal(r.First, []int{7, 50, 67}) || Work(a, b) != 480 {
		t.Errorf("%+v, %v, %d bytes", r, err, Work(a, b))
	}
}

// TestRepeats: a view that repeats few elements often is not copied, however small its file is.
func TestRepeats(t *testing.T) {
	for n, refused := range map[int]bool{64: false, 100: true} {
		l, err := tensor.Strided{Shape: []int{n, 3, 5}, Strides: []int{0, 1, 3}}.Layout(nil, 15)
		if err != nil {
			t.Fatal(err)
		}
		s := Side{Layout: l, DType: dtypeOf("int16"), Data: make([]byte, 30)}
		_, dense := Dense(s, convert.Options{})
		_, print := Fingerprint(s, convert.Options{})
		if is := fault.ClassOf(dense) == fault.Unsupported; is != refused || (dense == nil) == refused || (print == nil) == refused {
			t.Errorf("%d times: %v, %v", n, dense, print)
		}
	}
}
