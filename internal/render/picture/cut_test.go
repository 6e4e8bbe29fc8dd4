package picture

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/random/property"
	"github.com/tlayout/tlayout/internal/render/scene"
)

// TestCut: at most limit elements are shown, at least one index of each dim, and all if all fit. Planes are whole if two of them fit, and
// no single index is omitted that would fit.
func TestCut(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		shape := rapid.SliceOfN(rapid.IntRange(1, 300), 0, 6).Draw(t, "shape")
		limit, last := rapid.IntRange(1, 2000).Draw(t, "limit"), len(shape)-1
		counts, all, shown := cut(shape, limit, make([]int, len(shape))), 1, 1
		for d, n := range shape {
			if counts[d] < 1 || counts[d] > n {
				t.Fatalf("%v, %d: %v", shape, limit, counts)
			}
			all, shown = min(all*n, 1_000_000), shown*counts[d]
		}
		if shown > limit || all <= limit && !slices.Equal(counts, shape) {
			t.Fatalf("%v, %d: %v", shape, limit, counts)
		}
		for d, n := range shape {
			if counts[d] > 1 && counts[d]+1 == n && shown/counts[d]*n <= limit {
				t.Fatalf("%v, %d: %v leaves a single index out", shape, limit, counts)
			}
		}
		if last < 1 {
			return
		}
		two := shape[last] * shape[last-1]
		if last > 1 {
			two *= min(2, shape[last-2])
		}
		if whole := slices.Equal(counts[last-1:], shape[last-1:]); two <= limit && !whole {
			t.Fatalf("%v, %d: %v cuts planes", shape, limit, counts)
		}
	})
}

// TestCutExamples: plausible cuts: few channels, the first and the last image; a corner of large planes; no step of a path omitted.
func TestCutExamples(t *testing.T) {
	for _, c := range []struct {
		shape []int
		limit int
		need  []int
		want  string
	}{
		{[]int{2, 64, 3, 3}, 256, nil, "[2 5 3 3]"},
		{[]int{1, 64, 5, 4}, 256, nil, "[1 5 5 4]"},
		{[]int{8, 64, 56, 56}, 256, nil, "[2 3 6 6]"},
		{[]int{32, 3, 8, 8}, 256, nil, "[1 3 8 8]"},
		{[]int{3, 224, 224}, 256, nil, "[3 8 8]"},
		{[]int{224, 224}, 256, nil, "[8 8]"},
		{[]int{100, 6, 2, 2}, 256, nil, "[5 6 2 2]"},
		{[]int{1000000}, 256, nil, "[8]"},
		{[]int{2, 64, 3, 3}, 0, nil, "[2 64 3 3]"},
		{[]int{2, 64, 3, 3}, 256, []int{0, 17, 0, 0}, "[1 17 3 3]"},
		{[]int{2, 64, 3, 3}, 1, nil, "[1 1 1 1]"},
		{[]int{}, 1, nil, "[]"},
	} {
		need := c.need
		if need == nil {
			need = make([]int, len(c.shape))
		}
		if got := fmt.Sprint(cut(c.shape, c.limit, need)); got != c.want {
			t.Errorf("%v, %d: %s, expected %s", c.shape, c.limit, got, c.want)
		}
	}
}

// TestPicks: the first indices and the last of a dim are picked, and all others are counted between them.
func TestPicks(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(1, 50).Draw(t, "size")
		count := rapid.IntRange(1, size).Draw(t, "count")
		next, shown := 0, 0
		for _, p := range picks(size, count) {
			if p.skipped == 0 {
				if p.index != next {
					t.Fatalf("index %d, expected %d", p.index, next)
				}
				shown++
				next++
			}
			next += p.skipped
		}
		if next != size || shown != count {
			t.Fatalf("%d of %d: %v", count, size, picks(size, count))
		}
	})
}

// TestCutIsPart: a cut picture is part of the whole one: each cell looks as it does there, and the omitted parts add up to the rest. Memory
// shows at least two rows.
func TestCutIsPart(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		l := someLayout(t)
		o := Options{Limit: rapid.IntRange(1, 40).Draw(t, "limit"), Wrap: rapid.IntRange(0, 9).Draw(t, "wrap"), Color: ByMemory}
		part, err := New(Subject{Layout: l, Size: 8}, []Memory{{Name: "m", Layout: l}}, o)
		if err != nil {
			t.Fatal(err)
		}
		limit := o.Limit
		o.Limit = 0
		whole, err := New(Subject{Layout: l, Size: 8}, []Memory{{Name: "m", Layout: l}}, o)
		if err != nil {
			t.Fatal(err)
		}
		shown := cells(part.Tensor)
		if len(shown) > limit || len(places(part.Memories[0])) > max(limit, 2*max(64/8, o.Wrap)) || l.Numel() > 0 && len(shown) == 0 {
			t.Fatalf("%s: %d elements and %d cells of memory", l, len(shown), len(places(part.Memories[0])))
		}
		all := map[string]scene.Cell{}
		for _, c := range cells(whole.Tensor) {
			all[c.Labels[0]] = c
		}
		for _, c := range shown {
			if fmt.Sprint(c) != fmt.Sprint(all[c.Labels[0]]) {
				t.Fatalf("%s: %+v, in the whole %+v", l, c, all[c.Labels[0]])
			}
		}
		checkMemoryPart(t, part.Memories[0], places(whole.Memories[0]))
	})
}

func checkMemoryPart(t *rapid.T, m scene.Memory, all []scene.Cell) {
	next := 0
	for _, r := range m.Rows {
		if r.Skip != "" {
			n, err := strconv.Atoi(strings.Fields(r.Skip)[1])
			if err != nil || n < 1 {
				t.Fatalf("row %q", r.Skip)
			}
			next += n * m.Width
			continue
		}
		for i, c := range r.Cells {
			same := all[next+i]
			if c.Shared > maxListed {
				same.Holds = slices.DeleteFunc(slices.Clone(same.Holds), func(n int) bool { return !slices.Contains(c.Holds, n) })
			}
			if fmt.Sprint(c) != fmt.Sprint(same) {
				t.Fatalf("row %v, cell %d: %+v, in the whole %+v", r.Address, i, c, all[next+i])
			}
		}
		if r.Address != scene.Address(next) {
			t.Fatalf("row %v starts at %d", r.Address, next)
		}
		next += len(r.Cells)
	}
	if next < len(all) || next >= len(all)+m.Width {
		t.Fatalf("rows end at %d of %d", next, len(all))
	}
}

// TestGiant: a part of a giant costs what is drawn: no other values are read. A limit of 0 means all, which is refused for such a tensor.
func TestGiant(t *testing.T) {
	l := packed(t, 1000, 1000, 1000, 1)
	if strconv.IntSize == 64 {
		l = packed(t, 1000, 1000, 1000, 1000)
	}
	asked := 0
	s := Subject{Layout: l, Value: func(off int) (string, float64, bool) { asked++; return "1", 1, true }}
	m := []Memory{{Name: "own", Layout: l, Own: true}}
	scene := mustDraw(t, s, m, Options{Limit: 256, Labels: []Label{Value}})
	elements, lines := len(cells(scene.Tensor)), len(places(scene.Memories[0]))
	if asked != elements+lines || elements < 100 || elements > 256 || lines < 100 || lines > 256 {
		t.Errorf("%d elements and %d of memory drawn, %d values read", elements, lines, asked)
	}
	_, err := New(s, m, Options{})
	wantFault(t, err, fault.Unsupported, "the picture would have more than 200000 cells")
}

func wantFault(t *testing.T, err error, class fault.Class, text string) {
	t.Helper()
	e, ok := err.(*fault.Error)
	if !ok || e.Class != class || e.Text != text || e.Hint == "" {
		t.Errorf("%+v, expected class %d, %q, and a hint", err, class, text)
	}
}
