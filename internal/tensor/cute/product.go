package cute

import (
	"fmt"

	"github.com/tlayout/tlayout/internal/tensor"
)

// logicalProduct is (A, rest∘B) with rest = complement(A, size(A)·cosize(B)): A, repeated as B says (02_layout_algebra.md, Product).
// A number n stands for n:1, as in layout.hpp.
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
	repeated, err := compose(rest, b, r)
	if err != nil {
		return Layout{}, err
	}
	return join(a, repeated)
}

// rankedProduct is layout.hpp's blocked_product, or raked_product: a logical_product of layouts of one rank, the lower one filled
// up with modes 1:0, whose k-th modes are put together, the block's first or the repetition's.
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
	blocks, tiles := both.modes[0].children(), both.modes[1].children()
	if over.modes == nil { // a leaf of B may have become several, which are one mode
		tiles = both.modes[1:]
	}
	modes := make([]Layout, rank)
	for k := range modes {
		pair := []Layout{blocks[k], tiles[k]}
		if raked {
			pair[0], pair[1] = pair[1], pair[0]
		}
		if modes[k], err = join(pair...); err != nil {
			return Layout{}, err
		}
	}
	if raked {
		r.add("each mode is (mode of rest∘B, mode of A): the blocks are interleaved")
	} else {
		r.add("each mode is (mode of A, mode of rest∘B): the blocks stay whole")
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
