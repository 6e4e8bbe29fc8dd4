// Package trace follows a tensor through the view operations of PyTorch or NumPy: what each does to shape, strides and storage
// offset, by which formula, and whether it copies; and through PyTorch's operators, to the strides of their results.
//
//	Parse("x[1:3] + 1")         steps as they are written → Statements
//	Start(tensor)               a tensor and its storage → State
//	State.FollowAll(Statements) → Followed: the steps, and the call that is refused, or whose result is unknown
//	State.Apply(Call)           → Step, the state after a call and why; *Refusal, in the framework's words and in numbers; or *Stop
//	Steps(rules)                all steps, for the help text
//
// No bytes move: a copy is a new Storage that refers to its source, so that the element at any offset can be traced back to the first
// storage.
//
//	state.go, step.go       a tensor between steps; what a step returns; how it is found
//	syntax.go, expression.go, literal.go, parse_error.go
//	                        from text to statements; their expressions; values
//	script.go, names.go, evaluate.go, function.go, arithmetic.go
//	                        statements and what they return; names; expressions; calls of functions; numbers
//	call.go, argument.go    calls, and their arguments
//	pytorch.go, numpy.go    the tables of operations
//	permute.go, index.go, reshape.go, expand.go, window.go, copy.go
//	                        the arithmetic of operations; NumPy's own in numpy_copy.go and numpy_reshape.go
//	splits.go               operations that return several tensors, chunk and split
//	operators.go            PyTorch's operators by the rule of their strides
//	iterator.go, reduce.go, gather.go, joins.go, image.go, pool.go, products.go, einsum.go, convolution.go
//	                        the rules: elementwise, reductions, indices, cat and stack, images, products
//	composed.go, complex.go operators made of others, roll and glu; complex numbers
//	factory.go, write.go, types.go
//	                        new tensors; writes into a tensor; dtypes
//	merge.go                which dims a view can merge, and what to do if it cannot
//	einops.go, einops_pattern.go, einops_reduce.go
//	                        a call of einops as calls of the framework; its pattern; reductions, and NumPy's tile
//
// The tests draw chains of steps and compare them with the installed PyTorch and NumPy.
package trace
