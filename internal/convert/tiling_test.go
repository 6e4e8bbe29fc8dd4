package convert

import (
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/tlayout/tlayout/internal/random/property"
)

// TestTilesCoverTheStorage: the tiles of any plan contain every position of the storage once, their segments map to it, and the parts of
// boxes in them copy what the boxes copy.
func TestTilesCoverTheStorage(t *testing.T) {
	property.Check(t, func(r *rapid.T) {
		rank := rapid.IntRange(0, 4).Draw(r, "rank")
		sizes := rapid.SliceOfN(rapid.IntRange(1, 6), rank, rank).Draw(r, "sizes")
		src, dst := drawLayout(r, "src", sizes), drawLayout(r, "dst", sizes)
		p, err := NewPlan(dst, src, 1)
		if err != nil {
			r.Fatal(err)
		}
		tiling := newTiling(rapid.IntRange(1, 60).Draw(r, "elems"), p)
		held := make([]int, p.Alloc)
		var direct, packed [][2]int
		for k := range tiling.count() {
			w := tiling.at(k)
			positions := make([]int, w.elems())
			tiling.segments(w, func(storage, packed, n int) error {
				for i := range n {
					held[storage+i]++
					positions[packed+i] = storage + i
				}
				return nil
			})
			for _, c := range tiling.cut(p, w) {
				direct = append(direct, moved(c)...)
			}
			for _, c := range tiling.boxes(p, w) {
				for _, m := range moved(c) {
					packed = append(packed, [2]int{m[0], positions[m[1]]})
				}
			}
		}
		if slices.ContainsFunc(held, func(n int) bool { return n != 1 }) {
			r.Fatalf("%s: positions are held %v times by tiles %+v", dst, held, tiling)
		}
		var want [][2]int
		for _, b := range p.Boxes {
			want = append(want, moved(b)...)
		}
		for name, got := range map[string][][2]int{"in place": direct, "packed": packed} {
			if !slices.Equal(sorted(got), sorted(want)) {
				r.Fatalf("%s to %s, tiles %+v, %s: copies %v, want %v", src, dst, tiling, name, got, want)
			}
		}
	})
}

// moved lists the (src, dst) offsets of a box.
func moved(b Box) [][2]int {
	all := pairs(b.Loops)
	for i := range all {
		all[i][0] += b.Src
		all[i][1] += b.Dst
	}
	return all
}

func sorted(pairs [][2]int) [][2]int {
	slices.SortFunc(pairs, func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
	return pairs
}

// TestMatrixCache: the matrix of a box is made once, for any offset of the box.
func TestMatrixCache(t *testing.T) {
	property.Check(t, func(r *rapid.T) {
		rank := rapid.IntRange(0, 4).Draw(r, "rank")
		sizes := rapid.SliceOfN(rapid.IntRange(1, 9), rank, rank).Draw(r, "sizes")
		src, dst := drawLayout(r, "src", sizes), drawLayout(r, "dst", sizes)
		item := rapid.SampledFrom([]int{1, 2, 3, 4, 16, 32}).Draw(r, "item")
		p, err := NewPlan(dst, src, item)
		if err != nil {
			r.Fatal(err)
		}
		tiling := newTiling(rapid.IntRange(1, 200).Draw(r, "elems"), p)
		for k := range tiling.count() {
			for _, c := range tiling.cut(p, tiling.at(k)) {
				c.Loops = simplify(c.Loops)
				got := p.matrixOf([]Box{c})
				if want := newMatrix([]Box{c}, item); !reflect.DeepEqual(got, want) {
					r.Fatalf("%s to %s, %+v: cached %+v, recomputed %+v", src, dst, c, got, want)
				}
				if len(p.matrices.cached) < maxCached && p.matrixOf([]Box{c}) != got {
					r.Fatalf("%s to %s, %+v is chosen twice", src, dst, c)
				}
			}
		}
	})
}

// TestTilesOfTheGuide: a tile of a transposition has runs of about equal length on both sides; sizes are even.
func TestTilesOfTheGuide(t *testing.T) {
	for _, c := range []struct {
		from, to string
		sizes    []int
		elems    int
		want     []int
	}{
		{"nchw", "nhwc", []int{8, 64, 56, 56}, 1 << 16, []int{1, 832, 64}},
		{"nhwc", "nchw", []int{8, 64, 56, 56}, 1 << 16, []int{1, 64, 832}},
		{"chwn4", "nchw", []int{32, 64, 56, 56}, 1 << 16, []int{32, 1, 4, 448}},
		{"nchw", "nchw", []int{8, 64, 56, 56}, 1 << 16, []int{64256}},
	} {
		p, err := NewPlan(bind(t, c.to, c.sizes...), bind(t, c.from, c.sizes...), 4)
		if err != nil {
			t.Fatal(err)
		}
		if got := newTiling(c.elems, p); !slices.Equal(got.size, c.want) {
			t.Errorf("%s to %s: tiles of %v elements by pitches %v, want %v", c.from, c.to, got.size, got.pitch, c.want)
		}
	}
}
