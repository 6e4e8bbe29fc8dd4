package npy

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"strings"
	"unicode/utf8"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// Header describes a .npy file's data.
//
// Invariants: at most 64 dimensions, none negative; the product of the dimensions that are not zero and DataBytes fit int; DType is not
// a sub-array.
type Header struct {
	Major, Minor uint8 // format version
	DType        dtype.Type
	Fortran      bool   // elements in Fortran order: the first index varies fastest
	Shape        []int  // elements; the dimensions of a sub-array dtype are appended
	DataOffset   int64  // bytes from the start of the file
	DataBytes    int64  // product of Shape times the item size
	Descr        string // the dtype as a Python literal, in NumPy's spelling
	Chars        int    // characters of the header's text, as np.load counts them
	Python2      bool   // the text has a Python 2 integer, 3L
}

// Limits bounds what a file may claim.
type Limits struct {
	MaxHeader int64 // bytes, up to 64 MiB; 0 means 1 MiB
}

// maxHeaderLimit bounds every header in bytes, and with it the memory for an endless stream: about four times as much while the text is
// decoded.
const maxHeaderLimit = 64 << 20

func (l Limits) maxHeader() int64 {
	if l.MaxHeader > 0 {
		return min(l.MaxHeader, maxHeaderLimit)
	}
	return 1 << 20
}

// ReadHeader reads the header at the start of r and leaves r at the first byte of the data. fileSize is the size of
// the file in bytes, negative if unknown; bytes after the data are allowed. Short reads are fine.
//
// If fileSize is known, header and data must fit into it. Memory use is proportional to the bytes present, not those claimed. Errors
// are Malformed or Unsupported; those of r are wrapped.
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
	h.Major = pre.major
	h.Minor = pre.minor
	h.Chars = utf8.RuneCountInString(text)
	h.DataOffset = pre.size() + pre.length
	h.Descr = Descr(h.DType)
	h.DataBytes, err = dataBytes(h.Shape, h.DType.ItemSize())
	if err != nil {
		return Header{}, err
	}
	return h, checkFits(h, fileSize)
}

// ObjectDescr is the dtype of an object array, whose data is a pickle instead of elements.
const ObjectDescr = "|O"

// ErrObjects refuses an object array where elements are wanted.
var ErrObjects error = fault.New(fault.Unsupported, "the elements are Python objects, in a pickle").
	WithHint("name the file, or x.npz:NAME, for the arrays in it")

// Objects returns the byte at which the pickle of an object array begins, in a file of size bytes; ok is false for all other files. (write_array of
// numpy/lib/format.py)
func Objects(r io.Reader, fileSize int64, lim Limits) (at int64, ok bool) {
	pre, err := readPreamble(r, fileSize)
	if err != nil {
		return 0, false
	}
	text, err := readText(r, pre, fileSize, lim.maxHeader())
	if err != nil {
		return 0, false
	}
	p := newParser(text, pre.major <= 2)
	p.dict()
	return pre.size() + pre.length, p.objects
}

// Magic begins a .npy file.
const Magic = "\x93NUMPY"

// preamble is what precedes the header's text.
type preamble struct {
	major, minor uint8
	length       int64 // of the text, in bytes
}

// size returns the bytes of magic, version and length.
func (p preamble) size() int64 {
	if p.major == 1 {
		return 10
	}
	return 12
}

func readPreamble(r io.Reader, fileSize int64) (preamble, error) {
	if fileSize == 0 {
		return preamble{}, fault.New(fault.Malformed, "the file is empty")
	}
	var buf [12]byte
	n, err := io.ReadFull(r, buf[:8])
	if have := buf[:min(n, len(Magic))]; string(have) != Magic[:len(have)] {
		e := fault.New(fault.Malformed, "not a .npy file: it starts with %q instead of %q", have, Magic)
		if strings.HasPrefix(string(have), "PK\x03\x04") || strings.HasPrefix(string(have), "PK\x05\x06") { // the second is an archive without members
			e.Hint = "it is a zip archive, which can only be read from a file"
		}
		return preamble{}, e
	}
	if err != nil {
		return preamble{}, endOf(err, "magic and version", int64(n))
	}
	p := preamble{major: buf[6], minor: buf[7]}
	if p.major < 1 || p.major > 3 || p.minor != 0 {
		return preamble{}, fault.New(fault.Unsupported, "unsupported .npy version %d.%d: want 1.0, 2.0 or 3.0", p.major, p.minor)
	}
	n, err = io.ReadFull(r, buf[8:p.size()])
	if err != nil {
		return preamble{}, endOf(err, "header length", 8+int64(n))
	}
	p.length = int64(binary.LittleEndian.Uint32(buf[8:])) // version 1 read two bytes; the others are zero
	return p, nil
}

// readText reads the header's text, and returns it as UTF-8. The length is checked before anything is allocated.
func readText(r io.Reader, p preamble, fileSize, limit int64) (string, error) {
	if fileSize >= 0 && p.length > fileSize-p.size() {
		return "", fault.New(fault.Malformed, "the header claims %d bytes, but the file has %d after the length",
			p.length, max(0, fileSize-p.size()))
	}
	if p.length > limit {
		e := fault.New(fault.Unsupported, "the header has %d bytes, over the limit of %d", p.length, limit)
		if p.length <= maxHeaderLimit {
			e.Hint = fmt.Sprintf("for a trusted file, use --max-header %d", p.length)
		}
		return "", e
	}
	text, err := io.ReadAll(io.LimitReader(r, p.length)) // grows as bytes arrive
	if err != nil {
		return "", fault.In("reading the header", err)
	}
	if int64(len(text)) < p.length {
		return "", endOf(io.EOF, "header", p.size()+int64(len(text)))
	}
	if p.major < 3 {
		return fromLatin1(text), nil
	}
	if !utf8.Valid(text) {
		return "", fault.New(fault.Malformed, "the header is not valid UTF-8, as version 3.0 requires")
	}
	return string(text), nil
}

// fromLatin1 decodes text whose bytes are code points.
func fromLatin1(b []byte) string {
	var out strings.Builder
	out.Grow(len(b))
	for _, c := range b {
		out.WriteRune(rune(c))
	}
	return out.String()
}

// endOf turns the end of the input into a Malformed error; other read errors stay as they are. have is in bytes.
func endOf(err error, within string, have int64) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fault.New(fault.Malformed, "the file ends after %d bytes, within the %s", have, within)
	}
	return fault.In("reading the "+within, err)
}

// dataBytes returns the product of shape times itemSize bytes. A size of zero makes the product zero, but the product of the other
// sizes must still fit int, since strides are computed from it.
func dataBytes(shape []int, itemSize int) (int64, error) {
	product := uint64(max(itemSize, 1))
	empty := itemSize == 0
	for _, n := range shape {
		if n == 0 {
			empty = true
			continue
		}
		hi, lo := bits.Mul64(product, uint64(n))
		if hi != 0 || lo > math.MaxInt64 {
			return 0, fault.New(fault.Malformed, "shape times item size exceeds 2^63-1 bytes")
		}
		product = lo
	}
	if product > math.MaxInt {
		return 0, tooLargeHere()
	}
	if empty {
		return 0, nil
	}
	return int64(product), nil
}

// checkFits compares the header's claims with the size of the file, negative if unknown.
func checkFits(h Header, fileSize int64) error {
	if h.DataBytes > math.MaxInt64-h.DataOffset {
		return fault.New(fault.Malformed, "the data would end beyond 2^63-1 bytes")
	}
	if have := fileSize - h.DataOffset; fileSize >= 0 && have < h.DataBytes {
		err := fault.New(fault.Malformed, "truncated data: %d bytes expected after the header, %d found",
			h.DataBytes, have)
		return err.WithHint("the file is incomplete; copy or download it again")
	}
	return nil
}
