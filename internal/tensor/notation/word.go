package notation

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/tlayout/tlayout/internal/lazy"
	"github.com/tlayout/tlayout/internal/text"
)

// word is a layout in words, in any case, with -, _ or blanks between them.
type word struct {
	spelling string
	layout   string // the equivalent name for Parse
	source   string
}

var layoutWords = []word{
	{"contiguous", "c", "PyTorch 1.13, torch.Tensor.contiguous"},
	{"contiguous_format", "c", "PyTorch 1.13, c10/core/MemoryFormat.h: Contiguous"},
	{"torch.contiguous_format", "c", "PyTorch 1.13, torch.memory_format"},
	{"row_major", "c", "CUTLASS 4.7, include/cutlass/layout/matrix.h: RowMajor; Eigen 3.4, StorageOptions"},
	{"c_order", "c", "NumPy 1.24, numpy.copy: order='C'"},
	{"kLINEAR", "c", "TensorRT 11.1, include/NvInferRuntime.h: TensorFormat"},
	{"col_major", "fortran", "Eigen 3.4, StorageOptions: ColMajor"},
	{"column_major", "fortran", "CUTLASS 4.7, include/cutlass/layout/matrix.h: ColumnMajor"},
	{"layout_right", "c", "C++23, [mdspan.layout.right]; Kokkos 4.7, core/src/Kokkos_Layout.hpp: LayoutRight"},
	{"layout_left", "fortran", "C++23, [mdspan.layout.left]; Kokkos 4.7, as above: LayoutLeft"},
	{"f", "fortran", "NumPy 1.24, numpy.copy: order='F'"},
	{"f_order", "fortran", "NumPy 1.24, as above"},
	{"fortran_order", "fortran", "NumPy 1.24, numpy.lib.format: fortran_order"},
	{"channels_last", "channels_last", "PyTorch 1.13, c10/core/MemoryFormat.h; Keras 2, image_data_format"},
	{"channels_last_3d", "channels_last_3d", "PyTorch 1.13, c10/core/MemoryFormat.h"},
	{"torch.channels_last", "channels_last", "PyTorch 1.13, torch.memory_format"},
	{"torch.channels_last_3d", "channels_last_3d", "PyTorch 1.13, torch.memory_format"},
	{"ROW_MAJOR_LAYOUT", "c", tenstorrent},
	{"ttnn.ROW_MAJOR_LAYOUT", "c", tenstorrent},
	{"TILE", "TILE", tenstorrent},
	{"TILE_LAYOUT", "TILE", tenstorrent},
	{"ttnn.TILE_LAYOUT", "TILE", tenstorrent},
	{"WeightLayout.BlockMajorK", "BlockMajorK", "flashinfer fb28d724, flashinfer/tllm_enums.py"},
	{"MatrixLayout::BlockMajorK", "BlockMajorK", "flashinfer fb28d724, csrc/trtllm_fused_moe_kernel_launcher.cu"},
	{"shuffle_weight(layout=(32, 16))", "shuffle_weight(layout=(32,16))", "aiter e4048607, aiter/ops/shuffle.py"},
	{"shuffle_matrix_a", "shuffle_matrix_a", "flashinfer fb28d724, flashinfer/quantization/fp4_quantization.py; shuffleMatrixA of TensorRT-LLM"},
	{"shuffle_matrix_a(256)", "shuffle_matrix_a(128)", "as above"},
	{"shuffle_matrix_a(32)", "shuffle_matrix_a(64)", "as above"},
	{"shuffle_matrix_a(16)", "shuffle_matrix_a(64)", "as above"},
	{"iq4_nl_4_4", "q4_0_4_4", "llama.cpp before PR 10446, make_block_iq4_nlx4 of ggml/src/ggml-aarch64.c"},
	{"iq4_nl_4_8", "q4_0_4_8", "as above"},
	{"iq4_nl_8_8", "q4_0_8_8", "as above"},
	{"nhwc-8h2w32c2w", "crouton", hexagon},
	{"nhwc-8h2w32c2w-1d", "crouton", hexagon},
	{"nhwc-8h2w32c2w-2d", "crouton", hexagon},
	{"nhwc-8h8w32c", "NHWC8h8w32c", hexagon},
	{"nhwc-8h8w32c-2d", "NHWC8h8w32c", hexagon},
	{"e8m0_shuffle", "shuffle_scale", "aiter e4048607, aiter/utility/fp4_utils.py"},
	{"BlackwellMX4ValueShuffledLayout", "BlackwellMX4ValueShuffled", tritonKernels + "blackwell_value_shuffled.py"},
	{"BLACKWELL_MX4_VALUE_SHUFFLED", "BlackwellMX4ValueShuffled", tritonKernels + "blackwell_value_shuffled.py"},
	{"HopperMXValueLayout", "HopperMXValue", tritonKernels + "hopper_value.py"},
	{"HOPPER_VALUE", "HopperMXValue", tritonKernels + "hopper_value.py"},
	{"firstMajorContiguous", "c", "Apple's page on MLShapedArrayBufferLayout"},
	{"lastMajorContiguous", "fortran", "Apple's page on MLShapedArrayBufferLayout"},
	{"channels_first", "nchw", "Keras 2, image_data_format"},
	{"channels_first_3d", "ncdhw", "as channels_last_3d"},
	{"row major linear", "c", trex},
	{"two wide channel vectorized row major", "kCHW2", trex},
	{"four wide channel vectorized row major", "kCHW4", trex},
	{"sixteen wide channel vectorized row major", "kCHW16", trex},
	{"thirty-two wide channel vectorized row major", "kCHW32", trex},
	{"thirty-two wide channel vectorized row major with 3 spatial dimensions", "kCDHW32", trex},
	{"channel major where channel % 2 == 0", "NHWC2c", trex},
	{"channel major where channel % 4 == 0", "NHWC4c", trex},
	{"channel major where channel % 8 == 0", "kHWC8", trex},
	{"channel major where channel % 8 == 0 with 3 spatial dimensions", "kDHWC8", trex},
	{"channel major where channel % 16 == 0", "kHWC16", trex},
	{"channel major where channel % 4 == 0 with 3 spatial dimensions", "NDHWC4c", trex},
	{"channel major with 3 spatial dimensions where channel % 4 == 0", "NDHWC4c", trex},
	{"channel major", "kHWC", trex},
	{"channel major with 3 spatial dimensions", "kDHWC", trex},
	{"row major where column stride % 64 == 0", "kDLA_LINEAR", trex},
	{"channel major where column stride % 32 == 0", "kDLA_HWC4", trex},
	{"channel major where channel == 1 and column stride % 32 == 0", "kDLA_HWC4", trex},
	{"channel major where channel == 4 and column stride % 32 == 0", "kDLA_HWC4", trex},
}

// trex has the sentences of TensorRT's engine inspector, with the type of the elements: Channel major FP16 format where channel % 8 == 0.
const trex = "TensorRT at 147005ff, tools/experimental/trt-engine-explorer/trex/activations.py"

const (
	hexagon       = "tvm c4686a2e, tests/python/contrib/test_hexagon/infrastructure.py"
	tenstorrent   = "tt-metal 0570a01b, tech_reports/tensor_layouts/tensor_layouts.md"
	tritonKernels = "triton 000df03e, python/triton_kernels/triton_kernels/tensor_details/layout_details/"
)

// trexType is that type in a squeezed sentence.
var trexType = lazy.Regexp(`(major|linear)(?:bool|(?:fp|bf|bfloat|u?int)[0-9]+)(?:format)?(?:\(klinear\))?`)

// scopes are the C++ scopes of such words.
var scopes = []string{"torch::memoryformat::", "at::memoryformat::", "c10::memoryformat::", "memoryformat::", "cutlass::layout::", "layout::", "eigen::", "std::", "cuda::std::", "kokkos::", "std::experimental::"}

// squeezed returns a word in lower case without separators.
func squeezed(s string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("-_ ", r) {
			return -1
		}
		return unicode.ToLower(r)
	}, s)
}

// ofWord returns the layout name for a word; other names unchanged.
func ofWord(s string) string {
	key := squeezed(s)
	if strings.Contains(key, "major") {
		key = trexType.Get().ReplaceAllString(key, "$1")
	}
	for _, scope := range scopes {
		key = strings.TrimPrefix(key, scope)
	}
	if layout, ok := layoutOfWord()[key]; ok {
		return layout
	}
	return s
}

// layoutOfWord maps squeezed words to layouts; the first counts if two words are squeezed to one.
var layoutOfWord = sync.OnceValue(func() map[string]string {
	layouts := make(map[string]string, len(layoutWords))
	for _, w := range slices.Backward(layoutWords) {
		layouts[squeezed(w.spelling)] = w.layout
	}
	return layouts
})

// isPermutation reports whether the numbers are 0, 1, 2, … in any order.
func isPermutation(xs []int) bool {
	for d := range xs {
		if !slices.Contains(xs, d) {
			return false
		}
	}
	return true
}

// fromZero converts a list that counts from 1 to one that counts from 0.
func fromZero(xs []int) []int {
	less := slices.Clone(xs)
	for i := range less {
		less[i]--
	}
	return less
}

// dimOrderPrefix is commonly copied with ExecuTorch's list: dim_order=[0,2,3,1].
var dimOrderPrefix = lazy.Regexp(`^dim_order\s*[=:]?\s*`)

// parsePermutation parses a memory order as positions of dims, outermost first: 0,2,3,1 of the dims N,C,H,W is N,H,W,C. The same
// permutation in numpy.transpose and torch.permute makes an array with these axes from one whose axes are the dims. ok is false unless
// s is a list of at least two numbers, or [0]; a list in parentheses that is not a permutation is CuTe sizes.
func parsePermutation(s string) (f Format, note string, ok bool, err error) {
	if strings.HasPrefix(s, "dim_order") {
		s = s[len(dimOrderPrefix.Get().FindString(s)):]
	}
	alone := s == "[0]" // as ExecuTorch prints the order of one dim
	if strings.HasPrefix(s, "{") || !strings.ContainsAny(s, ", ") && !alone {
		return f, "", false, nil
	}
	order, err := ParseInts(s)
	if err != nil || len(order) < 2 && !alone {
		return f, "", false, nil
	}
	if !isPermutation(order) {
		if strings.HasPrefix(s, "(") {
			return f, "", false, nil
		}
		return f, "", true, notAPermutation(s, order)
	}
	f = byPosition(order)
	list := text.Ints(order, ",")
	slices.Reverse(order)
	note = fmt.Sprintf("%s is outermost first, as in x.permute(%s) and ExecuTorch's dim_order; XLA's minor_to_major is {%s}", list, list, text.Ints(order, ","))
	return f, note, true, nil
}

// notAPermutation is the error for a list that lacks or repeats a dim.
func notAPermutation(s string, order []int) error {
	e := badLayout(s, "a permutation has each dim from 0 to %d once", len(order)-1)
	if less := fromZero(order); isPermutation(less) {
		return e.WithHint("dims are counted from 0: %s", text.Ints(less, ","))
	}
	return e.WithHint("0,2,3,1 is N,H,W,C of the dims N,C,H,W; for sizes use --shape")
}
