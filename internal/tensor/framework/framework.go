// Package framework says what frameworks call a memory order, which tensors they accept without a copy and why they
// refuse others, and what code makes a layout in them.
//
//	All, Of    the frameworks, with what each has and counts in (framework.go)
//	Takes      does a framework accept a tensor as it is? (answer.go, taking.go, taking_types.go)
//	NamesIn    the names of an order in a framework (names.go); Catalogue, every name that there is
//	Dialect    statements of Python (snippet.go); NewDesc, DirectML's descriptor (directml.go)
package framework

import (
	"slices"

	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// The frameworks. CuTe is the name of a function here already.
const (
	PyTorch     = "PyTorch"
	NumPy       = "NumPy"
	DirectML    = "DirectML"
	OneDNN      = "oneDNN"
	MegEngine   = "MegEngine"
	TVM         = "TVM"
	XLA         = "XLA"
	TensorRT    = "TensorRT"
	CuDNN       = "cuDNN"
	CuTe        = "CuTe"
	TensorFlow  = "TensorFlow"
	MNN         = "MNN"
	Safetensors = "safetensors"
)

// Telling is how a framework is told in which order the dims lie.
type Telling int

// The values of Telling.
const (
	ByName      Telling = iota // the order has to have a name
	ByStrides                  // any strides
	ByNesting                  // strides, each at least what the dims inside take
	ByShape                    // sizes alone: row-major
	ByOwnDigits                // shape:stride with the digits of every dim
)

// Blocking is how a framework is told of dims in blocks.
type Blocking int

// The values of Blocking.
const (
	BlocksNamed  Blocking = iota // the order has to have a name
	BlocksAxes                   // as a tensor with a dim for each axis of memory, in memory's order
	BlocksDigits                 // as a tensor with a dim for each digit, beside the dim that it is of
	BlocksSaid                   // by their digits
	NoBlocks
)

// The units of strides.
const (
	Elements = "elements"
	Bytes    = "bytes"
	Vectors  = "vectors"
)

// Framework is what a framework takes, and the source of that. Reasons are empty where it has none to refuse.
type Framework struct {
	Name     string
	MinDims  int
	MaxDims  int    // 0 where no limit is known
	MaxElems uint32 // from the first to the last; 0 where no limit is known
	Telling  Telling
	Blocking Blocking
	Nameless string                  // why it refuses an order that has no name there
	Negative string                  // why it refuses negative strides
	Forward  string                  // the expression that makes x one without; empty where nothing is said of it
	Empty    string                  // why it refuses sizes of 0
	Overlap  string                  // what to know of elements that share places
	Unit     string                  // what its strides count; empty where it takes none
	Physical bool                    // it takes the shape of the memory, not the logical one
	Padding  string                  // what it keeps in the padding of blocks; empty where it has none
	Types    func(dtype.Type) string // why it refuses a type; nil where its types are not known
	Source   string
}

const noNegative = "it has no negative strides"

// frameworks in the order in which formats lists them.
var frameworks = []Framework{
	{Name: PyTorch, Telling: ByStrides, Blocking: BlocksAxes, Negative: noNegative, Forward: "x.copy()",
		Unit: Elements, Types: typesPyTorch,
		Source: "c10/core/TensorImpl.h, aten/src/ATen/native/Resize.h; from_numpy of 1.13, run"},
	{Name: NumPy, Telling: ByStrides, Blocking: BlocksAxes, Physical: true, Unit: Bytes, Types: typesNumPy,
		Source: "numpy/_core/src/multiarray/flagsobject.c; 1.24, run"},
	{Name: DirectML, MinDims: 1, MaxDims: 8, MaxElems: tensor.DirectMLLimit, Telling: ByStrides, Blocking: BlocksDigits,
		Negative: "its strides are unsigned", Empty: "sizes are at least 1", Unit: Elements, Types: typesDirectML,
		Padding: "any values (outputs may write there)",
		Source:  "DML_BUFFER_TENSOR_DESC; DML_TENSOR_DIMENSION_COUNT_MAX1, of feature level 3.0, before which it was 5"},
	{Name: OneDNN, MaxDims: 12, Telling: ByNesting, Negative: noNegative,
		Nameless: "no tag says this order of blocks", Unit: Elements, Padding: "zeros",
		Types:  typesOf("float16 bfloat16 float32 float64 int32 int8 uint8 float8_e5m2 float8_e4m3fn"),
		Source: "understanding_memory_formats.md, src/common/memory_desc.cpp, include/oneapi/dnnl/dnnl_types.h; dnnl_data_type_t"},
	{Name: MegEngine, MaxDims: 7, Telling: ByStrides,
		Nameless: "it has no format of these blocks", Physical: true, Unit: Elements, Padding: "zeros or the zero point of quint8",
		Types:  typesOf("float32 float16 bfloat16 int8 uint8 int16 uint16 int32 bool complex64"),
		Source: "dnn/include/megdnn/basic_types.h: signed strides, MAX_NDIM; dnn/include/megdnn/dtype.h"},
	{Name: TVM, Nameless: noName, Physical: true, Padding: "zeros", Source: "src/s_tir/data_layout.cc"},
	{Name: XLA, Nameless: noName, Padding: "unspecified values", Source: "docs/shapes.md, docs/tiled_layout.md"},
	{Name: TensorRT, Nameless: "none of its formats lies so", Padding: "zeros",
		Types:  typesOf("float32 float16 bfloat16 int8 int32 int64 bool uint8 float8_e4m3fn"),
		Source: "include/NvInferRuntime.h: TensorFormat, DataType"},
	{Name: CuDNN, MinDims: 3, MaxDims: 8, Telling: ByStrides, Negative: noNegative,
		Nameless: "its only blocks are 4 or 32 channels, innermost (NCHW_VECT_C)",
		Overlap:  "as an input only: outputs must not overlap", Unit: Elements,
		Types:  typesOf("float32 float64 float16 bfloat16 int8 int32 int64 uint8 bool float8_e4m3fn float8_e5m2"),
		Source: "the pages on cudnnSetTensorNdDescriptor, cudnnDataType_t"},
	{Name: CuTe, Telling: ByOwnDigits, Blocking: BlocksSaid, Unit: Elements, Source: "media/docs/cpp/cute/01_layout.md"},
	{Name: TensorFlow, Nameless: noName, Physical: true, Source: "data_format, HWIO of filters"},
	{Name: MNN, Nameless: noName, Physical: true, Source: "MNN's documents on NC4HW4"},
	{Name: Safetensors, Telling: ByShape, Blocking: NoBlocks,
		Types:  typesOf("bool uint8 int8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 float8_e5m2 float8_e4m3fn"),
		Source: "the format's own page: sizes, no strides, little-endian"},
}

// All lists the frameworks that have names for layouts, those of the catalogue.
func All() []Framework {
	return slices.DeleteFunc(slices.Clone(frameworks), func(f Framework) bool { return catalogue[f.Name] == nil })
}

// Takers lists those that are asked whether they take a tensor as it lies.
func Takers() []Framework {
	var takers []Framework
	for _, name := range []string{PyTorch, NumPy, DirectML, OneDNN, CuDNN, TensorRT, MegEngine, Safetensors} {
		takers = append(takers, Of(name))
	}
	return takers
}

// Of returns the row of one of the names above.
func Of(name string) Framework {
	for _, f := range frameworks {
		if f.Name == name {
			return f
		}
	}
	panic("notation: no framework " + name)
}

// WithoutNegative names those of Takers that are told strides and refuse negative ones.
func WithoutNegative() []string {
	var names []string
	for _, f := range Takers() {
		if f.Negative != "" {
			names = append(names, f.Name)
		}
	}
	return names
}
