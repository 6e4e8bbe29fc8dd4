package convert

import (
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tlayout/tlayout/internal/convert/kernel"
)

// TestPlansStayInside: conversions drawn as in TestManyRandomConversions, whose source and destination lie between pages that cannot be
// touched, at the end of theirs or at the beginning, read and write nothing outside of them.
func TestPlansStayInside(t *testing.T) {
	cases, seed := envInt(t, "TLAYOUT_TEST_RANDOM_CASES", 20_000)/5, envInt(t, "TLAYOUT_TEST_RANDOM_SEED", int(time.Now().UnixNano()))
	if testing.Short() {
		cases /= 10
	}
	t.Logf("TLAYOUT_TEST_RANDOM_SEED=%d", seed)
	families := parsedFamilies(t)
	data := randomBytes(seed, maxBytes)
	var next atomic.Int64
	var group sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		from, to := newFence(t, data), newFence(t, data)
		group.Go(func() {
			for k := int(next.Add(1)); k <= cases && !t.Failed(); k = int(next.Add(1)) {
				d := diceOf(seed, k)
				c := d.randomCase(families)
				p, err := NewPlan(c.dst, c.src, c.item)
				if err != nil || p.Alloc == 0 {
					continue
				}
				kernels, stores := oneOf(d, kernel.Available()), kernel.Stores(d.IntN(2))
				src, dst := from.of(c.src.Alloc()*c.item, d.percent(60)), to.of(p.Alloc*c.item, d.percent(60))
				err = withoutFault(func() error {
					return p.run(dst, src, data[:c.item], Options{Kernels: kernels, Threads: 1}.withDefaults(), stores)
				})
				if err != nil {
					t.Errorf("case %d of seed %d, elements of %d bytes, %s to %s with %s and %s stores: %v", k, seed, c.item, c.src, c.dst, kernels.Level, stores, err)
				}
			}
		})
	}
	group.Wait()
}

// fence is memory between two pages that cannot be touched.
type fence []byte

// newFence has room for data, and holds it.
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

// of is n bytes at the end of the memory or at its beginning.
func (f fence) of(n int, atEnd bool) []byte {
	if atEnd {
		return f[len(f)-n:]
	}
	return f[:n:n]
}

// withoutFault turns touching what cannot be touched into an error.
func withoutFault(f func() error) error {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	return caught(f)
}
