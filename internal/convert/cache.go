package convert

import "github.com/klauspost/cpuid/v2"

// mostCache is how much of the last cache a program has at best, in bytes, where a processor that many share claims
// hundreds of MiB. Measured: copies slow down from there on.
const mostCache = 112 << 20

// streams reports whether a destination of n bytes is better written past the caches: it and a source of that size do
// not fit into the last one together, so that every line would be fetched first, to be thrown out again.
func streams(n int) bool {
	last := max(cpuid.CPU.Cache.L3, cpuid.CPU.Cache.L2, 8<<20)
	return n > min(last, mostCache)/2
}

// tileBytes is the size of tiles: half of a core's own cache.
func tileBytes() int { return max(cpuid.CPU.Cache.L2, 512<<10) / 2 }
