package checkpoint

import (
	"cmp"
	"iter"
	"slices"
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
	of := make([][]extent, n)
	for i, t := range tensors {
		if !t.View.Empty() {
			of[t.Storage] = append(of[t.Storage], extentOf(t, i))
		}
	}
	for _, of := range of {
		slices.SortStableFunc(of, func(a, b extent) int { return cmp.Compare(a.from, b.from) })
	}
	return of
}

// overlapping yields the extents of a storage in groups that overlap within, but not with each other.
func overlapping(of []extent) iter.Seq[[]extent] {
	return func(yield func([]extent) bool) {
		for len(of) > 0 {
			n := 1
			to := of[0].to
			for n < len(of) && of[n].from < to {
				to = max(to, of[n].to)
				n++
			}
			if !yield(of[:n]) {
				return
			}
			of = of[n:]
		}
	}
}

// refused returns, for each storage, the first tensor in Refused that uses it; -1: none.
func (c *Container) refused() []int {
	by := make([]int, len(c.Storages))
	for s := range by {
		by[s] = -1
	}
	for i, r := range c.Refused {
		for _, s := range r.Storages {
			if by[s] < 0 {
				by[s] = i
			}
		}
	}
	return by
}

// Overlapping returns groups of tensors whose extents overlap, by their numbers; groups of one are omitted.
func Overlapping(tensors []Tensor) (groups [][]int) {
	storages := 0
	for _, t := range tensors {
		storages = max(storages, t.Storage+1)
	}
	for _, of := range extents(tensors, storages) {
		for group := range overlapping(of) {
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
	slices.SortFunc(groups, func(a, b []int) int { return cmp.Compare(a[0], b[0]) })
	return groups
}
