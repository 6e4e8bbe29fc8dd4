package kernel

import "testing"

// TestInterleave and TestDeinterleave: every number of rows and of pixels equals the plain loop.
func TestInterleave(t *testing.T) {
	eachPixels(t, func(t *testing.T, k *Kernels, count, n, size, turn int, p arrangement) {
		srcRows, extent := p(count, n*size)
		dstRows, dstExtent := spaced(n, count*size, count*size)
		j := job{srcRows: srcRows, dstRows: dstRows, size: size, o: Options{Stream: turn%2 == 0}}
		_, j.src = at(extent, turn%4*3)
		dstWhole, dst := at(dstExtent, turn%3/2*(turn%17))
		j.dst = dst
		j.check(t, dstWhole, func() { k.Interleave(dst, j.src, srcRows, n, size, j.o); k.Fence() })
	})
}

func TestDeinterleave(t *testing.T) {
	eachPixels(t, func(t *testing.T, k *Kernels, count, n, size, turn int, p arrangement) {
		dstRows, extent := p(count, n*size)
		srcRows, srcExtent := spaced(n, count*size, count*size)
		j := job{srcRows: srcRows, dstRows: dstRows, size: size, o: Options{Stream: turn%2 == 0}}
		_, j.src = at(srcExtent, turn%4*3)
		dstWhole, dst := at(extent, turn%3/2*(turn%17))
		j.dst = dst
		j.check(t, dstWhole, func() { k.Deinterleave(dst, dstRows, j.src, n, size, j.o); k.Fence() })
	})
}

func eachPixels(t *testing.T, test func(t *testing.T, k *Kernels, count, n, size, turn int, p arrangement)) {
	names := []string{"dense", "gaps", "lines", "descending", "shuffled"}
	eachLevel(t, func(t *testing.T, k *Kernels) {
		for _, size := range []int{1, 2, 4, 8, 16} {
			for count := range 37 {
				sizes := upTo(16/size, 9)
				if count%5 == 1 || count < 4 {
					sizes = append(sizes, chunk+1, 2*chunk+11)
				}
				for turn, n := range sizes {
					test(t, k, count, n, size, turn, arrangements[names[(turn+count)%5]])
				}
			}
		}
	})
}
