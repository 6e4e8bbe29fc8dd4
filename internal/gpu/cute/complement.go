package cute

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/sorting"
	"github.com/tlayout/tlayout/internal/tensor"
)

// complement returns the layout of the repetitions of l up to the index bound: ordered, and disjoint from l except for 0. It visits the
// modes of l by stride; the gap between the reach of the earlier ones and the next stride is a mode of the result
// (02_layout_algebra.md, Complement; pycute's complement with max_idx).
//
// It refuses negative strides, and a stride within the reach of the earlier modes: layout.hpp's "Non-injective Layout detected in
// complement".
func complement(l Layout, bound int, r *reasons) (Layout, error) {
	modes := slices.DeleteFunc(l.leaves(), func(m mode) bool { return m.stride == 0 || m.size == 1 })
	sorting.By(modes, func(a, b mode) int {
		return cmp.Or(cmp.Compare(a.stride, b.stride), cmp.Compare(a.size, b.size))
	})
	var out []mode
	cur := 1
	for _, m := range modes {
		if m.stride < 0 {
			return Layout{}, refuse("positive_strides", "complement needs positive strides, got %d", m.stride).because("mode %s of %s", m, l)
		}
		if m.stride < cur {
			return Layout{}, refuse("injective", "complement needs modes that do not interleave: stride %d is below %d, the reach of the smaller strides",
				m.stride, cur).because("mode %s of %s; layout.hpp calls it non-injective", m, l)
		}
		out = append(out, gap(m, cur, r))
		end, ok := tensor.Mul(m.size, m.stride)
		if !ok {
			return Layout{}, overflow(fmt.Sprintf("%d·%d", m.size, m.stride))
		}
		cur = end
	}
	rest := mode{ints.CeilDiv(bound, cur), cur}
	out = append(out, rest)
	if rest.size > 1 {
		r.add("%s repeats the layout: ⌈%d/%d⌉ = %d times, %d apart", rest, bound, cur, rest.size, cur)
	}
	all, err := flat(out)
	if err != nil {
		return Layout{}, err
	}
	got := coalesce(all, nil)
	if got.size == 1 {
		r.add("no repetition fits up to %d", bound)
	}
	return got, nil
}

// gap returns the mode between cur, the reach of the earlier modes, and the stride of the next mode m.
func gap(m mode, cur int, r *reasons) mode {
	g := mode{m.stride / cur, cur}
	if rest := m.stride % cur; rest != 0 {
		r.add("%s fills the gap below stride %d: ⌊%d/%d⌋ = %d", g, m.stride, m.stride, cur, g.size)
		r.note("stride %d is not a multiple of %d: %d of every %d indices are neither in the layout nor in its complement", m.stride, cur,
			rest, m.stride)
		return g
	}
	if g.size == 1 {
		r.add("no gap below stride %d of mode %s", m.stride, m)
		return g
	}
	r.add("%s fills the gap below stride %d: %d/%d = %d", g, m.stride, m.stride, cur, g.size)
	return g
}
