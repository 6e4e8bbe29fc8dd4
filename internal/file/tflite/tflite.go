// Package tflite reads the weights of TensorFlow Lite's models, .tflite: tensors of all subgraphs with elements in the file. Others are computed when
// the model runs, and are left out.
//
// The rules are those of schema.fbs of TensorFlow 2.21, version 3, in tensorflow/compiler/mlir/lite/schema. Filters of convolutions have the names of
// dims that their kernels give them. (tensorflow/lite/kernels: conv.cc, depthwise_conv.cc, transpose_conv.cc, fully_connected.cc)
package tflite

import (
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/array"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/file/flatbuffer"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// Magic is at byte 4.
const Magic = "TFL3"

// Recognize reports whether a file begins as a model.
func Recognize(head string) bool { return len(head) >= 8 && head[4:8] == Magic }

// Fields of Model, SubGraph, Tensor, Buffer, QuantizationParameters, Operator and OperatorCode.
const (
	modelCodes, modelGraphs, modelBuffers                          = 1, 2, 4
	graphTensors, graphOperators                                   = 0, 3
	tensorShape, tensorType, tensorBuffer, tensorName, tensorScale = 0, 1, 2, 3, 4
	tensorSparsity                                                 = 6
	bufferData, bufferOffset, bufferSize                           = 0, 1, 2
	quantScale, quantZero, quantDim                                = 2, 3, 6
	operatorCode, operatorInputs                                   = 0, 1
	codeOld, codeNew                                               = 0, 3
)

// types are the numbers of TensorType. Elements below a byte are packed, the first in the lowest bits.
var types = map[uint64]string{0: "<f4", 1: "<f2", 2: "<i4", 3: "u1", 4: "<i8", 6: "bool", 7: "<i2", 8: "<c8", 9: "i1", 10: "<f8", 11: "<c16", 12: "<u8",
	15: "<u4", 16: "<u2", 17: "int4", 18: "bfloat16", 19: "int2", 20: "uint4"}

// filters are the dims of the second input of operators, by their numbers of BuiltinOperator.
var filters = map[uint64][]string{
	3:  {"O", "H", "W", "I"}, // CONV_2D
	4:  {"N", "H", "W", "O"}, // DEPTHWISE_CONV_2D: N is 1
	9:  {"O", "I"},           // FULLY_CONNECTED
	67: {"O", "H", "W", "I"}, // TRANSPOSE_CONV
}

// reader fills a container.
type reader struct {
	c        *checkpoint.Container
	file     *flatbuffer.File
	size     int64
	buffers  flatbuffer.Vector
	codes    flatbuffer.Vector
	names    *checkpoint.Claims
	storages map[uint64]int // of buffers
}

// Open reads the weights of the model in a file of size bytes, in its order; tensors with one buffer share a storage. It reads no elements. Errors are
// Malformed, Unsupported, Resource for more tensors than the limit, or r's own.
func Open(r io.ReaderAt, size int64, limit checkpoint.Limit) (*checkpoint.Container, error) {
	f := flatbuffer.New(r, size)
	root := f.Root()
	o := &reader{c: &checkpoint.Container{Format: checkpoint.TFLite, Stated: map[string]checkpoint.Stated{}}, file: f, size: size, buffers: root.Vector(modelBuffers, 4),
		codes: root.Vector(modelCodes, 4), names: limit.Claims(), storages: map[uint64]int{}}
	graphs := root.Vector(modelGraphs, 4)
	for i := range graphs.Len {
		if err := o.graph(graphs.Table(i), i, limit); err != nil && f.Err() == nil {
			return nil, err
		}
		if f.Err() != nil {
			break
		}
	}
	if f.Err() != nil {
		return nil, array.Damaged("not a TensorFlow Lite model, or damaged: %v", f.Err())
	}
	return o.c, nil
}

// graph adds the weights of a subgraph.
func (r *reader) graph(graph flatbuffer.Table, number int, limit checkpoint.Limit) error {
	tensors := graph.Vector(graphTensors, 4)
	dims, err := r.dims(graph.Vector(graphOperators, 4), limit)
	if err != nil {
		return err
	}
	if err := limit.Check(uint64(tensors.Len), "tensors"); err != nil {
		return err
	}
	for i := range tensors.Len {
		x := tensors.Table(i)
		storage, err := r.storage(x.Uint(tensorBuffer, 4))
		if r.file.Err() != nil {
			return nil
		}
		if err == nil && storage < 0 {
			continue
		}
		name, claimed := r.name(x, number, i)
		if claimed != nil {
			return claimed
		}
		if err == nil {
			err = r.add(name, x, storage, dims[uint64(i)])
		}
		if err != nil {
			return fault.In("tensor "+checkpoint.Quoted(name), err)
		}
	}
	return nil
}

// name returns a tensor's name, with its numbers if it has none, or if another tensor has it.
func (r *reader) name(x flatbuffer.Table, graph, i int) (string, error) {
	name := x.Vector(tensorName, 1).Text(checkpoint.MaxName + 1)
	if name == "" {
		name = "tensor"
	}
	again, err := r.names.Claim(name)
	for err == nil && again {
		name += fmt.Sprintf("#%d.%d", graph, i)
		again, err = r.names.Claim(name)
	}
	return name, err
}

// dims returns the names of dims of the tensors that operators take as filters.
func (r *reader) dims(operators flatbuffer.Vector, limit checkpoint.Limit) (map[uint64][]string, error) {
	if err := limit.Check(uint64(operators.Len), "operators"); err != nil {
		return nil, err
	}
	all := map[uint64][]string{}
	for i := range operators.Len {
		x := operators.Table(i)
		inputs := x.Vector(operatorInputs, 4)
		code := x.Uint(operatorCode, 4)
		if inputs.Len < 2 || code >= uint64(r.codes.Len) {
			continue
		}
		c := r.codes.Table(int(code))
		if names, ok := filters[max(c.Uint(codeOld, 1), c.Uint(codeNew, 4))]; ok {
			all[inputs.Uint(1)] = names
		}
	}
	return all, nil
}

// storage returns the storage of a buffer: a vector in the model, or bytes behind it; −1 if the buffer is empty. (schema.fbs, Buffer)
func (r *reader) storage(buffer uint64) (int, error) {
	if s, known := r.storages[buffer]; known {
		return s, nil
	}
	if buffer >= uint64(r.buffers.Len) {
		return 0, array.Damaged("buffer %d of %d", buffer, r.buffers.Len)
	}
	x := r.buffers.Table(int(buffer))
	data := x.Vector(bufferData, 1)
	s := checkpoint.Storage{ID: strconv.FormatUint(buffer, 10), At: data.At, Bytes: int64(data.Len)}
	if offset := x.Uint(bufferOffset, 8); offset > 1 {
		bytes := x.Uint(bufferSize, 8)
		if offset > uint64(r.size) || bytes > uint64(r.size)-offset {
			return 0, array.Damaged("buffer %d has %d bytes at byte %d of %d", buffer, bytes, offset, r.size)
		}
		s.At = int64(offset)
		s.Bytes = int64(bytes)
	}
	r.storages[buffer] = -1
	if s.Bytes > 0 {
		r.storages[buffer] = len(r.c.Storages)
		r.c.Storages = append(r.c.Storages, s)
	}
	return r.storages[buffer], nil
}

// add adds a tensor, or why it is not shown.
func (r *reader) add(name string, x flatbuffer.Table, storage int, dims []string) error {
	refuse := func(format string, args ...any) error {
		r.c.Refused = append(r.c.Refused, checkpoint.Refused{Name: name, Why: fmt.Sprintf(format, args...), Storages: []int{storage}})
		return nil
	}
	if x.Has(tensorSparsity) {
		return refuse("it is sparse")
	}
	number := x.Uint(tensorType, 1)
	d, err := dtype.Parse(types[number])
	if err != nil {
		return refuse("its type is %d of TensorType", number)
	}
	sizes := x.Vector(tensorShape, 4)
	if sizes.Len > tensor.MaxRank {
		return refuse("rank %d is over the limit of %d dims", sizes.Len, tensor.MaxRank)
	}
	shape := make([]int, sizes.Len)
	for i := range shape {
		shape[i] = int(int32(sizes.Uint(i)))
	}
	view, err := tensor.Packed(shape)
	if err != nil {
		return array.Damaged("%v", err)
	}
	n := int64(view.Numel())
	if n > math.MaxInt64/int64(d.Bits()) || d.Size(n) != r.c.Storages[storage].Bytes {
		return array.Damaged("its shape has %d elements of %s, its buffer %d bytes", n, d, r.c.Storages[storage].Bytes)
	}
	if len(dims) != len(shape) {
		dims = nil
	}
	r.c.Tensors = append(r.c.Tensors, checkpoint.Tensor{Name: name, Type: d, View: view, Storage: storage})
	r.c.Stated[name] = checkpoint.Stated{Dims: dims, Note: quantized(x.Table(tensorScale))}
	return nil
}

// quantized says how the numbers are those of a quantized tensor: real = scale · (stored − zero). (schema.fbs, QuantizationParameters)
func quantized(q flatbuffer.Table) string {
	scales := q.Vector(quantScale, 4)
	zeros := q.Vector(quantZero, 8)
	if scales.Len == 0 {
		return ""
	}
	if scales.Len > 1 {
		return fmt.Sprintf("quantized: %d scales along dim %d; the numbers are the stored ones", scales.Len, q.Uint(quantDim, 4))
	}
	zero := int64(0)
	if zeros.Len > 0 {
		zero = int64(zeros.Uint(0))
	}
	return fmt.Sprintf("quantized: scale %g, zero point %d; the numbers are the stored ones", math.Float32frombits(uint32(scales.Uint(0))), zero)
}
