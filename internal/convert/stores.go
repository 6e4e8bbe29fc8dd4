package convert

import (
	"github.com/klauspost/cpuid/v2"

	"github.com/tlayout/tlayout/internal/convert/kernel"
)

// Stores returns how to write the destination of a conversion in memory, by the bytes of both sides together: lines that will not stay in
// the last-level cache are streamed past it, because a cached store first fetches the line from memory. Kernels stream whole lines,
// and what they stage; everything else is cached. Tiles of files, which are written to the file next, are small enough to be cached.
func (p *Plan) Stores(source int, k *kernel.Kernels) kernel.Stores {
	if dst := p.Alloc * p.ItemSize; k.Streams() && dst > sharedCache()-source {
		return kernel.Streaming
	}
	return kernel.Cached
}

// sharedCache returns half of the last-level cache in bytes, or of maxCache.
func sharedCache() int {
	if l3 := cpuid.CPU.Cache.L3; l3 > 0 {
		return min(l3, maxCache) / 2
	}
	return maxCache / 2
}

// maxCache bounds one program's part of the last-level cache: processors that many programs share report hundreds of MiB. Measured on
// Sapphire Rapids with 300 MiB: cached stores are slower from 16 MiB on.
const maxCache = 32 << 20

// ownCache returns the size of a core's own cache in bytes, or a common size if unknown.
func ownCache() int { return max(cpuid.CPU.Cache.L2, 512<<10) }

// tileBytes returns the size of tiles: half of a core's own cache.
func tileBytes() int { return ownCache() / 2 }
