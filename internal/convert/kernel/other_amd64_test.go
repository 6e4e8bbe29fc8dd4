//go:build amd64 && !purego

package kernel

// otherKernels are those that this machine can run but does not choose.
func otherKernels() map[string]*Kernels {
	best := Available()[len(Available())-1]
	if best.Level != AVX512 {
		return nil
	}
	lacking := *best
	lacking.width = 16
	return map[string]*Kernels{"avx512 without vbmi": &lacking}
}
