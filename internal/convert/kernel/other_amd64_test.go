//go:build amd64 && !purego

package kernel

// otherKernels are those that this machine can run but does not choose.
func otherKernels() map[string]*Kernels {
	best := Available()[len(Available())-1]
	if best.Level != AVX512 {
		return nil
	}
	lacking, intel, amd := *best, *best, *best
	lacking.width = 16
	intel.shapes, amd.shapes = shapesAVX512, shapesAMD
	return map[string]*Kernels{"avx512 without vbmi": &lacking, "avx512 of intel": &intel, "avx512 of amd": &amd}
}
