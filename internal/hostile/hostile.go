// Package hostile checks how readers handle deliberately damaged files: their errors, and the memory they use. Only tests import it.
package hostile

import (
	"errors"
	"math"
	"runtime"
	"runtime/metrics"
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
)

// CheckError accepts errors with the right class, Malformed, Unsupported or one of the given classes, and with text that is safe to print
// and at most most bytes long.
func CheckError(t testing.TB, err error, most int, classes ...fault.Class) {
	t.Helper()
	var e *fault.Error
	if !errors.As(err, &e) || !slices.Contains(append(classes, fault.Malformed, fault.Unsupported), e.Class) {
		t.Fatalf("unexpected kind of error: %v", err)
	}
	if text := e.Text + e.Hint; e.Text == "" || len(text) > most || strings.ContainsFunc(text, IsControl) {
		t.Fatalf("unsuitable text: %q", text)
	}
}

// IsControl reports whether a terminal may obey a character instead of showing it.
func IsControl(r rune) bool { return r < ' ' || 0x7f <= r && r < 0xa0 || 0x202a <= r && r <= 0x202e }

// AllocatedBy returns how many bytes f allocates on the heap: the minimum of a few calls, because the counter includes other goroutines'
// allocations, and earlier ones whenever the collector runs.
func AllocatedBy(f func()) uint64 {
	least := uint64(math.MaxUint64)
	for range 3 {
		before := Allocated()
		f()
		least = min(least, Allocated()-before)
	}
	return least
}

// Allocated returns all the bytes the process has allocated on the heap so far.
func Allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// Live returns the bytes on the heap that are still reachable.
func Live() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
