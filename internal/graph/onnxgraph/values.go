package onnxgraph

import (
	"math"

	"github.com/tlayout/tlayout/internal/file/onnx"
	"github.com/tlayout/tlayout/internal/file/protobuf"
	"github.com/tlayout/tlayout/internal/graph"
	"github.com/tlayout/tlayout/internal/tensor"
)

// initializer reads name, type and sizes of a TensorProto, which is a weight.
func (x *onnxReader) initializer(section protobuf.Section) error {
	var dims []dimension
	name := ""
	element := uint64(0)
	for field, err := range x.file.Fields(section) {
		if err != nil {
			return err
		}
		switch field.Tag {
		case initializerName:
			name, err = x.text(field)
		case initializerType:
			element = field.Value
		case initializerDims<<3 | protobuf.Varint, initializerDims<<3 | protobuf.Bytes:
			for n, wrong := range x.file.Varints(field) {
				if wrong != nil {
					return wrong
				}
				if len(dims) > tensor.MaxRank {
					break
				}
				dims = append(dims, dimension{size: n})
			}
		}
		if err != nil {
			return err
		}
	}
	id, err := x.define(name)
	if err != nil {
		return err
	}
	x.program.Values[id].Weight = true
	x.program.Values[id].Tensor = onnxTensor(element, dims)
	return nil
}

// value reads a ValueInfoProto: of an input, an output, or a tensor between nodes.
func (x *onnxReader) value(of protobuf.Field) error {
	name := ""
	var described *graph.Tensor
	for field, err := range x.file.Fields(of.Section) {
		if err != nil {
			return err
		}
		switch field.Tag {
		case valueName:
			name, err = x.text(field)
		case valueType:
			described, err = x.describe(field.Section)
		}
		if err != nil {
			return err
		}
	}
	id, err := x.define(name)
	if err != nil {
		return err
	}
	if x.program.Values[id].Tensor == nil {
		x.program.Values[id].Tensor = described
	}
	if len(x.scopes) > 1 {
		return nil
	}
	switch of.Tag {
	case graphInput:
		x.program.Inputs = append(x.program.Inputs, id)
	case graphOutput:
		x.program.Outputs = append(x.program.Outputs, id)
	}
	return nil
}

// dimension is a size, or the name of one that the model leaves open.
type dimension struct {
	size   uint64
	symbol string
}

// describe reads a TypeProto; nil for anything but a tensor with sizes.
func (x *onnxReader) describe(section protobuf.Section) (*graph.Tensor, error) {
	element := uint64(0)
	var dims []dimension
	sized := false
	for field, err := range x.file.Fields(section) {
		if err != nil {
			return nil, err
		}
		if field.Tag != typeTensor {
			continue
		}
		for part, err := range x.file.Fields(field.Section) {
			if err != nil {
				return nil, err
			}
			switch part.Tag {
			case tensorElement:
				element = part.Value
			case tensorShape:
				sized = true
				dims, err = x.shape(part.Section)
			}
			if err != nil {
				return nil, err
			}
		}
	}
	if !sized {
		return nil, nil
	}
	return onnxTensor(element, dims), nil
}

// shape reads a TensorShapeProto. A dim without a value and a name is open too.
func (x *onnxReader) shape(section protobuf.Section) ([]dimension, error) {
	var dims []dimension
	for field, err := range x.file.Fields(section) {
		if err != nil {
			return nil, err
		}
		if field.Tag != shapeDim || len(dims) > tensor.MaxRank {
			continue
		}
		d := dimension{symbol: "?"}
		for part, err := range x.file.Fields(field.Section) {
			if err != nil {
				return nil, err
			}
			switch part.Tag {
			case dimValue:
				d = dimension{size: part.Value}
			case dimSymbol:
				d.symbol, err = x.text(part)
			}
			if err != nil {
				return nil, err
			}
		}
		dims = append(dims, d)
	}
	return dims, nil
}

// onnxTensor returns a tensor in C order; nil if its sizes overflow.
func onnxTensor(element uint64, dims []dimension) *graph.Tensor {
	shape := make([]int, len(dims))
	var symbols []string
	for d, x := range dims {
		if x.size > math.MaxInt {
			return nil
		}
		shape[d] = int(x.size)
		if x.symbol == "" {
			continue
		}
		if symbols == nil {
			symbols = make([]string, len(dims))
		}
		symbols[d] = x.symbol
		shape[d] = graph.SymbolSize
	}
	l, err := graph.RowMajor(shape)
	if err != nil {
		return nil
	}
	typ, _ := onnx.TypeOf(element)
	return &graph.Tensor{Type: typ, Layout: l, Symbols: symbols}
}

// transposed returns a tensor with its dims permuted, in C order; nil if the permutation is none.
func transposed(t *graph.Tensor, perm []int) *graph.Tensor {
	if len(perm) != t.Layout.Rank() {
		return nil
	}
	shape := make([]int, len(perm))
	var symbols []string
	if t.Symbols != nil {
		symbols = make([]string, len(perm))
	}
	for d, from := range perm {
		if from >= len(perm) {
			return nil
		}
		shape[d] = t.Layout.Dim(from).Size
		if symbols != nil {
			symbols[d] = t.Symbols[from]
		}
	}
	l, err := graph.RowMajor(shape)
	if err != nil {
		return nil
	}
	return &graph.Tensor{Type: t.Type, Layout: l, Symbols: symbols}
}
