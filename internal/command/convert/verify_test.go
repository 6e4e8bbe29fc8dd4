package convert

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tlayout/tlayout/internal/command/fixture"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// someComparison is that of a random tensor of bytes in C order, its dims in a random order, with a layout of blocks, gaps and strides of
// either sign; and where the padding is.
func someComparison(r *rand.Rand) (c *comparison, padding []int) {
	var l tensor.Layout
	for {
		l = fixture.SomeLayout(r)
		if low, high, ok := l.Span(); ok && low >= 0 && l.Occupancy().Overlapping == tensor.No {
			dims := make([]tensor.Dim, l.Rank())
			for i := range dims {
				dims[i] = l.Dim(i)
			}
			l = fixture.Must(tensor.New(dims, l.Offset(), high+1+r.IntN(3)))
			break
		}
	}
	sizes, names := make([]int, l.Rank()), make([]string, l.Rank())
	order := r.Perm(l.Rank()) // of the result's dims in the source
	for i, k := range order {
		sizes[i], names[i] = l.Shape()[k], l.Names()[k]
	}
	from := fixture.Must(fixture.Must(tensor.Packed(sizes)).Layout(names, tensor.Unbounded))
	k := &task{dtype: fixture.Must(dtype.Parse("u1")), pad: []byte{255}}
	k.from = from
	c = &comparison{task: k, to: l, want: make([]byte, from.Numel()), got: bytes.Repeat([]byte{255}, l.Alloc())}
	taken := make([]bool, l.Alloc())
	for coord, s := range from.Logical() {
		at := make([]int, l.Rank())
		for i, k := range order {
			at[k] = coord[i]
		}
		d := l.At(at...)
		c.want[s], c.got[d], taken[d] = byte(s%255), byte(s%255), true
	}
	for d, is := range taken {
		if !is {
			padding = append(padding, d)
		}
	}
	return c, padding
}

// TestVerifyIsLinear: however few offsets may be marked, each element is visited once, and a wrong byte is found wherever it is, in an
// element or in padding.
func TestVerifyIsLinear(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	nested, padded := 0, 0
	for n := range 3000 {
		c, padding := someComparison(r)
		if _, ok := nestedDigits(c.to); ok {
			nested++
		}
		if len(padding) > 0 {
			padded++
		}
		for _, marked := range []int{0, math.MaxInt} {
			if c.elements = 0; c.run(marked) != nil || c.elements != c.from.Numel() {
				t.Fatalf("case %d, %d marked: %d of %d elements: %v", n, marked, c.elements, c.from.Numel(), c.to)
			}
			at := r.IntN(len(c.got))
			if r.IntN(2) == 0 && len(padding) > 0 {
				at = padding[r.IntN(len(padding))]
			}
			c.got[at] ^= 1
			if c.run(marked) == nil {
				t.Fatalf("case %d, %d marked: offset %d is wrong: %v", n, marked, at, c.to)
			}
			c.got[at] ^= 1
		}
	}
	if nested < 1000 || padded < 1000 || nested == 3000 {
		t.Errorf("the strides of %d of 3000 nest, %d have padding", nested, padded)
	}
}
