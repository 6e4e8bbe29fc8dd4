package framework

import (
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// Kind is what a layout is for.
type Kind string

// The values of Kind.
const (
	AnyRank     Kind = "any"         // a rule for every rank
	Activations Kind = "activations" // N C H W
	Volumes     Kind = "3-D"         // N C D H W
	Weights     Kind = "weights"     // O I H W
	Matrices    Kind = "matrices"    // H W, or N C
	Sequences   Kind = "sequences"   // T N C
	Caches      Kind = "caches"      // B H N C, of keys and values
)

// The memory orders that keep a tensor's own dims.
const (
	RowMajorOrder    = "row-major"
	ColumnMajorOrder = "column-major"
)

// Entry is a name as its framework writes it, and what it means there.
type Entry struct {
	Framework string
	Name      string // Parse reads it, unless Refused returns a reason
	Order     string // in the explicit form, or RowMajorOrder, ColumnMajorOrder; empty if Parse refuses the name
	Kind      Kind
	Meaning   string // a remark in a few words; may be empty

	Types    string // the element types that the name goes with, separated by blanks; empty: all of the framework's
	MinDims  int    // smallest rank; 0: that of Order
	orders   string // the orders that NamesOf gives this name, separated by |; empty: Order
	listed   bool   // only for dims that are listed in logical order: N,C,H,W
	variants []variant
	printed  string // how NamesOf prints the name; empty: Name
	maxSize  int    // the largest size of C, H and W; 0: no limit is documented
	note     string // a remark on a tensor that is accepted under this name; may be empty
	use      use
}

// variant is an order that a name has for one type, and for certain channel counts if not nil.
type variant struct {
	order, types string
	channels     []int
}

// use is where a name appears.
type use int

const (
	everywhere    use = iota
	catalogueOnly     // NamesOf prefers another name for the order
	namesOfOnly       // Catalogue omits it: the name spells out its order
)

// Refused returns why Parse refuses the entry's name, and what to write instead; empty if it accepts the name.
func (e Entry) Refused() (why, instead string) {
	for _, r := range notation.Refused {
		if r.Name == e.Name {
			return r.Why, r.Hint
		}
	}
	return "", ""
}

// OfBytes reports whether the name has another order for elements of another size; Order is that of the first of Types.
func (e Entry) OfBytes() bool { return e.variants != nil }

// Catalogue returns every named layout, framework by framework in the order of Listed.
//
// Post: Parse of an entry's name gives its order, or the error of Refused.
func Catalogue() []Entry {
	var all []Entry
	for _, f := range Listed() {
		for _, e := range f.entries() {
			if e.use != namesOfOnly {
				e.Framework = f.Name
				all = append(all, e)
			}
		}
	}
	return all
}

// pyTorchNames: c10/core/MemoryFormat.h; torch/nn/functional.pyi; to_blocked of torch/testing/_internal/common_quantized.py.
var pyTorchNames = []Entry{
	{Name: "contiguous_format", Order: RowMajorOrder, Kind: AnyRank, Meaning: "the default: NCHW for N,C,H,W"},
	{Name: "channels_last", listed: true, Order: "N H W C", Kind: Activations, Meaning: "sizes stay N,C,H,W; weights O,I,H,W are O H W I",
		orders: "N H W C|O H W I|B H W C"},
	{Name: "channels_last_3d", listed: true, Order: "N D H W C", Kind: Volumes, Meaning: "sizes stay N,C,D,H,W"},
	{Name: "SWIZZLE_32_4_4", Order: sf128x4, Kind: Matrices, Types: byteScales, Meaning: "SwizzleType of scaled_mm, 2.15"},
	{Name: "SWIZZLE_32_8", Order: sf32x8, Kind: Matrices, Types: "float8_e8m0fnu", Meaning: "SwizzleType of scaled_mm, 2.15: ROCm's gfx950"},
	{Name: "BLK32_UE8M0_32_8", Order: sf32x8, Kind: Matrices, Types: "float8_e8m0fnu", Meaning: "hipBLASLt's name of SWIZZLE_32_8", use: catalogueOnly},
}

// numPyNames: the manual's page on numpy.ndarray.flags.
var numPyNames = []Entry{
	{Name: "c", Order: RowMajorOrder, Kind: AnyRank, Meaning: "order='C': the last axis varies fastest"},
	{Name: "fortran", Order: ColumnMajorOrder, Kind: AnyRank, Meaning: "order='F': the first axis varies fastest"},
	{Name: "WHCN", Order: "W H C N", Kind: Activations, Meaning: "order='F' of N,C,H,W; never NHWC"},
}

// directMLNames: DirectML's page "Using strides to express padding and memory layout".
var directMLNames = []Entry{
	{Name: "HW", Order: "H W", Kind: Matrices, Meaning: "row-major; Sizes {1, 1, H, W}"},
	{Name: "WH", Order: "W H", Kind: Matrices, Meaning: "column-major: the H-stride is 1"},
	{Name: "DHW", Order: "D H W", Kind: Volumes, Meaning: "row-major"},
	{Name: "WHD", Order: "W H D", Kind: Volumes, Meaning: "column-major: the D-stride is 1"},
	{Name: "NCHW", Order: "N C H W", Kind: Activations, Meaning: "Strides may be nullptr"},
	{Name: "NHWC", Order: "N H W C", Kind: Activations, Meaning: "Sizes stay N,C,H,W; Strides are those of the order"},
	{Name: "NCDHW", Order: "N C D H W", Kind: Volumes, Meaning: "Strides may be nullptr"},
}

// oneDNNNames: include/oneapi/dnnl/dnnl_types.h, dnnl_format_tag_t. NamesOf computes tags by oneDNN's rule.
var oneDNNNames = []Entry{
	{Name: "nchw", Order: "N C H W", Kind: Activations, Meaning: "abcd; dims are N,C,H,W in every tag"},
	{Name: "nhwc", Order: "N H W C", Kind: Activations, Meaning: "acdb"},
	{Name: "chwn", Order: "C H W N", Kind: Activations, Meaning: "bcda"},
	{Name: "nChw4c", Order: "N C//4 H W C%4", Kind: Activations, Meaning: "aBcd4b; an upper-case letter is a dim in blocks"},
	{Name: "nChw8c", Order: "N C//8 H W C%8", Kind: Activations, Meaning: "aBcd8b"},
	{Name: "nChw16c", Order: "N C//16 H W C%16", Kind: Activations, Meaning: "aBcd16b"},
	{Name: "NChw16n16c", Order: "N//16 C//16 H W N%16 C%16", Kind: Activations, Meaning: "ABcd16a16b: N and C in blocks"},
	{Name: "ncdhw", Order: "N C D H W", Kind: Volumes, Meaning: "abcde"},
	{Name: "ndhwc", Order: "N D H W C", Kind: Volumes, Meaning: "acdeb"},
	{Name: "nCdhw16c", Order: "N C//16 D H W C%16", Kind: Volumes, Meaning: "aBcde16b"},
	{Name: "oihw", Order: "O I H W", Kind: Weights, Meaning: "abcd"},
	{Name: "hwio", Order: "H W I O", Kind: Weights, Meaning: "cdba, TensorFlow's"},
	{Name: "ohwi", Order: "O H W I", Kind: Weights, Meaning: "acdb"},
	{Name: "goihw", Order: "G O I H W", Kind: Weights, Meaning: "abcde, in groups"},
	{Name: "OIhw8i8o", Order: "O//8 I//8 H W I%8 O%8", Kind: Weights, Meaning: "ABcd8b8a"},
	{Name: "OIhw16i16o", Order: "O//16 I//16 H W I%16 O%16", Kind: Weights, Meaning: "ABcd16b16a"},
	{Name: "OIhw4i16o4i", Order: "O//16 I//16 H W I//4%4 O%16 I%4", Kind: Weights, Meaning: "ABcd4b16a4b"},
	{Name: "nc", Order: "N C", Kind: Matrices, Meaning: "ab"},
	{Name: "cn", Order: "C N", Kind: Matrices, Meaning: "ba"},
	{Name: "tnc", Order: "T N C", Kind: Sequences, Meaning: "abc, for dims T,N,C"},
	{Name: "ntc", Order: "N T C", Kind: Sequences, Meaning: "bac, for dims T,N,C"},
}

// megEngineNames: dnn/src/common/basic_types.cpp, and gopt's global_layout_transform. Weights share the names of activations. The types
// are those for which gopt offers the format; QuantizedS8 is int8, Quantized8Asymm uint8. QuantizedS4 is int4, Quantized4Asymm uint4. NCHW8 has no entry there.
var megEngineNames = []Entry{
	{Name: "NCHW", Order: "N C H W", Kind: Activations, use: namesOfOnly},
	{Name: "NHWC", Order: "N H W C", Kind: Activations, use: namesOfOnly},
	{Name: "CHWN", Order: "C H W N", Kind: Activations, use: namesOfOnly},
	{Name: "NCHW4", Order: "N C//4 H W C%4", Kind: Activations, Meaning: "the number is the block size of C; dp4a", Types: "int8"},
	{Name: "NCHW8", Order: "N C//8 H W C%8", Kind: Activations},
	{Name: "NCHW32", Order: "N C//32 H W C%32", Kind: Activations, Types: "int8"},
	{Name: "NCHW64", Order: "N C//64 H W C%64", Kind: Activations, Types: "int4"},
	{Name: "CHWN4", Order: "C//4 H W N C%4", Kind: Activations, Meaning: "the 4 splits C, not N", Types: "int8"},
	{Name: "NHWCD4", Order: "N H C//4 W C%4", Kind: Activations, Meaning: "D is not depth", Types: "float32 float16 int8"},
	{Name: "NCHW44", Order: "N C//4 H W C%4", Kind: Activations, Meaning: "weights of this name: OIHW4i4o", Types: "float32 int8"},
	{Name: "NCHW44_DOT", Order: "N C//4 H W C%4", Kind: Activations, Meaning: "weights of this name: OIHW4o4i", Types: "int8 uint8"},
	{Name: "NCHW88", Order: "N C//8 H W C%8", Kind: Activations, Meaning: "weights of this name: OIHW8i8o", Types: "float32 float16"},
	{Name: "NCHWc4", Order: "N C//4 H W C%4", Kind: Activations, Meaning: "the graph optimizer's NCHW4", use: catalogueOnly, Types: "int8"},
	{Name: "CHWNc4", Order: "C//4 H W N C%4", Kind: Activations, Meaning: "the graph optimizer's CHWN4", use: catalogueOnly, Types: "int8"},
	{Name: "NHCWc4", Order: "N H C//4 W C%4", Kind: Activations, Meaning: "the graph optimizer's NHWCD4", use: catalogueOnly, Types: "float32 float16 int8"},
	{Name: "OIHW4i4o", Order: "O//4 I//4 H W I%4 O%4", Kind: Weights, Meaning: "the weights of NCHW44", printed: "NCHW44 weight", Types: "float32 int8"},
	{Name: "OIHW4o4i", Order: "O//4 I//4 H W O%4 I%4", Kind: Weights, Meaning: "the weights of NCHW44_DOT", printed: "NCHW44_DOT weight", Types: "int8 uint8"},
	{Name: "OIHW8i8o", Order: "O//8 I//8 H W I%8 O%8", Kind: Weights, Meaning: "the weights of NCHW88", printed: "NCHW88 weight", Types: "float32 float16"},
	{Name: "KCRSc4k4", Order: "K//4 C//4 R S C%4 K%4", Kind: Weights, Meaning: "the graph optimizer's OIHW4i4o", use: catalogueOnly, Types: "float32 int8"},
	{Name: "NHWCD4I", Kind: Activations},
	{Name: "NCHW4_NHWC", Kind: Activations},
}

// tvmNames: src/s_tir/data_layout.cc. NamesOf computes names by TVM's rule.
var tvmNames = []Entry{
	{Name: "NCHW", Order: "N C H W", Kind: Activations},
	{Name: "NHWC", Order: "N H W C", Kind: Activations},
	{Name: "HWCN", Order: "H W C N", Kind: Activations},
	{Name: "NCHW4c", Order: "N C//4 H W C%4", Kind: Activations, Meaning: "NCHW4, without the c, is plain NCHW here"},
	{Name: "NCHW16c", Order: "N C//16 H W C%16", Kind: Activations, Meaning: "shapes have the order of the name"},
	{Name: "OIHW", Order: "O I H W", Kind: Weights},
	{Name: "HWIO", Order: "H W I O", Kind: Weights},
	{Name: "OIHW16i16o", Order: "O//16 I//16 H W I%16 O%16", Kind: Weights, Meaning: "at most one block per dim"},
}

// xlaNames: docs/shapes.md and docs/tiled_layout.md. NamesOf computes names by XLA's rule.
var xlaNames = []Entry{
	{Name: "{3,2,1,0}", Order: "A B C D", Kind: AnyRank, Meaning: "minor to major: the last dim varies fastest"},
	{Name: "{1,3,2,0}", Order: "A C D B", Kind: AnyRank, Meaning: "NHWC for dims N,C,H,W"},
	{Name: "{0,1}", Order: "B A", Kind: Matrices, Meaning: "column-major"},
	{Name: "{1,0:T(8,128)}", Order: "A//8 B//128 A%8 B%128", Kind: Matrices, Meaning: "in tiles of 8 x 128"},
	{Name: "{1,0:T(8,128)(2,1)}", Order: "A//8 B//128 A//2%4 B%128 A%2 B%1", Kind: Matrices, Meaning: "the tiles in pairs of rows"},
}

// tensorRTNames: TensorFormat of include/NvInferRuntime.h, TensorRT 11.1, with its types and fewest dims. C is the third dim from the
// end, or the fourth; any dims may come before. Earlier types: kCHW4 also float16 until 10.11, kCHW16 also int8 from 10.0 to 10.4,
// kHWC16 only float16 until 10.4.
var tensorRTNames = []Entry{
	{Name: "kLINEAR", Order: RowMajorOrder, Kind: AnyRank, Meaning: "dims are N,C,H,W in every format"},
	{Name: "kCHW2", Order: "N C//2 H W C%2", Kind: Activations, Types: "float16 bfloat16", MinDims: 3},
	{Name: "kCHW4", Order: "N C//4 H W C%4", Kind: Activations, Types: "int8", MinDims: 3},
	{Name: "kCHW16", Order: "N C//16 H W C%16", Kind: Activations, Types: "float16", MinDims: 3, Meaning: "runs on DLA only", note: "runs on DLA only", maxSize: 8192},
	{Name: "kCHW32", Order: "N C//32 H W C%32", Kind: Activations, Types: "int8 float32 float16", MinDims: 3},
	{Name: "kHWC", Order: "N H W C", Kind: Activations, Types: "float32 uint8", MinDims: 3, Meaning: "C is not padded"},
	{Name: "kHWC8", Order: "N H W C//8 C%8", Kind: Activations, Types: "float16 bfloat16", MinDims: 3,
		Meaning: "NHWC with C padded to a multiple of 8"},
	{Name: "NHWC8", Order: "N H W C//8 C%8", Kind: Activations, Types: "float16 bfloat16", MinDims: 3,
		Meaning: "kHWC8; plain NHWC is not padded", use: catalogueOnly},
	{Name: "kHWC16", Order: "N H W C//16 C%16", Kind: Activations, Types: "float16 int8 float8_e4m3fn", MinDims: 3,
		Meaning: "NHWC with C padded to a multiple of 16"},
	{Name: "kCDHW32", Order: "N C//32 D H W C%32", Kind: Volumes, Types: "float16 int8", MinDims: 4},
	{Name: "kDHWC", Order: "N D H W C", Kind: Volumes, Types: "float32", MinDims: 4, Meaning: "C is not padded"},
	{Name: "kDHWC8", Order: "N D H W C//8 C%8", Kind: Volumes, Types: "float16 bfloat16", MinDims: 4, Meaning: "C padded to a multiple of 8"},
	{Name: "kDLA_LINEAR", Kind: Activations, Types: "float16 int8", MinDims: 3, note: "runs on DLA only",
		variants: []variant{{"N C H W//64 W%64", "int8", nil}, {"N C H W//32 W%32", "float16", nil}}},
	{Name: "kDLA_HWC4", Kind: Activations, Types: "float16 int8", MinDims: 3, note: "runs on DLA only",
		variants: []variant{{"N H W//16 W%16 C//4 C%4", "int8", []int{3, 4}}, {"N H W//8 W%8 C//4 C%4", "float16", []int{3, 4}},
			{"N H W//64 W%64 C", "int8", []int{1}}, {"N H W//32 W%32 C", "float16", []int{1}}}},
}

// cuDNNNames: the page on cudnnTensorFormat_t.
var cuDNNNames = []Entry{
	{Name: "NCHW", Order: "N C H W", Kind: Activations, Meaning: "CUDNN_TENSOR_NCHW"},
	{Name: "NHWC", Order: "N H W C", Kind: Activations, Meaning: "CUDNN_TENSOR_NHWC; dims stay N,C,H,W"},
	{Name: "NC/4HW4", Order: "N C//4 H W C%4", Kind: Activations, Meaning: "NCHW_VECT_C of INT8x4 and UINT8x4",
		Types: "int8 uint8", printed: "NC/4HW4 (NCHW_VECT_C)"},
	{Name: "NC/32HW32", Order: "N C//32 H W C%32", Kind: Activations, Meaning: "NCHW_VECT_C of INT8x32",
		Types: "int8", printed: "NC/32HW32 (NCHW_VECT_C)"},
	{Name: "NCHW_VECT_C", Kind: Activations, Types: "int8 uint8"},
	{Name: ScaleReordering, Order: sf128x4, Kind: Matrices, Types: byteScales, Meaning: "TensorReordering_t; dims B,M,K are those of whole tiles"},
}

// cuTeNames: media/docs/cpp/cute/01_layout.md, and CUTLASS's include/cutlass/layout/tensor.h. CuTe's layouts have no names.
var cuTeNames = []Entry{
	{Name: "(2,3):(1,2)", Order: "d1 d0", Kind: AnyRank, Meaning: "shape:stride; the leftmost varies fastest"},
	{Name: "(2,(2,2)):(4,(2,1))", Order: "d0 d1%2 d1//2", Kind: AnyRank, Meaning: "a dim of two digits, least significant first"},
	{Name: "NC32HW32", Order: "N C//32 H W C%32", Kind: Activations, Meaning: "CUTLASS's TensorNCxHWx<32>"},
	{Name: "NC64HW64", Order: "N C//64 H W C%64", Kind: Activations, Meaning: "CUTLASS's TensorNCxHWx<64>"},
	{Name: "Sm1xxBlockScaledConfig", Order: sf128x4, Kind: Matrices, Meaning: "CUTLASS's SfAtom, ((32,4),(V,4)):((16,4),(0,1))"},
}

// tensorFlowNames: data_format of tf.nn.conv2d and conv3d, and the order of their filters.
var tensorFlowNames = []Entry{
	{Name: "NHWC", Order: "N H W C", Kind: Activations, Meaning: "data_format, the default"},
	{Name: "NCHW", Order: "N C H W", Kind: Activations, Meaning: "data_format; shapes are N,C,H,W then"},
	{Name: "NDHWC", Order: "N D H W C", Kind: Volumes, Meaning: "data_format, the default"},
	{Name: "NCDHW", Order: "N C D H W", Kind: Volumes, use: namesOfOnly},
	{Name: "channels_last", Order: "N H W C", Kind: Activations, Meaning: "Keras; shapes are N,H,W,C; of 3-D layers NDHWC", use: catalogueOnly},
	{Name: "channels_first", Order: "N C H W", Kind: Activations, Meaning: "Keras; of 3-D layers NCDHW", use: catalogueOnly},
	{Name: "HWIO", Order: "H W I O", Kind: Weights, Meaning: "filters, with both data formats"},
}

// mnnNames: MNN's documents on NC4HW4.
var mnnNames = []Entry{
	{Name: "C4NHW4", Order: "C//4 N H W C%4", Kind: Activations, Meaning: "MNN's NC4HW4 tensors on CPU and Metal"},
	{Name: "NC4HW4", Order: "N C//4 H W C%4", Kind: Activations, Meaning: "how other projects read this name", use: catalogueOnly},
}

// execuTorchNames: dim_order, as torch.Tensor.dim_order prints it. NamesOf computes it by the rule of dim_order_to_stride.
var execuTorchNames = []Entry{
	{Name: "[0,1,2,3]", Order: "A B C D", Kind: AnyRank, Meaning: "contiguous: dim_order is outermost first"},
	{Name: "[0,2,3,1]", Order: "A C D B", Kind: AnyRank, Meaning: "channels_last; the exporter supports no other"},
	{Name: "[0,2,3,4,1]", Order: "A C D E B", Kind: AnyRank, Meaning: "channels_last_3d; runtime only"},
}

// ggmlNames: ggml_conv_2d of src/ggml.c; of blocks, the order of their codes, dequantize_row_* of src/ggml-quants.c.
var ggmlNames = []Entry{
	{Name: "c", Order: RowMajorOrder, Kind: AnyRank, Meaning: "ne and nb are innermost first, nb in bytes", use: catalogueOnly},
	{Name: "NCHW", Order: "N C H W", Kind: Activations, Meaning: "ne is W,H,C,N; ggml_conv_2d's data"},
	{Name: "OIHW", Order: "O I H W", Kind: Weights, Meaning: "ne is W,H,I,O; ggml_conv_2d's kernel"},
	{Name: "q4_0", Order: "N K//32 K%16 K//16%2", Kind: Matrices, Meaning: "codes; a block is 2 bytes of scale, 16 of codes", use: catalogueOnly},
	{Name: "iq4_nl", Order: "N K//32 K%16 K//16%2", Kind: Matrices, Meaning: "codes; a block is 2 bytes of scale, 16 of codes", use: catalogueOnly},
	{Name: "q4_0_4_4", Order: "N//4 K//32 K//4%4 N%4 K%4 K//16%2", Kind: Matrices, Meaning: "codes of 4 rows, before December 2024; iq4_nl_4_4 too", use: catalogueOnly},
	{Name: "q4_0_4_8", Order: "N//4 K//32 K//8%2 N%4 K%8 K//16%2", Kind: Matrices, Meaning: "codes of 4 rows, before December 2024; iq4_nl_4_8 too", use: catalogueOnly},
	{Name: "q4_0_8_8", Order: "N//8 K//32 K//8%2 N%8 K%8 K//16%2", Kind: Matrices, Meaning: "codes of 8 rows, before December 2024; iq4_nl_8_8 too", use: catalogueOnly},
	{Name: "mxfp4", Order: "N K//32 K%16 K//16%2", Kind: Matrices, Meaning: "codes; a block is 1 byte of scale, 16 of codes", use: catalogueOnly},
	{Name: "q4_K", Order: "N K//64 K%32 K//32%2", Kind: Matrices, Meaning: "codes; a block is 16 bytes of scales, 128 of codes", use: catalogueOnly},
	{Name: "nvfp4", Order: "N K//16 K%8 K//8%2", Kind: Matrices, Meaning: "codes; a block is 4 bytes of scales, 32 of codes", use: catalogueOnly},
}

// mlxNames: conv2d and conv3d of python/src/ops.cpp.
var mlxNames = []Entry{
	{Name: "NHWC", Order: "N H W C", Kind: Activations, Meaning: "mx.conv2d's input; shapes are N,H,W,C"},
	{Name: "NDHWC", Order: "N D H W C", Kind: Volumes, Meaning: "mx.conv3d's input"},
	{Name: "OHWI", Order: "O H W I", Kind: Weights, Meaning: "mx.conv2d's weight"},
}
