package explorer

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/tlayout/tlayout/internal/tensor"
)

// dimNames are names that dims go by.
var dimNames = map[int][][]string{
	0: {{}},
	1: {{"W"}, {"C"}, {"d0"}},
	2: {{"H", "W"}, {"N", "C"}},
	3: {{"C", "H", "W"}, {"d0", "d1", "d2"}},
	4: {{"N", "C", "H", "W"}, {"N", "C", "H", "W"}, {"O", "I", "H", "W"}},
	5: {{"N", "C", "D", "H", "W"}},
}

// far is what strides are multiplied by so that addresses are large numbers.
var far = 1 << (strconv.IntSize*5/8 - 4)

// drawLayout is a layout of up to five dims of one to three digits. Strides nest, repeat, overlap, run backwards or leave
// gaps; a few are so large that addresses need more than 32 bits.
func drawLayout(t *testing.T, d *rand.Rand) tensor.Layout {
	t.Helper()
	rank := []int{0, 1, 1, 2, 2, 3, 3, 4, 4, 4, 5, 5}[d.IntN(12)]
	names := dimNames[rank][d.IntN(len(dimNames[rank]))]
	dims := make([]tensor.Dim, rank)
	split := d.IntN(2) * d.IntN(2)
	for i := range dims {
		dims[i] = drawDim(d, names[i], split)
	}
	drawStrides(d, dims)
	l, err := tensor.New(dims, d.IntN(2)*d.IntN(30), tensor.Unbounded)
	if err == nil && d.IntN(3) == 0 {
		l, err = tensor.New(dims, l.Offset(), l.Alloc()+d.IntN(20))
	}
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// rareLayouts are some that are hardly drawn: a packed stride backwards around a broadcast, and several digits of one dim
// that do not move the address.
func rareLayouts(t *testing.T) []tensor.Layout {
	t.Helper()
	var layouts []tensor.Layout
	for _, dims := range [][]tensor.Dim{
		{{Name: "H", Size: 2, Digits: []tensor.Digit{{Div: 1, Extent: 2, Stride: -3}}},
			{Name: "W", Size: 3, Digits: []tensor.Digit{{Div: 1, Extent: 3}}}},
		{{Name: "C", Size: 5, Digits: []tensor.Digit{{Div: 1, Extent: 2}, {Div: 2, Extent: 3}}},
			{Name: "W", Size: 2, Digits: []tensor.Digit{{Div: 1, Extent: 2, Stride: 1}}}},
		{{Name: "C", Size: 5, Digits: []tensor.Digit{{Div: 1, Extent: 1, Stride: 7}, {Div: 1, Extent: 5, Stride: 2}}},
			{Name: "W", Size: 2, Digits: []tensor.Digit{{Div: 1, Extent: 2, Stride: 1}}}},
	} {
		l, err := tensor.New(dims, 3, tensor.Unbounded)
		if err != nil {
			t.Fatal(err)
		}
		layouts = append(layouts, l)
	}
	return layouts
}

func drawDim(d *rand.Rand, name string, split int) tensor.Dim {
	dim := tensor.Dim{Name: name, Size: 1 + d.IntN(6)}
	if d.IntN(40) == 0 {
		dim.Size = 0
	}
	div := 1
	for range split * d.IntN(3) {
		block := 1 + d.IntN(4)
		dim.Digits = append(dim.Digits, tensor.Digit{Div: div, Extent: block})
		div *= block
	}
	dim.Digits = append(dim.Digits, tensor.Digit{Div: div, Extent: (dim.Size + div - 1) / div})
	return dim
}

// drawStrides lays the digits of all dims inside one another, in row-major order or any other, mostly without a flaw.
func drawStrides(d *rand.Rand, dims []tensor.Dim) {
	var digits []*tensor.Digit
	for i := len(dims) - 1; i >= 0; i-- {
		for k := range dims[i].Digits {
			digits = append(digits, &dims[i].Digits[k])
		}
	}
	if d.IntN(3) > 0 {
		d.Shuffle(len(digits), func(i, j int) { digits[i], digits[j] = digits[j], digits[i] })
	}
	flaws, run := d.IntN(3), 1
	if d.IntN(20) == 0 {
		run = far
	}
	for _, g := range digits {
		run += flaws * d.IntN(2) * d.IntN(3)
		g.Stride = run
		if flaws > 0 && d.IntN(4) == 0 {
			g.Stride = []int{0, -run, 1 + d.IntN(9), 2 - d.IntN(5)}[d.IntN(4)]
		}
		run *= max(g.Extent, 1)
	}
}

var allKinds = []string{"scalar", "empty", "broadcast", "backwards", "blocked", "ragged", "packed", "holes", "overlapping", "far"}

// kindsOf names what a layout is an example of.
func kindsOf(l tensor.Layout) []string {
	var kinds []string
	is := func(holds bool, kind string) {
		if holds {
			kinds = append(kinds, kind)
		}
	}
	_, plain := l.Strided()
	low, high, _ := l.Span()
	is(l.Rank() == 0, "scalar")
	is(l.Numel() == 0, "empty")
	is(len(l.BroadcastDims()) > 0, "broadcast")
	is(low < l.Offset(), "backwards")
	is(!plain, "blocked")
	is(l.Packed(), "packed")
	is(l.Gaps() > 0, "holes")
	is(l.Occupancy().Overlapping == tensor.Yes && len(l.BroadcastDims()) == 0, "overlapping")
	is(high >= far, "far")
	for i, padded := range l.PaddedShape() {
		if padded > l.Dim(i).Size {
			return append(kinds, "ragged")
		}
	}
	return kinds
}
