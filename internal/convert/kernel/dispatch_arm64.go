//go:build !purego

package kernel

// periods16 is how many periods a program on vectors of 16 bytes moves at once, denseFrom the bytes of vectors from which there are dense kernels.
const periods16, denseFrom = 1, cacheLine

// detect returns the kernels of both levels: every arm64 has NEON.
func detect() []*Kernels {
	return []*Kernels{{Level: Generic},
		{Level: NEON, width: 16, shapes: []tileShape{
			{rows: 4, cols: 1, level: NEON, kernels: &tiles4x1NEON},
			{rows: 1, cols: 1, level: NEON, kernels: &tiles1x1NEON},
		}}}
}

var (
	tiles4x1NEON = tileKernels{tile4x1of1NEON, tile4x1of2NEON, tile4x1of4NEON, tile4x1of8NEON, tile4x1of16NEON}
	tiles1x1NEON = tileKernels{tile1x1of1NEON, tile1x1of2NEON, tile1x1of4NEON, tile1x1of8NEON, tile1x1of16NEON}
)

// run16 runs a program on vectors of 16 bytes.
func (p *permutation) run16() { permuteNEON(p) }
