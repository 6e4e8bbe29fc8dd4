//go:build (!amd64 && !arm64) || purego

package kernel

// periods16 is how many periods a program on vectors of 16 bytes moves at once, denseFrom the bytes of vectors from which there are dense kernels.
const periods16, denseFrom = 1, cacheLine

func detect() []*Kernels { return []*Kernels{{Level: Generic}} }

// run16 is never called: Generic has no vectors.
func (p *permutation) run16() {}
