package cute

// logicalDivide returns A∘(B, rest) with rest = complement(B, size(A)): for each mode that B applies to, the tile and the layout of the
// tiles (02_layout_algebra.md, Division). A number n stands for n:1, as in pycute.
//
// layout.hpp passes the shape of A to complement instead of its size, and so keeps the modes of A in the layout of the tiles.
func logicalDivide(a Layout, b argument, r *reasons) (Layout, error) {
	switch b.kind {
	case keep:
		return a, nil
	case number:
		return divide(a, single(b.n, 1), r)
	case typed:
		return divide(a, b.layout, r)
	}
	return byMode("logical_divide", a, b.parts, r, func(m Layout, part argument) (Layout, error) { return logicalDivide(m, part, r) })
}

func divide(a, b Layout, r *reasons) (Layout, error) {
	rest, err := complement(b, a.size, nil)
	if err != nil {
		return Layout{}, err
	}
	r.add("rest = complement(B, size(A)) = complement(%s, %d) = %s", b, a.size, rest)
	both, err := join(b, rest)
	if err != nil {
		return Layout{}, err
	}
	r.add("A∘(B,rest) = %s ∘ %s", a, both)
	if both.size <= a.size {
		return compose(a, both, r)
	}
	c := newComposer(a, r)
	got, err := c.layout(both)
	if err == nil {
		c.check(both, got, false)
		r.note("tile %d · tiles %d = %d elements for a layout of %d: the last tiles reach beyond A, as CuTe's do, and need predication",
			b.size, rest.size, got.size, a.size)
	}
	return got, err
}

// unzip applies a divide or a product, and gathers the first parts of all modes in one mode, and the second parts and the modes without
// an entry in the tiler in another (pycute's hier_unzip).
func unzip(name string, a Layout, b argument, r *reasons, split func(Layout, argument, *reasons) (Layout, error)) (Layout, error) {
	switch b.kind {
	case keep:
		return join(single(1, 0), a)
	case number, typed:
		return split(a, b, r)
	}
	modes, err := eachMode(name, a, b.parts, r, func(m Layout, part argument) (Layout, error) { return unzip(name, m, part, r, split) })
	if err != nil {
		return Layout{}, err
	}
	var first, second []Layout
	for k, m := range modes {
		if k < len(b.parts) {
			first = append(first, m.modes[0])
			second = append(second, m.modes[1])
		} else {
			second = append(second, m)
		}
	}
	tiles, err := join(first...)
	if err != nil {
		return Layout{}, err
	}
	rest, err := join(second...)
	if err != nil {
		return Layout{}, err
	}
	return join(tiles, rest)
}

// spread moves the modes of the second mode, or of both, to the top: tiled_divide and flat_divide.
func spread(l Layout, both bool) (Layout, error) {
	first := []Layout{l.modes[0]}
	if both {
		first = l.modes[0].children()
	}
	return join(append(append([]Layout(nil), first...), l.modes[1].children()...)...)
}
