// Package diagnose reads frameworks' error messages about memory layouts, and answers what happened, whether both sides have the same
// memory, what that costs, and what to write instead.
//
// A message is recognized by its fixed words, anywhere in a pasted text. Its sizes and strides go through this program's model; a
// message whose numbers cannot be read is answered without them. Of a text without a known message, Found describes the tensors.
//
//	diagnose.go   the answer, and the table of messages
//	text.go       lists of integers in a text
//	found.go      the tensors that a text mentions
//	related.go    how one shape becomes another
//	strides.go    two sets of strides for the same sizes
//	view.go       views that are refused
//	channels.go   layers that find another size in a dim
//	pixels.go     elements per pixel of an image in another format
//	shape.go      axes in another order than expected
//	sizes.go      shapes that do not fit an operation or a checkpoint
//	kernels.go    strides and alignment that a kernel requires
//	xla.go        XLA's report of what ran out of memory
//	storage.go    what a storage, a file or a buffer cannot hold
package diagnose
