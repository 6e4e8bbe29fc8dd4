// Package explain derives offsets, strides, contiguity and padding from a tensor's sizes and strides, and shows the derivation.
//
//	Axis      a digit of an index and its stride, in logical or in memory order (axis.go)
//	Address   the sum of products that is an element's offset (address.go)
//	Division  how the element at an offset is found (address.go)
//	Stride    how a stride follows from the axes inside it (stride.go)
//	Walk      how contiguity is decided, dim by dim (contiguity.go)
//	Hint      how PyTorch's suggest_memory_format is decided (contiguity.go)
//	Padding   why an offset has no element (padding.go)
//	blocks    the padding of a dim that does not fill its last block (padding.go)
//
// Each is a value with all its numbers, and its String is its only sentence. Strides and offsets count elements unless stated
// otherwise.
package explain
