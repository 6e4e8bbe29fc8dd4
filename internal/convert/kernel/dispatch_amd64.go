//go:build amd64 && !purego

package kernel

import "github.com/klauspost/cpuid/v2"

// Shapes of tiles by instruction set, preferred first: those that write a line per column, then a line of several columns, then a part of a
// line. Of a copy, Zen 4, with and without the shape: AVX2's 2x1 writes 16 channels of 2 bytes, 0.76 and 0.38; its 1x2 16 channels of bytes, 0.55
// and 0.22; AVX-512's 2x2 the former, 0.87 and 0.74 by AVX2's; its 1x4 the latter, 0.64 and 0.54.
var (
	shapesAVX2 = []tileShape{
		{rows: 4, cols: 1, level: AVX2, kernels: &tiles4x1AVX2, even: &even4x1AVX2},
		{rows: 2, cols: 1, level: AVX2, kernels: &tiles2x1AVX2},
		{rows: 1, cols: 2, level: AVX2, kernels: &tiles1x2AVX2},
	}
	shapesAVX512 = []tileShape{
		{rows: 4, cols: 1, level: AVX512, kernels: &tiles4x1AVX512},
		{rows: 2, cols: 2, level: AVX512, kernels: &tiles2x2AVX512},
		{rows: 1, cols: 4, level: AVX512, kernels: &tiles1x4AVX512},
		{rows: 2, cols: 1, level: AVX2, kernels: &tiles2x1AVX2},
	}
)

// periods16 is how many periods a program on vectors of 16 bytes moves at once, denseFrom the bytes of vectors from which there are dense kernels.
const periods16, denseFrom = 2, 16

// detect returns the kernels of every level up to the highest one of this machine. Cpuid reports AVX2 and AVX-512 only if
// the operating system saves their registers.
func detect() []*Kernels {
	all := []*Kernels{{Level: Generic}}
	has := cpuid.CPU.Supports
	if !has(cpuid.AVX2) {
		return all
	}
	all = append(all, &Kernels{Level: AVX2, shapes: shapesAVX2, width: 16})
	if !has(cpuid.AVX512F, cpuid.AVX512BW, cpuid.AVX512DQ, cpuid.AVX512VL) {
		return all
	}
	best := &Kernels{Level: AVX512, shapes: shapesAVX512, width: 16}
	if has(cpuid.AVX512VBMI) {
		best.width = 64
	}
	return append(all, best)
}

var (
	tiles4x1AVX2   = tileKernels{tile4x1of1AVX2, tile4x1of2AVX2, tile4x1of4AVX2, tile4x1of8AVX2, tile4x1of16AVX2}
	even4x1AVX2    = tileKernels{nil, even4x1of2AVX2, even4x1of4AVX2, even4x1of8AVX2, nil}
	tiles2x1AVX2   = tileKernels{tile2x1of1AVX2, tile2x1of2AVX2, tile2x1of4AVX2, tile2x1of8AVX2, tile2x1of16AVX2}
	tiles1x2AVX2   = tileKernels{tile1x2of1AVX2, tile1x2of2AVX2, tile1x2of4AVX2, tile1x2of8AVX2, tile1x2of16AVX2}
	tiles4x1AVX512 = tileKernels{tile4x1of1AVX512, tile4x1of2AVX512, tile4x1of4AVX512, tile4x1of8AVX512, tile4x1of16AVX512}
	tiles2x2AVX512 = tileKernels{tile2x2of1AVX512, tile2x2of2AVX512, tile2x2of4AVX512, tile2x2of8AVX512, tile2x2of16AVX512}
	tiles1x4AVX512 = tileKernels{tile1x4of1AVX512, tile1x4of2AVX512, tile1x4of4AVX512, tile1x4of8AVX512, tile1x4of16AVX512}
)

// run runs a program on vectors of 64 bytes, with dense source vectors in registers unless 0.
func (p *permutation) run(dense int) {
	if dense > 0 {
		denseKernels[dense-minDense](p)
	} else {
		permuteVBMI(p)
	}
}

// denseKernels are indexed by the number of vectors that they hold in registers.
var denseKernels = [...]func(*permutation){dense2VBMI, dense3VBMI, dense4VBMI}

// runLanes runs a program on dense vectors of 16 bytes, two periods at once, or four.
func (p *permutation) runLanes(dense int, adjacent bool) {
	if adjacent {
		adjacentLanes[dense-minDense](p)
	} else {
		denseLanes[dense-minDense](p)
	}
}

// denseLanes and adjacentLanes are indexed like denseKernels.
var (
	denseLanes    = [...]func(*permutation){dense2AVX2, dense3AVX2, dense4AVX2}
	adjacentLanes = [...]func(*permutation){adjacent2AVX2, adjacent3AVX2, adjacent4AVX2}
)

// run16 runs a program on vectors of 16 bytes, two periods at once.
func (p *permutation) run16() { permuteAVX2(p) }

// streamsInOrder reports which streaming copy is faster out of cache: a single stream on AMD's Zen 5, four pages in turn on Intel's
// Sapphire Rapids, each by 1.3 times.
var streamsInOrder = cpuid.CPU.VendorID == cpuid.AMD

// lines copies lines of 64 bytes.
func (c *copying) lines(stream bool) {
	if stream {
		streamLinesAVX2(c)
	} else {
		copyLinesAVX2(c)
	}
}

func (c *copying) pages() { streamPagesAVX2(c) }
func (c *copying) bytes() { copyBytes(c) }

func fence() { storeFence() }
