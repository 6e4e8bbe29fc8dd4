package kernel

import (
	"bytes"
	"slices"
	"testing"
	"unsafe"
)

// copySizes are every size up to 600, and those around the units of the copies.
func copySizes() (sizes []int) {
	for n := range 601 {
		sizes = append(sizes, n)
	}
	for _, n := range []int{1024, 4096, round, streamsFrom, streamsFrom + 64, 3 * round, 5 * round} {
		sizes = append(sizes, n-65, n-64, n-1, n, n+1, n+63, n+64)
	}
	return sizes
}

// every lists all ways to copy, including those that Ways omits for short copies, and Copy.
func every(k *Kernels) []Way {
	return append(k.Ways(1<<20), Way{"Copy", func(dst, src []byte) { k.Copy(dst, src, Streaming); k.Fence() }})
}

// TestWays: every way to copy writes the bytes of the source and no other, at every size and every pair of addresses modulo a
// cache line.
func TestWays(t *testing.T) {
	const guard = 128
	sizes := copySizes()
	largest := slices.Max(sizes)
	whole, source := make([]byte, largest+2*guard+64), make([]byte, largest+64)
	noise(source)
	before, want := make([]byte, len(whole)), make([]byte, len(whole))
	noise(before)
	align := func(b []byte) int { return int(-uintptr(unsafe.Pointer(&b[0])) % 64) }
	toLine, fromLine := align(whole[guard:])+guard, align(source)%64
	eachLevel(t, func(t *testing.T, k *Kernels) {
		for i, size := range sizes {
			for off := range 64 {
				to, from := toLine-off%64, (fromLine+off*7+i)%64
				if size > 600 && (off+i)%9 != 0 {
					continue
				}
				for _, way := range every(k) {
					n := size + 2*guard + 64
					copy(whole[:n], before)
					copy(want[:n], before)
					src := source[from:][:size:size]
					copy(want[to:], src)
					way.Run(whole[to:][:size:size], src)
					if !bytes.Equal(whole[:n], want[:n]) {
						t.Fatalf("%s, %d bytes to an address %d before a line, source %d: wrong", way.Name, size, off, from)
					}
				}
			}
		}
	})
}

// TestWaysListed: what Ways lists is for copies of that size, all of it for long ones.
func TestWaysListed(t *testing.T) {
	eachLevel(t, func(t *testing.T, k *Kernels) {
		var names [2][]string
		for i, n := range []int{1, 1 << 20} {
			for _, way := range k.Ways(n) {
				names[i] = append(names[i], way.Name)
			}
		}
		want := [2][]string{{"movsb"}, {"movsb", "vectors", "stream", "pages"}}
		switch k.Level {
		case Generic, NEON:
			want = [2][]string{}
		}
		if !slices.Equal(names[0], want[0]) || !slices.Equal(names[1], want[1]) {
			t.Errorf("%v, want %v", names, want)
		}
	})
}

// TestWaysAllocate nothing.
func TestWaysAllocate(t *testing.T) {
	dst, src := make([]byte, 3*round), make([]byte, 3*round)
	eachLevel(t, func(t *testing.T, k *Kernels) {
		for _, way := range every(k) {
			if n := testing.AllocsPerRun(2, func() { way.Run(dst, src) }); n != 0 {
				t.Errorf("%s: %v allocations", way.Name, n)
			}
		}
	})
}
