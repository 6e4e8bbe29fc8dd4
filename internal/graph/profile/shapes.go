package profile

import (
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/graph"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// operand is a tensor that an operator reads.
type operand struct {
	geometry uint32        // number of its sizes and strides
	kind     string        // type in C++; empty for a tensor of a list
	tensor   *graph.Tensor // nil if its sizes do not make a layout
}

// shapes are the tensors of a trace, each once.
type shapes struct {
	geometries map[string]uint32
	tensors    map[string]*graph.Tensor
}

func newShapes() shapes { return shapes{map[string]uint32{}, map[string]*graph.Tensor{}} }

// cTypes are the names of C++ of PyTorch's dtypes. (scalarTypeToTypeMeta in c10/core/ScalarTypeToTypeMeta.h)
var cTypes = map[string]string{"float": "float32", "double": "float64", "c10::Half": "float16", "c10::BFloat16": "bfloat16", "long int": "int64",
	"long": "int64", "long long": "int64", "__int64": "int64", "int": "int32", "short": "int16", "short int": "int16", "signed char": "int8",
	"unsigned char": "uint8", "bool": "bool", "c10::complex<float>": "complex64", "c10::complex<double>": "complex128",
	"c10::complex<c10::Half>": "complex32", "c10::Float8_e4m3fn": "float8_e4m3fn", "c10::Float8_e5m2": "float8_e5m2",
	"c10::Float8_e4m3fnuz": "float8_e4m3fnuz", "c10::Float8_e5m2fnuz": "float8_e5m2fnuz", "c10::Float8_e8m0fnu": "float8_e8m0fnu",
	"unsigned short": "uint16", "short unsigned int": "uint16", "unsigned int": "uint32", "unsigned long": "uint64",
	"long unsigned int": "uint64"}

// typeNamed returns the dtype of a type in C++, or of PyTorch's name for it, torch.float32.
func typeNamed(kind string) (string, bool) {
	name, known := strings.CutPrefix(kind, "torch.")
	if !known {
		name, known = cTypes[kind]
	}
	return name, known
}

// operands returns the tensors among the arguments of an operator. Those of a list have no type.
func (s *shapes) operands(l tensorList) []operand {
	var all []operand
	d := membersOf(l.dims)
	t := membersOf(l.strides)
	y := membersOf(l.types)
	for len(all) < maxOperands {
		shape, ok := d.value()
		if !ok {
			break
		}
		steps, ok := t.value()
		if !ok {
			break
		}
		word, _ := y.value()
		kind := string(stringOf(word))
		if kind == "TensorList" {
			all = s.appendList(all, shape, steps)
			continue
		}
		_, isTensor := typeNamed(kind)
		sizes, _ := integers(shape)
		if isTensor || len(sizes) > 0 {
			unit, _ := integers(steps)
			all = append(all, s.operand(sizes, unit, kind))
		}
	}
	return all
}

// appendList appends the tensors of a list.
func (s *shapes) appendList(all []operand, shapes, strides []byte) []operand {
	d := membersOf(shapes)
	t := membersOf(strides)
	for len(all) < maxOperands {
		shape, ok := d.value()
		if !ok {
			break
		}
		steps, _ := t.value()
		sizes, _ := integers(shape)
		unit, _ := integers(steps)
		all = append(all, s.operand(sizes, unit, ""))
	}
	return all
}

// operand returns the tensor of a shape, strides and a type in C++; "" for an unknown one.
func (s *shapes) operand(shape, strides []int, kind string) operand {
	key := appendInts(appendInts(nil, shape), strides)
	id, known := s.geometries[string(key)]
	if !known {
		id = uint32(len(s.geometries))
		s.geometries[string(key)] = id
	}
	key = append(key, kind...)
	t, known := s.tensors[string(key)]
	if !known {
		t = newTensor(shape, strides, kind)
		s.tensors[string(key)] = t
	}
	return operand{id, kind, t}
}

// like returns a tensor with the type of another.
func (s *shapes) like(o operand, shape, strides []int) operand {
	return s.operand(shape, strides, o.kind)
}

func newTensor(shape, strides []int, kind string) *graph.Tensor {
	if len(shape) != len(strides) || len(shape) > maxRank {
		return nil
	}
	l, err := graph.Strided(shape, strides)
	if err != nil {
		return nil
	}
	name, _ := typeNamed(kind)
	typ, err := dtype.Parse(name)
	if err != nil {
		typ = dtype.Type{}
	}
	return &graph.Tensor{Type: typ, Layout: l}
}

func appendInts(key []byte, all []int) []byte {
	for _, n := range all {
		key = append(strconv.AppendInt(key, int64(n), 10), ',')
	}
	return append(key, '/')
}

// integers returns the numbers of a list, as in [4, 3]; false for another value, or one that is not a whole number.
func integers(value []byte) ([]int, bool) {
	if !isList(value) {
		return nil, false
	}
	var all []int
	elements := membersOf(value)
	for {
		e, ok := elements.value()
		if !ok {
			return all, true
		}
		n, ok := integer(e)
		if !ok {
			return nil, false
		}
		all = append(all, n)
	}
}
