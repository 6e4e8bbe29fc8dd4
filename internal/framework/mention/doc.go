// Package mention reads what a pasted text says: where it complains, and which tensors it mentions.
//
//	text ─Passages─► Passage: an exception, or a line of a log ─Tensors─► Tensor: sizes, strides, and whether they were expected
//
// A text is a message, a traceback, the output of pytest, or a log. Nothing of it is executed, and the time and memory that it takes are bounded,
// whatever its length.
//
//	passage.go  the lines that complain, the most likely first, and the user's line that raised them
//	tensor.go   tensors, by the lists of integers in a text and the words before them
//	list.go     the lists
package mention
