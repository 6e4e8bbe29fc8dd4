package offsetcmd

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tlayout/tlayout/internal/command/fixture"
	"github.com/tlayout/tlayout/internal/file/source"
)

// TestOffsetInverse: search finds every element at an offset.
func TestOffsetInverse(t *testing.T) {
	d := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		l := fixture.SomeLayout(d)
		living := fixture.EachCoord(l, func([]int, int) {})
		_, high, _ := l.Span()
		for off := range high + 5 {
			result := result{position: position{Offset: off}}
			result.search(l)
			if !result.Complete || result.Elems != len(living[off]) {
				t.Fatalf("%s: %d elements at %d, not %d", l, result.Elems, off, len(living[off]))
			}
		}
	}
}

// TestRuns: the rows of a cache line's table cover each of its cells once: a run of elements counts one index up from its first to its
// last, and holds nothing else.
func TestRuns(t *testing.T) {
	d := rand.New(rand.NewPCG(3, 4))
	long := 0
	for range 300 {
		l := fixture.SomeLayout(d)
		f := finder{Tensor: &source.Tensor{Layout: l}, itemSize: 1 << d.IntN(4)}
		r := result{position: f.position(l.Offset()), Coord: make([]int, l.Rank())}
		if l.Numel() == 0 {
			continue
		}
		for cells := f.line(&r, 64).Cells; len(cells) > 0; {
			n := runLength(cells, f.itemSize)
			first, last := cells[0], cells[n-1]
			dim := varying(first, last)
			for k, c := range cells[:n] {
				want := slices.Clone(first.Coords)
				if dim >= 0 {
					want = [][]int{slices.Clone(first.Coords[0])}
					want[0][dim] += k
				}
				if c.Offset != first.Offset+k || n > 1 && (c.Complete != first.Complete || !slices.EqualFunc(c.Coords, want, slices.Equal)) {
					t.Fatalf("%s: cell %d of a run of %d: %v, expected %v", l, k, n, c.Coords, want)
				}
			}
			long = max(long, n)
			cells = cells[n:]
		}
	}
	if long < 4 {
		t.Errorf("no run is longer than %d", long)
	}
}
