package framework

import "github.com/tlayout/tlayout/internal/tensor/notation"

// Libraries whose names for layouts are those of their kernels: scale factors of block-scaled matrices, whose dims M,K count scales, and
// the formats of OpenVINO, CANN and raster files.

// scaleNames has CUTLASS's name for an order of scale factors; CuTe's layouts have none.
func scaleNames(f notation.Format) []string {
	if f.Explicit() == sf128x4 {
		return []string{"Sm1xxBlockScaledConfig"}
	}
	return nil
}

// library returns a framework that is given memory and the name of its layout.
func library(name, types, source, read string, names []Entry) *Framework {
	return &Framework{Name: name, Nameless: noName, Sizes: OfMemory, Rare: true, Types: types, Source: source, Read: read, names: names}
}

// The orders of scale factors.
const (
	sf128x4  = "M//128 K//4 M%32 M//32%4 K%4"
	sf32x8   = "M//32 K//8 K%4 M%16 K//4%2 M//16%2" // gfx950
	sf8x4    = "M//8 K//4 M%8 K%4"
	sfColumn = "K M//4 M%4"
	sfPacked = "K//4 M//4 M%4 K%4"

	byteScales = "float8_e8m0fnu float8_e4m3fn"
)

// ScaleReordering is cuDNN's name for scale factors; its dims are those of whole tiles, with the strides of a row-major matrix.
const ScaleReordering = "F8_128x4"

var libraries = []*Framework{
	library("cuBLASLt", byteScales,
		"cublasLtMatmulMatrixScale_t of cublasLt.h; cuBLAS's page, 1D Block Scaling Factors Layout", "nvidia-cublas 13.4.1.3", []Entry{
			{Name: "VEC32_UE8M0", Order: sf128x4, Kind: Matrices, Types: "float8_e8m0fnu", Meaning: "MXFP8, MXFP4: a scale for 32 values"},
			{Name: "VEC16_UE4M3", Order: sf128x4, Kind: Matrices, Types: "float8_e4m3fn", Meaning: "NVFP4: a scale for 16 values"},
		}),
	library("torchao", AnyType, "to_blocked of torchao/prototype/mx_formats/utils.py", "pytorch/ao at 047c25c4", []Entry{
		{Name: "to_blocked", Order: sf128x4, Kind: Matrices, Meaning: "of scales M,K"},
	}),
	FlashInfer,
	library("TensorRT-LLM", "uint8", "QuantizationSFLayout of cpp/tensorrt_llm/kernels/quantization.h", "140f18ea", []Entry{
		{Name: "QuantizationSFLayout::SWIZZLED", Order: sf128x4, Kind: Matrices},
	}),
	library("DeepGEMM", "float32 int32 float8_e8m0fnu", "check_sf_layout of csrc/utils/layout.hpp: float, or int, which has 4 scales of "+
		"float8_e8m0fnu; stride(-2) is 1, stride(-1) a multiple of 16 bytes; preprocess_sf of csrc/jit_kernels/impls/smxx_layout.hpp: float", "ab02dd58", []Entry{
		{Name: "get_mn_major_tma_aligned_tensor", Order: sfColumn, Kind: Matrices, Types: "float32", Meaning: "MN-major, TMA-aligned"},
		{Name: "sf_mn_major", Order: sfColumn, Kind: Matrices, Types: "float32", Meaning: "a short name of the same", use: catalogueOnly},
		{Name: "get_mn_major_tma_aligned_packed_ue8m0_tensor", Order: sfPacked, Kind: Matrices, Types: "float8_e8m0fnu",
			Meaning: "bytes of an int32 tensor: 4 scales of a row in each"},
	}),
	library("CANN", "", "TransdataOperation and aclFormat of the manual, Format of the guide to Ascend C: C0 is 32 bytes", "the pages of CANN 8.0 to 8.5", []Entry{
		{Name: "FRACTAL_NZ", Order: "N//16 M//16 M%16 N%16", Kind: Matrices, Types: "float16 bfloat16", Meaning: "int8 has FRACTAL_NZ_C0_32"},
		{Name: "FRACTAL_NZ_C0_16", Order: "N//16 M//16 M%16 N%16", Kind: Matrices},
		{Name: "FRACTAL_NZ_C0_32", Order: "N//32 M//16 M%16 N%32", Kind: Matrices},
		{Name: "NC1HWC0", Kind: Activations},
		{Name: "NC1HWC0_C04", Order: "N C//4 H W C%4", Kind: Activations},
		{Name: "NDC1HWC0", Kind: Activations},
	}),
	library("ENVI", "", "interleave of the header file; the page of GDAL's driver ENVI", "the page, undated", []Entry{
		{Name: "BSQ", Order: "C H W", Kind: Activations, Meaning: "band sequential"},
		{Name: "BIL", Order: "H C W", Kind: Activations, Meaning: "band interleaved by line"},
		{Name: "BIP", Order: "H W C", Kind: Activations, Meaning: "band interleaved by pixel"},
	}),
	OpenVINO, Marlin, AutoGPTQ, AutoAWQ, CompressedTensors, VLLM, LMCache, AITER, TritonKernels, Tenstorrent, Hexagon, RKNN, EthosU, Hailo, LiteRT, CoreML,
}

// OpenVINO's formats of the GPU plugin. Its shapes are logical in every format: b,f,y,x are N,C,H,W.
var OpenVINO = &Framework{Name: "OpenVINO", Nameless: noName, Rare: true,
	Source: "format_traits_map of src/plugins/intel_gpu/src/runtime/format.cpp", Read: "00cc295d",
	names: []Entry{
		{Name: "bfyx", Order: "N C H W", Kind: Activations, Meaning: "b batch, f feature"},
		{Name: "byxf", Order: "N H W C", Kind: Activations},
		{Name: "yxfb", Order: "H W C N", Kind: Activations},
		{Name: "b_fs_yx_fsv4", Order: "N C//4 H W C%4", Kind: Activations, Meaning: "fs: f in blocks, fsv4: of 4"},
		{Name: "b_fs_yx_fsv16", Order: "N C//16 H W C%16", Kind: Activations},
		{Name: "b_fs_yx_fsv32", Order: "N C//32 H W C%32", Kind: Activations},
		{Name: "fs_b_yx_fsv32", Order: "C//32 N H W C%32", Kind: Activations},
		{Name: "bs_fs_yx_bsv16_fsv16", Order: "N//16 C//16 H W N%16 C%16", Kind: Activations},
		{Name: "bs_fs_yx_bsv32_fsv32", Order: "N//32 C//32 H W N%32 C%32", Kind: Activations},
		{Name: "bfzyx", Order: "N C D H W", Kind: Volumes},
		{Name: "bzyxf", Order: "N D H W C", Kind: Volumes},
		{Name: "b_fs_zyx_fsv16", Order: "N C//16 D H W C%16", Kind: Volumes},
		{Name: "oiyx", Order: "O I H W", Kind: Weights},
		{Name: "os_iyx_osv16", Order: "O//16 I H W O%16", Kind: Weights},
		{Name: "os_is_yx_isv16_osv16", Order: "O//16 I//16 H W I%16 O%16", Kind: Weights},
		{Name: "os_is_yx_isa8_osv8_isv4", Order: "O//8 I//32 H W I//4%8 O%8 I%4", Kind: Weights},
		{Name: "os_is_yx_osa4_isa8_osv8_isv4", Order: "O//32 I//32 H W O//8%4 I//4%8 O%8 I%4", Kind: Weights},
	}}
