package picture

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/render/scene"
	"github.com/tlayout/tlayout/internal/tensor"
)

// strided is a layout of one stride a dim, of dims N, C, H and W as far as the rank goes, H and W first.
func strided(t testing.TB, shape, strides []int, offset, alloc int) tensor.Layout {
	t.Helper()
	names := [][]string{{}, {"W"}, {"H", "W"}, {"C", "H", "W"}, {"N", "C", "H", "W"}, {"N", "C", "D", "H", "W"}}
	dims := make([]tensor.Dim, len(shape))
	for d := range dims {
		dims[d] = digits(names[len(shape)][d], shape[d], nil, []int{strides[d]})
	}
	return layout(t, dims, offset, alloc)
}

func layout(t testing.TB, dims []tensor.Dim, offset, alloc int) tensor.Layout {
	t.Helper()
	l, err := tensor.New(dims, offset, alloc)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// digits is a dim in blocks, with the strides of its digits, least significant first.
func digits(name string, size int, blocks, strides []int) tensor.Dim {
	dim, div := tensor.Dim{Name: name, Size: size}, 1
	for k, stride := range strides {
		extent := ints.CeilDiv(size, div)
		if k < len(blocks) {
			extent = blocks[k]
		}
		dim.Digits = append(dim.Digits, tensor.Digit{Div: div, Extent: extent, Stride: stride})
		div *= extent
	}
	return dim
}

func packed(t testing.TB, shape ...int) tensor.Layout {
	strides, run := make([]int, len(shape)), 1
	for d := range slices.Backward(shape) {
		strides[d], run = run, run*shape[d]
	}
	return strided(t, shape, strides, 0, tensor.Unbounded)
}

// someLayout draws a layout of rank 0 to 5, in blocks or not, whose strides nest, leave gaps, repeat, overlap or run
// backwards, in a storage that may have room before and behind.
func someLayout(t *rapid.T) tensor.Layout {
	rank := rapid.IntRange(0, 5).Draw(t, "rank")
	dims := make([]tensor.Dim, rank)
	var all []*tensor.Digit
	for d := range dims {
		size := rapid.SampledFrom([]int{1, 2, 3, 4, 2, 3, 5, 0}[:9-rank]).Draw(t, "size")
		blocks := rapid.SliceOfN(rapid.IntRange(1, 3), 0, 2).Draw(t, "blocks")
		dims[d] = digits([]string{"A", "N", "C", "H", "W"}[5-rank+d], size, blocks, make([]int, len(blocks)+1))
		for k := range dims[d].Digits {
			all = append(all, &dims[d].Digits[k])
		}
	}
	strides(t, rapid.Permutation(all).Draw(t, "order"))
	l, err := tensor.New(dims, 0, tensor.Unbounded)
	if err != nil {
		t.Fatal(err)
	}
	low, high, _ := l.Span()
	room := rapid.IntRange(0, 2)
	before := room.Draw(t, "before")
	if l, err = tensor.New(dims, before-low, before+high-low+1+room.Draw(t, "behind")); err != nil {
		t.Fatal(err)
	}
	return l
}

// strides lays digits out, innermost first. Some leave gaps, stand still, run backwards or fall among others.
func strides(t *rapid.T, order []*tensor.Digit) {
	run := 1
	for _, g := range order {
		switch kind := rapid.IntRange(0, 11).Draw(t, "kind"); kind {
		case 0:
			g.Stride = 0
			continue
		case 1:
			g.Stride = rapid.IntRange(1, 6).Draw(t, "stride")
			continue
		case 2, 3:
			run += kind
			g.Stride = run
		case 4:
			g.Stride = -run
		default:
			g.Stride = run
		}
		run *= max(g.Extent, 1)
	}
}

// cells lists those of a grid that hold elements, in the order in which they are drawn.
func cells(g scene.Grid) []scene.Cell {
	var out []scene.Cell
	for _, b := range g.Bands {
		for _, p := range b.Planes {
			for _, r := range p.Rows {
				out = append(out, slices.DeleteFunc(slices.Clone(r.Cells), func(c scene.Cell) bool { return c.Kind == scene.Omitted })...)
			}
		}
	}
	return out
}

// places lists the cells of a memory.
func places(m scene.Memory) []scene.Cell {
	var out []scene.Cell
	for _, r := range m.Rows {
		out = append(out, r.Cells...)
	}
	return out
}

// written joins the first labels of cells.
func written(cells []scene.Cell) string {
	out := make([]string, len(cells))
	for i, c := range cells {
		out[i] = c.Labels[0]
	}
	return strings.Join(out, " ")
}

// holding is a storage in which offset k holds the k-th text.
func holding(texts string) func(int) (string, float64, bool) {
	words := strings.Fields(texts)
	return func(off int) (string, float64, bool) {
		if off < 0 || off >= len(words) {
			return "", 0, false
		}
		x, err := strconv.ParseFloat(words[off], 64)
		if err != nil {
			x = math.NaN()
		}
		return words[off], x, true
	}
}

func mustDraw(t testing.TB, s Subject, memories []Memory, o Options) scene.Scene {
	t.Helper()
	drawn, err := New(s, memories, o)
	if err != nil {
		t.Fatal(err)
	}
	return drawn
}

// blocked is NCHW with blocks of channels innermost: nchw4 of (n,c,h,w) for a block of 4.
func blocked(n, c, h, w, block int) []tensor.Dim {
	outer := ints.CeilDiv(c, block)
	return []tensor.Dim{
		digits("N", n, nil, []int{outer * h * w * block}),
		digits("C", c, []int{block}, []int{1, h * w * block}),
		digits("H", h, nil, []int{w * block}),
		digits("W", w, nil, []int{block}),
	}
}
