package convert

import "github.com/tlayout/tlayout/internal/ints"

// clip returns the parts of the nest whose destinations lie in [lo, hi): as few as the shape of the nest allows, for
// turns of the outer loop that lie wholly inside stay together.
//
//	turns of the outer loop   |--k--|--k--|--k--|--k--|
//	[lo, hi)                     |=================|
//	parts                        |rest|---whole---|re|
//
// Post: the parts visit the pairs (src, dst) of the nest with lo ≤ dst < hi, each once.
func clip(b Box, lo, hi int) []Box {
	reach := reachOf(b.Loops)
	switch {
	case b.Dst >= hi || b.Dst+reach < lo:
		return nil
	case b.Dst >= lo && b.Dst+reach < hi:
		return []Box{b}
	}
	outer, inner := b.Loops[0], b.Loops[1:]
	rest := reach - (outer.N-1)*outer.Dst
	turn := func(from, to int, loops []Loop) Box {
		if to > from+1 {
			loops = append([]Loop{{to - from, outer.Src, outer.Dst}}, loops...)
		}
		return Box{Src: b.Src + from*outer.Src, Dst: b.Dst + from*outer.Dst, Loops: loops}
	}
	touched := max(0, ints.CeilDiv(lo-rest-b.Dst, outer.Dst))
	whole := max(touched, ints.CeilDiv(lo-b.Dst, outer.Dst))
	last := min(outer.N, (hi-1-b.Dst)/outer.Dst+1)
	lastWhole, _ := ints.FloorDiv(hi-1-rest-b.Dst, outer.Dst)
	wholeEnd := min(outer.N, lastWhole+1)
	if wholeEnd <= whole {
		whole, wholeEnd = last, last
	}
	var parts []Box
	for k := touched; k < whole; k++ {
		parts = append(parts, clip(turn(k, k+1, inner), lo, hi)...)
	}
	if wholeEnd > whole {
		parts = append(parts, turn(whole, wholeEnd, inner))
	}
	for k := wholeEnd; k < last; k++ {
		parts = append(parts, clip(turn(k, k+1, inner), lo, hi)...)
	}
	return parts
}

// reachOf is how far the last destination of a nest lies from its first.
func reachOf(loops []Loop) int {
	reach := 0
	for _, l := range loops {
		reach += (l.N - 1) * l.Dst
	}
	return reach
}
