package cute

import (
	"fmt"

	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// logicalProduct returns (A, rest∘B) with rest = complement(A, size(A)·cosize(B)): A, repeated by B (02_layout_algebra.md, Product). A
// number n stands for n:1, as in layout.hpp.
func logicalProduct(a Layout, b argument, r *reasons) (Layout, error) {
	switch b.kind {
	case keep:
		return a, nil
	case number:
		return product(a, single(b.n, 1), r)
	case typed:
		return product(a, b.layout, r)
	}
	return byMode("logical_product", a, b.parts, r, func(m Layout, part argument) (Layout, error) { return logicalProduct(m, part, r) })
}

func product(a, b Layout, r *reasons) (Layout, error) {
	bound, ok := tensor.Mul(a.size, b.Cosize())
	if !ok {
		return Layout{}, overflow(fmt.Sprintf("size·cosize = %d·%d", a.size, b.Cosize()))
	}
	rest, err := complement(a, bound, nil)
	if err != nil {
		return Layout{}, err
	}
	r.add("rest = complement(A, size(A)·cosize(B)) = complement(%s, %d·%d) = %s", a, a.size, b.Cosize(), rest)
	r.add("rest∘B = %s ∘ %s", rest, b)
	c := newComposer(rest, r)
	repeated, err := c.layout(b)
	if err != nil {
		return Layout{}, err
	}
	c.check(b, repeated, true)
	if rest.size < b.Cosize() {
		warnRepeated(a, repeated, rest, b, r)
	} else {
		c.noteDomain(b)
	}
	return join(a, repeated)
}

// warnRepeated warns if two repetitions of A share an index. That happens if B needs more repetitions than A's complement has, because
// a stride of A is not a multiple of the reach below it: then size(A)·cosize(B) is too small a bound, which CuTe does not check.
func warnRepeated(a, repeated, rest, b Layout, r *reasons) {
	if r == nil {
		return
	}
	owner := map[int]int{} // per index, the index of B it belongs to
	for j := range min(b.size, max(2, maxChecked/a.size)) {
		repetition, errB := b.At(j)
		begin, errR := repeated.At(j)
		for i := range min(a.size, maxChecked) {
			at, errA := a.At(i)
			if errA != nil || errB != nil || errR != nil {
				return
			}
			if other, taken := owner[begin+at]; taken && other != repetition {
				r.warn("repetitions share index %d: rest = %s has %s, and B = %s reaches %d, which CuTe does not check",
					begin+at, rest, text.Count(rest.size, "element"), b, b.Cosize()-1)
				return
			}
			owner[begin+at] = repetition
		}
	}
}

// rankedProduct is layout.hpp's blocked_product or raked_product: a logical_product of layouts of one rank, the lower one padded with
// modes 1:0. The k-th modes of both are paired, with the block's or the repetition's first.
func rankedProduct(a, b Layout, raked bool, r *reasons) (Layout, error) {
	rank := max(a.Rank(), b.Rank())
	block, err := pad(a, rank)
	if err != nil {
		return Layout{}, err
	}
	over, err := pad(b, rank)
	if err != nil {
		return Layout{}, err
	}
	both, err := product(block, over, r)
	if err != nil {
		return Layout{}, err
	}
	first := both.modes[0]
	second := both.modes[1]
	if raked {
		first, second = second, first
		r.add("each mode is (mode of rest∘B, mode of A): the blocks are interleaved")
	} else {
		r.add("each mode is (mode of A, mode of rest∘B): the blocks stay whole")
	}
	return zip(first, second)
}

// zip pairs the k-th modes of two layouts, as layout.hpp's zip does: a leaf pairs with anything, a tuple with one of its rank.
func zip(first, second Layout) (Layout, error) {
	if first.modes == nil {
		pair, err := join(first, second)
		if err != nil {
			return Layout{}, err
		}
		return join(pair)
	}
	if second.modes == nil || len(first.modes) != len(second.modes) {
		return Layout{}, refuse("rank", "the modes of %s and %s do not match", first, second).
			because("CuTe pairs tuples of equal rank")
	}
	modes := make([]Layout, len(first.modes))
	for k := range modes {
		pair, err := join(first.modes[k], second.modes[k])
		if err != nil {
			return Layout{}, err
		}
		modes[k] = pair
	}
	return join(modes...)
}

// pad appends modes 1:0 up to a rank.
func pad(l Layout, rank int) (Layout, error) {
	if l.Rank() == rank {
		return l, nil
	}
	modes := append([]Layout(nil), l.children()...)
	for len(modes) < rank {
		modes = append(modes, single(1, 0))
	}
	return join(modes...)
}
