package framework

import "slices"

// Names of frameworks that take a layout as strides or sizes: the catalogue lists them, and NamesOf gives none.

// safetensorsNames: header.json of safetensors/src/tensor.rs: dtype, shape and offsets.
var safetensorsNames = []Entry{
	{Name: "contiguous", Order: RowMajorOrder, Kind: AnyRank, Meaning: "the only one: sizes, no strides"},
}

// dlPackNames: DLTensor of dlpack.h.
var dlPackNames = []Entry{
	{Name: "row_major", Order: RowMajorOrder, Kind: AnyRank, Meaning: "what strides of NULL meant before 1.2; others by strides, in elements"},
}

// jaxNames: jax.experimental.layout, printed by 0.12.0.1, and dimension_numbers of jax.lax.conv_general_dilated.
var jaxNames = []Entry{
	{Name: "Layout(major_to_minor=(0, 1, 2, 3))", Order: "A B C D", Kind: AnyRank, Meaning: "row-major; XLA's list, reversed"},
	{Name: "Layout(major_to_minor=(0, 2, 3, 1))", Order: "A C D B", Kind: AnyRank, Meaning: "NHWC for dims N,C,H,W"},
	{Name: "Layout(major_to_minor=(0, 1), tiling=((8, 128),))", Order: "A//8 B//128 A%8 B%128", Kind: Matrices, Meaning: "in tiles of 8 x 128"},
	{Name: "NCHW", Order: "N C H W", Kind: Activations, Meaning: "dimension_numbers of convolutions, the default; shapes have this order"},
	{Name: "NHWC", Order: "N H W C", Kind: Activations, Meaning: "dimension_numbers; shapes are N,H,W,C"},
	{Name: "OIHW", Order: "O I H W", Kind: Weights, Meaning: "dimension_numbers, the default"},
	{Name: "HWIO", Order: "H W I O", Kind: Weights, Meaning: "dimension_numbers"},
}

// onnxRuntimeNames: include/onnxruntime/core/graph/constants.h; MlasNchwcGetBlockSize of core/mlas/lib/snchwc.cpp.
var onnxRuntimeNames = []Entry{
	{Name: "NCHW", Order: "N C H W", Kind: Activations, Meaning: "of ONNX's operators"},
	{Name: "NHWC", Order: "N H W C", Kind: Activations, Meaning: "of operators in com.ms.internal.nhwc"},
	{Name: "NCHW8c", Order: "N C//8 H W C%8", Kind: Activations, Meaning: "of operators in com.microsoft.nchwc, with AVX and AVX2", Types: "float32"},
	{Name: "NCHW16c", Order: "N C//16 H W C%16", Kind: Activations, Meaning: "of operators in com.microsoft.nchwc, with AVX-512", Types: "float32"},
}

// tmaNames: cuTensorMapEncodeTiled of cuda.h 13.2; boxes in shared memory: tlayout formats 'Sw<3,4,3> o 0 o (8,64):(64,1)'.
var tmaNames = []Entry{
	{Name: "CU_TENSOR_MAP_INTERLEAVE_16B", Order: "N C//8 H W C%8", Kind: Activations, Meaning: "NC/8HWC8: 8 channels of 2 bytes", Types: "float16 bfloat16"},
	{Name: "CU_TENSOR_MAP_INTERLEAVE_32B", Order: "N C//16 H W C%16", Kind: Activations, Meaning: "NC/16HWC16: 16 channels of 2 bytes", Types: "float16 bfloat16"},
	{Name: "CU_TENSOR_MAP_INTERLEAVE_NONE", Kind: AnyRank},
	{Name: "CU_TENSOR_MAP_SWIZZLE_32B", Kind: Matrices},
	{Name: "CU_TENSOR_MAP_SWIZZLE_64B", Kind: Matrices},
	{Name: "CU_TENSOR_MAP_SWIZZLE_128B", Kind: Matrices},
}

// Listed returns the frameworks of the catalogue: All, and those whose names NamesOf does not give.
func Listed() []*Framework {
	return slices.DeleteFunc(slices.Clone(frameworks), func(f *Framework) bool { return f.entries() == nil })
}

// entries returns the framework's rows of the catalogue.
func (f *Framework) entries() []Entry { return slices.Concat(f.names, f.listed) }
