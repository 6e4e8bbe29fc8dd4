package npy

import (
	"encoding/binary"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

const (
	align        = 64 // the data starts at a multiple of this many bytes
	growthDigits = 21 // width NumPy reserves for the size that grows when data is appended
)

// AppendHeader appends to dst the whole header, from magic to newline, that np.save writes for such an array. The
// dimensions of a sub-array dtype go to the end of the shape.
//
// The result equals NumPy 1.24's byte for byte: room for the first size (the last in Fortran order) to grow, then
// padding of 1 to 64 spaces (64, not 0, where the header is aligned already), then the oldest version that can hold
// it. Source: _write_array_header and _wrap_header in NumPy numpy/lib/format.py. Errors are Unsupported, or Malformed
// for a shape that no array can have.
func AppendHeader(dst []byte, d dtype.Type, fortran bool, shape []int) ([]byte, error) {
	h := Header{DType: d, Fortran: fortran, Shape: append([]int{}, shape...)}
	if err := checkWritable(&h); err != nil {
		return nil, err
	}
	order := "False"
	if fortran {
		order = "True"
	}
	text := "{'descr': " + Descr(h.DType) + ", 'fortran_order': " + order + ", 'shape': " + reprTuple(h.Shape) + ", }"
	if len(h.Shape) > 0 {
		grows := h.Shape[0]
		if fortran {
			grows = h.Shape[len(h.Shape)-1]
		}
		text += strings.Repeat(" ", max(0, growthDigits-len(strconv.Itoa(grows))))
	}
	return wrap(dst, text)
}

// checkWritable checks shape and dtype, and flattens a sub-array.
func checkWritable(h *Header) error {
	if h.DType.Kind() == 0 {
		return fault.New(fault.Unsupported, "a tensor without a dtype cannot be written as .npy")
	}
	if err := flatten(h); err != nil {
		return err
	}
	if len(h.Shape) > maxRank {
		return fault.New(fault.Unsupported, "%d dimensions are more than .npy readers take (%d)", len(h.Shape), maxRank)
	}
	for _, n := range h.Shape {
		if n < 0 {
			return fault.New(fault.Malformed, "negative size %d in the shape to be written", n)
		}
	}
	_, err := dataBytes(h.Shape, h.DType.ItemSize())
	return err
}

// wrap puts text between preamble and padding, in the oldest version that can hold it.
func wrap(dst []byte, text string) ([]byte, error) {
	latin1, ok := toLatin1(text)
	if ok {
		if total := paddedLength(10, len(latin1)); total <= math.MaxUint16 {
			dst = append(dst, magic+"\x01\x00"...)
			dst = binary.LittleEndian.AppendUint16(dst, uint16(total))
			return appendPadded(dst, latin1, total), nil
		}
	}
	version, body := "\x02\x00", latin1
	if !ok {
		version, body = "\x03\x00", []byte(text)
	}
	total := paddedLength(12, len(body))
	if uint64(total) > math.MaxUint32 {
		return nil, fault.New(fault.Unsupported, "the header would have %d bytes, more than .npy can hold", total)
	}
	dst = append(dst, magic+version...)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(total))
	return appendPadded(dst, body, total), nil
}

// paddedLength returns the header length in bytes, newline included, for a text of n bytes behind the preamble.
func paddedLength(preamble, n int) int {
	n++ // newline
	return n + align - (preamble+n)%align
}

func appendPadded(dst, text []byte, total int) []byte {
	dst = append(dst, text...)
	for range total - len(text) - 1 {
		dst = append(dst, ' ')
	}
	return append(dst, '\n')
}

// toLatin1 encodes s with one byte per character, if it can.
func toLatin1(s string) ([]byte, bool) {
	out := make([]byte, 0, len(s))
	for _, r := range s {
		if r > 0xff || r == utf8.RuneError {
			return nil, false
		}
		out = append(out, byte(r))
	}
	return out, true
}
