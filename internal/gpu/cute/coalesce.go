package cute

// coalesce merges neighboring modes without changing the function: flatten, drop modes of size 1, and merge s0:d0 and s1:d1
// into s0·s1:d0 if d1 = s0·d0 (02_layout_algebra.md, Coalesce).
func coalesce(l Layout, r *reasons) Layout {
	leaves := l.leaves()
	if l.depth() > 1 {
		flatLayout, err := flat(leaves)
		if err == nil {
			r.add("flattened: %s", flatLayout)
		}
	}
	out := []mode{{1, 0}}
	for _, m := range leaves {
		last := &out[len(out)-1]
		if m.size == 1 {
			if len(leaves) > 1 {
				r.add("%s is dropped: its size is 1", m)
			}
			continue
		}
		if last.size == 1 {
			*last = m
			continue
		}
		if m.stride != last.size*last.stride {
			r.add("%s and %s do not merge: that needs stride %d·%d = %d, got %d", *last, m, last.size, last.stride,
				last.size*last.stride, m.stride)
			out = append(out, m)
			continue
		}
		merged := mode{last.size * m.size, last.stride}
		r.add("%s and %s merge into %s: stride %d = %d·%d", *last, m, merged, m.stride, last.size, last.stride)
		*last = merged
	}
	merged, err := flat(out)
	if err != nil {
		panic("cute: coalesce made a layout larger: " + err.Error())
	}
	return merged
}

// coalesceBy coalesces each mode that has a number in profile separately, so that the rank stays.
func coalesceBy(l Layout, profile argument, r *reasons) (Layout, error) {
	if profile.kind == number || profile.kind == keep {
		return coalesce(l, r), nil
	}
	return byMode("coalesce", l, profile.parts, r, func(m Layout, part argument) (Layout, error) {
		return coalesceBy(m, part, r)
	})
}
