// Package framework knows what frameworks call a memory order, which tensors they accept without a copy and why they
// refuse others, and what code makes a layout in them.
//
//	PyTorch …  the frameworks, with what each has and counts in (framework.go); All, Accepting list them
//	Accepts    does a framework accept a tensor without a copy? (accept.go, types.go)
//	NamesOf    the names of an order in a framework (names.go); Catalogue, every name (catalogue.go)
//	Dialect    statements of Python; NewDesc, DirectML's descriptor (code.go)
package framework

import (
	"slices"

	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// OrderConvention is how a framework learns the memory order of the dims.
type OrderConvention int

// The values of OrderConvention.
const (
	ByName      OrderConvention = iota // from a name of the order
	ByStrides                          // from any strides
	ByNesting                          // from strides, each at least the extent of the dims inside
	ByShape                            // from sizes alone: row-major
	ByOwnDigits                        // from shape:stride with the digits of every dim
)

// BlockSupport is how a framework learns of dims in blocks.
type BlockSupport int

// The values of BlockSupport.
const (
	BlocksNamed  BlockSupport = iota // from a name of the order
	BlocksAxes                       // as a tensor with a dim for each axis of memory, in memory's order
	BlocksDigits                     // as a tensor with a dim for each digit, next to the dim that it belongs to
	BlocksNested                     // from the digits of every dim
	NoBlocks
)

// The units of strides.
const (
	Elements = "elements"
	Bytes    = "bytes"
	Vectors  = "vectors"
)

// Framework is what a framework accepts, and the source of that. A reason is empty if the framework never refuses for it.
type Framework struct {
	Name     string
	MinDims  int
	MaxDims  int    // 0: no known limit
	MaxElems uint32 // from the first to the last; 0: no known limit
	Order    OrderConvention
	Blocks   BlockSupport
	Nameless string                  // why it refuses an order that has no name there
	Negative string                  // why it refuses negative strides
	Forward  string                  // the expression that copies x to positive strides; empty if there is none to suggest
	Empty    string                  // why it refuses sizes of 0
	Overlap  string                  // what to know about overlapping elements
	Unit     string                  // of its strides; empty if it takes none
	Physical bool                    // it takes the shape of memory, not the logical one
	Padding  string                  // what it keeps in the padding of blocks; empty if it has none
	Types    func(dtype.Type) string // why it refuses a type; nil if its types are not known
	Source   string

	names []Entry                        // the names of layouts
	spell func(notation.Format) []string // names by rule; nil: those of names
}

const noNegative = "negative strides are not supported"

// The frameworks.
var (
	PyTorch = &Framework{Name: "PyTorch", Order: ByStrides, Blocks: BlocksAxes, Negative: noNegative, Forward: "x.copy()",
		Unit: Elements, Types: typesPyTorch,
		Source: "c10/core/TensorImpl.h, aten/src/ATen/native/Resize.h; from_numpy of 1.13, run",
		names:  pyTorchNames}
	NumPy = &Framework{Name: "NumPy", Order: ByStrides, Blocks: BlocksAxes, Physical: true, Unit: Bytes, Types: typesNumPy,
		Source: "numpy/_core/src/multiarray/flagsobject.c; 1.24, run",
		names:  numPyNames, spell: noNames}
	DirectML = &Framework{Name: "DirectML", MinDims: 1, MaxDims: 8, MaxElems: tensor.DirectMLLimit, Order: ByStrides, Blocks: BlocksDigits,
		Negative: "its strides are unsigned", Empty: "sizes must be at least 1", Unit: Elements, Types: typesDirectML,
		Padding: "any values (outputs may write there)",
		Source:  "DML_BUFFER_TENSOR_DESC; DML_TENSOR_DIMENSION_COUNT_MAX1 of feature level 3.0; it was 5 before",
		names:   directMLNames, spell: noNames}
	OneDNN = &Framework{Name: "oneDNN", MaxDims: 12, Order: ByNesting, Negative: noNegative,
		Nameless: "no format tag has this order of blocks", Unit: Elements, Padding: "zeros",
		Types:  typesOf("float16 bfloat16 float32 float64 int32 int8 uint8 float8_e5m2 float8_e4m3fn"),
		Source: "understanding_memory_formats.md, src/common/memory_desc.cpp, include/oneapi/dnnl/dnnl_types.h; dnnl_data_type_t",
		names:  oneDNNNames, spell: oneDNNTags}
	MegEngine = &Framework{Name: "MegEngine", MaxDims: 7, Order: ByStrides,
		Nameless: "no MegEngine format has these blocks", Physical: true, Unit: Elements, Padding: "zeros or the zero point of quint8",
		Types:  typesOf("float32 float16 bfloat16 int8 uint8 int16 uint16 int32 bool complex64"),
		Source: "dnn/include/megdnn/basic_types.h: signed strides, MAX_NDIM; dnn/include/megdnn/dtype.h",
		names:  megEngineNames}
	TVM = &Framework{Name: "TVM", Nameless: noName, Physical: true, Padding: "zeros", Source: "src/s_tir/data_layout.cc",
		names: tvmNames, spell: tvmName}
	XLA = &Framework{Name: "XLA", Nameless: noName, Padding: "unspecified values", Source: "docs/shapes.md, docs/tiled_layout.md",
		names: xlaNames, spell: xlaLayout}
	TensorRT = &Framework{Name: "TensorRT", Nameless: "no TensorRT format has this layout", Padding: "zeros",
		Types:  typesOf("float32 float16 bfloat16 int8 int32 int64 bool uint8 float8_e4m3fn"),
		Source: "include/NvInferRuntime.h: TensorFormat, DataType",
		names:  tensorRTNames}
	CuDNN = &Framework{Name: "cuDNN", MinDims: 3, MaxDims: 8, Order: ByStrides, Negative: noNegative,
		Nameless: "its only blocks are 4 or 32 innermost channels (NCHW_VECT_C)",
		Overlap:  "as an input only: outputs must not overlap", Unit: Elements,
		Types:  typesOf("float32 float64 float16 bfloat16 int8 int32 int64 uint8 bool float8_e4m3fn float8_e5m2"),
		Source: "the pages on cudnnSetTensorNdDescriptor, cudnnDataType_t",
		names:  cuDNNNames}
	CuTe = &Framework{Name: "CuTe", Order: ByOwnDigits, Blocks: BlocksNested, Unit: Elements, Source: "media/docs/cpp/cute/01_layout.md",
		names: cuTeNames, spell: noNames}
	TensorFlow = &Framework{Name: "TensorFlow", Nameless: noName, Physical: true, Source: "data_format, HWIO of filters",
		names: tensorFlowNames}
	MNN = &Framework{Name: "MNN", Nameless: noName, Physical: true, Source: "MNN's documents on NC4HW4",
		names: mnnNames}
	Safetensors = &Framework{Name: "safetensors", Order: ByShape, Blocks: NoBlocks,
		Types:  typesOf("bool uint8 int8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 float8_e5m2 float8_e4m3fn"),
		Source: "the format's own page: sizes, no strides, little-endian"}
)

// frameworks in the order in which formats lists them.
var frameworks = []*Framework{PyTorch, NumPy, DirectML, OneDNN, MegEngine, TVM, XLA, TensorRT, CuDNN, CuTe, TensorFlow, MNN, Safetensors}

// All lists the frameworks that have names for layouts, those of the catalogue.
func All() []*Framework {
	return slices.DeleteFunc(slices.Clone(frameworks), func(f *Framework) bool { return f.names == nil })
}

// Accepting lists the frameworks that are asked whether they accept a tensor without a copy.
func Accepting() []*Framework {
	return []*Framework{PyTorch, NumPy, DirectML, OneDNN, CuDNN, TensorRT, MegEngine, Safetensors}
}

// WithoutNegative names those of Accepting that take strides and refuse negative ones.
func WithoutNegative() []string {
	var names []string
	for _, f := range Accepting() {
		if f.Negative != "" {
			names = append(names, f.Name)
		}
	}
	return names
}
