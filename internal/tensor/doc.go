// Package tensor is the layout model: a function from coordinates to storage offsets.
//
//	addr(i) = swizzle(offset + Σ over dims Σ over digits ((i_dim / div) mod extent) · stride)
//
// A dim is a logical axis with a name and a size. Its digits split the index as a mixed-radix number, least
// significant digit first. A plain strided tensor has one digit per dim; NCHW4 gives C two:
//
//	C%4   div 1, extent 4,        stride 1
//	C//4  div 4, extent ⌈C/4⌉,    stride H·W·4
//
// A broadcast is a stride of 0. Padding is a stride larger than the dense one, or a last digit that exceeds the size. CuTe's swizzles
// permute the offsets by XOR of their bits; all other layouts have none, see Swizzle. The layouts of PyTorch, NumPy, DirectML,
// MegEngine, oneDNN, TVM, TensorRT, XLA and CuTe are spellings of this one type; package notation reads and prints them.
//
// # Conventions
//
// Offsets, strides, extents and sizes count elements; names that end in Bytes count bytes. Axis 0 is the outermost: coordinates run row
// by row, the last one fastest. (CuTe numbers them leftmost fastest, which does not change where elements are.)
//
// Constructors check, methods trust: every Layout and Strided that exists has a rank of at most MaxRank, sizes of at
// least 0, and sizes, spans and offsets that fit an int.
//
// # Parts
//
//   - Layout, Dim, Digit: the function itself; At and Find, Logical and Memory evaluate it in both directions
//   - Strided: the layouts that PyTorch and NumPy can express, one stride per dim; contiguity and views
//   - Span, Occupancy, Infer: properties of all addresses together
//   - pytorch_*.go, framework_rules.go: the same properties as each framework defines them
package tensor
