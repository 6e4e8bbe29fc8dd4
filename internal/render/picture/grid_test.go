package picture

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tlayout/tlayout/internal/framework/explain"
	"github.com/tlayout/tlayout/internal/random/property"
	"github.com/tlayout/tlayout/internal/render/scene"
)

// TestGridIsTensor: the grid shows the elements in logical order, each with its number, coordinate, address and value, how many others
// share its address, and explain's sum.
func TestGridIsTensor(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		l, size := someLayout(t), rapid.IntRange(1, 12).Draw(t, "size")
		value := func(off int) (string, float64, bool) { return "v" + strconv.Itoa(off), 0, true }
		labels := []Label{Index, Coord, Value, Offset, Byte}
		scene, err := New(Subject{Layout: l, Size: size, Value: value}, nil, Options{Labels: labels})
		if err != nil {
			t.Fatal(err)
		}
		at := map[int]int{}
		for _, off := range l.Logical() {
			at[off]++
		}
		got, n := cells(scene.Tensor), 0
		for coord, off := range l.Logical() {
			want := []string{strconv.Itoa(n), commas(coord), "v" + strconv.Itoa(off),
				strconv.Itoa(off), strconv.Itoa(off * size)}
			shared := at[off]
			if _, known := l.Sharing(); !known {
				shared = min(shared, maxCounted)
			}
			if shared == 1 {
				shared = 0
			}
			if n >= len(got) || !slices.Equal(got[n].Labels, want) || got[n].Shared != shared {
				t.Fatalf("%s: element %v is drawn as %+v, expected %v, shared by %d", l, coord, got[n], want, shared)
			}
			if sum := explain.NewAddress(l, coord).String(); !strings.HasSuffix(got[n].Detail, ", "+sum) {
				t.Fatalf("%s: detail %q does not end in %q", l, got[n].Detail, sum)
			}
			n++
		}
		if len(got) != n {
			t.Fatalf("%s: %d cells for %d elements", l, len(got), n)
		}
	})
}

func commas(xs []int) string { return strings.Trim(strings.ReplaceAll(fmt.Sprint(xs), " ", ","), "[]") }

// TestGridNames: bands, planes, rows and columns are named by their indices, and omissions are described between them.
func TestGridNames(t *testing.T) {
	l := strided(t, []int{3, 70, 2, 3, 20}, []int{8400, 120, 60, 20, 1}, 0, -1)
	g := mustDraw(t, Subject{Layout: l}, nil, Options{Limit: 100}).Tensor
	var bands []string
	for _, b := range g.Bands {
		bands = append(bands, b.Name+b.Skip)
	}
	want := "n=0 c=0; n=0: … 68 more channels; n=0 c=69; … 1 more image; n=2 c=0; n=2: … 68 more channels; n=2 c=69"
	if got := strings.Join(bands, "; "); got != want {
		t.Errorf("bands %s\nexpected %s", got, want)
	}
	assumed := mustDraw(t, Subject{Layout: l, Assumed: true}, nil, Options{Limit: 100}).Tensor
	if got := assumed.Bands[3].Skip; got != "… 1 more of N" {
		t.Errorf("an assumed N is omitted as %q", got)
	}
	p := g.Bands[0].Planes[0]
	if got := fmt.Sprintln(p.Name, p.Columns, p.Rows[0].Name, p.Rows[1].Name); got != "d=0 [w=0 1 2 … 19] h=0 1\n" {
		t.Errorf("plane %s", got)
	}
	if c := p.Rows[0].Cells[3]; c.Kind != scene.Omitted || c.Labels[0] != "…" || c.Detail != "… 16 more columns" {
		t.Errorf("omitted column: %+v", c)
	}
}

// TestCutSentence: the sentences say how much of a large tensor is drawn.
func TestCutSentence(t *testing.T) {
	for _, c := range []struct {
		shape []int
		want  string
	}{
		{[]int{2, 64, 3, 3}, "; 90 of 1152 elements drawn"},
		{[]int{8, 64, 56, 56}, "; 216 of 1605632 elements drawn"},
		{[]int{4, 1000}, "; 32 of 4000 elements drawn"},
		{[]int{2, 3}, ""},
	} {
		s := mustDraw(t, Subject{Layout: packed(t, c.shape...)}, nil, Options{Limit: 256})
		if got := strings.Join(s.Lines, "\n"); got != "cell = logical index"+c.want {
			t.Errorf("%v: %q, expected %q", c.shape, got, c.want)
		}
	}
}

// TestGridOfFewDims: a scalar is one cell, a vector one row, and an empty tensor a sentence.
func TestGridOfFewDims(t *testing.T) {
	g := mustDraw(t, Subject{Layout: packed(t)}, nil, Options{}).Tensor
	if written(cells(g)) != "0" || g.Name != "a scalar, without an index" {
		t.Errorf("scalar: %+v", g)
	}
	g = mustDraw(t, Subject{Layout: packed(t, 4)}, nil, Options{}).Tensor
	if written(g.Bands[0].Planes[0].Rows[0].Cells) != "0 1 2 3" {
		t.Errorf("vector: %+v", g)
	}
	two := strided(t, []int{2, 0, 3}, []int{0, 3, 1}, 0, 2)
	s := mustDraw(t, Subject{Layout: packed(t, 2, 0, 3)}, []Memory{{Name: "own", Layout: two, Own: true}}, Options{})
	if len(s.Tensor.Bands) != 0 || s.Lines[0] != "no elements to draw: H is 0" {
		t.Errorf("empty: %q, %+v", s.Lines, s.Tensor)
	}
	if s.Scale.Name != "" || s.Scale.N != 0 {
		t.Errorf("the colors of no elements have a legend: %+v", s.Scale)
	}
	if got := places(s.Memories[0]); written(got) != "x x" || got[0].Detail != "offset 0, byte 0, padding because the tensor has no elements" {
		t.Errorf("its memory: %+v", got)
	}
}
