//go:build (!amd64 && !arm64) || purego

package kernel

// periods16 is how many periods a program on vectors of 16 bytes moves at once.
const periods16 = 1

func detect() []*Kernels { return []*Kernels{{Level: Generic}} }

// The stubs below are never called: Generic has no vectors.

func (s tileShape) run(b *tiles, size int, stream bool) {}
func (p *permutation) run16()                           {}
