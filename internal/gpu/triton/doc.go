// Package triton reads the layouts of Triton and its dialect Gluon: which thread holds which element of a tensor, and where a tensor is
// in shared memory, or in tensor memory.
//
//	Parse("#ttg.blocked<{sizePerThread = [1, 4], …}>") ─► Attribute ─┬ Linear(shape) ─► bases of register, lane and warp; of column, lane and CTA
//	Parse("gl.SwizzledSharedLayout(8, 1, 8, [1, 0])")                └ Layout(sizes) ─► tensor.Layout, digits and a swizzle
//
// A linear layout is linear over XOR. Each bit of an input, such as the lane, has a basis, a vector of coordinates:
//
//	coord(register, lane, warp) = ⊕ bases of the set bits of all three
//
// Every kind builds bases, and one function evaluates them. (lib/Dialect/TritonGPU/IR/LinearLayoutConversions.cpp, Triton 3.9; "Linear
// Layouts", arXiv 2505.23819)
package triton
