package dtype

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/tlayout/tlayout/internal/text"
)

// vocabulary is the type names of a framework.
type vocabulary struct {
	source   string
	prefixes []string          // prefixes of a name, possibly empty
	same     []string          // words that Parse knows with the same meaning
	words    map[string]string // other words and their types
}

// The types of most frameworks whose names are also NumPy's or ml_dtypes'.
const (
	integers = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 "
	reals    = "float16 float32 float64 bfloat16 "
	float8   = "float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz float8_e8m0fnu "
	narrow   = "int2 int4 uint2 uint4 "
)

// vocabularies are the frameworks' names. Without a prefix, no name is another NumPy type.
//
// To add a framework's names of types: a row here, with its source.
var vocabularies = sync.OnceValue(func() []vocabulary {
	return []vocabulary{
		{
			source:   "PyTorch 2.15, torch/csrc/utils/tensor_dtypes.cpp and docs/source/tensor_attributes.rst",
			prefixes: []string{"torch."},
			same:     strings.Fields(integers + reals + float8 + narrow + "int1 uint1 float4_e2m1fn_x2 complex32 bcomplex32 complex64 complex128"),
			words: map[string]string{"half": "float16", "float": "float32", "double": "float64", "short": "int16", "int": "int32", "long": "int64",
				"chalf": "complex32", "cfloat": "complex64", "cdouble": "complex128"},
		},
		{
			source:   "PyTorch 1.13, docs/source/tensors.rst: what x.type() returns",
			prefixes: []string{"torch.", "torch.cuda."},
			words: map[string]string{"FloatTensor": "float32", "DoubleTensor": "float64", "HalfTensor": "float16", "BFloat16Tensor": "bfloat16",
				"ByteTensor": "uint8", "CharTensor": "int8", "ShortTensor": "int16", "IntTensor": "int32", "LongTensor": "int64", "BoolTensor": "bool"},
		},
		{
			source:   "NumPy 1.24, numpy/core/numerictypes.py; float and int were Python's",
			prefixes: []string{"np.", "numpy."},
			same:     numpyWords(),
		},
		{
			source:   "JAX 0.12, jax/numpy/__init__.py",
			prefixes: []string{"jnp.", "jax.numpy."},
			same:     strings.Fields(integers + reals + float8 + narrow + "int1 uint1 bool_ complex64 complex128 float8_e3m4 float8_e4m3 float8_e4m3b11fnuz float6_e2m3fn float6_e3m2fn float4_e2m1fn"),
		},
		{
			source:   "ml_dtypes 0.6, README",
			prefixes: []string{"ml_dtypes."},
			same:     strings.Fields(float8 + narrow + "bfloat16 float8_e3m4 float8_e4m3 float8_e4m3b11fnuz float4_e2m1fn float6_e2m3fn float6_e3m2fn complex32 bcomplex32"),
		},
		{
			source:   "TensorFlow 2.21, tensorflow/python/framework/dtypes.py",
			prefixes: []string{"tf.", "tf.dtypes.", "tensorflow."},
			same:     strings.Fields(integers + reals + "half double complex64 complex128"),
		},
		{
			source:   "TensorRT 11.4, include/NvInferRuntimeBase.h: DataType; its Python API has the words without k",
			prefixes: []string{"k", "DataType::k", "nvinfer1::DataType::k", "trt.DataType.", "tensorrt.DataType.", "DataType."},
			words: map[string]string{"FLOAT": "float32", "HALF": "float16", "INT8": "int8", "INT32": "int32", "BOOL": "bool", "UINT8": "uint8",
				"FP8": "float8_e4m3fn", "BF16": "bfloat16", "INT64": "int64", "E8M0": "float8_e8m0fnu", "INT4": "int4", "FP4": "float4_e2m1fn"},
		},
		{
			source:   "TensorRT, Python API: aliases of DataType",
			prefixes: []string{"trt.", "tensorrt."},
			same:     strings.Fields("float32 float16 int32 int8 bool uint8 int64 bfloat16"),
			words:    map[string]string{"fp8": "float8_e4m3fn"},
		},
		{
			source:   "cuDNN 9.28, cudnn_graph.h: cudnnDataType_t; FP8_E5M3 is no type here",
			prefixes: []string{"CUDNN_DATA_"},
			words: map[string]string{"FLOAT": "float32", "DOUBLE": "float64", "HALF": "float16", "INT8": "int8", "INT32": "int32", "UINT8": "uint8",
				"BFLOAT16": "bfloat16", "INT64": "int64", "BOOLEAN": "bool", "FP8_E4M3": "float8_e4m3fn", "FP8_E5M2": "float8_e5m2",
				"FP8_E8M0": "float8_e8m0fnu", "UINT32": "uint32", "COMPLEX_FP32": "complex64", "COMPLEX_FP64": "complex128",
				"FP4_E2M1": "float4_e2m1fn", "INT4": "int4", "UINT4": "uint4"},
		},
		{
			source:   "DirectML 1.15, DML_TENSOR_DATA_TYPE",
			prefixes: []string{"DML_TENSOR_DATA_TYPE_"},
			words: map[string]string{"FLOAT32": "float32", "FLOAT16": "float16", "FLOAT64": "float64", "UINT8": "uint8", "UINT16": "uint16",
				"UINT32": "uint32", "UINT64": "uint64", "INT8": "int8", "INT16": "int16", "INT32": "int32", "INT64": "int64",
				"INT4": "int4", "UINT4": "uint4"},
		},
		{
			source:   "oneDNN 3.14, include/oneapi/dnnl/dnnl_common_types.h: dnnl_data_type_t; f8_e4m3 is OCP's",
			prefixes: []string{"", "dnnl_", "data_type::", "memory::data_type::", "dnnl::memory::data_type::"},
			words: map[string]string{"bf16": "bfloat16", "f32": "float32", "f64": "float64", "s8": "int8", "s32": "int32", "s64": "int64",
				"f8_e5m2": "float8_e5m2", "f8_e4m3": "float8_e4m3fn", "e8m0": "float8_e8m0fnu", "s4": "int4", "f4_e2m1": "float4_e2m1fn"},
		},
		{
			source:   "oneDNN 3.14, as above: words that NumPy also has",
			prefixes: []string{"dnnl_", "data_type::", "memory::data_type::", "dnnl::memory::data_type::"},
			words:    map[string]string{"f16": "float16", "u8": "uint8", "u4": "uint4"},
		},
		{
			source:   "XLA, xla/xla_data.proto: PrimitiveType, and MLIR's builtin types",
			prefixes: []string{""},
			words: map[string]string{"pred": "bool", "s16": "int16", "u16": "uint16", "u32": "uint32", "u64": "uint64", "i16": "int16", "i32": "int32",
				"i64": "int64", "c64": "complex64", "c128": "complex128", "f8e4m3fn": "float8_e4m3fn", "f8e4m3fnuz": "float8_e4m3fnuz",
				"f8e4m3b11fnuz": "float8_e4m3b11fnuz", "f8e5m2": "float8_e5m2", "f8e5m2fnuz": "float8_e5m2fnuz", "f8e8m0fnu": "float8_e8m0fnu",
				"s1": "int1", "s2": "int2", "s4": "int4", "f4e2m1fn": "float4_e2m1fn"},
		},
		{
			source:   "Triton 3, python/triton/language/core.py: dtype",
			prefixes: []string{"tl."},
			same:     strings.Fields(integers + reals),
		},
		{
			source:   "Triton 3, as above: its printed form",
			prefixes: []string{""},
			words: map[string]string{"fp16": "float16", "fp32": "float32", "fp64": "float64", "bf16": "bfloat16", "fp8e4nv": "float8_e4m3fn",
				"fp8e5": "float8_e5m2"},
		},
		{
			source:   "vLLM 0.6.6, docs: kv_cache_dtype, FP8 E4M3 KV Cache",
			prefixes: []string{""},
			words:    map[string]string{"fp8_e4m3": "float8_e4m3fn", "fp8_e5m2": "float8_e5m2"},
		},
		{
			source:   "CUTLASS 4.7, include/cutlass/{half,bfloat16,float8,float_subbyte,integer_subbyte}.h",
			prefixes: []string{"", "cutlass::"},
			words: map[string]string{"half_t": "float16", "bfloat16_t": "bfloat16", "float_e4m3_t": "float8_e4m3fn", "float_e5m2_t": "float8_e5m2",
				"float_ue8m0_t": "float8_e8m0fnu", "float_e2m1_t": "float4_e2m1fn", "int4b_t": "int4", "uint4b_t": "uint4", "int2b_t": "int2",
				"uint2b_t": "uint2"},
		},
		{
			source:   "C11, stdint.h",
			prefixes: []string{"", "std::"},
			words: map[string]string{"int8_t": "int8", "int16_t": "int16", "int32_t": "int32", "int64_t": "int64", "uint8_t": "uint8",
				"uint16_t": "uint16", "uint32_t": "uint32", "uint64_t": "uint64"},
		},
		{
			source:   "CUDA 12, cuda_fp16.h, cuda_bf16.h, cuda_fp8.h",
			prefixes: []string{"", "__"},
			words:    map[string]string{"nv_bfloat16": "bfloat16", "nv_fp8_e4m3": "float8_e4m3fn", "nv_fp8_e5m2": "float8_e5m2", "half": "float16"},
		},
		{
			source:   "safetensors 0.8, safetensors/src/tensor.rs: Dtype",
			prefixes: []string{""},
			words: map[string]string{"F64": "float64", "F32": "float32", "F16": "float16", "BF16": "bfloat16", "F8_E5M2": "float8_e5m2",
				"F8_E4M3": "float8_e4m3fn", "I64": "int64", "I32": "int32", "I16": "int16", "I8": "int8", "BOOL": "bool", "F8_E8M0": "float8_e8m0fnu",
				"F8_E4M3FNUZ": "float8_e4m3fnuz", "F8_E5M2FNUZ": "float8_e5m2fnuz", "C64": "complex64", "F4": "float4_e2m1fn"}, // its U8 to U64 are texts in NumPy
		},
	}
})

// nearInVocabulary returns the name that a misspelled one with a framework's prefix, such as torch.float16, probably means; "" if none
// is near.
func nearInVocabulary(s string) string {
	for _, v := range vocabularies() {
		for _, prefix := range v.prefixes {
			word, begins := strings.CutPrefix(s, prefix)
			if !begins || len(prefix) < 2 {
				continue
			}
			all := slices.Concat(v.same, slices.Sorted(maps.Keys(v.words)))
			if near := text.Nearest(word, all); near != "" && sizedAlike(word, near) {
				return prefix + near
			}
		}
	}
	return ""
}

// numpyWords returns NumPy's words of more than one letter.
func numpyWords() []string {
	var all []string
	for word := range names() {
		if len(word) > 1 {
			all = append(all, word)
		}
	}
	slices.Sort(all)
	return all
}
