package checkpoint

import (
	"cmp"
	"iter"
	"slices"

	"github.com/tlayout/tlayout/internal/sorting"
)

// extent is the bytes [from, to) of a storage from the first byte of a tensor's elements to the end of the last.
type extent struct {
	from, to int64
	tensor   int // index
}

func extentOf(t Tensor, index int) extent {
	from, to := t.Extent()
	return extent{from, to, index}
}

// Extent returns the first byte of a tensor's elements in its storage, and the one after the last. A tensor without elements has none.
func (t Tensor) Extent() (from, to int64) {
	low, high := t.View.ByteBounds(1) // in elements, from the first one
	return int64(t.Type.ByteOf(t.View.Offset + low)), t.Type.Size(int64(t.View.Offset + high))
}

// extents returns the extents of tensors with elements, for each of n storages, by their first bytes.
func extents(tensors []Tensor, n int) [][]extent {
	all := make([][]extent, n)
	for i, t := range tensors {
		if !t.View.Empty() {
			all[t.Storage] = append(all[t.Storage], extentOf(t, i))
		}
	}
	for _, sorted := range all {
		sorting.By(sorted, func(a, b extent) int { return cmp.Compare(a.from, b.from) })
	}
	return all
}

// overlapping yields the extents of a storage in groups that overlap within, but not with each other.
func overlapping(sorted []extent) iter.Seq[[]extent] {
	return func(yield func([]extent) bool) {
		for len(sorted) > 0 {
			n := 1
			to := sorted[0].to
			for n < len(sorted) && sorted[n].from < to {
				to = max(to, sorted[n].to)
				n++
			}
			if !yield(sorted[:n]) {
				return
			}
			sorted = sorted[n:]
		}
	}
}

// refused returns, for each storage, the first tensor in Refused that uses it; -1: none.
func (c *Container) refused() []int {
	first := make([]int, len(c.Storages))
	for s := range first {
		first[s] = -1
	}
	for i, r := range c.Refused {
		for _, s := range r.Storages {
			if first[s] < 0 {
				first[s] = i
			}
		}
	}
	return first
}

// Overlapping returns groups of tensors whose extents overlap, by their numbers; groups of one are omitted.
func Overlapping(tensors []Tensor) (groups [][]int) {
	storages := 0
	for _, t := range tensors {
		storages = max(storages, t.Storage+1)
	}
	for _, sorted := range extents(tensors, storages) {
		for group := range overlapping(sorted) {
			if len(group) < 2 {
				continue
			}
			tensors := make([]int, len(group))
			for i, e := range group {
				tensors[i] = e.tensor
			}
			slices.Sort(tensors)
			groups = append(groups, tensors)
		}
	}
	sorting.By(groups, func(a, b []int) int { return cmp.Compare(a[0], b[0]) })
	return groups
}
