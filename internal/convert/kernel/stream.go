package kernel

import "unsafe"

// stream is the argument of a streaming copy. _asm relies on the order of the fields, one word each.
type stream struct {
	dst    *byte // at the start of a cache line
	src    *byte
	rounds int // of 4 pages
}

const (
	cacheLine = 64 // bytes; the size of an AVX-512 vector too

	round       = 4 * 4096
	streamsFrom = 2 * round // bytes from which a streaming copy pays for its edges
)

// copyStream copies past the caches, except for the edges.
func copyStream(dst, src []byte) {
	head := lineStart(dst)
	rounds := (len(src) - head) / round
	copy(dst, src[:head])
	s := stream{dst: &dst[head], src: &src[head], rounds: rounds}
	s.run()
	head += rounds * round
	copy(dst[head:], src[head:])
}

// aligned reports whether every row starts at a cache line.
func aligned(dst []byte, rows []int) bool {
	all := int(uintptr(unsafe.Pointer(unsafe.SliceData(dst))))
	for _, r := range rows {
		if (all+r)%cacheLine != 0 {
			return false
		}
	}
	return true
}

// lineStart is the offset of the first cache line in b.
func lineStart(b []byte) int {
	return int(-uintptr(unsafe.Pointer(unsafe.SliceData(b))) % cacheLine)
}
