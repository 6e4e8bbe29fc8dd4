package convert

import (
	"slices"

	"github.com/tlayout/tlayout/internal/ints"
)

// grow doubles the tile, along the destination or along the source, whichever has the shorter runs in it, until it
// holds elems elements.
func (t *tiling) grow(b Box, elems int) {
	bySrc := rising(b.Loops)
	for {
		dst, dstRun := t.nextDst()
		src, srcRun := t.nextSrc(bySrc)
		at := dst
		if src >= 0 && (srcRun < dstRun || dst < 0) {
			at = src
		}
		if at < 0 {
			return
		}
		grown := min(2*t.size[at], t.radix[at])
		if t.elems()/t.size[at] > elems/grown {
			fits := elems / (t.elems() / t.size[at])
			t.size[at] = max(fits, t.size[at])
			return
		}
		t.size[at] = grown
	}
}

// rising orders loops by their steps in the source.
func rising(loops []Loop) []*Loop {
	sorted := make([]*Loop, len(loops))
	for i := range loops {
		sorted[i] = &loops[i]
	}
	slices.SortStableFunc(sorted, func(a, b *Loop) int { return ints.Abs(a.Src) - ints.Abs(b.Src) })
	return sorted
}

// nextDst is the innermost digit that the tile does not hold wholly, and the run of elements up to it; -1 for none.
func (t *tiling) nextDst() (digit, run int) {
	run = 1
	for i := len(t.size) - 1; i >= 0; i-- {
		run *= t.size[i]
		if t.size[i] < t.radix[i] {
			return i, run
		}
	}
	return -1, run
}

// nextSrc is the digit of the innermost loop of the source that the tile does not hold wholly, and the run up to it.
func (t *tiling) nextSrc(bySrc []*Loop) (digit, run int) {
	run = 1
	for _, l := range bySrc {
		i := t.digitOf(l.Dst)
		if t.size[i] == t.radix[i] {
			run *= l.N
			continue
		}
		turns := max(1, t.size[i]*t.pitch[i]/l.Dst)
		if run *= min(turns, l.N); turns < l.N {
			return i, run
		}
	}
	return -1, run
}

// evened is the size of the parts when total is cut into the fewest parts of at most limit, nearly equal ones, of
// whole cache lines where that can be.
func evened(total, limit int) int {
	parts := ints.CeilDiv(total, limit)
	if parts == 1 {
		return total
	}
	even := ints.CeilDiv(total, parts)
	if limit < 64 {
		return even
	}
	return min(total, (even+63)&^63, limit&^63)
}
