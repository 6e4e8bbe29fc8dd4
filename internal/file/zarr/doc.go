//go:build !js

// Package zarr reads arrays of Zarr, versions 2 and 3: a folder with a JSON of metadata, and a file for each chunk.
//
//	open.go    Open: the arrays of a folder become a checkpoint.Container
//	json.go    metadata of versions 2 and 3, as one array
//	fill.go    the value of elements that no file has
//	codec.go   a chunk's bytes: gzip, zlib, Zstandard, CRC-32C
//	read.go    the elements of an array, from its chunks
//
// A chunk is dense, in C order unless transposed or, in version 2, of order F. The container has each array in the memory order of its chunks,
// without gaps: consecutive elements of a chunk are consecutive there.
//
// The rules are those of the specifications of Zarr, versions 2 and 3.1, and of zarr-python 3.1. Input is assumed to be hostile: Open reads
// metadata only, and data are read into one row of chunks at a time, of at most maxRow bytes.
package zarr
