package kernel

// Kernels are the kernels of one instruction set.
type Kernels struct {
	Level  Level
	shapes []tileShape // of tiles, the preferred first; none without vectors
	width  int         // bytes of the vectors that programs permute; 0 for none
}

// Stores selects how a destination is written.
type Stores int

const (
	// Cached stores leave the destination in the caches.
	Cached Stores = iota
	// Streaming stores write whole lines past the caches, where a kernel can: for destinations that do not fit in the caches together with
	// their sources. Call Fence before others read them.
	Streaming
)

func (s Stores) String() string { return []string{"cached", "streaming"}[s] }

// CopyPiece is a number of bytes that Go's copy copies through the caches; it streams larger copies. Most processors' L2 is twice as large.
const CopyPiece = 256 << 10

// Copy copies len(src) bytes; the slices do not overlap.
func (k *Kernels) Copy(dst, src []byte, s Stores) {
	dst = dst[:len(src)]
	if s == Streaming && k.Streams() && len(src) >= streamsFrom {
		copyStream(dst, src)
		return
	}
	for len(src) > CopyPiece {
		copy(dst, src[:CopyPiece])
		dst = dst[CopyPiece:]
		src = src[CopyPiece:]
	}
	copy(dst, src)
}

// Streams reports whether there are streaming stores; without them, Streaming is Cached. NEON has only hints.
func (k *Kernels) Streams() bool { return k.Level.streams() }

// Fence makes streaming stores visible before any later store.
func (k *Kernels) Fence() {
	if k.Streams() {
		fence()
	}
}
