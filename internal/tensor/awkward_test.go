package tensor

import (
	"maps"
	"slices"
	"testing"
)

// awkward lists layouts chosen to break a careless operation. Every definition is evaluated on each of them.
func awkward(t testing.TB) map[string]Layout {
	t.Helper()
	strided := func(shape, strides []int, offset int) Layout {
		return mustLayout(t, shape, strides, offset, Unbounded)
	}
	alloc := func(n int, shape, strides []int, offset int) Layout {
		return mustLayout(t, shape, strides, offset, n)
	}
	blocked := func(dims ...Dim) Layout { return mustNew(t, dims, 0, Unbounded) }
	n, h, w := digitsOf("N", 2, []int{2}, []int{48}), digitsOf("H", 2, []int{2}, []int{12}), digitsOf("W", 3, []int{3}, []int{4})
	ones, odd := slices.Repeat([]int{1}, MaxRank), make([]int, MaxRank)
	for i := range odd {
		odd[i] = i*i - 100
	}
	return map[string]Layout{
		"scalar":                     strided(nil, nil, 0),
		"scalar at 7 of 10":          alloc(10, nil, nil, 7),
		"size 0":                     strided([]int{0, 3}, []int{3, 1}, 0),
		"size 0 inside, far offset":  strided([]int{2, 0, 3}, []int{7, -5, 0}, 1000),
		"size 0 with storage":        alloc(12, []int{3, 0}, []int{1, 1}, 4),
		"size 1, odd strides":        strided([]int{1, 1}, []int{-5, 99}, 3),
		"size 1 among others":        strided([]int{2, 1, 3}, []int{3, 999, 1}, 0),
		"row broadcast":              strided([]int{2, 3}, []int{0, 1}, 0),
		"column broadcast":           strided([]int{3, 4}, []int{1, 0}, 0),
		"all broadcast":              strided([]int{2, 3}, []int{0, 0}, 5),
		"broadcast and padded":       strided([]int{2, 2, 3}, []int{0, 5, 1}, 0),
		"broadcast and overlapping":  strided([]int{2, 3, 2}, []int{0, 1, 1}, 0),
		"holes":                      strided([]int{2, 3}, []int{5, 1}, 0),
		"trailing padding":           alloc(10, []int{2, 3}, []int{5, 1}, 0),
		"steps":                      strided([]int{4}, []int{3}, 0),
		"reversed":                   strided([]int{6}, []int{-1}, 5),
		"reversed both":              strided([]int{2, 3}, []int{-3, -1}, 5),
		"reversed rows":              strided([]int{3, 4}, []int{-4, 1}, 8),
		"reversed before storage":    strided([]int{4}, []int{-2}, 3),
		"wholly before storage":      strided([]int{3}, []int{-1}, -1),
		"past the storage":           alloc(5, []int{2, 3}, []int{3, 1}, 1),
		"sliding windows":            strided([]int{4, 4}, []int{2, 1}, 0),
		"rows touch":                 strided([]int{2, 3}, []int{2, 1}, 0),
		"windows by one":             strided([]int{3, 3}, []int{1, 1}, 0),
		"overlap, opposite signs":    strided([]int{3, 3}, []int{1, -1}, 2),
		"not nested, no overlap":     strided([]int{3, 2}, []int{2, 3}, 0),
		"not nested, refused by DNN": strided([]int{2, 3}, []int{5, 2}, 0),
		"column-major":               strided([]int{2, 3, 4}, []int{1, 2, 6}, 0),
		"channels last":              strided([]int{2, 3, 4, 5}, []int{60, 1, 15, 3}, 0),
		"N,1,1,1":                    strided([]int{2, 1, 1, 1}, []int{1, 1, 1, 1}, 0),
		"N,1,1,1, all strides equal": strided([]int{2, 1, 1, 1}, []int{4, 4, 4, 4}, 0),
		"N,1,1,1,1":                  strided([]int{3, 1, 1, 1, 1}, []int{2, 2, 2, 2, 2}, 0),
		"channels last, C 1":         strided([]int{2, 1, 4, 4}, []int{16, 1, 4, 1}, 0),
		"channels last 3d":           strided([]int{2, 3, 1, 2, 2}, []int{12, 1, 12, 6, 3}, 0),
		"crop":                       alloc(48, []int{1, 3, 2, 2}, []int{48, 16, 4, 1}, 5),
		"rank 8":                     strided([]int{2, 1, 3, 1, 2, 2, 1, 2}, []int{40, 7, 8, 0, 4, 2, 3, 1}, 2),
		"rank 64 of ones":            strided(ones, odd, 9),
		"NCHW4, C 5":                 blocked(n, digitsOf("C", 5, []int{4, 2}, []int{1, 24}), h, w),
		"NCHW4, C 8":                 blocked(n, digitsOf("C", 8, []int{4, 2}, []int{1, 24}), h, w),
		"block over size":            blocked(digitsOf("C", 3, []int{4, 1}, []int{1, 24}), h, w),
		"block of size 1":            blocked(digitsOf("C", 1, []int{4, 1}, []int{1, 24}), h, w),
		"block of size 0":            blocked(digitsOf("C", 0, []int{4, 0}, []int{1, 24}), h, w),
		"blocks of 1":                blocked(digitsOf("C", 5, []int{1, 1, 5}, []int{7, 9, 3}), w),
		"two levels":                 blocked(digitsOf("I", 21, []int{4, 2, 3}, []int{1, 16, 32}), digitsOf("O", 6, []int{4, 2}, []int{4, 96})),
		"level never reached":        blocked(digitsOf("C", 3, []int{4, 2, 1}, []int{1, 0, 24})),
		"high digit inside":          blocked(digitsOf("C", 5, []int{4, 2}, []int{9, 1})),
		"digits of opposite signs":   mustNew(t, []Dim{digitsOf("C", 7, []int{4, 2}, []int{-1, 9})}, 3, Unbounded),
		"digit broadcast":            blocked(digitsOf("C", 6, []int{2, 3}, []int{0, 1}), w),
		"high digit broadcast":       blocked(digitsOf("C", 6, []int{3, 2}, []int{1, 0})),
		"digits overlap":             blocked(digitsOf("C", 8, []int{4, 2}, []int{1, 2})),
		"gap saved by raggedness":    blocked(digitsOf("C", 5, []int{4, 2}, []int{1, 4}), digitsOf("D", 2, []int{2}, []int{5})),
	}
}

// TestAwkwardLayouts evaluates every definition on every awkward layout.
func TestAwkwardLayouts(t *testing.T) {
	for name, l := range awkward(t) {
		for what, define := range layoutDefinitions {
			t.Run(what+"/"+name, func(t *testing.T) { define(t, l) })
		}
		if s, ok := l.Strided(); ok {
			for what, define := range stridedDefinitions {
				t.Run(what+"/"+name, func(t *testing.T) { define(t, s) })
			}
		}
	}
}

// TestSpanOfTwoDigits: span and bounds of every dim of two digits of up to three values, with strides of both signs, ended at every
// size, in a storage that just holds it, and in those that are an element too short at either end.
func TestSpanOfTwoDigits(t *testing.T) {
	for n := range 3 * 3 * 7 * 7 {
		low, high, a, b := n%3+1, n/3%3+1, n/9%7-3, n/63%7-3
		for size := (high-1)*low + 1; size <= low*high; size++ {
			d := digitsOf("C", size, []int{low, high}, []int{3 * a, b})
			offsets := slices.Sorted(maps.Keys(residents(mustNew(t, []Dim{d}, 0, Unbounded))))
			first, last := offsets[0], offsets[len(offsets)-1]
			for _, short := range [][2]int{{0, 0}, {1, 0}, {0, 1}} {
				defineSpan(t, mustNew(t, []Dim{d}, -first-short[0], last-first+1-short[1]))
			}
		}
	}
}

// TestLayoutString shows the notation: digits as a nested tuple, least significant first, "<size" where they run past
// the size, "@offset" where there is one.
func TestLayoutString(t *testing.T) {
	all := awkward(t)
	for name, want := range map[string]string{
		"scalar":              "():()",
		"scalar at 7 of 10":   "():()@7",
		"holes":               "(2,3):(5,1)",
		"reversed rows":       "(3,4):(-4,1)@8",
		"NCHW4, C 5":          "(2,(4,2)<5,2,3):(48,(1,24),12,4)",
		"NCHW4, C 8":          "(2,(4,2),2,3):(48,(1,24),12,4)",
		"block of size 0":     "((4,0),2,3):((1,24),12,4)",
		"high digit inside":   "((4,2)<5):((9,1))",
		"two levels":          "((4,2,3)<21,(4,2)<6):((1,16,32),(4,96))",
		"level never reached": "((4,2,1)<3):((1,0,24))",
	} {
		if got := all[name].String(); got != want {
			t.Errorf("%s prints %s, want %s", name, got, want)
		}
	}
}
