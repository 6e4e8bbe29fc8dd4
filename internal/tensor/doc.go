// Package tensor is the layout model: a function from coordinates to storage offsets.
//
//	addr(i) = offset + Σ over dims Σ over digits ((i_dim / div) mod extent) · stride
//
// A dim is a logical axis with a name and a size. Its digits split the index as a mixed-radix number, least
// significant digit first. A plain strided tensor has one digit per dim; NCHW4 gives C two:
//
//	C%4   div 1, extent 4,        stride 1
//	C//4  div 4, extent ⌈C/4⌉,    stride H·W·4
//
// A broadcast is a stride of 0. Padding is a stride larger than the packed one, or a last digit that runs past the
// size. PyTorch, NumPy, DirectML, MegEngine, oneDNN, TVM, TensorRT, XLA tiles and CuTe modes are spellings of this
// one type; package notation reads and prints them.
//
// # Conventions
//
// Offsets, strides, extents and sizes count elements; names that end in Bytes count bytes. Axis 0 is the outermost:
// coordinates run row by row, the last one fastest. (CuTe reads the other way round, leftmost fastest. That concerns
// only how coordinates are numbered, not where they lie.)
//
// Constructors check, methods trust: every Layout and Strided that exists has a rank of at most MaxRank, sizes of at
// least 0, and sizes, spans and offsets that fit an int.
//
// # Rooms
//
//   - Layout, Dim, Digit: the function itself; At and Find, Logical and Memory walk it both ways
//   - Strided: the part that PyTorch and NumPy can say, one stride per dim; contiguity and views are asked of it
//   - Span, Overlap, Infer: what the addresses look like taken together
//   - pytorch_*.go, numpy.go, directml.go, onednn.go, megengine.go: what each framework calls these facts
package tensor
