package kernel

import (
	"bytes"
	"fmt"
	"testing"
	"unsafe"
)

// job is one call of a kernel on memory of its own.
type job struct {
	dst, src         []byte // what the kernel gets
	dstRows, srcRows []int
	size             int
	o                Options
}

// eachLevel runs a test with all kernels of this machine, and with AVX-512 as on machines without VBMI.
func eachLevel(t *testing.T, test func(*testing.T, *Kernels)) {
	if k := Available()[len(Available())-1]; k.vbmi {
		lacking := *k
		lacking.vbmi = false
		t.Run("avx512 without vbmi", func(t *testing.T) { test(t, &lacking) })
	}
	for _, k := range Available() {
		t.Run(k.Level.String(), func(t *testing.T) { test(t, k) })
	}
}

// want is the loop in the comment of Transpose.
func (j job) want(dst []byte) {
	for i, d := range j.dstRows {
		for k, s := range j.srcRows {
			copy(dst[d+k*j.size:], j.src[s+i*j.size:][:j.size])
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

// check runs a kernel and compares its destination, all memory around it, and the source with what they must be.
func (j job) check(t *testing.T, dstWhole []byte, run func()) {
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

func (j job) String() string {
	return fmt.Sprintf("%d rows, %d columns, size %d, %+v", len(j.srcRows), len(j.dstRows), j.size, j.o)
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
				j := job{dstRows: []int{0}, size: size, o: Options{Stream: turn%4 != 0}}
				j.srcRows = []int{0}
				_, j.src = at(size, turn%3*7)
				dstWhole, dst := at(size, turn%5*13)
				j.dst = dst
				j.check(t, dstWhole, func() { k.Copy(dst, j.src, j.o); k.Fence() })
			}
		}
	})
}

// TestNoAllocation: row tables may live on the stack of the caller.
func TestNoAllocation(t *testing.T) {
	var dst, src [1 << 14]byte
	eachLevel(t, func(t *testing.T, k *Kernels) {
		for _, size := range []int{1, 2, 4, 8, 16} {
			for _, count := range []int{3, 7, 12, 40} {
				n := len(src) / size / count
				k.Interleave(dst[:], src[:], make([]int, count), n, size, Options{}) // makes its shuffles
				k.Deinterleave(dst[:], make([]int, count), src[:], n, size, Options{})
				allocated := testing.AllocsPerRun(2, func() {
					var few [40]int
					var many [400]int
					k.Transpose(dst[:], few[:count], src[:], many[:min(n, 400)], size, Options{Stream: true})
					k.Interleave(dst[:], src[:], few[:count], n, size, Options{Stream: true})
					k.Deinterleave(dst[:], few[:count], src[:], n, size, Options{Stream: true})
					k.Copy(dst[:], src[:], Options{Stream: true})
				})
				if allocated != 0 {
					t.Errorf("%d rows of size %d: %v allocations", count, size, allocated)
				}
			}
		}
	})
}
