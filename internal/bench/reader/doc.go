// Package reader reads memory as fast as one core can, and xors what it reads, so that no read can be omitted. It is the
// inner part of a walk over a tensor: two loops of rows.
//
//	For        chooses the instruction set
//	Add        xors rows of 1 to 64 bytes into 64 lanes
//	AddAt      does the same with rows at listed offsets
//	Lanes.Sum  folds the lanes to the bytes of an element
//	Load       only reads
//	Ways       the ways to read memory; the fastest is the roofline
//
// The result depends neither on the meaning of the bytes nor on the order of the reads: it is the same for a tensor in any
// layout. In L1, one xor per vector takes half as long again as loading alone.
//
// _asm generates the kernels in read_amd64.s. The build tag purego and other processors use the plain Go of generic.go.
package reader

//go:generate go run -C ../../../_asm . ../internal/bench/reader
