package convert

import (
	"math"
	"testing"

	"github.com/klauspost/cpuid/v2"

	"github.com/tlayout/tlayout/internal/convert/kernel"
)

// TestStores: if both sides together exceed half of the last-level cache, or of one program's part of it, stores stream, if the kernels
// can; otherwise they are cached.
func TestStores(t *testing.T) {
	known := cpuid.CPU.Cache.L3
	defer func() { cpuid.CPU.Cache.L3 = known }()
	for _, c := range []struct {
		cache, dst, source int
		streams            bool
	}{
		{8 << 20, 0, 0, false},
		{8 << 20, 2 << 20, 2 << 20, false},
		{8 << 20, 2 << 20, 2<<20 + 1, true},
		{8 << 20, 2<<20 + 1, 2 << 20, true},
		{8 << 20, 1, math.MaxInt, true},
		{8 << 20, math.MaxInt, math.MaxInt, true},
		{300 << 20, 8 << 20, 8 << 20, false},
		{300 << 20, 8 << 20, 8<<20 + 1, true},
		{0, 8 << 20, 8 << 20, false},
		{-1, 8 << 20, 8<<20 + 1, true},
	} {
		cpuid.CPU.Cache.L3 = c.cache
		for _, k := range kernel.Available() {
			want := kernel.Cached
			if c.streams && k.Level >= kernel.AVX2 && k.Level != kernel.NEON {
				want = kernel.Streaming
			}
			p := &Plan{ItemSize: 1, Alloc: c.dst}
			if got := p.Stores(c.source, k); got != want {
				t.Errorf("%d bytes from %d, a cache of %d, %s: %s, want %s", c.dst, c.source, c.cache, k.Name(), got, want)
			}
		}
	}
}
