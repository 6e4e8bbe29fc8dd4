// Package reader reads memory as fast as one core can, and adds up what it read, so that no read can be left out. It
// is the inner part of a walk over a tensor: two loops of rows.
//
//	For        chooses the instruction set
//	Add        adds rows of 1 to 64 bytes to 64 lanes, bit by bit modulo 2
//	AddAt      the same of rows at listed places
//	Lanes.Sum  the sum of each byte of an item
//	Load       only reads: the roof
//
// Such a sum does not depend on what the bytes mean, nor on the order in which they are read: it is the same for a tensor
// in any layout. It is exclusive or, of which AVX-512 does two with one instruction: in the first cache an addition for
// each vector takes half as long again as loading alone.
//
// What runs are kernels made by _asm, in read_amd64.s, or the plain Go of generic.go, which the build tag purego and
// other processors have instead.
package reader

//go:generate go run -C ../../../_asm . ../internal/bench/reader
