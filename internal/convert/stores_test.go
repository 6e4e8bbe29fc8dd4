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
	for _, bytes := range []int64{0, 4096, int64(ownCache()), 2 * int64(ownCache())} {
		if got := Stores(bytes, k); got != kernel.Cached {
			t.Errorf("%d bytes: %s", bytes, got)
		}
	}
	want := kernel.Cached
	if k.Streams() {
		want = kernel.Streaming
	}
	for _, bytes := range []int64{maxCache + 1<<30, 1 << 31, 1<<32 + 1, math.MaxInt64} {
		if got := Stores(bytes, k); got != want {
			t.Errorf("%d bytes, more than the caches: %s, want %s", bytes, got, want)
		}
	}
	between := int64(2*ownCache() + 1)
	first := Stores(between, k)
	for range 3 {
		if got := Stores(between, k); got != first {
			t.Errorf("%d bytes: %s, then %s", between, first, got)
		}
	}
}
