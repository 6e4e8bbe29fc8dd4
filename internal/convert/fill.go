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
	if len(inner) == 0 {
		w.copyLoop(Loop{to - from, outer.Src, outer.Dst}, src+from*outer.Src, dst+from*outer.Dst)
		return
	}
	for k := from; k < to; k++ {
		w.copyBox(inner, src+k*outer.Src, dst+k*outer.Dst)
	}
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
