package framework

// Weights and their scales in the order of a kernel's threads, and the memory of accelerators. Dims of weights are those of the function that
// shuffles them.

const (
	shuffled16 = "M//16 K//8 M%16 K%8"
	shuffled32 = "M//32 K//8 M%32 K%8"
	blockMajor = "K//64 M K%64"
	ttTile     = "H//32 W//32 H//16%2 W//16%2 H%16 W%16"
	shuffledSF = "M//256 M//32%8 K//8 K%4 M%16 K//4%2 M//16%2"

	shuffledTypes = halves + " " + bytes
	bytes         = "int8 uint8 float8_e4m3fn float8_e4m3fnuz float8_e8m0fnu"
)

// ofBytes has the orders of blocks of 16 or 128 bytes by type.
var (
	shuffledRows = []variant{{shuffled16, halves, nil}, {"M//16 K//16 M%16 K%16", bytes, nil}}
	shuffledWide = []variant{{shuffled32, halves, nil}, {"M//32 K//16 M%32 K%16", bytes, nil}}
	majorBlocks  = []variant{{blockMajor, halves, nil}, {"K//128 M K%128", bytes, nil}}
)

// flashInferWeights are names of functions, with the epilogue tile as their argument.
var flashInferWeights = []Entry{
	{Name: "BlockMajorK", Order: blockMajor, Kind: Matrices, Types: shuffledTypes, variants: majorBlocks, Meaning: "128 bytes of K; MatrixLayout of TensorRT-LLM's kernels"},
	{Name: "shuffle_matrix_a(128)", Order: "M//32 M%4 M//4%8 K", Kind: Matrices, Meaning: "rows, for epilogue tiles of multiples of 128"},
	{Name: "shuffle_matrix_a(64)", Order: "M//16 M%2 M//2%8 K", Kind: Matrices, Meaning: "rows, for other epilogue tiles"},
	{Name: "shuffle_matrix_sf_a(128)", Order: "M//128 K//4 M%4 M//4%8 M//32%4 K%4", Kind: Matrices, Types: "uint8 float8_e4m3fn", Meaning: "their scales, in layout_128x4"},
	{Name: "shuffle_matrix_a", Kind: Matrices},
}

var (
	AITER = library("AITER", AnyType, "shuffle_weight and shuffle_scale of aiter/ops/shuffle.py", "ROCm/aiter at e4048607", []Entry{
		{Name: "shuffle_weight", Order: shuffled16, Kind: Matrices, Types: shuffledTypes, variants: shuffledRows, Meaning: "16 bytes of K; layout=(16, 16)"},
		{Name: "shuffle_weight(layout=(32,16))", Order: shuffled32, Kind: Matrices, Types: shuffledTypes, variants: shuffledWide, Meaning: "16 bytes of K"},
		{Name: "shuffle_scale", Order: shuffledSF, Kind: Matrices, Types: "uint8 float8_e8m0fnu", Meaning: "of scales M,K, padded to 256 x 8; e8m0_shuffle"},
	})
	TritonKernels = library("triton_kernels", "float4_e2m1fn", "layout_details/blackwell_value_shuffled.py and hopper_value.py of "+
		"python/triton_kernels/triton_kernels/tensor_details", "triton-lang/triton at 000df03e", []Entry{
		{Name: "BlackwellMX4ValueShuffled", Order: "K//256 K//128%2 N//256 N%256 K%128", Kind: Matrices, Types: "float4_e2m1fn", Meaning: "block_k 128, block_n 256; K padded to 256"},
		{Name: "HopperMXValue", Kind: Matrices},
	})
	Tenstorrent = library("Tenstorrent", "bfloat16 float32 int32 uint32 uint16 uint8", "tech_reports/tensor_layouts/tensor_layouts.md; DataType of tt-metalium/experimental/tensor/tensor_types.hpp, "+
		"whose BFLOAT8_B and BFLOAT4_B are no types here", "tenstorrent/tt-metal at 0570a01b and 03d9345f", []Entry{
		{Name: "TILE", Order: ttTile, Kind: Activations, Meaning: "tiles of 32 x 32 of faces of 16 x 16; H and W are the last dims", orders: ttTile + "|C " + ttTile + "|N C " + ttTile},
		{Name: "ROW_MAJOR", Order: RowMajorOrder, Kind: AnyRank, Meaning: "a row is a page", use: catalogueOnly},
	})
	Hexagon = library("Hexagon", "", "nhwc_8h2w32c2w_1d of python/tvm/topi/hexagon/utils.py; nhwc-8h8w32c: transform_numpy of tests/python/contrib/test_hexagon/infrastructure.py", "apache/tvm at 009e536c and c4686a2e", []Entry{
		{Name: "crouton", Order: croutonOrder, Kind: Activations, Types: halves, Meaning: "2048 bytes: 8 x 4 pixels of 32 channels, pairs of W innermost"},
		{Name: "nhwc-8h2w32c2w", Order: croutonOrder, Kind: Activations, Types: halves, Meaning: "TVM's name"},
		{Name: "nhwc-8h8w32c", Order: "N H//8 W//8 C//32 H%8 W%8 C%32", Kind: Activations, Types: "int8 uint8", Meaning: "TVM's name: 2048 bytes of 1-byte values"},
	})
	// NPUs whose names do not determine a layout, or spell another one.
	RKNN = accelerator("RKNN", "NC1HWC2_i8_to_NHWC_i8 of rknpu2/examples/RV1106_RV1103/rknn_yolov5_demo/src/main.cc", "airockchip/rknn-toolkit2 at 42aa1d42",
		Entry{Name: "NC1HWC2", Kind: Activations})
	EthosU = accelerator("Ethos-U", "get_layout_transform_matrices of python/tvm/relay/backend/contrib/ethosu/te/common.py", "apache/tvm at b3f39b4c",
		Entry{Name: "NHCWB16", Kind: Activations})
	Hailo = accelerator("Hailo", "hailo_format_order_t of hailort/libhailort/include/hailo/hailort.h", "hailo-ai/hailort at 01e4c7f5",
		Entry{Name: "F8CR", Kind: Activations})
	LiteRT = accelerator("LiteRT", "ConvertToPHWC4 of tensorflow/lite/delegates/gpu/common/convert.cc; NHWC4: Format of MindSpore's include/api/format.h",
		"tensorflow/tensorflow at 00f0938a", Entry{Name: "PHWC4", Kind: Activations}, Entry{Name: "NHWC4", Kind: Activations})
)

// CoreML describes an MLMultiArray by its strides, which count elements.
var CoreML = &Framework{Name: "Core ML", Order: ByStrides, Blocks: ByAxes, Unit: Elements, Rare: true, Types: "float16 float32 float64 int32 int8",
	Source: "MLShapedArrayBufferLayout of Apple's pages; ArrayDataType of mlmodel/format/FeatureTypes.proto of apple/coremltools; rows of the Neural Engine: " +
		"Desert-Ant-Labs/desert-ant-core PR 120, FluidInference/FluidAudio PR 730",
	Read: "coremltools at 511e360f; the pages, undated",
	listed: []Entry{
		{Name: "firstMajorContiguous", Order: RowMajorOrder, Kind: AnyRank, Meaning: "the Neural Engine pads rows to a multiple of 64 bytes: read strides"},
		{Name: "lastMajorContiguous", Order: ColumnMajorOrder, Kind: AnyRank},
	}}

// accelerator returns a framework all of whose names are refused.
func accelerator(name, source, read string, refused ...Entry) *Framework {
	return &Framework{Name: name, Nameless: noName, Sizes: OfMemory, Rare: true, Source: source, Read: read, listed: refused}
}

const croutonOrder = "N H//8 W//4 C//32 H%8 W//2%2 C%32 W%2"
