package threads

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/random/property"
)

// CuTe's C fragment of m16n8: SM80_16x8_Row of mma_traits_sm80.hpp (CUTLASS 4.7).
func TestCute(t *testing.T) {
	l, err := Parse("((4,8),(2,2)):((32,1),(16,8))", []int{16, 8})
	if err != nil {
		t.Fatal(err)
	}
	for at, want := range map[[2]int][]int{{5, 3}: {9, 3}, {0, 1}: {0, 1}, {0, 2}: {8, 0}, {31, 3}: {15, 7}} {
		if got := l.At(at[0], at[1]); !slices.Equal(got, want) {
			t.Errorf("T%d V%d is at %v, want %v", at[0], at[1], got, want)
		}
		if got := l.Owners(want...); !slices.Equal(got, []Owner{{at[0], at[1]}}) {
			t.Errorf("owners of %v are %v, want T%d V%d", want, got, at[0], at[1])
		}
	}
}

// drawn is a layout with elements at random, and where they are.
func drawn(t *rapid.T) (l Layout, at [][][]int) {
	tile := rapid.SliceOfN(rapid.IntRange(1, 5), 1, 3).Draw(t, "tile")
	threads, values := rapid.IntRange(1, 40).Draw(t, "threads"), rapid.SampledFrom([]int{1, 2, 3, 4, 8}).Draw(t, "values")
	last := len(tile) - 1
	tile[last] += rapid.SampledFrom([]int{0, 8}).Draw(t, "more")
	near, start := rapid.Bool().Draw(t, "near"), rapid.IntRange(0, 4).Draw(t, "start") // values side by side
	at = make([][][]int, threads)
	for th := range at {
		for range values {
			var coord []int
			for d, n := range tile {
				i := rapid.IntRange(0, n-1).Draw(t, "index")
				if near && d == last {
					i = (start + len(at[th])) % n
				}
				coord = append(coord, i)
			}
			at[th] = append(at[th], coord)
		}
	}
	l, err := New(tile, threads, values, 8, func(thread, value int, coord []int) error {
		copy(coord, at[thread][value])
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return l, at
}

// TestOwners: Owners inverts At, and Holders and Distinct count what At says.
func TestOwners(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		l, at := drawn(t)
		held, distinct := map[string]int{}, 0
		for th := range at {
			seen := map[string]bool{}
			for v, coord := range at[th] {
				if !slices.Equal(l.At(th, v), coord) || !slices.Contains(l.Owners(coord...), Owner{th, v}) {
					t.Fatalf("T%d V%d: at %v, owners %v, want %v", th, v, l.At(th, v), l.Owners(coord...), coord)
				}
				held[string(bytesOf(coord))]++
				seen[string(bytesOf(coord))] = true
			}
			distinct = max(distinct, len(seen))
		}
		total, least, most := 0, len(at)*len(at[0]), 0
		for e := range len(l.first) - 1 {
			coord, rest := make([]int, len(l.Tile)), e
			for d := len(coord) - 1; d >= 0; d-- {
				coord[d], rest = rest%l.Tile[d], rest/l.Tile[d]
			}
			n := held[string(bytesOf(coord))]
			if got := len(l.Owners(coord...)); got != n {
				t.Fatalf("%v has %d owners, want %d", coord, got, n)
			}
			total, least, most = total+n, min(least, n), max(most, n)
		}
		gotLeast, gotMost := l.Holders()
		if total != l.Threads*l.Values || gotLeast != least || gotMost != most || l.Distinct() != distinct {
			t.Fatalf("%d owners, held %d to %d, %d distinct, want %d, %d to %d, %d", total, gotLeast, gotMost, l.Distinct(), l.Threads*l.Values,
				least, most, distinct)
		}
	})
}

func bytesOf(coord []int) (b []byte) {
	for _, i := range coord {
		b = append(b, byte(i))
	}
	return b
}

// TestAccess: the vector is the longest that all threads have, and sectors are those of the bytes that each warp's lanes access.
func TestAccess(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		l, at := drawn(t)
		bits := rapid.SampledFrom([]int{4, 8, 16, 32, 64}).Draw(t, "bits")
		far := rapid.SampledFrom([]int{64, -64, 3}).Draw(t, "stride")
		offset := func(coord []int) int { return coord[0]*far + coord[len(coord)-1] }
		got := l.Access(offset, bits)
		want := Access{Vector: 1}
		for n := 2; n*bits <= 128 && l.Values%n == 0 && sound(at, offset, n); n *= 2 {
			want.Vector = n
		}
		for warp := 0; warp < l.Threads; warp += 8 {
			for v := 0; v < l.Values; v += want.Vector {
				sectors, starts := map[int]map[int]bool{}, map[int]bool{} // sector → threads
				for th := warp; th < min(warp+8, l.Threads); th++ {
					start := offset(at[th][v]) * bits
					starts[start] = true
					for bit := start; bit < start+want.Vector*bits; bit++ {
						s := int(math.Floor(float64(bit) / 256))
						if sectors[s] == nil {
							sectors[s] = map[int]bool{}
						}
						sectors[s][th] = true
					}
				}
				want.Sectors += len(sectors)
				want.Used += (len(starts)*want.Vector*bits + 7) / 8
				for _, lanes := range sectors {
					want.Lanes = max(want.Lanes, len(lanes))
				}
			}
		}
		if got != want {
			t.Fatalf("access %+v, want %+v", got, want)
		}
	})
}

// sound reports whether every n values from a multiple of n on are consecutive and aligned.
func sound(at [][][]int, offset func([]int) int, n int) bool {
	for _, values := range at {
		for v := range values {
			if first := offset(values[v/n*n]); first%n != 0 || offset(values[v]) != first+v%n {
				return false
			}
		}
	}
	return true
}

// TestLimits: sizes beyond the limits are refused without a table.
func TestLimits(t *testing.T) {
	at := func(_, _ int, _ []int) error { return nil }
	for _, c := range []struct {
		tile            []int
		threads, values int
		class           fault.Class
	}{
		{nil, 1, 1, fault.Usage}, {make([]int, 9), 1, 1, fault.Usage}, {[]int{0, 3}, 1, 1, fault.Usage}, {[]int{2}, 0, 1, fault.Usage},
		{[]int{2}, 1 << 14, 1, fault.Unsupported}, {[]int{2}, 32, 1 << 30, fault.Unsupported}, {[]int{1 << 21}, 32, 1, fault.Unsupported},
		{[]int{1 << 30, 1 << 30, 1 << 30}, 32, 1, fault.Unsupported},
	} {
		if _, err := New(c.tile, c.threads, c.values, 32, at); err == nil || fault.ClassOf(err) != c.class {
			t.Errorf("tile %v, %d threads, %d values: %v, want class %v", c.tile, c.threads, c.values, err, c.class)
		}
	}
}

// FuzzParse: any text is a layout whose values are all inside of the tile, or one error of a line.
func FuzzParse(f *testing.F) {
	f.Add("((4,8),(2,2)):((32,1),(16,8))")
	f.Fuzz(func(t *testing.T, s string) {
		l, err := Parse(s, []int{16, 8})
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("the error has several lines: %q", err)
			}
			return
		}
		for th := range min(l.Threads, 64) {
			for v := range min(l.Values, 64) {
				if !slices.Contains(l.Owners(l.At(th, v)...), Owner{th, v}) {
					t.Fatalf("%q: T%d V%d is at %v, held by others", s, th, v, l.At(th, v))
				}
			}
		}
	})
}
