// Package nifti reads the headers of NIfTI-1 and NIfTI-2 images, in one file or as a header beside its image.
//
// Dims are X, Y, Z, T, U, V and W, the first of which varies fastest. Three or four bytes of a color are a dim C before them. The numbers are those
// of the file: scl_slope and scl_inter, by which readers scale them, are a note. (niftilib: nifti1.h, nifti2.h; nibabel 5.4, nifti1.py)
package nifti

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/array"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// Sizes of headers in bytes, with which they begin.
const (
	size1 = 348
	size2 = 540
)

// IsHeader reports whether a file begins as an image of version 1 or 2, or as the header beside one.
func IsHeader(head string) bool {
	_, _, ok := recognize([]byte(head))
	return ok
}

// magics are those of version 1 at byte 344, of one file and of a header beside its image.
const (
	magicAt   = 344
	oneFile   = "n+1\x00"
	twoFiles  = "ni1\x00"
	oneFile2  = "n+2\x00\r\n\x1a\n" // of version 2, at byte 4
	twoFiles2 = "ni2\x00\r\n\x1a\n"
)

// recognize returns the version of a header, and its byte order.
func recognize(head []byte) (version int, order binary.ByteOrder, ok bool) {
	if len(head) < size1 {
		return 0, nil, false
	}
	magic := string(head[magicAt : magicAt+4])
	magic2 := string(head[4:12])
	version = 1
	begin := uint32(size1)
	if magic2 == oneFile2 || magic2 == twoFiles2 {
		version = 2
		begin = size2
	} else if magic != oneFile && magic != twoFiles {
		return 0, nil, false
	}
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		if order.Uint32(head) == begin {
			return version, order, true
		}
	}
	return 0, nil, false
}

// header is what both versions have of an image.
type header struct {
	apart        bool // the image is in another file
	dim          [8]int64
	kind         int16
	begin        float64 // vox_offset
	slope, inter float64
	order        binary.ByteOrder
}

// Open reads the header of an image, or of one beside it, in a file of this name. Errors are Malformed, Unsupported, or r's own.
func Open(r io.ReaderAt, size int64, name string) (*array.Array, error) {
	raw := make([]byte, min(size, size2))
	if _, err := io.ReadFull(io.NewSectionReader(r, 0, size), raw); err != nil {
		return nil, err
	}
	version, order, ok := recognize(raw)
	if !ok || version == 2 && len(raw) < size2 {
		return nil, array.Damaged("not a NIfTI image, or shorter than its header")
	}
	h := read1(raw, order)
	if version == 2 {
		h = read2(raw, order)
	}
	return h.array(name, int64(len(raw)), version)
}

func read1(raw []byte, order binary.ByteOrder) *header {
	float := func(at int) float64 { return float64(math.Float32frombits(order.Uint32(raw[at:]))) }
	h := &header{apart: string(raw[magicAt:magicAt+4]) == twoFiles, kind: int16(order.Uint16(raw[70:])), begin: float(108), slope: float(112),
		inter: float(116), order: order}
	for d := range h.dim {
		h.dim[d] = int64(int16(order.Uint16(raw[40+2*d:])))
	}
	return h
}

func read2(raw []byte, order binary.ByteOrder) *header {
	float := func(at int) float64 { return math.Float64frombits(order.Uint64(raw[at:])) }
	h := &header{apart: string(raw[4:12]) == twoFiles2, kind: int16(order.Uint16(raw[12:])), begin: float64(int64(order.Uint64(raw[168:]))),
		slope: float(176), inter: float(184), order: order}
	for d := range h.dim {
		h.dim[d] = int64(order.Uint64(raw[16+8*d:]))
	}
	return h
}

// types are the types of elements by their numbers, and how many of them a voxel has if it is a color.
var types = map[int16]struct {
	name   string
	colors int
}{
	2: {"u1", 0}, 4: {"i2", 0}, 8: {"i4", 0}, 16: {"f4", 0}, 32: {"c8", 0}, 64: {"f8", 0}, 128: {"u1", 3}, 256: {"i1", 0}, 512: {"u2", 0},
	768: {"u4", 0}, 1024: {"i8", 0}, 1280: {"u8", 0}, 1536: {"f16", 0}, 1792: {"c16", 0}, 2048: {"c32", 0}, 2304: {"u1", 4},
}

// array returns the image that a header of so many bytes describes.
func (h *header) array(name string, bytes int64, version int) (*array.Array, error) {
	t, known := types[h.kind]
	if !known {
		return nil, fault.New(fault.Unsupported, "its elements are of datatype %d", h.kind)
	}
	prefix := "<"
	if h.order == binary.BigEndian {
		prefix = ">"
	}
	a := &array.Array{Fortran: true}
	var err error
	a.Type, err = dtype.Parse(prefix + t.name)
	if err != nil {
		return nil, fault.New(fault.Unsupported, "its elements are of datatype %d", h.kind)
	}
	if t.colors > 0 {
		a.Dims = []string{"C"}
		a.Shape = []int{t.colors}
	}
	rank := h.dim[0]
	if rank < 1 || rank > 7 {
		return nil, array.Damaged("it has %d dims", rank)
	}
	for d := range rank {
		n := h.dim[1+d]
		if n < 0 || n > math.MaxInt {
			return nil, array.Damaged("the size of dim %d is %d", d, n)
		}
		a.Dims = append(a.Dims, string("XYZTUVW"[d]))
		a.Shape = append(a.Shape, int(n))
	}
	if h.begin < 0 || h.begin != math.Trunc(h.begin) || h.begin > math.MaxInt64/2 {
		return nil, array.Damaged("its elements begin at byte %g", h.begin)
	}
	a.At = int64(h.begin)
	least := bytes + 4 // bytes that say whether extensions follow
	if version == 1 {
		least = size1 + 4
	}
	switch {
	case h.apart:
		a.File = imageOf(name)
	case a.At == 0:
		a.At = least
	case a.At < least:
		return nil, array.Damaged("its elements begin at byte %d, inside the header", a.At)
	}
	if h.scales() {
		a.Notes = append(a.Notes, fmt.Sprintf("scl_slope: readers return value × %g + %g; these are the stored values", h.slope, h.inter))
	}
	return a, nil
}

// scales reports whether readers scale the numbers: a slope of 0 says that they do not. (nifti1.h, scl_slope)
func (h *header) scales() bool {
	isFinite := h.slope-h.slope == 0
	isIdentity := h.slope == 1 && h.inter == 0
	return h.slope != 0 && isFinite && !isIdentity
}

// imageOf returns the name of the image beside a header: x.img of x.hdr.
func imageOf(name string) string {
	end := len(name) - len(".hdr")
	if end > 0 && strings.EqualFold(name[end:], ".hdr") {
		return name[:end] + ".img"
	}
	return name + ".img"
}
