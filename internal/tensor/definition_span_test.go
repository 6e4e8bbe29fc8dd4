package tensor

import (
	"maps"
	"slices"
)

// Span, Extent, Slack and InBounds follow from the set of addresses.
func defineSpan(t reporter, l Layout) {
	offsets := slices.Sorted(maps.Keys(residents(l)))
	low, high, ok := l.Span()
	same(t, "whether Span exists", l, ok, len(offsets) > 0)
	leading, trailing := l.Slack()
	if !ok {
		same(t, "Extent", l, l.Extent(), 0)
		same(t, "Slack", l, []int{leading, trailing}, []int{0, l.Alloc()})
		same(t, "InBounds", l, l.InBounds(), true)
		return
	}
	first, last := offsets[0], offsets[len(offsets)-1]
	same(t, "Span", l, []int{low, high}, []int{first, last})
	same(t, "Extent", l, l.Extent(), last-first+1)
	same(t, "Slack", l, []int{leading, trailing}, []int{first, l.Alloc() - 1 - last})
	same(t, "InBounds", l, l.InBounds(), first >= 0 && last < l.Alloc())
}

// PaddedShape is each size rounded up to whole blocks: to the product of all extents but the last.
func definePadded(t reporter, l Layout) {
	var want []int
	for i := range l.Rank() {
		d, block := l.Dim(i), 1
		for _, g := range d.Digits[:len(d.Digits)-1] {
			block *= g.Extent
		}
		want = append(want, roundUp(d.Size, block))
	}
	same(t, "PaddedShape", l, l.PaddedShape(), want)
}

// A broadcast dim is one that the address ignores; of several digits, one that ignores a digit that does take more
// than one value.
func defineBroadcast(t reporter, l Layout) {
	var want []int
	for i := range l.Rank() {
		d, repeats := l.Dim(i), false
		for _, g := range d.Digits {
			takesTwoValues := d.Size > g.Div && g.Extent > 1
			repeats = repeats || takesTwoValues && g.Stride == 0
		}
		if repeats && l.Numel() > 0 {
			want = append(want, i)
		}
	}
	same(t, "BroadcastDims", l, l.BroadcastDims(), want)
}

// Occupancy counts distinct addresses. With a limit it may not know, but only over the limit, or over a sixteenth of
// it where they are spread thinly; what it says is never wrong. Gaps and Packed follow.
func defineOccupancy(t reporter, l Layout) {
	unique, extent := len(residents(l)), l.Extent()
	exact := Occupancy{No, unique}
	if unique < l.Numel() {
		exact.Overlapping = Yes
	}
	same(t, "Occupancy", l, l.Occupancy(), exact)
	same(t, "Gaps", l, l.Gaps(), extent-unique)
	same(t, "Packed", l, l.Packed(), l.Numel() > 0 && unique == l.Numel() && unique == extent)
	for _, limit := range []int{0, 1, 5, 40, 1 << 10} {
		got := l.Plain().occupancy(limit)
		over := l.Numel() > limit || l.Numel() > limit/16 && l.Plain().Extent() > 16*limit
		if got.Overlapping != exact.Overlapping && (got.Overlapping != Unknown || !over) ||
			got.Unique != exact.Unique && (got.Unique != -1 || !over) {
			t.Errorf("Occupancy of %s with limit %d = %v, exactly %v", l, limit, got, exact)
		}
	}
}

// Strided gives the same addresses with one stride per dim, wherever at most one digit of each dim has an extent
// over 1. No strides give a swizzled layout.
func defineStrided(t reporter, l Layout) {
	want := l.Swizzle().IsZero()
	for i := range l.Rank() {
		moving := 0
		for _, g := range l.Dim(i).Digits {
			if g.Extent > 1 {
				moving++
			}
		}
		want = want && (moving <= 1 || l.Dim(i).Size <= 1)
	}
	s, ok := l.Strided()
	same(t, "whether Strided exists", l, ok, want)
	if !ok {
		return
	}
	same(t, "Strided shape", l, s.Shape, l.Shape())
	k, all := 0, addresses(s)
	for _, off := range l.Logical() {
		if off != all[k] {
			t.Errorf("Strided of %s moves element %d to %d", l, k, all[k])
			return
		}
		k++
	}
}
