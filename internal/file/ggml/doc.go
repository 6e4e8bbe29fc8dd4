// Package ggml describes the blocks in which ggml stores quantized values: which bytes of a block are scales and which are codes, where a
// value's code is, and what it stands for.
//
//	block.go    Type: a type of blocks, its parts, the code of a value, and the value
//	types.go    the types, row by row
//	scale.go    scales of each family, as they are stored
//	lattice.go  codes that are an index of a grid and a sign: iq1, iq2 and iq3
//
// A value is scale · level + min, in float32: its level is what its code stands for, its scale and min are those of its group. Sources: the
// structures of src/ggml-common.h and dequantize_row_* of src/ggml-quants.c, of ggml 0.21.0 (d99724f2).
package ggml
