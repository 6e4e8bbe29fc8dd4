// Package kernel transposes blocks: rows of a source become columns of a destination. Elements have 1, 2, 4, 8 or 16 bytes, which move as
// they are. Every method equals this loop, for each Job j of a Block:
//
//	for i in dstRows:
//	    for k in srcRows:
//	        dst[j.Dst + dstRows[i] + k·size] = src[j.Src + srcRows[k] + i·size]
//
//	            elements of a source row →                    elements of a destination row →
//	srcRows[0]  a0 a1 a2 a3                       dstRows[0]  a0 b0 c0
//	srcRows[1]  b0 b1 b2 b3              →        dstRows[1]  a1 b1 c1
//	srcRows[2]  c0 c1 c2 c3                       dstRows[2]  a2 b2 c2
//	                                              dstRows[3]  a3 b3 c3
//
// Rows are anywhere, on both sides: the tables hold byte offsets. The package does not depend on tensors.
//
//	Best, FromEnv  choose the Kernels of an instruction set             level.go, dispatch_*.go
//	NewBlock       chooses the method for a block of rows and columns   block.go
//	Block.Run      moves many blocks of that shape, one for each Job
//	Copy           copies a run of bytes                                copy.go
//
// There are three methods, and copies:
//
//	tiles     many rows and columns: squares are transposed in registers      tile.go
//	program   few rows or columns, padding: vectors are permuted by bytes     program.go, compiled by compile.go, terms.go, cost.go
//	elements  everything else, in plain Go                                    elements.go
//
// Two more run one of these on a copy, at amd64's levels (stage.go): gather, of source rows that evict each other from the first cache, and stage,
// of destinations that tiles do not write in whole lines.
//
// Tiles and programs of AVX2 and AVX-512 write whole cache lines where they can, and stream them past the caches if Block.Run requests it. They
// prefetch the source of the next job (prefetch.go). Edges overlap: the last tile of a row begins earlier and writes some elements
// again, never anything outside the block. Tiles may read beyond short rows, inside the source.
//
// The caller has checked that all offsets are inside the slices: kernels trust them. _asm generates the assembly; the build tag purego
// omits it.
//
// To add a method: its loop in this comment and in elements.go, its generator in _asm, its choice in dispatch_amd64.go or dispatch_arm64.go. The
// conformance tests cover all levels of Available, which are those of the machine: make generate, make test-cpu (the lower levels), make
// test-arm64.
package kernel

//go:generate go run -C ../../../_asm . ../internal/convert/kernel
