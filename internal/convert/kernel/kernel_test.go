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

// eachLevel runs a test for all kernels of this machine, and for AVX-512 as on machines that lack its part VBMI.
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

// at returns size bytes whose address is off from a multiple of 64, inside a larger slice that is all noise.
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

// check runs a kernel and compares everything around its destination, and the source, with what must become of it.
func (j job) check(t *testing.T, dstWhole []byte, run func()) {
	t.Helper()
	want, source := bytes.Clone(dstWhole), bytes.Clone(j.src)
	start := len(dstWhole) - cap(j.dst)
	j.want(want[start:])
	run()
	if !bytes.Equal(dstWhole, want) {
		for i := range want {
			if want[i] != dstWhole[i] {
				t.Fatalf("%v: byte %d of the destination is %d, not %d", j, i-start, dstWhole[i], want[i])
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
