package convert

import (
	"math/bits"
	"sync"
	"time"

	"github.com/klauspost/cpuid/v2"

	"github.com/tlayout/tlayout/internal/convert/kernel"
)

// Stores are those of a run in memory, by the bytes of its source and destination together:
//
//	up to twice a core's own cache      cached
//	over what the last-level cache has  streaming: every line of the destination would be fetched only to be evicted
//	between                             what is faster here and now, measured once for each power of two
//
// How much of the last-level cache a program gets depends on its neighbors: the processor's own figure does not tell.
func Stores(bytes int64, k *kernel.Kernels) kernel.Stores {
	own, last := int64(ownCache()), int64(min(max(cpuid.CPU.Cache.L3, ownCache()), maxCache))
	switch {
	case bytes <= 2*own || !k.Streams():
		return kernel.Cached
	case bytes > last:
		return kernel.Streaming
	}
	size := 1 << (bits.Len64(uint64(bytes)) - 1)
	found, _ := measured.LoadOrStore(probe{k, size}, sync.OnceValue(func() kernel.Stores { return fasterStores(size, k) }))
	return found.(func() kernel.Stores)()
}

// maxCache bounds the part of the last-level cache that a program gets, in bytes: processors that many programs share report
// hundreds of MiB. Measured: copies slow down beyond it.
const maxCache = 112 << 20

// ownCache is the size of a core's own cache in bytes, or what is usual where it is unknown.
func ownCache() int { return max(cpuid.CPU.Cache.L2, 512<<10) }

// tileBytes is the size of tiles: half of a core's own cache.
func tileBytes() int { return ownCache() / 2 }

// measured are the stores that were faster.
var measured sync.Map // probe: func() kernel.Stores

type probe struct {
	kernels *kernel.Kernels
	bytes   int
}

// Streaming stores must be faster by this factor: cached ones leave the destination where it is read next.
const streamingGain = 1.1

// fasterStores converts float32 from NCHW to NHWC, 64 channels of 3136 pixels in so many bytes together, with both kinds of
// stores in turn, and compares the fastest turns. Where there is no memory for that they are cached.
func fasterStores(bytes int, k *kernel.Kernels) kernel.Stores {
	const channels, pixels, item, turns = 64, 3136, 4, 2
	images := max(1, bytes/2/(channels*pixels*item))
	box := Box{Loops: []Loop{{images, channels * pixels, channels * pixels}, {pixels, 1, channels}, {channels, pixels, 1}}}
	p := &Plan{Boxes: []Box{box}, ItemSize: item, Alloc: images * channels * pixels, choices: &choices{}}
	all, free, err := scratch(2 * p.Alloc * item)
	if err != nil {
		return kernel.Cached
	}
	defer free()
	dst, src := all[:p.Alloc*item], all[p.Alloc*item:]
	touch(src)
	best := [2]time.Duration{}
	for turn := range 1 + turns {
		for _, s := range []kernel.Stores{kernel.Cached, kernel.Streaming} {
			m := newMover(p, k, dst, src, make([]byte, item), s)
			start := time.Now()
			m.boxes(p.Boxes)
			k.Fence()
			if d := time.Since(start); turn == 1 || turn > 1 && d < best[s] { // the first turn finds the pages
				best[s] = d
			}
		}
	}
	if float64(best[kernel.Cached]) > streamingGain*float64(best[kernel.Streaming]) {
		return kernel.Streaming
	}
	return kernel.Cached
}
