// Package framework has the frameworks' names for memory orders, which tensors they accept without a copy and why they refuse others,
// and code that makes a layout in them.
//
//	PyTorch …  the frameworks: what each accepts and counts in, with its source (framework.go); All, Accepting list them
//	Catalogue  every name, with the types and ranks that it accepts (catalogue.go, libraries.go)
//	Accepts    does a framework accept a tensor without a copy? By its layout (accept.go, format.go), type (types.go) and,
//	           for one for arrays, as it is stored (stored.go); alignment and pitch (align.go), values below a byte (narrow.go),
//	           DLPack and its readers (dlpack.go). Yes, no, or unknown where no one has tried
//	Expresses, AcceptsOrder  does it have a layout, if only as another view, or for other sizes? (express.go)
//	NamesOf    the names of an order in a framework, NamesFor those of a tensor (names.go)
//	OuterStridesOf  the tags of oneDNN whose descriptor has these strides (onednn.go)
//	Dialect    statements of Python; NewDesc, DirectML's descriptor (code.go)
package framework

import (
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// Convention is how a framework is told the memory order of the dims.
type Convention int

// The values of Convention.
const (
	ByName      Convention = iota // from a name of the order
	ByWholeName                   // from a name of the order, whose blocks divide their dims
	ByFormat                      // from the name of a format: an order, padding, types and ranks
	ByStrides                     // from any strides
	ByNesting                     // from strides, each at least the extent of the dims inside
	ByDense                       // from strides in any order of the dims, without gaps and overlap
	ByShape                       // from sizes alone: row-major
	ByAxes                        // as a tensor with a dim per axis of memory, in memory's order
	ByDigits                      // as a tensor with a dim per digit, next to the dim that it belongs to
	ByOwnDigits                   // from shape:stride with the digits of every dim
	Unsupported                   // not at all
)

// SizeOrder is of which dims a framework lists the sizes, and in which order.
type SizeOrder int

// The values of SizeOrder.
const (
	OfTensor       SizeOrder = iota // the logical dims
	OfMemory                        // memory's axes, outermost first
	InnermostFirst                  // memory's axes, innermost first
)

// PackedRule is what a framework requires of values that share bytes.
type PackedRule int

// The values of PackedRule.
const (
	PackedListed PackedRule = iota // a type among those it lists: AnyType has none
	PackedAny                      // nothing: AnyType includes them
	PackedFilled                   // they fill whole bytes
	PackedEven                     // strides of values of 4 bits are 1 or even
)

// The units of strides.
const (
	Elements = "elements"
	Bytes    = "bytes"
	Vectors  = "vectors"
)

// Framework is what a framework accepts, with its source. A reason is empty if the framework never refuses for it.
type Framework struct {
	Name      string
	MinDims   int
	MaxDims   int    // 0: no known limit
	MaxElems  uint32 // from the first to the last; 0: no known limit
	MaxHeader int    // the longest .npy header that it reads, in characters; 0: not applicable
	Order     Convention
	Blocks    Convention // of blocked dims
	Sizes     SizeOrder
	Packed    PackedRule
	Nameless  string // why it refuses an order without a name, or other strides than its own
	Message   string // in its own words; empty if it has none
	Negative  string // why it refuses negative strides
	Forward   string // the expression that copies x to positive strides; empty if there is none
	Empty     string // why it refuses sizes of 0
	Align     int    // the first element's address is a multiple of this many bytes; 0: of any number
	Unaligned string // what becomes of other addresses
	Pitch     int    // all strides but that of the innermost dim are multiples of this many bytes; 0: of any number
	Overlap   string // a remark on overlapping elements
	Unit      string // of strides; empty if it has none
	BlockUnit string // of the strides from one block to the next, for named blocks; empty if it has none
	Rare      bool   // listed only if it accepts the layout
	Stored    bool   // it reads the array as stored, not the logical tensor
	Padding   string // what the padding of blocks holds; empty if it has none
	Units     bool   // it ignores the strides of size-1 dims, and those of an empty tensor
	Types     string // supported element types, separated by blanks, or AnyType; empty: unknown
	Unpacked  string // types below a byte of which it has a byte for each value
	Narrow    string // types below a byte that it has too, of which nothing else is known here
	Source    string // files or pages with the layouts, ranks and types
	Read      string // the version of them that was read or run

	names  []Entry                              // the names of layouts
	listed []Entry                              // names that the catalogue alone has, of a framework that takes a layout as strides or sizes
	spell  func(notation.Format) []string       // names by rule; nil: by names
	remark func(f *Framework, o Offer) []clause // remarks on a yes; nil: none
}

// maxNumPyHeader is np.load's default limit. (_MAX_HEADER_SIZE of numpy/lib/format.py, since NumPy 1.23.5)
const maxNumPyHeader = 10000

// AnyType is the value of Types that includes every type.
const AnyType = "any"

const (
	noNegative = "negative strides are not supported"
	noStrides  = "its tensors have no strides"
)

// The types of several frameworks.
const (
	integers    = "int8 int16 int32 int64 uint8 uint16 uint32 uint64 "
	allFloat8   = "float8_e3m4 float8_e4m3 float8_e4m3b11fnuz float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz float8_e8m0fnu "
	plainFloats = "float16 bfloat16 float32 float64 "
	complexes   = "complex64 complex128 "
	float6      = "float6_e2m3fn float6_e3m2fn " // packed, which no type here is
)

// The frameworks.
var (
	PyTorch = &Framework{Name: "PyTorch", Order: ByStrides, Blocks: ByAxes, Negative: noNegative, Forward: "x.copy()",
		Unit: Elements, Stored: true, Units: true, remark: remarkPyTorch,
		Types: "bool " + integers + plainFloats + complexes + "complex32 bcomplex32 float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz " +
			"float8_e8m0fnu float4_e2m1fn_x2",
		Unpacked: "int1 int2 int4 uint1 uint2 uint4",
		Source: "c10/core/TensorImpl.h, aten/src/ATen/native/Resize.h; from_numpy, and for negative strides of size-1 dims from_dlpack; " +
			"torch/csrc/utils/tensor_numpy.cpp of 2.3 for uint16 to uint64; torch/headeronly/core/ScalarType.h, whose float4_e2m1fn_x2 is " +
			"a byte of two values, int4 one of a value",
		Read:  "2.15.0; from_numpy of 1.13.0 and 2.15.0, run",
		names: pyTorchNames}
	NumPy = &Framework{Name: "NumPy", Order: ByStrides, Blocks: ByAxes, Sizes: OfMemory, Unit: Bytes, Stored: true,
		MaxHeader: maxNumPyHeader, Types: AnyType, remark: remarkNumPy,
		Source: "numpy/_core/src/multiarray/flagsobject.c; np.save and np.load",
		Read:   "1f90bbb55e, August 2026; 1.24.2 and 2.5.5, run",
		names:  numPyNames, spell: noNames}
	DirectML = &Framework{Name: "DirectML", MinDims: 1, MaxDims: 8, MaxElems: tensor.DirectMLLimit, Order: ByStrides, Blocks: ByDigits,
		Negative: "strides are unsigned", Empty: "sizes must be at least 1", Unit: Elements,
		Types: integers + "float16 float32 float64", Narrow: "int4 uint4",
		Padding: "any values (outputs may write there)",
		Source: "the pages on DML_BUFFER_TENSOR_DESC and DML_TENSOR_DATA_TYPE; dml-feature-level-history.md: DML_TENSOR_DIMENSION_COUNT_MAX1 " +
			"is 8 since feature level 3.0, 5 before; INT4 and UINT4 of 6.3 are for two operators; in maintenance mode: " +
			"README.md of microsoft/DirectML",
		Read:  "feature level 6.4, DirectML 1.15: MicrosoftDocs/windows-ai-docs at 54d416b9, July 2026; README.md at a9614e8, July 2025",
		names: directMLNames, spell: noNames}
	OneDNN = &Framework{Name: "oneDNN", MinDims: 1, MaxDims: 12, Order: ByNesting, Negative: noNegative, Units: true, Packed: PackedEven,
		Nameless: "no format tag has this order of blocks", Unit: Elements, BlockUnit: Elements, Padding: "zeros",
		Types: "float16 bfloat16 float32 float64 int64 int32 int8 uint8 float8_e5m2 float8_e4m3fn float8_e8m0fnu int4 uint4 float4_e2m1fn",
		Read:  "3.14.0 at 3f27bec21f, August 2026; 3.13.2 of PyPI's onednn 2026.1.0, run",
		Source: "doc/common_concepts/understanding_memory_formats.md; memory_desc_sanity_check and memory_desc_strides_check of " +
			"src/common/memory_desc.cpp; DNNL_MAX_NDIMS of include/oneapi/dnnl/dnnl_common_types.h; of types of 4 bits, strides of dims of size > 1 are 1 or even",
		names: oneDNNNames, spell: oneDNNNamesOf}
	MegEngine = &Framework{Name: "MegEngine", MinDims: 1, MaxDims: 7, Order: ByStrides,
		Nameless: "no MegEngine format has these blocks", Sizes: OfMemory, Unit: Elements, Padding: "zeros or the zero point of quint8",
		Types: "float32 float16 bfloat16 int8 uint8 int16 uint16 int32 bool complex64", Narrow: "int4 uint4",
		Source: "dnn/include/megdnn/basic_types.h: signed strides, MAX_NDIM; dnn/include/megdnn/dtype.h; the types of a format: " +
			"src/gopt/impl/global_layout_transform/opr_tensor_formats_config.cpp, where QuantizedS8 is int8 and Quantized8Asymm uint8, " +
			"and dnn/src/arm_common/conv_bias/f16 for NCHW88",
		Read:  "47952c075, October 2024",
		names: megEngineNames}
	TVM = &Framework{Name: "TVM", Nameless: noName, Sizes: OfMemory, Padding: "zeros",
		Types: "bool " + integers + plainFloats + allFloat8 + "int1 int2 int4 uint1 uint2 uint4 float4_e2m1fn float4_e2m1fn_x2 " + float6,
		Source: "src/s_tir/data_layout.cc; PrimType of include/tvm/ir/base_expr.h, a DLDataType of tvm-ffi: its DLDataTypeCode " +
			"(dlpack.h 1.3) has kDLComplex, but its tvm/ffi/dtype.h has no name for it, and tvm_ffi.dtype refuses complex64",
		Read:  "apache/tvm at 5d4dc87213, August 2026; apache-tvm-ffi 0.1.15.post2, run",
		names: tvmNames, spell: tvmName}
	XLA = &Framework{Name: "XLA", Nameless: noName, Padding: "unspecified values",
		Types:  "bool " + integers + plainFloats + complexes + allFloat8 + "int1 int2 int4 uint1 uint2 uint4 float4_e2m1fn",
		Source: "docs/shapes.md, docs/tiled_layout.md; PrimitiveType of xla/xla_data.proto",
		Read:   "xla_data_pb2 of TensorFlow 2.21.0; the pages, undated",
		names:  xlaNames, spell: xlaLayout}
	TensorRT = &Framework{Name: "TensorRT", MaxDims: 8, Order: ByFormat, Blocks: ByFormat, Nameless: "no TensorRT format has this layout", Padding: "zeros",
		Types:  "float32 float16 bfloat16 int8 int32 int64 bool uint8 float8_e4m3fn float8_e8m0fnu int4 float4_e2m1fn",
		remark: remarkFormat,
		Read:   "11.1 at a892d222, July 2026; tensorrt-cu13-bindings 11.4.0.106 has the same names",
		Source: "TensorFormat of include/NvInferRuntime.h, DataType and Dims::MAX_DIMS of include/NvInferRuntimeBase.h",
		names:  tensorRTNames}
	CuDNN = &Framework{Name: "cuDNN", MinDims: 1, MaxDims: 8, Order: ByStrides, Negative: noNegative,
		Blocks: ByWholeName, Nameless: "NCHW_VECT_C has 4 or 32 innermost channels",
		Overlap: "as an input only: outputs must not overlap", Unit: Elements, BlockUnit: Vectors, remark: remarkCuDNN,
		Types: "float32 float64 float16 bfloat16 int8 int32 int64 uint8 uint32 bool float8_e4m3fn float8_e5m2 float8_e8m0fnu complex64 complex128 " +
			"int4 uint4 float4_e2m1fn",
		Source: "tensor descriptors of the graph API, finalized: CUDNN_BACKEND_TENSOR_DESCRIPTOR and cudnnDataType_t of cudnn_graph.h (bool: " +
			"BYTE_BOOLEAN since 9.25; no type here is FP8_E5M3 of 9.26); cudnnSetTensorNdDescriptor takes 2 to 8 dims, 7 types and no " +
			"strides of 0; cudnnTensorFormat_t (7.6: INT8x4, INT8x32 and UINT8x4 with NCHW_VECT_C only); F8_128x4: samples/cpp/matmul of " +
			"cudnn-frontend at 32bd3acc; the reorderings INT8x32 and F16x16 (cudnnBackendTensorReordering_t) are omitted",
		Read:  "nvidia-cudnn-cu13 9.26.0.51, run without a GPU; the headers of 9.28.1.4",
		names: cuDNNNames}
	CuTe = &Framework{Name: "CuTe", Order: ByOwnDigits, Blocks: ByOwnDigits, Unit: Elements, Types: AnyType, Packed: PackedAny,
		Read:   "CUTLASS 4.7.0 at 7107b0553, August 2026",
		Source: "media/docs/cpp/cute/01_layout.md: a layout maps coordinates to offsets, of any type; below a byte: subbyte_iterator of include/cute/container/array_subbyte.hpp",
		names:  cuTeNames, spell: scaleNames}
	MNN = &Framework{Name: "MNN", Nameless: noName, Sizes: OfMemory, Rare: true, Source: "NC4HW4: docs/cpp/Tensor.md",
		Read:  "3.6.1 at 4d40bdbd7, August 2026",
		names: mnnNames}
	ExecuTorch = &Framework{Name: "ExecuTorch", MaxDims: 16, Nameless: "no dim_order: it has an order of the dims, without gaps or blocks",
		Types: "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 " + plainFloats + complexes + "complex32",
		Read:  "1.5.0 at cff6f4dd32, August 2026",
		Source: "dim_order_to_stride of runtime/core/exec_aten/util/dim_order_util.h, kTensorDimensionLimit of " +
			"tensor_dimension_limit.h, runtime/core/portable_type/scalar_type.h, exir/dim_order_utils.py",
		names: execuTorchNames, spell: dimOrder}
	GGML = &Framework{Name: "GGML", MaxDims: 4, Order: ByStrides, Blocks: ByAxes, Sizes: InnermostFirst, Negative: "strides (nb) are unsigned", Unit: Bytes,
		Rare: true, Types: "int8 int16 int32 int64 " + plainFloats,
		Read:   "0.21.0 at d99724f2, August 2026",
		Source: "ggml_tensor, ggml_type and GGML_MAX_DIMS of include/ggml.h; ggml_new_tensor_impl, ggml_permute and ggml_conv_2d of src/ggml.c",
		names:  ggmlNames}
	MLX = &Framework{Name: "MLX", Order: ByStrides, Blocks: ByAxes, Sizes: OfMemory, Unit: Elements,
		Types: "bool " + integers + plainFloats + "complex64",
		Read:  "0.32.2 at 846d17622, August 2026; from_dlpack of 0.32.4, run",
		Source: "array::strides of mlx/array.h, mlx/dtype.h; as_strided, conv2d and conv3d of python/src/ops.cpp; array, asarray and " +
			"from_dlpack copy other memory on a CPU, always",
		names: mlxNames}
	Safetensors = &Framework{Name: "safetensors", Order: ByShape, Blocks: Unsupported, Stored: true, Packed: PackedFilled, remark: remarkStored, listed: safetensorsNames,
		Nameless: noStrides, Message: "You are trying to save a non contiguous tensor",
		Types: "bool " + integers + plainFloats +
			"complex64 float8_e5m2 float8_e4m3fn float8_e8m0fnu float8_e4m3fnuz float8_e5m2fnuz float4_e2m1fn " + float6,
		Source: "Dtype and TensorInfo of safetensors/src/tensor.rs: sizes, no strides, C order, little-endian",
		Read:   "24b0b28, May 2026; 0.8.0, run"}
)

// frameworks in the order of the output of formats.
//
// To add a framework: a row above or in libraries.go, with its types, ranks and source; its names in the catalogue with the types that each takes; what
// its header says in testdata/headers.txt, from which a test recomputes every pair of a name and a type. -update writes docs/accepted.md.
var frameworks = append([]*Framework{PyTorch, NumPy, DirectML, OneDNN, MegEngine, TVM, XLA, TensorRT, CuDNN, CuTe, TensorFlow, MNN, ExecuTorch, GGML, MLX,
	Safetensors, DLPack, JAX, ONNXRuntime, TMA}, libraries...)

// All returns the frameworks whose names NamesOf gives.
func All() []*Framework {
	return slices.DeleteFunc(slices.Clone(frameworks), func(f *Framework) bool { return f.names == nil })
}

// Accepting returns the frameworks for which accepting a tensor without a copy is checked.
func Accepting() []*Framework {
	return []*Framework{PyTorch, NumPy, DLPack, JAX, TensorFlow, ONNXRuntime, DirectML, OneDNN, CuDNN, TensorRT, MegEngine, Safetensors, TMA}
}

// WithoutNegative returns the names of those of Accepting that have strides and refuse negative ones.
func WithoutNegative() []string {
	var names []string
	for _, f := range Accepting() {
		if f.Negative != "" {
			names = append(names, f.Name)
		}
	}
	return names
}

// Key returns the name in flags and JSON: lower-case, without blanks.
func (f *Framework) Key() string { return KeyOf(f.Name) }

// KeyOf returns the Key of the framework with this name.
func KeyOf(name string) string { return strings.ReplaceAll(strings.ToLower(name), " ", "") }

// abbreviations are common short names of frameworks. They only make hints: no flag accepts them.
var abbreviations = map[string]*Framework{
	"trt": TensorRT, "nvinfer": TensorRT, "torch": PyTorch, "pt": PyTorch, "aten": PyTorch, "np": NumPy, "dml": DirectML, "dnnl": OneDNN,
	"mkldnn": OneDNN, "mkl-dnn": OneDNN, "mge": MegEngine, "megdnn": MegEngine, "tf": TensorFlow, "cutlass": CuTe, "jax": XLA, "relay": TVM, "gguf": GGML, "llama.cpp": GGML, "et": ExecuTorch,
	"ttnn": Tenstorrent, "tt-metal": Tenstorrent, "qnn": Hexagon, "rockchip": RKNN, "rknpu": RKNN, "ethos": EthosU, "vela": EthosU, "hailort": Hailo,
	"tflite": LiteRT, "mindspore": LiteRT, "coremltools": CoreML, "mlmultiarray": CoreML, "ane": CoreML, "ort": ONNXRuntime, "onnx": ONNXRuntime, "triton": TMA, "cutensormap": TMA,
}

// Abbreviated returns the framework with a common short name, such as torch or trt; nil if there is none.
func Abbreviated(word string) *Framework { return abbreviations[strings.ToLower(word)] }

// Meant returns the one of keys, lower-case names of frameworks, that a word abbreviates or misspells; "" if none is near.
func Meant(word string, keys []string) string {
	if f := Abbreviated(word); f != nil {
		if key := f.Key(); slices.Contains(keys, key) {
			return key
		}
	}
	return text.Nearest(word, keys)
}
