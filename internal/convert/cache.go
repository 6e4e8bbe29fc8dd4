package convert

import "github.com/klauspost/cpuid/v2"

// streams reports whether a destination of n bytes is better written past the caches: source and destination together
// are more than half of the last one.
func streams(n int) bool {
	last := max(cpuid.CPU.Cache.L3, cpuid.CPU.Cache.L2, 8<<20)
	return n > last/4
}

// tileBytes is the size of tiles: half of a core's own cache.
func tileBytes() int { return max(cpuid.CPU.Cache.L2, 512<<10) / 2 }
