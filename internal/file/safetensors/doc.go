// Package safetensors reads and writes the safetensors format, and reads the index of a checkpoint in several files.
//
//	open.go   Open: a file's header becomes a checkpoint.Container
//	header.go the header's JSON, in its own order
//	cover.go  tensors cover the data without gaps, and have the size of their shape
//	types.go  the format's names of dtypes
//	write.go  NewHeader: the bytes before the data
//	index.go  ReadIndex: which file holds which tensor
//	agree.go  Index.Check: whether the files agree
//	json.go   unambiguous JSON
//
// The rules are those of the format's README and of the reference implementation, safetensors/src/tensor.rs, both of
// huggingface/safetensors 0.8.0-dev.0 (24b0b285, 2026-05-12). Where they differ, the README counts. The reference implementation
// accepts some input that this package refuses: blanks before the header's {, others than spaces after it, duplicate keys (the last one
// counts there), fields of a tensor that the format does not define, and a __metadata__ of null.
package safetensors
