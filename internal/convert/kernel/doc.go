// Package kernel moves blocks of elements of 1, 2, 4, 8 or 16 bytes. It knows nothing of tensors: addresses are byte
// offsets into two slices, and only the width of an element matters, not its meaning.
//
//	Best and FromEnv choose the kernels of an instruction set
//	Transpose, Interleave, Deinterleave and Copy move one block
//
// Every kernel equals the loop in its comment, and its plain Go form in generic.go. Callers have checked that all offsets
// are inside the slices: the kernels trust them.
//
// A block is cut into tiles of one instruction sequence. A remainder at an edge is a tile that overlaps finished ones: it
// writes the same bytes again, and nothing outside the block. _asm generates the sequences; the build tag purego omits
// them.
//
//	blocks of rows and columns                matrix in block.go     transposeN in transpose_amd64.s
//	  rows that do not start at a cache line    staging.go             rows_amd64.s
//	a few rows to pixels and back             pixels in pixels.go
//	  by shuffles of whole vectors              shuffle.go             shuffle_amd64.s
//	  by transposing squares                    pixels.go
//	bytes past the caches                     stream.go              copy_amd64.s
//	rows of padding, rows to discard          scratch.go
package kernel

//go:generate go run -C ../../../_asm . ../internal/convert/kernel
