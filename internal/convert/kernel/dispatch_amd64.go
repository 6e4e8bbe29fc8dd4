//go:build amd64 && !purego

package kernel

import "github.com/klauspost/cpuid/v2"

// detect returns the kernels of every level up to the highest one of this machine. Cpuid reports AVX2 and AVX-512 only if
// the operating system saves their registers.
func detect() []*Kernels {
	all := []*Kernels{{Level: Generic}, {Level: SSE2, lanes: 1}}
	has := cpuid.CPU.Supports
	if !has(cpuid.AVX2) {
		return all
	}
	all = append(all, &Kernels{Level: AVX2, lanes: 2})
	if !has(cpuid.AVX512F, cpuid.AVX512BW, cpuid.AVX512DQ, cpuid.AVX512VL) {
		return all
	}
	return append(all, &Kernels{Level: AVX512, lanes: 4, vbmi: has(cpuid.AVX512VBMI)})
}

// run transposes a block. Direct calls keep b and what it points to on the stack.
func (b *block) run(size, lanes int, stream bool) {
	switch {
	case stream:
		b.runAVX512Stream(size)
	case lanes == 4:
		b.runAVX512(size)
	case lanes == 2:
		b.runAVX2(size)
	default:
		b.runSSE2(size)
	}
}

// run shuffles blocks, in two lanes or in whole vectors.
func (s *shuffle) run(lanes, stream bool) {
	switch {
	case lanes:
		shuffleAVX2(s)
	case stream:
		shuffleVBMIStream(s)
	default:
		shuffleVBMI(s)
	}
}

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

func (c *copying) pages() { streamPagesAVX2(c) }
func (c *copying) bytes() { copyBytes(c) }

// run copies rows in whole cache lines.
func (r *rows) run(stream bool) {
	if stream {
		rowsAVX512Stream(r)
	} else {
		rowsAVX512(r)
	}
}

func fence() { storeFence() }

func (b *block) runAVX512Stream(size int) {
	switch size {
	case 1:
		transpose1AVX512Stream(b)
	case 2:
		transpose2AVX512Stream(b)
	case 4:
		transpose4AVX512Stream(b)
	case 8:
		transpose8AVX512Stream(b)
	case 16:
		transpose16AVX512Stream(b)
	}
}

func (b *block) runAVX512(size int) {
	switch size {
	case 1:
		transpose1AVX512(b)
	case 2:
		transpose2AVX512(b)
	case 4:
		transpose4AVX512(b)
	case 8:
		transpose8AVX512(b)
	case 16:
		transpose16AVX512(b)
	}
}

func (b *block) runAVX2(size int) {
	switch size {
	case 1:
		transpose1AVX2(b)
	case 2:
		transpose2AVX2(b)
	case 4:
		transpose4AVX2(b)
	case 8:
		transpose8AVX2(b)
	case 16:
		transpose16AVX2(b)
	}
}

func (b *block) runSSE2(size int) {
	switch size {
	case 1:
		transpose1SSE2(b)
	case 2:
		transpose2SSE2(b)
	case 4:
		transpose4SSE2(b)
	case 8:
		transpose8SSE2(b)
	case 16:
		transpose16SSE2(b)
	}
}
