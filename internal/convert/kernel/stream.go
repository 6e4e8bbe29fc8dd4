package kernel

import "unsafe"

// stream is what a streaming copy works on. _asm knows the order of the fields, which are words.
type stream struct {
	dst    *byte // at a line of 64 bytes
	src    *byte
	rounds int // of 4 pages
}

const (
	round       = 4 * 4096
	streamsFrom = 2 * round // bytes from which a streaming copy is worth its beginning and end
)

// copyStream copies past the caches what is not at the edges.
func copyStream(dst, src []byte) {
	head := lineStart(dst)
	rounds := (len(src) - head) / round
	copy(dst, src[:head])
	s := stream{dst: &dst[head], src: &src[head], rounds: rounds}
	s.run()
	head += rounds * round
	copy(dst[head:], src[head:])
}

// aligned reports whether every row begins at the beginning of a line of 64 bytes.
func aligned(dst []byte, rows []int) bool {
	all := int(uintptr(unsafe.Pointer(unsafe.SliceData(dst))))
	for _, r := range rows {
		if (all+r)%64 != 0 {
			return false
		}
	}
	return true
}

// lineStart is the offset of the first line of 64 bytes in b.
func lineStart(b []byte) int {
	return int(-uintptr(unsafe.Pointer(unsafe.SliceData(b))) % 64)
}
