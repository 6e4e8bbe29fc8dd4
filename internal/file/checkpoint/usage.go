package checkpoint

import (
	"fmt"
	"math/bits"

	"github.com/tlayout/tlayout/internal/ints"
)

// Used is how many bytes of a storage belong to tensors.
type Used struct {
	Bytes   int64
	Exact   bool // otherwise an upper bound
	Refused int  // why not: the number in Refused of a tensor with unknown usage; -1: there are too many elements to count
}

// Bounds on counting one by one.
const (
	maxMarked = 1 << 28 // elements from the first to the last of overlapping tensors: a bit each
	maxSteps  = 1 << 25 // runs of elements, and words of bits, of a whole container
)

// Usage counts the bytes of each storage that belong to a tensor. Gaps of a strided tensor do not, unless they belong to another one.
// It reads no data.
//
// Post: Bytes is the number of bytes b of the storage with a tensor t and a coordinate c such that b is in element t[c], wherever it is
// exact.
func Usage(c *Container) []Used {
	all := make([]Used, len(c.Storages))
	refused := c.refused()
	steps := int64(maxSteps)
	for s, sorted := range extents(c.Tensors, len(c.Storages)) {
		u := Used{Exact: true, Refused: -1}
		for group := range overlapping(sorted) {
			n, exact := c.usedBy(group, &steps)
			u.Bytes = u.Bytes + n
			u.Exact = u.Exact && exact
		}
		if r := refused[s]; r >= 0 && !(u.Exact && u.Bytes == c.Storages[s].Bytes) {
			u = Used{c.Storages[s].Bytes, false, r}
		}
		all[s] = u
	}
	return all
}

// usedBy counts the bytes of tensors whose extents overlap. Bytes are marked one by one, in a bounded number of steps, only if several
// tensors, or one with overlapping elements, leave gaps.
func (c *Container) usedBy(group []extent, steps *int64) (n int64, exact bool) {
	dense, gapped, nested := c.split(group)
	from := group[0].from
	to := int64(0)
	unit := int64(0)
	for _, e := range group {
		to = max(to, e.to)
		unit = ints.GCD(unit, int64(c.Tensors[e.tensor].Type.ItemSize()))
	}
	n = covered(dense)
	if len(gapped) == 0 || n == to-from {
		return n, true
	}
	if len(dense) == 0 && len(gapped) == 1 && nested {
		return gapped[0].bytes(), true
	}
	work := (to - from) / unit / 64
	for _, p := range gapped {
		if n += min(p.runs(), (to-from)/p.Run) * p.Run; n > to-from {
			n = to - from
		}
		work += min(p.runs(), *steps) * (1 + p.Run/unit/64)
	}
	if (to-from)/unit > maxMarked || work > *steps {
		return n, false
	}
	*steps -= work
	seen := make(bitset, (to-from)/unit/64+1)
	for _, e := range dense {
		seen.mark((e.from-from)/unit, (e.to-from)/unit)
	}
	for _, p := range gapped {
		p.each(func(at int64) error { seen.mark((at-from)/unit, (at+p.Run-from)/unit); return nil }) //nolint:errcheck // there is none
	}
	return seen.count() * unit, true
}

// split separates extents without gaps from the runs of tensors with gaps; nested belongs to the last of these. Equal views count once.
func (c *Container) split(group []extent) (dense []extent, gapped []Part, nested bool) {
	known := map[string]bool{}
	for _, e := range group {
		if e.from == e.to {
			continue // elements without bytes
		}
		p, nests := c.Tensors[e.tensor].runs()
		if len(p.Counts) == 0 {
			dense = append(dense, e)
			continue
		}
		p.From = e.from
		if key := fmt.Sprint(p); !known[key] {
			known[key] = true
			gapped = append(gapped, p)
			nested = nests
		}
	}
	return dense, gapped, nested
}

// covered returns how many bytes the sorted extents cover.
func covered(all []extent) (n int64) {
	end := int64(0)
	for _, e := range all {
		if from := max(e.from, end); e.to > from {
			n = n + e.to - from
			end = e.to
		}
	}
	return n
}

// bitset is a set of numbers.
type bitset []uint64

// mark adds from, …, to−1.
func (b bitset) mark(from, to int64) {
	for from < to {
		n := min(64-from%64, to-from)
		b[from/64] |= ^uint64(0) >> (64 - n) << (from % 64)
		from += n
	}
}

func (b bitset) count() (n int64) {
	for _, word := range b {
		n += int64(bits.OnesCount64(word))
	}
	return n
}
