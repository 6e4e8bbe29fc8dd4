package cute

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tlayout/tlayout/internal/sorting"
	"github.com/tlayout/tlayout/internal/tensor"
)

// denseLeaf is a leaf with its stride in the dense layout of the same shape, leftmost fastest: the change of i for a step in it.
type denseLeaf struct {
	mode
	at int
}

// byStride returns the leaves, omitting those of size 1, by stride.
func byStride(l Layout) []denseLeaf {
	var all []denseLeaf
	at := 1
	for _, m := range l.leaves() {
		if m.size != 1 {
			all = append(all, denseLeaf{m, at})
		}
		at *= m.size
	}
	sorting.By(all, func(a, b denseLeaf) int {
		return cmp.Or(cmp.Compare(a.stride, b.stride), cmp.Compare(a.size, b.size))
	})
	return all
}

// rightInverse returns the layout R with l(R(i)) = i for all i below its size: modes of strides 1, n0, n0·n1 and so on, as pycute's
// right_inverse, which stops at the first other stride. layout.hpp skips smaller strides. whole reports whether it has all modes.
func rightInverse(l Layout, r *reasons) (got Layout, whole bool, err error) {
	var out []mode
	cur := 1
	whole = true
	for _, m := range byStride(l) {
		if m.stride != cur {
			whole = false
			r.add("%s ends it: its stride is %d, but index %d is next", m.mode, m.stride, cur)
			if m.stride < cur {
				r.note("layout.hpp skips mode %s and continues; this stops, as in pycute", m.mode)
			}
			break
		}
		out = append(out, mode{m.size, m.at})
		cur = m.size * m.stride
		r.add("indices up to %d belong to mode %s, with steps of %d coordinates: %s", cur-1, m.mode, m.at, out[len(out)-1])
	}
	if out == nil {
		out = []mode{{1, 0}}
	}
	all, err := flat(out)
	if err != nil {
		return Layout{}, false, err
	}
	return coalesce(all, nil), whole, nil
}

// leftInverse returns the layout L with L(l(i)) = i. It is pycute's, the right inverse of (l, complement(l)), if that has all modes.
// Otherwise pycute's is not an inverse, and the result is layout.hpp's, with its divisibility condition; for a stride of 0 that is a
// quasi-inverse, l(L(l(i))) = l(i).
func leftInverse(l Layout, r *reasons) (Layout, error) {
	rest, err := complement(l, 1, nil)
	if err != nil {
		return Layout{}, err
	}
	both, err := join(l, rest)
	if err != nil {
		return Layout{}, err
	}
	inner := &reasons{}
	got, whole, err := rightInverse(both, inner)
	if err != nil {
		return Layout{}, err
	}
	if whole {
		r.add("complement of %s: %s", l, rest)
		if inner.why != nil {
			r.add("right inverse of both, %s:", both)
		}
		for _, why := range inner.why {
			r.add("%s", why)
		}
		return got, nil
	}
	return quasiInverse(l, got, r)
}

// quasiInverse is layout.hpp's left_inverse: between the strides of two modes, a mode of size stride/previous stride.
func quasiInverse(l, pycute Layout, r *reasons) (Layout, error) {
	l = coalesce(l, nil)
	all := byStride(l)
	strides := []int{0}
	var sizes []int
	var inverted []mode
	reached := 1
	for _, m := range all {
		if m.stride == 0 {
			r.note("stride 0 of %s: no left inverse exists; this is a quasi-inverse, A(L(A(i))) = A(i). pycute returns %s", m.mode, pycute)
			continue
		}
		if m.stride%reached != 0 {
			return Layout{}, refuse("left_inverse_divisibility", "left inverse divisibility condition: stride %d is not a multiple of stride %d",
				m.stride, reached).because("mode %s of %s, by stride", m.mode, l)
		}
		sizes = append(sizes, m.stride/reached)
		strides = append(strides, m.at)
		inverted = append(inverted, m.mode)
		reached = m.stride
	}
	sizes = append(sizes, all[len(all)-1].size)
	out := make([]mode, len(sizes))
	for k := range out {
		if _, ok := tensor.Mul(sizes[k], strides[k]); !ok {
			return Layout{}, overflow(fmt.Sprintf("%d·%d", sizes[k], strides[k]))
		}
		out[k] = mode{sizes[k], strides[k]}
		if k > 0 {
			r.add("%s of the inverse finds the coordinate in mode %s", out[k], inverted[k-1])
		}
	}
	inverse, err := flat(out)
	if err != nil {
		return Layout{}, err
	}
	got := coalesce(inverse, nil)
	if !slices.ContainsFunc(all, func(m denseLeaf) bool { return m.stride == 0 }) {
		r.note("as in layout.hpp's left_inverse; pycute returns %s, which is not an inverse", pycute)
	}
	return got, nil
}
