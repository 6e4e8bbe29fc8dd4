package convert

import "encoding/binary"

// Fill writes the destination's elements from first on into dst, as many as fit, reading src, which is the source's
// whole storage. Places that no element is copied to get pad, one item, or stay as they are where pad is nil.
//
// Windows may be filled in any order and any number: each is written wholly, and no other is touched.
func (p *Plan) Fill(dst []byte, first int, src, pad []byte) {
	w := window{dst: dst, src: src, size: p.ItemSize, first: first}
	if p.ItemSize == 0 {
		return
	}
	w.end = first + len(dst)/p.ItemSize
	if p.Gaps && pad != nil {
		repeat(dst, pad)
	}
	for _, b := range p.Boxes {
		w.copyBox(b.Loops, b.Src, b.Dst)
	}
}

// repeat fills dst with copies of item.
func repeat(dst, item []byte) {
	for n := copy(dst, item); n < len(dst); n *= 2 {
		copy(dst[n:], dst[:n])
	}
}

// window is the part of the destination from first to end, elements, that dst holds.
type window struct {
	dst, src   []byte
	size       int // bytes per item
	first, end int
}

// copyBox runs the loops from one pair of offsets, without the turns that lie outside of the window.
func (w *window) copyBox(loops []Loop, src, dst int) {
	if len(loops) == 0 {
		loops = []Loop{{N: 1}}
	}
	outer, inner := loops[0], loops[1:]
	from, to := w.clip(outer, inner, dst)
	switch {
	case len(inner) == 0:
		w.copyLoop(Loop{to - from, outer.Src, outer.Dst}, src+from*outer.Src, dst+from*outer.Dst)
		return
	case len(inner) == 1 && abs(outer.Src) < abs(inner[0].Src):
		for k := from; k < to; k += tileWidth {
			w.copyTile(Loop{min(tileWidth, to-k), outer.Src, outer.Dst}, inner[0], src+k*outer.Src, dst+k*outer.Dst)
		}
		return
	}
	for k := from; k < to; k++ {
		w.copyBox(inner, src+k*outer.Src, dst+k*outer.Dst)
	}
}

// tileWidth is how many turns of the outer loop a tile holds: the items of a cache line of 64 bytes or a few.
const tileWidth = 32

// copyTile runs two loops of which the outer one moves the source in smaller steps: a transposition. It takes the outer
// loop inside, for as many turns as fill some cache lines, so that a line of the source is used up while it is near:
//
//	for j in inner: for k in outer: dst[k·d + j·d'] = src[k·s + j·s']
//
// At the edges of the window, where a turn of one loop depends on the other, it goes back to the order of the plan.
func (w *window) copyTile(outer, inner Loop, src, dst int) {
	reach := (outer.N-1)*outer.Dst + (inner.N-1)*inner.Dst
	if dst < w.first || dst+reach >= w.end {
		for k := range outer.N {
			from, to := w.clip(inner, nil, dst+k*outer.Dst)
			w.copyLoop(Loop{to - from, inner.Src, inner.Dst}, src+k*outer.Src+from*inner.Src, dst+k*outer.Dst+from*inner.Dst)
		}
		return
	}
	for j := range inner.N {
		w.copyLoop(outer, src+j*inner.Src, dst+j*inner.Dst)
	}
}

func abs(a int) int {
	if a < 0 {
		return -a
	}
	return a
}

// clip returns the turns of the outer loop whose elements, together with those of the inner loops, can meet the
// window. Destination strides are never negative.
func (w *window) clip(outer Loop, inner []Loop, dst int) (from, to int) {
	reach := 0
	for _, l := range inner {
		reach += (l.N - 1) * l.Dst
	}
	if outer.Dst == 0 {
		if dst+reach < w.first || dst >= w.end {
			return 0, 0
		}
		return 0, outer.N
	}
	if short := w.first - reach - dst; short > 0 {
		from = (short + outer.Dst - 1) / outer.Dst
	}
	if past := w.end - 1 - dst; past >= 0 {
		to = past/outer.Dst + 1
	}
	to = min(to, outer.N)
	return min(from, to), to
}

// copyLoop copies l.N items, one by one or, where both lie side by side, at once.
func (w *window) copyLoop(l Loop, src, dst int) {
	if l.N == 0 {
		return
	}
	n := w.size
	s, d := src*n, (dst-w.first)*n
	if l.Src == 1 && l.Dst == 1 {
		copy(w.dst[d:d+l.N*n], w.src[s:])
		return
	}
	srcStep, dstStep := l.Src*n, l.Dst*n
	for range l.N {
		copyItem(w.dst[d:], w.src[s:], n)
		s, d = s+srcStep, d+dstStep
	}
}

// copyItem copies n bytes. A constant size spares the call that copy makes for a variable one.
func copyItem(dst, src []byte, n int) {
	switch n {
	case 1:
		dst[0] = src[0]
	case 2:
		binary.LittleEndian.PutUint16(dst, binary.LittleEndian.Uint16(src))
	case 4:
		binary.LittleEndian.PutUint32(dst, binary.LittleEndian.Uint32(src))
	case 8:
		binary.LittleEndian.PutUint64(dst, binary.LittleEndian.Uint64(src))
	default:
		copy(dst[:n], src[:n])
	}
}
