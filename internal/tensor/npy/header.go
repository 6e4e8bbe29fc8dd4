package npy

import (
	"io"

	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// Header is what a .npy file says about its data.
//
// Invariants: at most 64 dimensions, none negative; the product of the dimensions that are not zero and DataBytes fit
// int; DType is no sub-array.
type Header struct {
	Major, Minor uint8 // format version
	DType        dtype.Type
	Fortran      bool   // elements in Fortran order: the first index runs fastest
	Shape        []int  // elements; the dimensions of a sub-array dtype are appended
	DataOffset   int64  // bytes from the start of the file
	DataBytes    int64  // product of Shape times the item size
	Descr        string // the dtype as a Python literal, in NumPy's spelling
}

// Limits bounds what a file may claim.
type Limits struct {
	MaxHeader int64 // bytes; 0 stands for 1 MiB
}

func (l Limits) maxHeader() int64 {
	if l.MaxHeader > 0 {
		return l.MaxHeader
	}
	return 1 << 20
}

// ReadHeader reads the header at the start of r and leaves r at the first byte of the data. fileSize is the size of
// the file in bytes, negative where it is not known; bytes behind the data are allowed. Short reads are fine.
//
// Where fileSize is known, header and data must lie within it. Memory use follows the bytes that are really there,
// not those claimed. Errors are Malformed or Unsupported; those of r come through wrapped.
func ReadHeader(r io.Reader, fileSize int64, lim Limits) (Header, error) {
	pre, err := readPreamble(r, fileSize)
	if err != nil {
		return Header{}, err
	}
	text, err := readText(r, pre, fileSize, lim.maxHeader())
	if err != nil {
		return Header{}, err
	}
	h, err := parseText(text, pre.major <= 2)
	if err != nil {
		return Header{}, err
	}
	h.Major, h.Minor = pre.major, pre.minor
	h.DataOffset = pre.size() + pre.length
	h.Descr = Descr(h.DType)
	if h.DataBytes, err = dataBytes(h.Shape, h.DType.ItemSize()); err != nil {
		return Header{}, err
	}
	return h, checkFits(h, fileSize)
}
