package convert

import (
	"math"
	"testing"

	"github.com/klauspost/cpuid/v2"

	"github.com/tlayout/tlayout/internal/convert/kernel"
)

// Stores of what stays in a core's own cache are cached, those of what no cache holds stream where kernels can, and
// between them a measurement decides, once.
func TestStores(t *testing.T) {
	k := kernel.Best()
	most := max(sharedCache(), 2*ownCache()) // that may be cached
	streams := kernel.Cached
	if k.Streams() {
		streams = kernel.Streaming
	}
	for _, c := range []struct {
		dst, source int
		want        kernel.Stores
	}{
		{0, 0, kernel.Cached}, {4096, 4096, kernel.Cached}, {ownCache(), ownCache(), kernel.Cached}, {ownCache(), math.MaxInt, kernel.Cached},
		{2 * ownCache(), 0, kernel.Cached}, {ownCache() + 1, most, streams}, {most + 1, 0, streams}, {maxCache + 1<<30, 1 << 30, streams},
		{math.MaxInt, math.MaxInt, streams},
	} {
		if got := rowsPlan(c.dst).Stores(c.source, Options{Kernels: k, Threads: 2}); got != c.want {
			t.Errorf("%d bytes from %d: %s, want %s", c.dst, c.source, got, c.want)
		}
	}
}

// rowsPlan is a plan whose destination has so many bytes, of rows of 3.
func rowsPlan(bytes int) *Plan {
	rows := max(1, bytes/3)
	return &Plan{Boxes: []Box{{Loops: []Loop{{rows, 1, 3}, {3, rows, 1}}}}, ItemSize: 1, Alloc: bytes, choices: &choices{}}
}

// Stores are measured once for a plan: a later run has those of the first, whatever its neighbors do then.
func TestStoresAreMeasuredOnce(t *testing.T) {
	k := kernel.Best()
	p, runs := rowsPlan(2*ownCache()), 0
	measure := func(trial) kernel.Stores { runs++; return kernel.Streaming }
	for range 3 {
		for _, threads := range []int{1, 2} {
			if got := p.choices.storesOf(trial{k, threads, 7}, measure); got != kernel.Streaming {
				t.Errorf("%s", got)
			}
		}
	}
	if runs != 2 {
		t.Errorf("%d measurements", runs)
	}
	known := cpuid.CPU.Cache.L3
	defer func() { cpuid.CPU.Cache.L3 = known }()
	for _, size := range []int{known, 0, -1} {
		cpuid.CPU.Cache.L3 = size
		p = rowsPlan(2 * ownCache())
		if n := 2 * ownCache() / 3 * 3; k.Streams() && (size <= 0 || 2*n <= sharedCache()) {
			p.Stores(n, Options{Kernels: k, Threads: 1})
			if _, ok := p.choices.stores[trial{k, 1, n}]; !ok {
				t.Errorf("with a last-level cache of %d bytes nothing was measured: %v", size, p.choices.stores)
			}
		}
	}
}
