package convert

import (
	"github.com/klauspost/cpuid/v2"

	"github.com/tlayout/tlayout/internal/convert/kernel"
)

// maxCache bounds the part of the last-level cache that a program gets, in bytes: processors that many programs share report
// hundreds of MiB. Measured: copies slow down beyond it.
const maxCache = 112 << 20

// stores are those for a source and a destination of so many bytes together: past the caches if both do not stay in the last one, so that every
// line of the destination would be fetched only to be evicted.
func (p *Plan) stores(bytes int) kernel.Stores {
	last := max(cpuid.CPU.Cache.L3, cpuid.CPU.Cache.L2, 8<<20)
	if bytes > min(last, maxCache)*3/5 {
		return kernel.Streaming
	}
	return kernel.Cached
}

// tileBytes is the size of tiles: half of a core's own cache.
func tileBytes() int { return max(cpuid.CPU.Cache.L2, 512<<10) / 2 }
