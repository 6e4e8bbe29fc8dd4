// Package kernel moves blocks of items of 1, 2, 4, 8 or 16 bytes. It knows nothing of tensors: addresses are byte
// offsets into two slices, and what a number means does not matter, only how wide it is.
//
//	Best or For chooses the kernels of an instruction set
//	Transpose, Interleave, Deinterleave, Copy move one block
//
// Every kernel equals the loop in its comment, which is also its plain Go form in generic.go. Callers have checked
// that all offsets lie inside the slices: the kernels trust them.
package kernel
