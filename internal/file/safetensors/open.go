package safetensors

import (
	"encoding/binary"
	"errors"
	"io"
	"math"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

const (
	prefix    = 8           // bytes of the header's length: N_LEN in tensor.rs
	maxHeader = 100_000_000 // bytes: MAX_HEADER_SIZE in tensor.rs
)

// Open reads the header of a file of size bytes, but no data. Memory is proportional to the tensors and their names. The tensors, each
// with its own storage, are in the header's order. Errors are Malformed, Unsupported, Resource for more tensors than the limit, or r's
// own.
func Open(r io.ReaderAt, size int64, limit checkpoint.Limit) (*checkpoint.Container, error) {
	n, err := headerSize(r, size)
	if err != nil {
		return nil, err
	}
	h, err := newDocument("the header", r, prefix, n, limit).parse()
	if err != nil {
		return nil, err
	}
	data := prefix + n
	if err := h.check(uint64(size - data)); err != nil {
		return nil, err
	}
	return h.container(data), nil
}

// headerSize returns the size of the header, checked against the file's size.
func headerSize(r io.ReaderAt, size int64) (int64, error) {
	if size < prefix {
		return 0, damaged("a file of %d bytes is too short for a header's length", size)
	}
	var raw [prefix]byte
	if err := read(r, raw[:], 0); err != nil {
		return 0, err
	}
	n := binary.LittleEndian.Uint64(raw[:])
	switch {
	case n > maxHeader:
		return 0, damaged("not a safetensors file, or damaged: its header would have %d bytes, over the limit of 100,000,000", n)
	case n > uint64(size-prefix):
		return 0, damaged("the header has %d bytes, but the file only %d after its length", n, size-prefix)
	}
	return int64(n), nil
}

// read reads len(p) bytes, which the file's size guarantees.
func read(r io.ReaderAt, p []byte, at int64) error {
	n, err := r.ReadAt(p, at)
	if n == len(p) {
		return nil
	}
	if errors.Is(err, io.EOF) {
		return damaged("the file shrank while it was read")
	}
	return err
}

// container makes tensors from checked entries, whose data begin at byte data of the file.
func (h *header) container(data int64) *checkpoint.Container {
	c := &checkpoint.Container{Format: checkpoint.Safetensors, Metadata: h.metadata, Tensors: make([]checkpoint.Tensor, 0, len(h.entries)),
		Storages: make([]checkpoint.Storage, 0, len(h.entries))}
	for _, e := range h.entries {
		t, err := e.tensor()
		if err != nil {
			c.Refused = append(c.Refused, checkpoint.Refused{Name: e.name, Why: err.Error()})
			continue
		}
		t.Storage = len(c.Storages)
		c.Tensors = append(c.Tensors, t)
		c.Storages = append(c.Storages, checkpoint.Storage{ID: e.name, At: data + int64(e.begin), Bytes: int64(e.end - e.begin)})
	}
	return c
}

// tensor returns the entry in C order, the format's only order. The error is why it cannot be shown.
func (e *entry) tensor() (checkpoint.Tensor, error) {
	name, width := find(e.dtype)
	if width == 0 {
		return checkpoint.Tensor{}, fault.New(fault.Unsupported, "safetensors 0.8 has no dtype %s", checkpoint.Quoted(e.dtype))
	}
	if name == "" {
		return checkpoint.Tensor{}, fault.New(fault.Unsupported, "elements of %s have %d bits, less than a byte", e.dtype, width)
	}
	d, err := dtype.Parse(name)
	if err != nil {
		return checkpoint.Tensor{}, err
	}
	if e.rank > tensor.MaxRank {
		return checkpoint.Tensor{}, fault.New(fault.Unsupported, "rank %d is over the limit of %d dims", e.rank, tensor.MaxRank)
	}
	shape := make([]int, len(e.shape))
	for i, n := range e.shape {
		if n > math.MaxInt {
			return checkpoint.Tensor{}, fault.New(fault.Unsupported, "size %d of dim %d is too large for this machine", n, i)
		}
		shape[i] = int(n)
	}
	view, err := tensor.Packed(shape)
	return checkpoint.Tensor{Name: e.name, Type: d, View: view}, err
}
