// Package hostile checks how readers handle deliberately damaged files: their errors, and the memory they use. Only tests import it.
package hostile

import (
	"bytes"
	"errors"
	"math"
	"runtime"
	"runtime/metrics"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/tlayout/tlayout/internal/fault"
)

// CheckError accepts errors with the right class, Malformed, Unsupported or one of the given classes, and with text that is safe to print
// and at most limit bytes long.
func CheckError(t testing.TB, err error, limit int, classes ...fault.Class) {
	t.Helper()
	var e *fault.Error
	if !errors.As(err, &e) || !slices.Contains(append(classes, fault.Malformed, fault.Unsupported), e.Class) {
		t.Fatalf("unexpected kind of error: %v", err)
	}
	if text := e.Text + e.Hint; e.Text == "" || len(text) > limit || strings.ContainsFunc(text, IsControl) {
		t.Fatalf("unsuitable text: %q", text)
	}
}

// WantFault reports whether err has a class and a text that contains all texts; otherwise it fails the test. what names the case.
func WantFault(t testing.TB, what string, err error, class fault.Class, texts ...string) bool {
	t.Helper()
	var e *fault.Error
	ok := errors.As(err, &e) && e.Class == class
	for _, text := range texts {
		ok = ok && strings.Contains(e.Text, text)
	}
	if !ok {
		t.Errorf("%s: %v (%T); want class %d and %q", what, err, err, class, texts)
	}
	return ok
}

// Damage opens each proper prefix of a file, which must be malformed, and checks the file with each bit flipped.
func Damage(t testing.TB, whole []byte, open func([]byte) error, check func([]byte)) {
	t.Helper()
	for n := range whole {
		if err := open(whole[:n]); fault.ClassOf(err) != fault.Malformed {
			t.Errorf("the first %d bytes: %v", n, err)
		}
	}
	Flip(whole, check)
}

// Flip checks a file with each bit flipped.
func Flip(whole []byte, check func([]byte)) {
	for bit := range 8 * len(whole) {
		raw := bytes.Clone(whole)
		raw[bit/8] ^= 1 << (bit % 8)
		check(raw)
	}
}

// IsControl reports whether a terminal may obey a character instead of showing it.
func IsControl(r rune) bool {
	bidirectional := 0x202a <= r && r <= 0x202e
	return unicode.IsControl(r) || bidirectional
}

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
