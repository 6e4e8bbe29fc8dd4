// Package array describes the one array of a file: the packages nifti, nrrd and idx fill it from a file's header, source opens its elements.
package array

import (
	"math"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// Array is a dense array whose elements are bytes of a file.
type Array struct {
	Type    dtype.Type
	Shape   []int
	Fortran bool     // the first dim varies fastest
	Dims    []string // names of dims; nil if the format has none
	File    string   // the file beside the header that has the elements; "": the header's own
	Gzip    bool     // from At on, that file is a gzip stream of the elements
	At      int64    // the first byte of the elements; −1: they are at the end of the file
	Notes   []string
}

// Bytes returns the bytes of all elements. Errors are Malformed: the shape overflows.
func (a *Array) Bytes() (int64, error) {
	n, err := tensor.Numel(a.Shape)
	if err != nil {
		return 0, Damaged("%v", err)
	}
	if int64(n) > math.MaxInt64/int64(a.Type.ItemSize()) {
		return 0, Damaged("its shape overflows 64 bits")
	}
	return a.Type.Size(int64(n)), nil
}

// Damaged is the error for bytes that break the format.
func Damaged(format string, args ...any) *fault.Error {
	return fault.New(fault.Malformed, format, args...).WithHint("copy or download the file again, or write it again")
}
