package kernel

import "testing"

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
