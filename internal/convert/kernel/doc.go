// Package kernel moves blocks of elements of 1, 2, 4, 8 or 16 bytes. It knows nothing of tensors: addresses are byte
// offsets into two slices, and only the width of an element matters, not its meaning.
//
//	Best and FromEnv choose the kernels of an instruction set
//	NewBlock prepares rows and columns of a block; Block.Run moves many such blocks, Copy a run of bytes
//
// Every block equals the loop in its comment, and its plain Go form in generic.go. Callers have checked that all offsets
// are inside the slices: the kernels trust them.
//
// A kernel is given a table of what a block is, a list of where blocks are, and of lines to prefetch. What remains at an edge
// overlaps what is finished: it writes the same bytes again, and nothing outside the block. Tiles may read beyond short rows, where the
// source goes on. _asm generates the kernels; the build tag purego omits them.
//
//	many rows and columns, by tiles           grid.go       tile_amd64.s, tile_arm64.s
//	  rows that begin anywhere in a line      shifted.go    (the same)
//	  source rows that share sets of a cache  gather.go     gather_amd64.s, gather_arm64.s
//	few rows or columns, padding, any bytes   program.go    program_amd64.s, program_arm64.s
//	  compiled from addresses                 cost.go, compile.go, terms.go
//	what follows in the destination           staged.go     copy_amd64.s
//	  from its first whole line on            head.go
//	everything else, by elements              generic.go
//	the order in which a source is fetched    ahead.go
//	runs of bytes                             stream.go     copy_amd64.s
package kernel

//go:generate go run -C ../../../_asm . ../internal/convert/kernel
