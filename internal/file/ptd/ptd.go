// Package ptd reads the tensors of ExecuTorch's data files, .ptd: a FlatTensor, and behind it segments of bytes.
//
// A tensor has the order of its dims in memory, dim_order. Data without a tensor's layout, which a backend wrote for itself, are not tensors.
//
// The rules are those of executorch 1.5.1, extension/flat_tensor/serialize: flat_tensor.fbs, scalar_type.fbs and serialize.py.
package ptd

import (
	"fmt"
	"io"
	"math"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/array"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/file/flatbuffer"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// Recognize reports whether a file begins as one.
func Recognize(head string) bool {
	return len(head) >= 12 && head[4:8] == "FT01" && head[8:12] == "FH01"
}

// Positions in the header behind the magic numbers, in bytes.
const (
	segmentsAt = 32 // where the segments begin
)

// Fields of FlatTensor, DataSegment, NamedData and TensorLayout.
const (
	fileSegments, fileNamed              = 1, 2
	segmentOffset, segmentSize           = 0, 1
	namedKey, namedSegment, namedLayout  = 0, 1, 2
	layoutType, layoutSizes, layoutOrder = 0, 1, 2
)

// types are the numbers of ScalarType. Sub-byte and quantized types of ATen are no types of this program's.
var types = map[uint64]string{0: "u1", 1: "i1", 2: "<i2", 3: "<i4", 4: "<i8", 5: "<f2", 6: "<f4", 7: "<f8", 11: "bool", 15: "bfloat16",
	23: "float8_e5m2", 24: "float8_e4m3fn", 25: "float8_e5m2fnuz", 26: "float8_e4m3fnuz", 27: "<u2", 28: "<u4", 29: "<u8"}

// reader fills a container.
type reader struct {
	c        *checkpoint.Container
	file     *flatbuffer.File
	segments flatbuffer.Vector
	size     int64       // bytes of the file
	base     uint64      // where the segments begin
	storages map[int]int // of segments
}

// Open reads the tensors in a file of size bytes, in its order; tensors in one segment share a storage. It reads no elements. Errors are Malformed,
// Unsupported, Resource for more tensors than the limit, or r's own.
func Open(r io.ReaderAt, size int64, limit checkpoint.Limit) (*checkpoint.Container, error) {
	f := flatbuffer.New(r, size)
	root := f.Root()
	o := &reader{c: &checkpoint.Container{Format: checkpoint.PTD}, file: f, segments: root.Vector(fileSegments, 4), size: size,
		base: f.Uint(segmentsAt, 8), storages: map[int]int{}}
	named := root.Vector(fileNamed, 4)
	names := limit.Claims()
	for i := range named.Len {
		x := named.Table(i)
		name := x.Vector(namedKey, 1)
		again, err := names.Claim(name.Text(checkpoint.MaxName + 1))
		if err != nil {
			return nil, err
		}
		key := name.Text(checkpoint.MaxName)
		if f.Err() == nil && again {
			return nil, array.Damaged("two tensors have the name %s", checkpoint.Quoted(key))
		}
		err = o.add(key, x)
		if f.Err() != nil {
			break
		}
		if err != nil {
			return nil, fault.In("tensor "+checkpoint.Quoted(key), err)
		}
	}
	if f.Err() != nil {
		return nil, array.Damaged("not a .ptd file, or damaged: %v", f.Err())
	}
	return o.c, nil
}

// add adds named data, or why they are not shown.
func (r *reader) add(name string, x flatbuffer.Table) error {
	refuse := func(format string, args ...any) error {
		r.c.Refused = append(r.c.Refused, checkpoint.Refused{Name: name, Why: fmt.Sprintf(format, args...)})
		return nil
	}
	if !x.Has(namedLayout) {
		return refuse("it is data of a backend, no tensor")
	}
	layout := x.Table(namedLayout)
	number := layout.Uint(layoutType, 1)
	d, err := dtype.Parse(types[number])
	if err != nil {
		return refuse("its scalar type is %d", number)
	}
	view, err := viewOf(layout.Vector(layoutSizes, 4), layout.Vector(layoutOrder, 1))
	if r.file.Err() != nil {
		return nil
	}
	if err != nil {
		return err
	}
	storage, err := r.storage(int(x.Uint(namedSegment, 4)))
	if err != nil {
		return err
	}
	n := int64(view.Numel())
	if n > math.MaxInt64/int64(d.ItemSize()) || d.Size(n) > r.c.Storages[storage].Bytes {
		return array.Damaged("its shape has %d elements, its segment %d bytes", n, r.c.Storages[storage].Bytes)
	}
	r.c.Tensors = append(r.c.Tensors, checkpoint.Tensor{Name: name, Type: d, View: view, Storage: storage})
	return nil
}

// viewOf returns a dense tensor of sizes whose dims are in an order in memory, the outermost first.
func viewOf(sizes, order flatbuffer.Vector) (v tensor.Strided, err error) {
	rank := sizes.Len
	if rank > tensor.MaxRank || order.Len != rank {
		return v, array.Damaged("%d sizes, %d dims in its dim_order", rank, order.Len)
	}
	shape := make([]int, rank)
	for d := range shape {
		shape[d] = int(int32(sizes.Uint(d)))
	}
	packed := make([]int, rank)
	seen := make([]bool, rank)
	for i := range packed {
		d := int(order.Uint(i))
		if d >= rank || seen[d] {
			return v, array.Damaged("its dim_order is no permutation of %d dims", rank)
		}
		seen[d] = true
		packed[i] = shape[d]
	}
	dense, err := tensor.Packed(packed)
	if err != nil {
		return v, array.Damaged("%v", err)
	}
	strides := make([]int, rank)
	for i, stride := range dense.Strides {
		strides[order.Uint(i)] = stride
	}
	return tensor.NewStrided(shape, strides, 0)
}

// storage returns the storage of a segment.
func (r *reader) storage(segment int) (int, error) {
	if s, known := r.storages[segment]; known {
		return s, nil
	}
	if segment < 0 || segment >= r.segments.Len {
		return 0, array.Damaged("segment %d of %d", segment, r.segments.Len)
	}
	x := r.segments.Table(segment)
	at := x.Uint(segmentOffset, 8)
	bytes := x.Uint(segmentSize, 8)
	end := uint64(r.size)
	if r.base > end || at > end-r.base || bytes > end-r.base-at {
		return 0, array.Damaged("segment %d has %d bytes at byte %d of the segments, outside the file", segment, bytes, at)
	}
	r.storages[segment] = len(r.c.Storages)
	r.c.Storages = append(r.c.Storages, checkpoint.Storage{ID: fmt.Sprint(segment), At: int64(r.base + at), Bytes: int64(bytes)})
	return len(r.c.Storages) - 1, nil
}
