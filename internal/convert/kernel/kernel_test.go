package kernel

import (
	"bytes"
	"fmt"
	"testing"
	"unsafe"
)

// move is one block on memory of its own.
type move struct {
	dst, src         []byte
	dstRows, srcRows []int
	size             int
	stores           Stores
	jobs             []Job
	pad              []byte
}

// eachLevel runs a test with all kernels of this machine, and with AVX-512 as on machines without VBMI and of other vendors.
func eachLevel(t *testing.T, test func(*testing.T, *Kernels)) {
	for name, k := range otherKernels() {
		t.Run(name, func(t *testing.T) { test(t, k) })
	}
	for _, k := range Available() {
		t.Run(k.Level.String(), func(t *testing.T) { test(t, k) })
	}
}

// want is the loop in the comment of Block.
func (m move) want(dst []byte) {
	for _, j := range m.jobs {
		for i, d := range m.dstRows {
			if d == NoRow {
				continue
			}
			for k, s := range m.srcRows {
				from := m.pad
				if s != NoRow {
					from = m.src[j.Src+s+i*m.size:]
				}
				copy(dst[j.Dst+d+k*m.size:], from[:m.size])
			}
		}
	}
}

// at returns size bytes at an address of off modulo 64, inside a larger slice filled with noise.
func at(size, off int) (whole, part []byte) {
	const guard = 128
	whole = make([]byte, size+2*guard+64)
	noise(whole)
	start := guard
	for uintptr(unsafe.Pointer(&whole[start]))%64 != uintptr(off)%64 {
		start++
	}
	return whole, whole[start:][:size]
}

// check runs a kernel and compares its destination, all memory around it, and the source with the expected bytes.
func (j move) check(t *testing.T, dstWhole []byte, run func()) {
	t.Helper()
	want, source := bytes.Clone(dstWhole), bytes.Clone(j.src)
	start := len(dstWhole) - cap(j.dst)
	j.want(want[start:])
	run()
	if !bytes.Equal(dstWhole, want) {
		for i := range want {
			if want[i] != dstWhole[i] {
				t.Fatalf("%v: byte %d of the destination is %d, want %d", j, i-start, dstWhole[i], want[i])
			}
		}
	}
	if !bytes.Equal(j.src, source) {
		t.Fatalf("%v: the source changed", j)
	}
}

func (j move) String() string {
	return fmt.Sprintf("%d rows, %d columns, size %d, stores %d, jobs %v", len(j.srcRows), len(j.dstRows), j.size, j.stores, j.jobs)
}

// upTo returns the sizes from 0 to past two tiles: all small ones, and those around the multiples of n.
func upTo(n, tiles int) (sizes []int) {
	for i := range tiles*n + 4 {
		if i < 20 || (i+2)%n < 5 && (i/n < 5 || i/n%4 < 2) {
			sizes = append(sizes, i)
		}
	}
	return sizes
}

// TestCopy: sizes around rounds of four pages, at all kinds of bases.
func TestCopy(t *testing.T) {
	eachLevel(t, func(t *testing.T, k *Kernels) {
		for _, size := range []int{0, 1, 63, 64, 65, 1000, 2*round - 1, 2 * round, 2*round + 63, 2*round + 64, 3*round + 5} {
			for turn := range 8 {
				m := move{dstRows: []int{0}, srcRows: []int{0}, size: size, stores: Stores(min(turn%4, 1)), jobs: make([]Job, 1)}
				_, m.src = at(size, turn%3*7)
				dstWhole, dst := at(size, turn%5*13)
				m.dst = dst
				m.check(t, dstWhole, func() { k.Copy(dst, m.src, m.stores); k.Fence() })
			}
		}
	})
}

// TestNoAllocation: blocks run without allocating, once their worker has what they need.
func TestNoAllocation(t *testing.T) {
	var dst, src [1 << 14]byte
	eachLevel(t, func(t *testing.T, k *Kernels) {
		for _, size := range []int{1, 2, 4, 8, 16} {
			for _, rows := range []int{3, 7, 12, 40} {
				for _, s := range []Stores{Cached, Streaming} {
					n := min(len(src)/size/rows, 400)
					srcRows, _ := spaced(rows, n*size, n*size)
					dstRows, _ := spaced(n, rows*size, rows*size)
					b, w, jobs := k.NewBlock(srcRows, dstRows, size), new(Worker), make([]Job, 2)
					run := func() { b.Run(w, dst[:], src[:], jobs, nil, s) }
					run()
					if allocated := testing.AllocsPerRun(2, run); allocated != 0 {
						t.Errorf("%d rows of size %d by %s: %v allocations", rows, size, b.Method(), allocated)
					}
				}
			}
		}
	})
}
