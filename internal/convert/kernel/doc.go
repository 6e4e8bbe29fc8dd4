// Package kernel moves blocks of items of 1, 2, 4, 8 or 16 bytes. It knows nothing of tensors: addresses are byte
// offsets into two slices, and what a number means does not matter, only how wide it is.
//
//	Best, For or FromEnv chooses the kernels of an instruction set
//	Transpose, Interleave, Deinterleave, Copy move one block
//
// Every kernel equals the loop in its comment, which is also its plain Go form in items.go. Callers have checked that
// all offsets lie inside the slices: the kernels trust them.
//
// A block is cut into what one instruction sequence does at once, and what is left over at an edge is done again
// together with what lies beside it: the same bytes are written twice with the same values, nothing outside is touched.
// Sequences are made by _asm; the build tag purego leaves them out.
//
//	blocks of rows and columns              matrix in block.go     transposeN in transpose_amd64.s
//	few rows to pixels and back             pixels in pixels.go
//	  … by shuffles of whole vectors          shuffle.go, program.go   shuffle_amd64.s
//	  … by transposing them in squares        squares.go
//	bytes past the caches                   stream.go              copy_amd64.s
package kernel

//go:generate go run -C ../../../_asm . ../internal/convert/kernel
