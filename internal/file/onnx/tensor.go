package onnx

import (
	"math"
	"math/bits"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/file/protobuf"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// Fields of TensorProto that describe it, and the values of data_location.
const (
	tensorDims       = 1<<3 | protobuf.Varint
	tensorDimsPacked = 1<<3 | protobuf.Bytes
	tensorType       = 2<<3 | protobuf.Varint
	tensorSegment    = 3<<3 | protobuf.Bytes
	tensorName       = 8<<3 | protobuf.Bytes
	tensorExternal   = 13<<3 | protobuf.Bytes
	tensorLocation   = 14<<3 | protobuf.Varint

	external = 1
)

// proto is a TensorProto.
type proto struct {
	section  protobuf.Section
	name     string
	dims     []int64 // the first tensor.MaxRank sizes
	rank     int     // the number of sizes
	kind     uint64
	segment  bool
	location uint64
	entries  []protobuf.Field // of external_data

	field  int            // the last field with elements, 0 without one
	fields int            // how many different fields have elements
	pieces int            // occurrences of that field
	data   protobuf.Field // the last of them
}

// tensor adds a TensorProto: an initializer, or the value of a Constant node, whose output is its name.
func (r *reader) tensor(section protobuf.Section, prefix, output string) error {
	p := proto{section: section}
	if err := r.read(&p); err != nil {
		return inTensor(p.name, err)
	}
	if output != "" {
		p.name = output
	}
	p.name = prefix + p.name
	if err := r.claim(p.name); err != nil {
		return err
	}
	return inTensor(p.name, r.add(&p))
}

// claim takes a name that no other tensor has.
func (r *reader) claim(name string) error {
	again, err := r.names.Claim(name)
	if again {
		return damaged("two tensors have the name %s", checkpoint.Quoted(name))
	}
	return err
}

// short bounds the bytes of a name, which are taken from the budget when it is claimed.
func short(bytes int64) error {
	if bytes > checkpoint.MaxName {
		return checkpoint.LongName("the names of the tensors")
	}
	return nil
}

// refuse adds a tensor that cannot be shown.
func (r *reader) refuse(name string, why error) {
	r.c.Refused = append(r.c.Refused, checkpoint.Refused{Name: name, Why: why.Error()})
}

// sparse refuses a SparseTensorProto, whose name is that of its values.
func (r *reader) sparse(section protobuf.Section, prefix string) error {
	var values proto
	for x, err := range r.file.Fields(section) {
		if err != nil {
			return err
		}
		if x.Tag != 1<<3|protobuf.Bytes {
			continue
		}
		values = proto{section: x.Section}
		if err := r.read(&values); err != nil {
			return inTensor(values.name, err)
		}
	}
	name := prefix + values.name
	if err := r.claim(name); err != nil {
		return err
	}
	r.refuse(name, fault.New(fault.Unsupported, "it is sparse: values and their indices"))
	return nil
}

// read reads the fields of a TensorProto, and skips its elements.
func (r *reader) read(p *proto) error {
	for x, err := range r.file.Fields(p.section) {
		if err != nil {
			return err
		}
		switch x.Tag {
		case tensorDims, tensorDimsPacked:
			err = r.sizes(p, x)
		case tensorType:
			p.kind = x.Value
		case tensorSegment:
			p.segment = true
		case tensorName:
			p.name, err = r.content(x, short)
		case tensorExternal:
			p.entries = append(p.entries, x)
		case tensorLocation:
			p.location = x.Value
		default:
			p.note(x)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// sizes reads some of the dims.
func (r *reader) sizes(p *proto, x protobuf.Field) error {
	for v, err := range r.file.Varints(x) {
		if err != nil {
			return err
		}
		if v > math.MaxInt64 {
			return damaged("the size of dim %d is negative: %d", p.rank, int64(v))
		}
		if p.rank < tensor.MaxRank {
			p.dims = append(p.dims, int64(v))
		}
		p.rank++
	}
	return nil
}

// note records a field with elements; others are ignored. An empty one counts only as raw_data, which says that there is nothing.
func (p *proto) note(x protobuf.Field) {
	number := elementFields[x.Tag]
	if number == 0 || x.Bytes == 0 && number != rawData {
		return
	}
	if p.field != number {
		p.fields++
		p.pieces = 0
	}
	p.field = number
	p.pieces++
	p.data = x
}

// add adds the tensor with its storage, or the reason why it cannot be shown.
func (r *reader) add(p *proto) error {
	d, field, why := typeOf(p.kind)
	if why == nil {
		why = p.refused()
	}
	if why != nil {
		r.refuse(p.name, why)
		return nil
	}
	bytes, err := p.size(d)
	if err != nil {
		return err
	}
	t, why := p.view(d)
	if why != nil {
		r.refuse(p.name, why)
		return nil
	}
	t.Storage, err = r.storage(p, d, field, bytes)
	if err != nil {
		return err
	}
	if t.Storage < 0 {
		r.refuse(p.name, fault.New(fault.Resource, "the numbers of the model are over the limit of %d bytes in typed fields; raw_data is read in place", maxInline))
		return nil
	}
	r.c.Tensors = append(r.c.Tensors, t)
	return nil
}

// refused returns why a tensor cannot be shown, besides its type.
func (p *proto) refused() error {
	if p.segment {
		return fault.New(fault.Unsupported, "it is a segment of a tensor")
	}
	if p.rank > tensor.MaxRank {
		return fault.New(fault.Unsupported, "rank %d is over the limit of %d dims", p.rank, tensor.MaxRank)
	}
	return nil
}

// size returns the bytes of all elements.
func (p *proto) size(d dtype.Type) (int64, error) {
	n := uint64(1)
	empty := false
	for _, size := range p.dims {
		if size == 0 {
			empty = true
			continue
		}
		over, product := bits.Mul64(n, uint64(size))
		if over != 0 {
			return 0, damaged("its shape overflows 64 bits")
		}
		n = product
	}
	over, all := bits.Mul64(n, uint64(d.Bits()))
	if over != 0 || all > math.MaxInt64-7 {
		return 0, damaged("its shape overflows 64 bits")
	}
	if empty {
		return 0, nil
	}
	return int64(all+7) / 8, nil
}

// view returns the tensor in C order, the format's only order. The error is why it cannot be shown.
func (p *proto) view(d dtype.Type) (checkpoint.Tensor, error) {
	shape := make([]int, len(p.dims))
	for i, n := range p.dims {
		if n > math.MaxInt {
			return checkpoint.Tensor{}, fault.New(fault.Unsupported, "size %d of dim %d is too large for this machine", n, i)
		}
		shape[i] = int(n)
	}
	view, err := tensor.Packed(shape)
	return checkpoint.Tensor{Name: p.name, Type: d, View: view}, err
}

// storage adds the bytes of a tensor, and returns the index of its storage; −1 if they would be too many in memory.
func (r *reader) storage(p *proto, d dtype.Type, field int, bytes int64) (int, error) {
	if p.location == external {
		return r.external(p, bytes)
	}
	if p.fields > 1 { // checker.cc, check_tensor
		return 0, damaged("its elements are in %d fields", p.fields)
	}
	s := checkpoint.Storage{ID: p.name, Bytes: bytes}
	switch p.field {
	case 0:
		if bytes > 0 {
			return 0, damaged("it has no elements, its shape %d bytes", bytes)
		}
	case rawData:
		if p.data.Bytes != bytes {
			return 0, damaged("its shape has %d bytes, raw_data %d", bytes, p.data.Bytes)
		}
		s.At = p.data.At
	case field:
		fits, err := r.typed(p, d, &s)
		if err != nil {
			return 0, err
		}
		if !fits {
			return -1, nil
		}
	default:
		return 0, damaged("its elements are in %s, those of %s should be in %s or raw_data", fieldNames[p.field], d, fieldNames[field])
	}
	r.c.Storages = append(r.c.Storages, s)
	return len(r.c.Storages) - 1, nil
}
