package kernel

import "unsafe"

// copying is the argument of a copy. _asm relies on the order of the fields, one word each.
type copying struct {
	dst *byte // at the start of a cache line, except when copying bytes
	src *byte
	n   int // of lines, of rounds of 4 pages, or of bytes
}

const (
	cacheLine = 64 // bytes; the size of an AVX-512 vector too

	round       = 4 * 4096
	streamsFrom = 2 * round // bytes from which streaming pays for the copy's edges
)

// Way is one way to copy memory by vectors or microcode.
type Way struct {
	Name string
	Run  func(dst, src []byte) // copies len(src) bytes between non-overlapping slices, visible to every later store
}

// Ways returns the ways to copy n bytes, each the fastest on some processor; none for Generic and NEON:
//
//	vectors  in order, through the caches
//	stream   in order, past the caches
//	pages    four pages in turn, past the caches
//	movsb    by REP MOVSB
func (k *Kernels) Ways(n int) []Way {
	if !k.Streams() {
		return nil
	}
	ways := []Way{{"movsb", copyMicrocode}}
	if n >= 2*cacheLine {
		ways = append(ways, Way{"vectors", func(dst, src []byte) { copyLines(dst, src, false) }},
			Way{"stream", func(dst, src []byte) { copyLines(dst, src, true); fence() }})
	}
	if n >= streamsFrom {
		ways = append(ways, Way{"pages", func(dst, src []byte) { copyPages(dst, src); fence() }})
	}
	return ways
}

func copyMicrocode(dst, src []byte) {
	c := copying{dst: unsafe.SliceData(dst), src: unsafe.SliceData(src), n: min(len(dst), len(src))}
	c.bytes()
}

// copyStream copies past the caches, except for the edges, in the order that is faster on this processor.
func copyStream(dst, src []byte) {
	if streamsInOrder {
		copyLines(dst, src, true)
	} else {
		copyPages(dst, src)
	}
}

// copyLines copies whole cache lines by vectors, past the caches if stream, and the remaining bytes by Go's copy.
func copyLines(dst, src []byte, stream bool) { copyUnits(dst, src, cacheLine, stream) }

// copyPages copies rounds of four pages past the caches, and the remaining bytes by Go's copy.
func copyPages(dst, src []byte) { copyUnits(dst, src, round, true) }

func copyUnits(dst, src []byte, unit int, stream bool) {
	head, n := inside(dst, src, unit)
	if n == 0 {
		copy(dst, src)
		return
	}
	copy(dst, src[:head])
	c := copying{dst: &dst[head], src: &src[head], n: n}
	if unit == round {
		c.pages()
	} else {
		c.lines(stream)
	}
	head += n * unit
	copy(dst[head:], src[head:])
}

// inside returns the offset of the first cache line in dst, and the number of units that follow.
func inside(dst, src []byte, unit int) (head, n int) {
	head = lineStart(dst)
	return head, max(0, min(len(dst), len(src))-head) / unit
}

// pastLine returns the distance of b[at] from the start of its cache line; at may be outside of b.
func pastLine(b []byte, at int) int {
	return int(uintptr(unsafe.Pointer(unsafe.SliceData(b)))+uintptr(at)) & (cacheLine - 1)
}

// lineStart returns the offset of the first cache line in b.
func lineStart(b []byte) int { return -pastLine(b, 0) & (cacheLine - 1) }

// Overlap reports whether two slices have a byte of memory in common.
func Overlap(a, b []byte) bool {
	startA := uintptr(unsafe.Pointer(unsafe.SliceData(a)))
	startB := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	return startA < startB+uintptr(len(b)) && startB < startA+uintptr(len(a))
}
