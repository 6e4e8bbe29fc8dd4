// Package explain works out how addresses come about, with the asker's dims, sizes and numbers, and writes it down.
//
//	Axis      a digit of an index, and what one step of it moves (axis.go); in logical order or in that of memory (order.go)
//	Address   the sum of products that leads to an element (address.go)
//	Division  how what lies at an offset is found (division.go)
//	Stride    how a stride follows from the axes inside it (stride.go, stride_text.go)
//	Walk      how contiguity is decided, dim by dim (walk.go)
//	Hint      how PyTorch's suggest_memory_format is decided (hint.go)
//	Padding   why no element lies at an offset (padding.go)
//	Blocks    what a dim that ends inside a block leaves over (blocks.go)
//
// Each is a value that holds all its numbers, and has one way to be written. Strides and offsets are elements; what is
// counted in bytes says so.
package explain
