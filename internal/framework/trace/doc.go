// Package trace follows a tensor through the view operations of PyTorch or NumPy: what each does to shape, strides and storage
// offset, by which formula, and whether it copies; and through PyTorch's operators, to the strides of their results.
//
//	Parse("[1:3, ::2]")   a step as it is written → Call
//	Start(tensor)         a tensor and its storage → State
//	State.Apply(Call)     → Step, the state after it and why; or *Refusal, in the framework's words and in numbers
//	State.Follow(Call)    the same, as several steps for a call of einops
//	Steps(rules)          all steps, for the help text
//
// No bytes move: a copy is a new Storage that refers to its source, so that the element at any offset can be traced back to the first
// storage.
//
//	state.go, step.go       a tensor between steps; what a step returns; how it is found
//	parse.go, parse_value.go, argument.go
//	                        from text to a call, and from a call to arguments
//	pytorch.go, numpy.go    the tables of operations
//	permute.go, index.go, reshape.go, expand.go, window.go, copy.go
//	                        the arithmetic of operations; NumPy's own in numpy_copy.go and numpy_reshape.go
//	splits.go             operations that return several tensors, chunk and split
//	operators.go, iterator.go, products.go, convolution.go, types.go
//	                        PyTorch's operators, elementwise ones, matmul and conv2d; dtypes
//	merge.go                which dims a view can merge, and what to do if it cannot
//	einops.go, einops_pattern.go, einops_reduce.go
//	                        a call of einops as calls of the framework; its pattern; reductions, and NumPy's tile
//
// The tests draw chains of steps and compare them with the installed PyTorch and NumPy.
package trace
