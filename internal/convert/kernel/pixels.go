package kernel

import "unsafe"

// pixels is a transposition between a few rows and one: the arguments of Interleave and Deinterleave.
type pixels struct {
	packed []byte // n pixels, each with one element of every row
	planar []byte
	rows   []int // byte offsets in planar
	n      int
	size   int
	join   bool // planar to packed

	scratch *ScratchRows // nil if no row is NoRow
}

// move chooses the fastest method that k has for this number of rows.
func (p pixels) move(k *Kernels, stream bool) {
	switch count, pixel := len(p.rows), len(p.rows)*p.size; {
	case count == 0 || p.n == 0:
	case count == 1:
		p.copy(k, Options{Stream: stream})
	case k.vbmi && p.n*p.size >= 64 && (pixel < 16 && count*pixel <= vbmiCost || count <= vbmiRows && p.size <= 8):
		p.resolved().shuffle(64, stream && p.aligned())
	case k.lanes >= 2 && p.n*p.size >= 16 && pixel < 16 && count*pixel <= laneCost:
		p.resolved().shuffle(16, false)
	case k.lanes >= 1 && p.n*p.size >= 16 && pixel >= 16:
		p.squares(k, Options{Stream: stream, Scratch: p.scratch})
	case k.lanes >= 1 && p.n*p.size >= 32 && p.scratch == nil:
		p.padded(k)
	default:
		p.generic()
	}
}

// A shuffle costs count steps per vector, padded squares 16/pixel, squares a constant. So count·pixel decides which is
// faster; the limits are measured.
const (
	vbmiCost = 100
	vbmiRows = 6
	laneCost = 40
)

func (p pixels) copy(k *Kernels, o Options) {
	dst, src := p.planar[p.rows[0]:], p.packed
	if p.join {
		dst, src = src, dst
	}
	k.Copy(dst, src[:p.n*p.size], o)
}

// resolved replaces NoRow by scratch rows.
func (p pixels) resolved() pixels {
	s := p.scratch
	switch {
	case s == nil:
	case p.join:
		p.rows = resolve(p.rows, p.planar, s.pad, &s.src)
	default:
		p.rows = resolve(p.rows, p.planar, s.waste, &s.dst)
	}
	return p
}

func (p pixels) generic() {
	if p.scratch != nil {
		p.genericScratch()
		return
	}
	if p.join {
		genericInterleave(p.packed, p.planar, p.rows, p.n, p.size)
		return
	}
	genericDeinterleave(p.planar, p.rows, p.packed, p.n, p.size)
}

// genericScratch is generic for rows with NoRow.
func (p pixels) genericScratch() {
	offsets := make([]int, p.n)
	for i := range offsets {
		offsets[i] = i * len(p.rows) * p.size
	}
	if p.join {
		p.scratch.transpose(p.packed, offsets, p.planar, p.rows, p.size)
		return
	}
	p.scratch.transpose(p.planar, p.rows, p.packed, offsets, p.size)
}

// aligned reports whether the vectors of the destination are whole cache lines.
func (p pixels) aligned() bool {
	if p.join {
		return uintptr(unsafe.Pointer(unsafe.SliceData(p.packed)))%cacheLine == 0
	}
	return aligned(p.planar, p.rows)
}

// part returns n pixels from the first one on.
func (p pixels) part(first, n int) pixels {
	p.packed, p.planar, p.n = p.packed[first*len(p.rows)*p.size:], p.planar[first*p.size:], n
	return p
}

// chunk is the number of pixels that squares and padded pass to Transpose at once, with a table of their offsets.
const chunk = 256

// squares uses Transpose: a pixel is a row of the packed side. Pixels and rows have at least 16 bytes each.
func (p pixels) squares(k *Kernels, o Options) { p.transpose(k, p.rows, 0, 0, o) }

// transpose passes the pixels from index `from` on to Transpose, a chunk at a time, with rows instead of p.rows; the
// packed side begins rest bytes before the pixel.
func (p pixels) transpose(k *Kernels, rows []int, from, rest int, o Options) {
	var offsets [chunk]int
	for i := range offsets {
		offsets[i] = i * len(p.rows) * p.size
	}
	for first := from; first < p.n; first += chunk {
		many := min(p.n-first, chunk)
		if many*p.size < 16 { // too few for a square: redo some
			first, many = p.n-16/p.size, 16/p.size
		}
		planar, packed := p.planar[first*p.size:], p.packed[first*len(p.rows)*p.size-rest:]
		if p.join {
			k.Transpose(packed, offsets[:many], planar, rows, p.size, o)
		} else {
			k.Transpose(planar, rows, packed, offsets[:many], p.size, o)
		}
	}
}

// padded uses Transpose for pixels of less than 16 bytes as if they had 16: the excess is written first and then
// overwritten by the right bytes, because kernels write in the order of destination rows.
//
//	join:   [pixel 0|rest]                split:   rest of pixel 0 | pixel 1
//	                [pixel 1|rest]                  → row 0           → row 0, row 1 …
//
// The last pixels of a join and the first of a split, at the end of the memory, are done one by one.
func (p pixels) padded(k *Kernels) {
	pixel := len(p.rows) * p.size
	rest := 16 - pixel
	edge := (rest + pixel - 1) / pixel
	var rows [16]int
	for i := range rows {
		rows[i] = p.rows[0]
	}
	if p.join {
		copy(rows[:], p.rows)
		p.part(0, p.n-edge).transpose(k, rows[:16/p.size], 0, 0, Options{})
		p.part(p.n-edge, edge).generic()
		return
	}
	copy(rows[rest/p.size:], p.rows)
	p.part(0, edge).generic()
	p.transpose(k, rows[:16/p.size], edge, rest, Options{})
}
