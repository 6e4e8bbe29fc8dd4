// Package pickle reads Python's pickles of protocols 0 to 5 as a graph of values, without looking up a name, importing or calling
// anything.
//
//	load.go     the machine: a stack, marks, a memo, and one function for each opcode
//	lines.go    values that protocols 0 and 1 write as text
//	object.go   the opcodes that make Python import and call
//	opcode.go   the opcodes, their names, and the refused ones
//	value.go    the graph: GLOBAL is a name; REDUCE, NEWOBJ and BUILD make a Call that remembers what would be called
//
// So there is no allow list to bypass. A graph can have cycles and shared nodes: walk it without recursion, each node once.
//
// Input is assumed to be hostile. A length is compared with the rest of the pickle before anything is allocated. Memo and stack are
// checked. An opcode makes at most one node, so that a pickle has no more nodes than bytes. Errors are *fault.Error and name the opcode
// and its byte: Malformed where the bytes break the format, Unsupported for opcodes that refer to something outside the pickle.
//
// Sources: CPython 3.11, Lib/pickletools.py, whose table describes each opcode; PEP 307, 3154 and 574.
package pickle
