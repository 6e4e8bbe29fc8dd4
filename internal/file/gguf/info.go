package gguf

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/sorting"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// info is gguf_tensor_info_t of docs/gguf.md.
type info struct {
	name   string
	ne     []uint64 // sizes, innermost first
	kind   uint32
	offset uint64 // of its data, from the start of all data
	block  *block
	why    error  // why it cannot be shown: its type has no size, or the sizes are too many or too large
	bytes  uint64 // size of its data; 0 if why is set
}

// info reads and checks the info of a tensor.
func (r *reader) info() (info, error) {
	var t info
	var err error
	t.name, err = r.name("tensor's name")
	if err != nil {
		return t, err
	}
	return t, inTensor(t.name, r.rest(&t))
}

// rest reads and checks the info after the name.
func (r *reader) rest(t *info) error {
	err := r.sizes(t)
	if err != nil {
		return err
	}
	t.kind, err = r.uint32()
	if err != nil {
		return err
	}
	t.offset, err = r.number(8)
	if err != nil || t.why != nil {
		return err
	}
	t.block, t.why = blockOf(t.kind)
	if t.why != nil {
		return nil
	}
	return t.measure()
}

func (r *reader) sizes(t *info) error {
	n, err := r.uint32()
	if err != nil {
		return err
	}
	if uint64(n) > r.left()/8 {
		return damaged("%d dims do not fit in the remaining %d bytes", n, r.left())
	}
	if n > tensor.MaxRank {
		t.why = fault.New(fault.Unsupported, "rank %d is over the limit of %d dims", n, tensor.MaxRank)
		return r.skip(8 * uint64(n))
	}
	t.ne = make([]uint64, n)
	for i := range t.ne {
		t.ne[i], err = r.number(8)
		if err != nil {
			return err
		}
		if t.ne[i] > math.MaxInt64 {
			return damaged("the size of ne[%d] is over 2⁶³−1", i)
		}
	}
	return nil
}

// measure computes the size of the data: the product of the sizes, in blocks along ne[0].
func (t *info) measure() error {
	first := uint64(1)
	if len(t.ne) > 0 {
		first = t.ne[0]
	}
	if first%t.block.values != 0 {
		return damaged("its rows have %d values, not a multiple of the %d in a block of %s", first, t.block.values, t.block.name)
	}
	if t.block.rows > 0 && (len(t.ne) < 2 || t.ne[1]%t.block.rows != 0) {
		return damaged("its rows are not a multiple of the %d in a block of %s", t.block.rows, t.block.name)
	}
	n := t.block.bytes
	empty := first == 0
	if !empty {
		over, product := bits.Mul64(n, first/t.block.values)
		if over != 0 {
			return damaged("its shape overflows 64 bits")
		}
		n = product
	}
	for _, size := range t.blocks()[min(1, len(t.ne)):] {
		if size == 0 {
			empty = true
			continue
		}
		over, product := bits.Mul64(n, size)
		if over != 0 {
			return damaged("its shape overflows 64 bits")
		}
		n = product
	}
	if !empty {
		t.bytes = n
	}
	return nil
}

// blocks returns the sizes in blocks but for ne[0], which counts values: blocks of several rows divide ne[1].
func (t *info) blocks() []uint64 {
	if t.block.rows == 0 {
		return t.ne
	}
	sizes := slices.Clone(t.ne)
	sizes[1] /= t.block.rows
	return sizes
}

// inTensor adds the tensor's name to an error.
func inTensor(name string, err error) error { return fault.In("tensor "+checkpoint.Quoted(name), err) }

// checkPositions checks that the data are within size bytes, aligned, and do not overlap other data.
func checkPositions(infos []info, align, size uint64) error {
	for _, t := range infos {
		if t.offset%align != 0 {
			return inTensor(t.name, damaged("its data begin at %d, not a multiple of the alignment %d", t.offset, align))
		}
		if t.offset > size || t.bytes > size-t.offset {
			return inTensor(t.name, damaged("its %d bytes at %d are outside the %d bytes of data: the file is truncated or damaged", t.bytes, t.offset, size))
		}
	}
	sorted := slices.Clone(infos)
	sorting.By(sorted, func(a, b info) int { return cmp.Or(cmp.Compare(a.offset, b.offset), cmp.Compare(a.bytes, b.bytes)) })
	var last info
	for _, t := range sorted {
		if t.bytes == 0 {
			continue
		}
		if t.offset < last.offset+last.bytes {
			return inTensor(t.name, damaged("its data overlap those of tensor %s", checkpoint.Quoted(last.name)))
		}
		last = t
	}
	return nil
}

// tensor returns the info as a tensor in C order: ggml's ne reversed. Blocks are opaque elements along the last dim. The error is why
// it cannot be shown.
func (t *info) tensor(order dtype.ByteOrder) (checkpoint.Tensor, error) {
	if t.why != nil {
		return checkpoint.Tensor{}, t.why
	}
	d, err := t.block.dtype(order)
	if err != nil {
		return checkpoint.Tensor{}, err
	}
	shape := make([]int, len(t.ne))
	for i, n := range t.blocks() {
		if n > math.MaxInt {
			return checkpoint.Tensor{}, fault.New(fault.Unsupported, "ne[%d] = %d is too large for this machine", i, n)
		}
		if i == 0 {
			n /= t.block.values
		}
		shape[len(shape)-1-i] = int(n)
	}
	view, err := tensor.Packed(shape)
	x := checkpoint.Tensor{Name: t.name, Type: d, View: view, Encoding: t.block.encoding()}
	if x.Encoding != "" && t.block.rows == 0 {
		x.Block = int(t.block.values)
		if order != dtype.Big { // gguf_convert_endian.py of the package gguf 0.19.0 knows six of the types
			x.Quant = t.block.quant
		}
	}
	return x, err
}
