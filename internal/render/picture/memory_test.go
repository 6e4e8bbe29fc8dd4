package picture

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/framework/explain"
	"github.com/tlayout/tlayout/internal/random/property"
	"github.com/tlayout/tlayout/internal/render/scene"
	"github.com/tlayout/tlayout/internal/tensor"
)

// TestMemoryIsStorage: a memory shows all offsets in order, in rows of the given width. Each holds what a walk over the layout finds: the
// first of its elements and their number, padding, or outside, with explain's reason.
func TestMemoryIsStorage(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		l, wrap := someLayout(t), rapid.IntRange(1, 9).Draw(t, "wrap")
		scene, err := New(Subject{Layout: l, Size: 4}, []Memory{{Name: "m", Layout: l}}, Options{Labels: []Label{Coord}, Wrap: wrap, Line: 20})
		if err != nil {
			t.Fatal(err)
		}
		m, off := scene.Memories[0], 0
		for _, row := range m.Rows {
			if int(row.Address) != off || len(row.Cells) != min(wrap, l.Alloc()-off) || row.Skip != "" {
				t.Fatalf("%s: row %+v at %d", l, row, off)
			}
			off += len(row.Cells)
		}
		got := places(m)
		if len(got) != l.Alloc() {
			t.Fatalf("%s: %d cells, expected %d", l, len(got), l.Alloc())
		}
		for c := range l.Memory(0, 10_000) {
			slices.SortFunc(c.Coords, slices.Compare)
			if _, known := l.Sharing(); known || len(c.Coords) < maxCounted {
				checkCell(t, l, got[c.Offset], c)
			}
		}
	})
}

func checkCell(t *rapid.T, l tensor.Layout, got scene.Cell, c tensor.Cell) {
	want := scene.Cell{Kind: scene.Element, Line: scene.Line(c.Offset * 4 / 20)}
	at := fmt.Sprintf("offset %d, byte %d, ", c.Offset, 4*c.Offset)
	switch n := len(c.Coords); {
	case n == 0:
		p, what := explain.NewPadding(l, c.Offset), "padding "
		want.Kind, want.Labels = scene.Padding, []string{}
		if p.Kind == explain.PadBefore || p.Kind == explain.PadAfter && p.Over == nil {
			want.Kind, what = scene.Outside, "outside of the tensor, "
		}
		at += what + p.String()
	default:
		want.Labels = []string{commas(c.Coords[0])}
		if n > 1 {
			want.Shared = n
		}
	}
	if got.Kind != want.Kind || !slices.Equal(got.Labels, want.Labels) || got.Shared != want.Shared || got.Line != want.Line {
		t.Fatalf("%s: %+v is drawn as %+v, expected %+v", l, c, got, want)
	}
	if !strings.Contains(got.Detail, at) {
		t.Fatalf("%s: detail %q lacks %q", l, got.Detail, at)
	}
}

// TestPaddingValues: values of padding are shown only in the source's own storage: other memories do not exist yet.
func TestPaddingValues(t *testing.T) {
	l := strided(t, []int{2, 3}, []int{5, 1}, 0, 10)
	s := Subject{Layout: l, Value: holding("A B C p q D E F r s")}
	drawn := mustDraw(t, s, []Memory{{Name: "own", Layout: l, Own: true}, {Name: "other", Layout: l}}, Options{Labels: []Label{Value}})
	own, other := written(places(drawn.Memories[0])), written(places(drawn.Memories[1]))
	if own != "A B C p q D E F r s" || other != "A B C x x D E F x x" {
		t.Errorf("own %s, other %s", own, other)
	}
	c := places(drawn.Memories[0])[3]
	want := "offset 3, byte 3, padding between two rows: w would be 3, but W is 3; value p"
	if c.Detail != want || c.Kind != scene.Padding || c.Tint != -1 {
		t.Errorf("padding %+v", c)
	}
	for _, c := range []struct{ labels, want string }{{"coord value", " p"}, {"value", "p"}, {"index coord", ""}} {
		var o Options
		for _, k := range strings.Fields(c.labels) {
			o.Labels = append(o.Labels, Label(k))
		}
		got := places(mustDraw(t, s, []Memory{{Name: "own", Layout: l, Own: true}}, o).Memories[0])[3].Labels
		if strings.Join(got, " ") != c.want {
			t.Errorf("for %s padding is labelled %v", c.labels, got)
		}
	}
}

// TestAddressLabels: addresses are labeled per memory, in elements and in bytes.
func TestAddressLabels(t *testing.T) {
	l := packed(t, 2, 2)
	o := Options{Labels: []Label{Offset, Byte}}
	s := mustDraw(t, Subject{Layout: l, Size: 4}, []Memory{{Name: "turned", Layout: strided(t, []int{2, 2}, []int{1, 2}, 0, -1)}}, o)
	var grid, memory [][]string
	for i, c := range cells(s.Tensor) {
		grid, memory = append(grid, c.Labels), append(memory, places(s.Memories[0])[i].Labels)
	}
	if fmt.Sprint(grid, memory) != "[[0 0] [1 4] [2 8] [3 12]] [[0 0] [1 4] [2 8] [3 12]]" {
		t.Errorf("%v, in memory %v", grid, memory)
	}
	if c := places(s.Memories[0])[1]; c.Detail != "h=1 w=0, offset 1, byte 4, {1,0} · {1,2} = 1·1 + 0·2 = 1" {
		t.Errorf("%+v", c)
	}
	own := mustDraw(t, Subject{Layout: l, Size: 4}, []Memory{{Name: "m", Layout: l, Own: true}}, o)
	for want, got := range map[string][]string{
		"cell = offset, per memory / byte, per memory": s.Lines,
		"cell = offset / byte":                         own.Lines,
	} {
		if !slices.Equal(got, []string{want}) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestSharedDetail: at most eight elements at an address are listed.
func TestSharedDetail(t *testing.T) {
	l := strided(t, []int{9, 2}, []int{0, 1}, 0, -1)
	c := places(mustDraw(t, Subject{Layout: l}, []Memory{{Name: "own", Layout: l, Own: true}}, Options{}).Memories[0])[1]
	want := "h=0 w=1, offset 1, byte 1, {0,1} · {0,1} = 0·0 + 1·1 = 1; " +
		"shared by 9 elements: (0, 1) (1, 1) (2, 1) (3, 1) (4, 1) (5, 1) (6, 1) (7, 1) …"
	if c.Detail != want || c.Shared != 9 {
		t.Errorf("%q, shared by %d\nexpected %q", c.Detail, c.Shared, want)
	}
	l = strided(t, []int{60, 60}, []int{1, 1}, 0, -1) // 1 + 59 of them at most, at offset 59
	c = places(mustDraw(t, Subject{Layout: l}, []Memory{{Name: "own", Layout: l, Own: true}}, Options{}).Memories[0])[59]
	if c.Shared != 60 || !strings.Contains(c.Detail, "; shared by 60 elements: (0, 59) (1, 58)") {
		t.Errorf("%+v", c)
	}
}

// TestMemoryOpen: a memory is open if its storage ends within its last cache line.
func TestMemoryOpen(t *testing.T) {
	for _, c := range []struct {
		elements, size int
		open           bool
	}{{16, 4, false}, {15, 4, true}, {17, 4, true}, {16, 12, false}, {5, 12, true}} {
		l := packed(t, c.elements)
		s := mustDraw(t, Subject{Layout: l, Size: c.size}, []Memory{{Name: "m", Layout: l, Own: true}}, Options{})
		if got := s.Memories[0].Open; got != c.open {
			t.Errorf("%d elements of %d bytes: open %v", c.elements, c.size, got)
		}
	}
}

// TestMemoryLines: a memory's sentences: strides from the outermost axis to the innermost, size and padding, and sharing.
func TestMemoryLines(t *testing.T) {
	nchw4 := layout(t, blocked(1, 5, 2, 2, 4), 0, 32)
	for _, c := range []struct {
		name string
		l    tensor.Layout
		want string
	}{
		{"blocks", nchw4, "strides N 32, C//4 16, H 8, W 4, C%4 1; storage of 32: 20 elements, 12 padding"},
		{"padded", strided(t, []int{2, 3}, []int{5, 1}, 0, 10), "strides H 5, W 1; storage of 10: 6 elements, 4 padding"},
		{"broadcast", strided(t, []int{2, 3}, []int{0, 1}, 0, 3), "strides H 0, W 1; storage of 3 elements, shared by 6"},
		{"both", strided(t, []int{2, 3}, []int{0, 1}, 0, 4),
			"strides H 0, W 1; storage of 4 elements: 3 shared by 6, 1 unused"},
		{"slice", strided(t, []int{5}, []int{1}, 3, 10), "strides W 1; storage of 10: 5 elements, 5 unused"},
		{"pitch", strided(t, []int{2, 3}, []int{5, 1}, 1, 12), "strides H 5, W 1; storage of 12: 6 elements, 4 padding, 2 unused"},
		{"block", layout(t, blocked(1, 3, 1, 2, 4), 0, 8), "strides N 8, H 8, W 4, C 1; storage of 8: 6 elements, 2 padding"},
		{"outside", strided(t, []int{2, 3}, []int{3, 1}, 0, 4),
			"strides H 3, W 1; storage of 4 elements, some of the tensor's elements are out of bounds"},
		{"swizzled", swizzled(t, strided(t, []int{3, 4}, []int{4, 1}, 0, -1), tensor.Swizzle{Bits: 2, Shift: 2}, 20),
			"strides H 4, W 1, permuted by Sw<2,0,2>; storage of 20: 12 elements, 4 padding, 4 unused"},
		{"column-major", strided(t, []int{2, 3}, []int{1, 2}, 0, -1), "strides W 2, H 1; 6 elements, no padding"},
		{"scalar", packed(t), "1 element, no padding"},
	} {
		s := mustDraw(t, Subject{Layout: c.l}, []Memory{{Name: "m", Layout: c.l, Own: true}}, Options{})
		if got := strings.Join(s.Memories[0].Lines, "; "); got != c.want {
			t.Errorf("%s: %q\nexpected %q", c.name, got, c.want)
		}
	}
}

// TestMemoryIsNotGuessed: an element whose search is cut short is not called padding: one stride is odd, the others are even, so that a
// search that starts without the odd one finds nothing for long.
func TestMemoryIsNotGuessed(t *testing.T) {
	shape, strides := make([]int, 26), make([]int, 26)
	alloc, middle := 1, 0
	for k := range shape {
		shape[k], strides[k] = 2, 3000+38*k
		if k == 25 {
			strides[k] = 5001
		}
		alloc += strides[k]
		if k%2 == 1 {
			middle += strides[k]
		}
	}
	dims := make([]tensor.Dim, len(shape))
	for k := range dims {
		dims[k] = digits(fmt.Sprint("d", k), shape[k], nil, []int{strides[k]})
	}
	l := layout(t, dims, 0, alloc)
	if coords, complete := l.Find(middle, 1); len(coords) > 0 || complete {
		t.Fatalf("the element at %d is found: another layout is needed", middle)
	}
	d := sketch{Subject: Subject{Layout: l, Size: 1}}
	d.memoryCell(&scene.Cell{}, Memory{Name: "m", Layout: l, Own: true}, newStorage(l, 1), middle)
	wantFault(t, d.lost, fault.Unsupported, fmt.Sprintf("m: finding the elements at offset %d takes too long", middle))
}

// TestEdges: if the strides nest, each element has the edges of the definition: from the axis of the smallest stride on, the number of axes
// at their lowest end.
func TestEdges(t *testing.T) {
	edged := 0
	property.Check(t, func(t *rapid.T) {
		l := someLayout(t)
		if _, nested := l.Sharing(); !nested || backwardsBlocks(l) {
			return
		}
		edges := Edges(l)
		for coord, off := range l.Logical() {
			want := begun(l, coord)
			edged += want
			if got := edges(off); got != want {
				t.Fatalf("%s: %d edges at offset %d of %v, expected %d", l, got, off, coord, want)
			}
		}
	})
	if edged == 0 {
		t.Error("no edges were seen")
	}
}

// backwardsBlocks reports whether the lowest digit may differ from its last: in a partly filled block.
func backwardsBlocks(l tensor.Layout) bool {
	for d := range l.Rank() {
		dim := l.Dim(d)
		if len(dim.Digits) > 1 && slices.ContainsFunc(dim.Digits, func(g tensor.Digit) bool { return g.Stride < 0 }) {
			return true
		}
	}
	return false
}

// begun uses the layout's digits, including those filled only by padding.
func begun(l tensor.Layout, coord []int) int {
	var terms []explain.Term
	for d, i := range coord {
		terms = append(terms, explain.Digits(l, d, i)...)
	}
	terms = slices.DeleteFunc(terms, func(t explain.Term) bool { return t.Extent == 1 || t.Stride == 0 })
	slices.SortFunc(terms, func(a, b explain.Term) int { return cmp.Compare(absolute(a.Stride), absolute(b.Stride)) })
	for k, t := range terms {
		if t.Stride > 0 && t.Value != 0 || t.Stride < 0 && t.Value != t.Extent-1 {
			return k
		}
	}
	return len(terms)
}

// TestEdgeExamples: blocks, padding, overlap, and empty tensors.
func TestEdgeExamples(t *testing.T) {
	for _, c := range []struct {
		name string
		l    tensor.Layout
		want []int // by offset
	}{
		{"rows", packed(t, 2, 3), []int{2, 0, 0, 1, 0, 0}},
		{"blocks", layout(t, blocked(1, 4, 2, 2, 2), 0, -1), []int{4, 0, 1, 0, 2, 0, 1, 0, 3, 0, 1, 0, 2, 0, 1, 0}},
		{"a block of padding", layout(t, blocked(1, 1, 1, 3, 4), 0, -1), []int{2, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}},
		{"padded rows", strided(t, []int{2, 3}, []int{5, 1}, 2, 11), []int{0, 0, 2, 0, 0, 0, 0, 1, 0, 0, 0}},
		{"wide steps", strided(t, []int{2, 2}, []int{7, 3}, 0, -1), []int{2, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0}},
		{"broadcast", strided(t, []int{2, 3}, []int{0, 1}, 0, -1), []int{1, 0, 0}},
		{"windows", strided(t, []int{3, 3}, []int{1, 1}, 0, -1), []int{1, 0, 0, 0, 0}},
		{"falling among two", strided(t, []int{2, 2, 2}, []int{3, 2, 1}, 0, -1), []int{2, 0, 1, 0, 1, 0, 1}},
		{"backwards", strided(t, []int{2, 2}, []int{-2, -1}, 3, 4), []int{2, 0, 1, 0}},
		{"swizzled", swizzled(t, strided(t, []int{2, 2}, []int{2, 1}, 0, -1), tensor.Swizzle{Bits: 1, Shift: 1}, -1), []int{0, 0, 0, 0}},
		{"empty", strided(t, []int{2, 0}, []int{1, 1}, 0, 2), []int{0, 0}},
	} {
		edges := Edges(c.l)
		var got []int
		for off := range c.want {
			got = append(got, edges(off))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, expected %v", c.name, got, c.want)
		}
	}
}
