package kernel

import "testing"

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
