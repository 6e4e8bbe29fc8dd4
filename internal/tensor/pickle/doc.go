// Package pickle reads Python's pickles of protocols 0 to 5 as a graph of values, and does nothing else: no name is looked up,
// nothing is imported or called.
//
//	load.go     the machine: a stack, marks, a memo, and one function for each opcode
//	lines.go    values that protocols 0 and 1 write as text
//	object.go   the opcodes of what Python would import and call
//	opcode.go   the opcodes, their names, and which are refused
//	value.go    the graph: GLOBAL is a name; REDUCE, NEWOBJ and BUILD make a Call that remembers what would be called
//
// So there is no list of what is allowed, and no way around one. A graph can have cycles and shared nodes: walk it without
// recursion, each node once.
//
// Every byte read is taken to be hostile. A length is at most what is left of the pickle before anything is allocated for it.
// Memo and stack are checked. An opcode makes at most one node, so that a pickle has at most as many nodes as bytes. Errors
// are *fault.Error and name the opcode and its byte: Malformed where the bytes break the format, Unsupported for opcodes
// that need more than the pickle itself.
//
// Sources: CPython 3.11, Lib/pickletools.py, whose table describes each opcode; PEP 307, 3154 and 574.
package pickle
