package convert

// piece is a part of some loops, from a pair of offsets on.
type piece struct {
	src, dst int
	loops    []Loop
}

// clip returns the parts of the nest whose destinations lie in [lo, hi): as few as the shape of the nest allows, for
// turns of the outer loop that lie wholly inside stay together.
//
//	turns of the outer loop   |--k--|--k--|--k--|--k--|
//	[lo, hi)                     |=================|
//	parts                        |rest|---whole---|re|
//
// Post: the parts visit the pairs (src, dst) of the nest with lo ≤ dst < hi, each once.
func clip(p piece, lo, hi int) []piece {
	reach := reachOf(p.loops)
	switch {
	case p.dst >= hi || p.dst+reach < lo:
		return nil
	case p.dst >= lo && p.dst+reach < hi:
		return []piece{p}
	}
	outer, inner := p.loops[0], p.loops[1:]
	rest := reach - (outer.N-1)*outer.Dst
	turn := func(from, to int, loops []Loop) piece {
		if to > from+1 {
			loops = append([]Loop{{to - from, outer.Src, outer.Dst}}, loops...)
		}
		return piece{p.src + from*outer.Src, p.dst + from*outer.Dst, loops}
	}
	touched := max(0, ceilDiv(lo-rest-p.dst, outer.Dst))
	whole := max(touched, ceilDiv(lo-p.dst, outer.Dst))
	last := min(outer.N, (hi-1-p.dst)/outer.Dst+1)
	wholeEnd := min(outer.N, floorDiv(hi-1-rest-p.dst, outer.Dst)+1)
	if wholeEnd <= whole {
		whole, wholeEnd = last, last
	}
	var parts []piece
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

func floorDiv(a, b int) int {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

func ceilDiv(a, b int) int { return -floorDiv(-a, b) }
