package kernel

import "unsafe"

// pixels is a transposition between few rows and one: the arguments of Interleave and Deinterleave.
type pixels struct {
	packed []byte // n pixels of one item of each row
	planar []byte
	rows   []int // where they begin in planar
	n      int
	size   int
	join   bool // planar to packed

	elsewhere *Elsewhere // nil where no row is nowhere
}

// move does it in the best way that k has for this number of rows.
func (p pixels) move(k *Kernels, stream bool) {
	switch count, pixel := len(p.rows), len(p.rows)*p.size; {
	case count == 0 || p.n == 0:
	case count == 1:
		p.copy(k, Options{Stream: stream})
	case k.vbmi && p.n*p.size >= 64 && (pixel < 16 && count*pixel <= vbmiCost || count <= vbmiRows && p.size <= 8):
		p.found().shuffle(64, stream && p.aligned())
	case k.lanes >= 2 && p.n*p.size >= 16 && pixel < 16 && count*pixel <= laneCost:
		p.found().shuffle(16, false)
	case k.lanes >= 1 && p.n*p.size >= 16 && pixel >= 16:
		p.squares(k, Options{Stream: stream, Elsewhere: p.elsewhere})
	case k.lanes >= 1 && p.n*p.size >= 32 && p.elsewhere == nil:
		p.padded(k)
	default:
		p.generic()
	}
}

// Shuffles cost count steps for a vector, padded squares 16/pixel, squares always the same. So count·pixel says which
// is faster; where they meet was measured.
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

// found looks up rows that are nowhere.
func (p pixels) found() pixels {
	e := p.elsewhere
	switch {
	case e == nil:
	case p.join:
		p.rows = found(p.rows, p.planar, e.pad, &e.src)
	default:
		p.rows = found(p.rows, p.planar, e.waste, &e.dst)
	}
	return p
}

func (p pixels) generic() {
	if p.elsewhere != nil {
		p.plain()
		return
	}
	if p.join {
		genericInterleave(p.packed, p.planar, p.rows, p.n, p.size)
		return
	}
	genericDeinterleave(p.planar, p.rows, p.packed, p.n, p.size)
}

// plain is generic where rows are nowhere.
func (p pixels) plain() {
	offsets := make([]int, p.n)
	for i := range offsets {
		offsets[i] = i * len(p.rows) * p.size
	}
	if p.join {
		p.elsewhere.plain(p.packed, offsets, p.planar, p.rows, p.size)
		return
	}
	p.elsewhere.plain(p.planar, p.rows, p.packed, offsets, p.size)
}

// aligned reports whether the vectors of the destination are lines of 64 bytes.
func (p pixels) aligned() bool {
	if p.join {
		return uintptr(unsafe.Pointer(unsafe.SliceData(p.packed)))%64 == 0
	}
	return aligned(p.planar, p.rows)
}

// part is the pixels from one on.
func (p pixels) part(first, n int) pixels {
	p.packed, p.planar, p.n = p.packed[first*len(p.rows)*p.size:], p.planar[first*p.size:], n
	return p
}
