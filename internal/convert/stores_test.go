package convert

import (
	"math"
	"testing"

	"github.com/tlayout/tlayout/internal/convert/kernel"
)

// Stores of what stays in a core's own cache are cached, those of what no cache holds stream where kernels can, and
// between them a measurement decides, once.
func TestStores(t *testing.T) {
	k := kernel.Best()
	for _, bytes := range []int{0, 4096, ownCache()} {
		if got := rowsPlan(bytes).Stores(k); got != kernel.Cached {
			t.Errorf("%d bytes: %s", bytes, got)
		}
	}
	want := kernel.Cached
	if k.Streams() {
		want = kernel.Streaming
	}
	for _, bytes := range []int{maxCache + 1<<30, 1 << 31, 1<<32 + 1, math.MaxInt} {
		if got := rowsPlan(bytes).Stores(k); got != want {
			t.Errorf("%d bytes, more than the caches: %s, want %s", bytes, got, want)
		}
	}
	p := rowsPlan(ownCache() + 1)
	first := p.Stores(k)
	for range 3 {
		if got := p.Stores(k); got != first {
			t.Errorf("%d bytes: %s, then %s", p.Alloc, first, got)
		}
	}
}

// rowsPlan is a plan whose destination has so many bytes, in many rows of 3 elements.
func rowsPlan(bytes int) *Plan {
	rows := max(1, bytes/3)
	return &Plan{Boxes: []Box{{Loops: []Loop{{3, rows, 1}, {rows, 1, 3}}}}, ItemSize: 1, Alloc: bytes, choices: &choices{}}
}

// What a measurement converts is staged or not, as it says: otherwise it measures the other kind.
func TestProbeBox(t *testing.T) {
	for _, k := range kernel.Available() {
		for _, staged := range []bool{false, true} {
			box := probe{k, 8 << 20, staged}.box()
			p := &Plan{Boxes: []Box{box}, ItemSize: probeItem, Alloc: elemsOf(box.Loops), choices: &choices{}}
			if got, want := p.staged(k), staged && k.Level == kernel.AVX512; got != want {
				t.Errorf("%v: staged %v, want %v", k.Level, got, want)
			}
			if bytes := p.Alloc * p.ItemSize; bytes > 8<<20 || bytes < 7<<20 {
				t.Errorf("%v: %d bytes", k.Level, bytes)
			}
		}
	}
}
