package convert

import (
	"time"

	"github.com/klauspost/cpuid/v2"

	"github.com/tlayout/tlayout/internal/convert/kernel"
)

// Stores are those of repeated runs in memory with these options, by the bytes of the destination and of the source:
//
//	destination up to a core's own cache, both up to twice that   cached
//	both over half of the last-level cache                        streaming: lines would be fetched only to be evicted
//	between                                                       what is faster here and now for this plan, measured once
//
// How much of the last-level cache a program gets depends on its neighbors: the processor's own figure does not tell.
func (p *Plan) Stores(source int, o Options) kernel.Stores {
	own, dst := ownCache(), p.Alloc*p.ItemSize
	if o.ReadNext || dst <= own || dst <= 2*own-source {
		return kernel.Cached
	}
	o = o.withDefaults()
	switch {
	case !o.Kernels.Streams():
		return kernel.Cached
	case dst > sharedCache()-source:
		return kernel.Streaming
	}
	return p.choices.storesOf(trial{o.Kernels, o.Threads, source}, p.faster)
}

// maxCache bounds the part of the last-level cache that a program gets, in bytes: processors that many programs share report
// hundreds of MiB. Measured: copies slow down beyond it.
const maxCache = 112 << 20

// ownCache is the size of a core's own cache in bytes, or what is usual where it is unknown.
func ownCache() int { return max(cpuid.CPU.Cache.L2, 512<<10) }

// sharedCache is half of the last-level cache in bytes: about what a program may find there. A cache of unknown size may be any: what is
// measured decides.
func sharedCache() int {
	if cpuid.CPU.Cache.L3 <= 0 {
		return maxCache / 2
	}
	return min(cpuid.CPU.Cache.L3, maxCache) / 2
}

// tileBytes is the size of tiles: half of a core's own cache.
func tileBytes() int { return ownCache() / 2 }

// trial is what the stores of a plan are measured with.
type trial struct {
	kernels *kernel.Kernels
	threads int
	source  int // bytes
}

// storesOf are the stores that measure finds faster, measured once.
func (c *choices) storesOf(t trial, measure func(trial) kernel.Stores) kernel.Stores {
	c.trying.Lock()
	defer c.trying.Unlock()
	if s, ok := c.stores[t]; ok {
		return s
	}
	if c.stores == nil {
		c.stores = map[trial]kernel.Stores{}
	}
	c.stores[t] = measure(t)
	return c.stores[t]
}

// Streaming stores must be faster by this factor: cached ones leave the destination where it is read next, and the first runs are
// slower than those after them.
const streamingGain = 1.3

// Each kind of stores finds the caches as it leaves them itself, after so long. A last-level cache may take ten turns to hold a
// destination that streaming stores kept out of it.
const (
	settling   = 15 * time.Millisecond
	timedTurns = 5
)

// faster runs the plan with both kinds of stores, and compares the fastest turns. Where there is no memory for that, stores are
// cached.
func (p *Plan) faster(t trial) kernel.Stores {
	n := p.Alloc * p.ItemSize
	all, free, err := scratch(n + t.source)
	if err != nil {
		return kernel.Cached
	}
	defer free()
	dst, src, pad := all[:n], all[n:], p.orZeros(nil)
	fillNoise(src)
	o := Options{Kernels: t.kernels, Threads: t.threads}.withDefaults()
	best := [2]time.Duration{}
	for _, s := range []kernel.Stores{kernel.Cached, kernel.Streaming} {
		turn := func() time.Duration {
			start := time.Now()
			p.run(dst, src, pad, o, s) //nolint:errcheck // in memory nothing fails
			return max(time.Since(start), time.Microsecond)
		}
		for settled := time.Duration(0); settled < settling; {
			settled += turn()
		}
		best[s] = turn()
		for range timedTurns - 1 {
			best[s] = min(best[s], turn())
		}
	}
	if float64(best[kernel.Cached]) > streamingGain*float64(best[kernel.Streaming]) {
		return kernel.Streaming
	}
	return kernel.Cached
}
