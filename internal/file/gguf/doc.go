// Package gguf reads the GGUF format: the positions of its tensors, and its metadata. It does not write files.
//
//	open.go   Open: a file's tensors become a checkpoint.Container
//	reader.go numbers and texts of a file, no longer than the rest of it
//	value.go  typed values, as text
//	info.go   a tensor's name, sizes, type and position
//	types.go  ggml's types: blocks of several values in some bytes
//
// The rules are those of docs/gguf.md and src/gguf.cpp of ggml 0.21.0 (d99724f2, 2026-08-21). Where they differ, everything unambiguous
// is read: names longer than ggml's 64 bytes, more than 4 dims, nested arrays, data not in the order of the infos or with gaps,
// big-endian files. ggml refuses these; the specification allows them.
package gguf
