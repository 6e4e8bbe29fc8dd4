//go:build amd64 && !purego

package kernel

import "github.com/klauspost/cpuid/v2"

// Shapes of tiles by instruction set, the preferred first. Those of a line of each column come first, then those of a line of
// several, then those of a part of a line.
var (
	tile1x1SSE2   = tileShape{rows: 1, cols: 1, level: SSE2, cached: &tiles1x1SSE2}
	tile2x1AVX2   = tileShape{rows: 2, cols: 1, level: AVX2, cached: &tiles2x1AVX2}
	tile4x1AVX2   = tileShape{rows: 4, cols: 1, level: AVX2, cached: &tiles4x1AVX2, streaming: &tiles4x1AVX2Stream}
	tile4x4AVX512 = tileShape{
		rows: 4, cols: 4, level: AVX512,
		cached: &tiles4x4AVX512, streaming: &tiles4x4AVX512Stream, shifting: &tiles4x4AVX512Shift, masked: &tiles4x4AVX512Mask,
	}
	tile4x2AVX512 = tileShape{
		rows: 4, cols: 2, level: AVX512,
		cached: &tiles4x2AVX512, streaming: &tiles4x2AVX512Stream, shifting: &tiles4x2AVX512Shift, masked: &tiles4x2AVX512Mask,
	}
	tile4x1AVX512 = tileShape{
		rows: 4, cols: 1, level: AVX512,
		cached: &tiles4x1AVX512, streaming: &tiles4x1AVX512Stream, shifting: &tiles4x1AVX512Shift, masked: &tiles4x1AVX512Mask,
	}
	tile2x2AVX512 = tileShape{rows: 2, cols: 2, joined: true, level: AVX512, cached: &tiles2x2AVX512, streaming: &tiles2x2AVX512Stream}
	tile1x4AVX512 = tileShape{rows: 1, cols: 4, joined: true, level: AVX512, cached: &tiles1x4AVX512, streaming: &tiles1x4AVX512Stream}

	shapesSSE2   = []tileShape{tile1x1SSE2}
	shapesAVX2   = []tileShape{tile4x1AVX2, tile2x1AVX2, tile1x1SSE2}
	shapesAVX512 = []tileShape{tile4x2AVX512, tile4x1AVX512, tile2x2AVX512, tile1x4AVX512, tile2x1AVX2, tile1x1SSE2}

	// AMD's processors are faster with square tiles, which read each line of the source once; with bytes, which have none, where loads put
	// lanes together rather than shuffles.
	shapesAMD = append([]tileShape{tile4x4AVX512, tile4x1AVX512.ofBytes()}, shapesAVX512...)
)

// ofBytes is the shape for elements of one byte only.
func (s tileShape) ofBytes() tileShape {
	for _, kernels := range []**tileKernels{&s.cached, &s.streaming, &s.shifting, &s.masked} {
		*kernels = &tileKernels{(*kernels)[0]}
	}
	return s
}

// periods16 is how many periods a program on vectors of 16 bytes moves at once.
const periods16 = 2

// detect returns the kernels of every level up to the highest one of this machine. Cpuid reports AVX2 and AVX-512 only if
// the operating system saves their registers.
func detect() []*Kernels {
	all := []*Kernels{{Level: Generic}, {Level: SSE2, shapes: shapesSSE2}}
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
	if cpuid.CPU.VendorID == cpuid.AMD {
		best.shapes = shapesAMD
	}
	return append(all, best)
}

var (
	tiles1x1SSE2         = tileKernels{tile1x1of1SSE2, tile1x1of2SSE2, tile1x1of4SSE2, tile1x1of8SSE2, tile1x1of16SSE2}
	tiles4x1AVX2         = tileKernels{tile4x1of1AVX2, tile4x1of2AVX2, tile4x1of4AVX2, tile4x1of8AVX2, tile4x1of16AVX2}
	tiles4x1AVX2Stream   = tileKernels{tile4x1of1AVX2Stream, tile4x1of2AVX2Stream, tile4x1of4AVX2Stream, tile4x1of8AVX2Stream, tile4x1of16AVX2Stream}
	tiles2x1AVX2         = tileKernels{tile2x1of1AVX2, tile2x1of2AVX2, tile2x1of4AVX2, tile2x1of8AVX2, tile2x1of16AVX2}
	tiles4x4AVX512       = tileKernels{nil, tile4x4of2AVX512, tile4x4of4AVX512, tile4x4of8AVX512, tile4x4of16AVX512}
	tiles4x4AVX512Stream = tileKernels{nil, tile4x4of2AVX512Stream, tile4x4of4AVX512Stream, tile4x4of8AVX512Stream, tile4x4of16AVX512Stream}
	tiles4x4AVX512Shift  = tileKernels{nil, tile4x4of2AVX512Shift, tile4x4of4AVX512Shift, tile4x4of8AVX512Shift, tile4x4of16AVX512Shift}
	tiles4x4AVX512Mask   = tileKernels{nil, tile4x4of2AVX512Mask, tile4x4of4AVX512Mask, tile4x4of8AVX512Mask, tile4x4of16AVX512Mask}
	tiles4x2AVX512       = tileKernels{tile4x2of1AVX512, tile4x2of2AVX512, tile4x2of4AVX512, tile4x2of8AVX512, tile4x2of16AVX512}
	tiles4x2AVX512Stream = tileKernels{tile4x2of1AVX512Stream, tile4x2of2AVX512Stream, tile4x2of4AVX512Stream, tile4x2of8AVX512Stream, tile4x2of16AVX512Stream}
	tiles4x2AVX512Shift  = tileKernels{tile4x2of1AVX512Shift, tile4x2of2AVX512Shift, tile4x2of4AVX512Shift, tile4x2of8AVX512Shift, tile4x2of16AVX512Shift}
	tiles4x2AVX512Mask   = tileKernels{tile4x2of1AVX512Mask, tile4x2of2AVX512Mask, tile4x2of4AVX512Mask, tile4x2of8AVX512Mask, tile4x2of16AVX512Mask}
	tiles4x1AVX512       = tileKernels{tile4x1of1AVX512, tile4x1of2AVX512, tile4x1of4AVX512, tile4x1of8AVX512, tile4x1of16AVX512}
	tiles4x1AVX512Stream = tileKernels{tile4x1of1AVX512Stream, tile4x1of2AVX512Stream, tile4x1of4AVX512Stream, tile4x1of8AVX512Stream, tile4x1of16AVX512Stream}
	tiles4x1AVX512Shift  = tileKernels{tile4x1of1AVX512Shift, tile4x1of2AVX512Shift, tile4x1of4AVX512Shift, tile4x1of8AVX512Shift, tile4x1of16AVX512Shift}
	tiles4x1AVX512Mask   = tileKernels{tile4x1of1AVX512Mask, tile4x1of2AVX512Mask, tile4x1of4AVX512Mask, tile4x1of8AVX512Mask, tile4x1of16AVX512Mask}
	tiles2x2AVX512       = tileKernels{tile2x2of1AVX512, tile2x2of2AVX512, tile2x2of4AVX512, tile2x2of8AVX512, tile2x2of16AVX512}
	tiles2x2AVX512Stream = tileKernels{tile2x2of1AVX512Stream, tile2x2of2AVX512Stream, tile2x2of4AVX512Stream, tile2x2of8AVX512Stream, tile2x2of16AVX512Stream}
	tiles1x4AVX512       = tileKernels{tile1x4of1AVX512, tile1x4of2AVX512, tile1x4of4AVX512, tile1x4of8AVX512, tile1x4of16AVX512}
	tiles1x4AVX512Stream = tileKernels{tile1x4of1AVX512Stream, tile1x4of2AVX512Stream, tile1x4of4AVX512Stream, tile1x4of8AVX512Stream, tile1x4of16AVX512Stream}
)

// run runs a program on vectors of 64 bytes, with so many of the source in registers, with or without their indices, if not 0.
func (p *permutation) run(dense, held int, stream bool) {
	kernel := permuteVBMI
	switch {
	case dense > 0 && stream:
		kernel = denseStream[dense-minDense]
	case dense > 0:
		kernel = denseCached[dense-minDense]
	case held > 0 && stream:
		kernel = heldStream[held/2-1]
	case held > 0:
		kernel = heldCached[held/2-1]
	case stream:
		kernel = permuteVBMIStream
	}
	kernel(p)
}

// Kernels of programs by how many vectors they hold in registers.
var (
	denseCached = [...]func(*permutation){dense2VBMI, dense3VBMI, dense4VBMI}
	denseStream = [...]func(*permutation){dense2VBMIStream, dense3VBMIStream, dense4VBMIStream}
	heldCached  = [...]func(*permutation){held2VBMI, held4VBMI, held6VBMI, held8VBMI, held10VBMI, held12VBMI, held14VBMI, held16VBMI}
	heldStream  = [...]func(*permutation){
		held2VBMIStream, held4VBMIStream, held6VBMIStream, held8VBMIStream,
		held10VBMIStream, held12VBMIStream, held14VBMIStream, held16VBMIStream,
	}
)

// run16 runs a program on vectors of 16 bytes, two periods at once.
func (p *permutation) run16() { permuteAVX2(p) }

// streamsInOrder says which streaming copy is faster out of cache: a single stream on AMD's Zen 5 (1.3 times as fast), four
// pages in turn on Intel's Sapphire Rapids (1.3 times as well).
var streamsInOrder = cpuid.CPU.VendorID == cpuid.AMD

// lines copies lines of 64 bytes.
func (c *copying) lines(level Level, stream bool) {
	switch {
	case level == SSE2 && stream:
		streamLinesSSE2(c)
	case level == SSE2:
		copyLinesSSE2(c)
	case level == AVX2 && stream:
		streamLinesAVX2(c)
	case level == AVX2:
		copyLinesAVX2(c)
	case stream:
		streamLinesAVX512(c)
	default:
		copyLinesAVX512(c)
	}
}

// run copies the rows.
func (g *gathering) run(level Level) {
	switch level {
	case SSE2:
		gatherSSE2(g)
	case AVX2:
		gatherAVX2(g)
	default:
		gatherAVX512(g)
	}
}

func (c *copying) pages() { streamPagesAVX2(c) }
func (c *copying) bytes() { copyBytes(c) }

func fence() { storeFence() }
