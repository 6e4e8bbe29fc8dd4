package picture

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/explain"
)

// Where the strides nest, each element has the edges of the definition: counted from the axis of the smallest stride on,
// those axes that are at the end that lies lowest.
func TestEdges(t *testing.T) {
	edged := 0
	rapid.Check(t, func(t *rapid.T) {
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

// backwardsBlocks reports whether the digit that lies lowest may be another one than its last: in a block that is not full.
func backwardsBlocks(l tensor.Layout) bool {
	for d := range l.Rank() {
		dim := l.Dim(d)
		if len(dim.Digits) > 1 && slices.ContainsFunc(dim.Digits, func(g tensor.Digit) bool { return g.Stride < 0 }) {
			return true
		}
	}
	return false
}

// begun goes by the layout's digits, those included that only padding fills.
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

// Blocks, padding, overlap, and what has no elements.
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
