// Package diagnose reads frameworks' complaints about memory layouts, and answers what happened, whether both sides have the same memory,
// what that costs, and what to write instead.
//
//	text ─mention─► the line that complains, its tensors ─newComplaint─► complaint ─rule─► Answer
//
// Complaints are of few kinds, whatever their words. complaints.txt has the kinds, each with rules that recognize it and answer from the
// message's numbers, and above them the messages that are known by their words, which say more than their kind. A message wins; a kind
// answers where none is known; a text without either is described by Found. frameworks.txt has whose words are whose, and what its users
// write to repair a tensor. Sizes and strides go through this program's model; a message whose numbers cannot be read is answered without them.
//
//	diagnose.go    the answer; Read tries messages and kinds; table.go: how the tables are read
//	complaint.go   what a message says, and how a rule answers it
//	framework.go   whose message it is, and in which language its repairs are
//	contiguous.go  contiguity, row- and column-major, alignment
//	strides.go     strides that were expected, and others there; order.go: orders of dims
//	channels.go    layers that find another size in a dim
//	shape.go       shapes, ranks and names of dims that were expected, and others there; related.go: how one shape becomes another
//	view.go        views that are refused; pixels.go: elements per pixel of an image in another format
//	storage.go     storages that end too early; tile.go: tiles of threads; xla.go: XLA's report of what ran out of memory
//	found.go       the sizes and strides of a text without a complaint
package diagnose
