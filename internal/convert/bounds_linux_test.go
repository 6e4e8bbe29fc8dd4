package convert

import (
	"fmt"
	"os"
	"runtime/debug"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/tlayout/tlayout/internal/convert/kernel"
	"github.com/tlayout/tlayout/internal/random"
)

// TestPlansStayInside: conversions drawn as in TestManyRandomConversions, with source and destination at either end between guard pages,
// access nothing outside of them.
func TestPlansStayInside(t *testing.T) {
	eachCase(t, random.Cases(t, "TLAYOUT_TEST_RANDOM_CASES", 4_000), func(data []byte) func(dice, randomCase) error {
		from, to := newFence(t, data[:maxBytes]), newFence(t, data[:maxBytes])
		return func(d dice, c randomCase) error {
			p, err := NewPlan(c.dst, c.src, c.item)
			if err != nil || p.Alloc == 0 {
				return nil
			}
			k, stores := oneOf(d, kernel.Available()), kernel.Stores(d.IntN(2))
			src, dst := from.of(c.src.Alloc()*c.item, d.percent(60)), to.of(p.Alloc*c.item, d.percent(60))
			err = withoutFault(func() error {
				return p.run(dst, src, data[:c.item], Options{Kernels: k, Threads: 1}.withDefaults(), stores)
			})
			if err != nil {
				return fmt.Errorf("with %s and %s stores: %w", k.Level, stores, err)
			}
			return nil
		}
	})
}

// fence is memory between two guard pages.
type fence []byte

// newFence makes a fence that contains data.
func newFence(t *testing.T, data []byte) fence {
	t.Helper()
	page := os.Getpagesize()
	size := (len(data) + page - 1) / page * page
	m, err := unix.Mmap(-1, 0, size+2*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Munmap(m) })
	copy(m[page:], data)
	for _, guard := range [][]byte{m[:page], m[page+size:]} {
		if err := unix.Mprotect(guard, unix.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	return m[page : page+size : page+size]
}

// of returns n bytes at the end or the start of the memory.
func (f fence) of(n int, atEnd bool) []byte {
	if atEnd {
		return f[len(f)-n:]
	}
	return f[:n:n]
}

// withoutFault returns a memory fault as an error.
func withoutFault(f func() error) error {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	return caught(f)
}
