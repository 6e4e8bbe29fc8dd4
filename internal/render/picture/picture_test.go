package picture

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/render/scene"
	"github.com/tlayout/tlayout/internal/tensor"
)

// TestRefusals: invalid options are refused.
func TestRefusals(t *testing.T) {
	l, other := packed(t, 2, 3), packed(t, 3, 2)
	for _, c := range []struct {
		m    []Memory
		o    Options
		text string
	}{
		{nil, Options{Labels: []Label{Value}}, "no values to draw"},
		{nil, Options{Color: ByValue}, "no values to draw"},
		{[]Memory{{Name: "wh\x1b", Layout: other}}, Options{}, `wh\x1b has shape (3, 2), the tensor has (2, 3)`},
	} {
		_, err := New(Subject{Layout: l}, c.m, c.o)
		wantFault(t, err, fault.Usage, c.text)
	}
	for _, c := range []struct {
		o    Options
		text string
	}{
		{Options{Limit: -1}, "a limit of -1"},
		{Options{Wrap: -2}, "rows of -2 cells"},
		{Options{Line: -64}, "a cache line of -64 bytes"},
		{Options{Steps: -1}, "-1 steps"},
	} {
		if _, err := New(Subject{Layout: l}, nil, c.o); err == nil || fault.ClassOf(err) != fault.Usage || err.Error() != c.text {
			t.Errorf("%+v: %v, expected %q", c.o, err, c.text)
		}
	}
}

// TestWidth: rows have the cells of a cache line, or the given number; a shorter storage has one row. Elements larger than a line have a
// row each.
func TestWidth(t *testing.T) {
	for _, c := range []struct {
		n, size        int
		o              Options
		width, rows    int
		skip, lastLine string
	}{
		{100, 4, Options{}, 16, 7, "", ""},
		{100, 4, Options{Wrap: 10}, 10, 10, "", ""},
		{10, 4, Options{}, 10, 1, "", ""},
		{100, 12, Options{}, 5, 20, "", ""},
		{3, 100, Options{}, 1, 3, "", ""},
		{1000, 4, Options{Limit: 256}, 16, 9, "… 55 more lines of 64 B", "992"},
		{1000, 4, Options{Limit: 256, Wrap: 10}, 10, 9, "… 92 more rows of 10", "990"},
		{300, 1, Options{Limit: 256}, 64, 5, "… 1 more line of 64 B", "256"},
		{100, 4, Options{Limit: 5}, 16, 3, "… 5 more lines of 64 B", "96"},
		{100, 4, Options{Limit: 5, Wrap: 9}, 5, 3, "… 18 more rows of 5", "95"},
	} {
		l := packed(t, c.n)
		m := mustDraw(t, Subject{Layout: l, Size: c.size}, []Memory{{Name: "m", Layout: l, Own: true}}, c.o).Memories[0]
		skip, last := "", m.Rows[len(m.Rows)-1].Address.String()
		for _, r := range m.Rows {
			skip += r.Skip
		}
		if m.Width != c.width || len(m.Rows) != c.rows || skip != c.skip || c.skip != "" && last != c.lastLine {
			t.Errorf("%d items of %d, %+v: %d wide, %d rows, %q, the last at %s", c.n, c.size, c.o, m.Width, len(m.Rows), skip, last)
		}
	}
}

// strided returns a layout with one stride per dim, of dims N, C, H and W as far as the rank goes, H and W first.
func strided(t testing.TB, shape, strides []int, offset, alloc int) tensor.Layout {
	t.Helper()
	names := [][]string{{}, {"W"}, {"H", "W"}, {"C", "H", "W"}, {"N", "C", "H", "W"}, {"N", "C", "D", "H", "W"}}
	dims := make([]tensor.Dim, len(shape))
	for d := range dims {
		dims[d] = digits(names[len(shape)][d], shape[d], nil, []int{strides[d]})
	}
	return layout(t, dims, offset, alloc)
}

func swizzled(t testing.TB, l tensor.Layout, z tensor.Swizzle, alloc int) tensor.Layout {
	t.Helper()
	l, err := l.Swizzled(z, alloc)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func layout(t testing.TB, dims []tensor.Dim, offset, alloc int) tensor.Layout {
	t.Helper()
	l, err := tensor.New(dims, offset, alloc)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// digits returns a dim in blocks, with the strides of its digits, least significant first.
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

// someLayout draws a layout of rank 0 to 5, in blocks or not, whose strides nest, leave gaps, repeat, overlap or run backwards, in a
// storage with optional space before and after.
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

// strides assigns strides to digits, innermost first. Some leave gaps, are 0, run backwards or interleave.
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

// cells lists the cells of a grid that hold elements, in drawing order.
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

// written joins the first labels of cells, with an x for none.
func written(cells []scene.Cell) string {
	out := slices.Repeat([]string{"x"}, len(cells))
	for i, c := range cells {
		if len(c.Labels) > 0 {
			out[i] = c.Labels[0]
		}
	}
	return strings.Join(out, " ")
}

// holding returns a storage with the k-th text at offset k.
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

// blocked returns NCHW with blocks of channels innermost: nchw4 of (n,c,h,w) for a block of 4.
func blocked(n, c, h, w, block int) []tensor.Dim {
	outer := ints.CeilDiv(c, block)
	return []tensor.Dim{
		digits("N", n, nil, []int{outer * h * w * block}),
		digits("C", c, []int{block}, []int{1, h * w * block}),
		digits("H", h, nil, []int{w * block}),
		digits("W", w, nil, []int{block}),
	}
}

// BenchmarkScene draws ten thousand elements with all labels and values, and as many cells of memory.
func BenchmarkScene(b *testing.B) {
	l := packed(b, 4, 25, 10, 10)
	value := func(off int) (string, float64, bool) { return strconv.Itoa(off), float64(off), true }
	s, m := Subject{Name: "x", Layout: l, Size: 4, Value: value}, []Memory{{Name: "own", Layout: l, Own: true}}
	for b.Loop() {
		if _, err := New(s, m, Options{Labels: []Label{Index, Coord, Value, Offset}, Color: ByValue}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCutScene draws a part of 10¹² elements.
func BenchmarkCutScene(b *testing.B) {
	if strconv.IntSize < 64 {
		b.Skip("addresses in bytes do not fit 32 bits")
	}
	l := packed(b, 1000, 1000, 1000, 1000)
	for b.Loop() {
		if _, err := New(Subject{Name: "x", Layout: l, Size: 4}, []Memory{{Name: "own", Layout: l, Own: true}}, Options{Limit: 256}); err != nil {
			b.Fatal(err)
		}
	}
}
