package diagnose

import (
	"strings"

	"github.com/tlayout/tlayout/internal/lazy"
	"github.com/tlayout/tlayout/internal/tensor"
)

// freshCopy returns the copy of a tensor with new strides, also for dims of size 1, whose strides contiguous() keeps and kernels count.
func freshCopy(name string) string { return name + ".clone(memory_format=torch.contiguous_format)" }

// paddedRows copies a tensor to rows of a multiple of 16 elements, with stride 1 in the last dim; F is torch.nn.functional.
const paddedRows = "x = F.pad(x.contiguous(), (0, -x.shape[-1] % 16))[..., :x.shape[-1]]"

const otherStride = "transpose or expand of the last dim, or a slice with a step there, gives another stride"

// Messages about strides and alignment that a kernel requires.
var kernelRules = []rule{
	{
		Message: Message{ID: "tma-strides", Framework: "Triton", Text: "AssertionError: strides must be 16-byte aligned",
			Reference: "python/triton/tools/tensor_descriptor.py, Triton at 123fa60c"},
		words: lazy.Regexp(`strides? must be 16-byte aligned`),
		answer: withFound(Answer{What: "TMA requires every stride but the last to be a multiple of 16 bytes", Same: tensor.No,
			Cost:  "one copy of the tensor, into padded rows",
			Facts: []string{"rows of K elements: K·itemsize must be a multiple of 16, so K a multiple of 8 for 2-byte elements"},
			Fixes: []string{paddedRows},
		}, "tlayout inspect --shape 4,511 --strides 512,1 --dtype bfloat16"),
	},
	{
		Message: Message{ID: "tma-base", Framework: "Triton", Text: "AssertionError: base must be 16-byte aligned",
			Reference: "python/triton/tools/tensor_descriptor.py, Triton at 123fa60c"},
		words: lazy.Regexp(`base must be 16-byte aligned`),
		answer: withFound(Answer{What: "TMA requires an address that is a multiple of 16 bytes; a slice often begins elsewhere", Same: tensor.No,
			Cost: "one copy of the tensor", Facts: []string{"x.storage_offset()·x.element_size() must be a multiple of 16, if the storage's address is one"},
			Fixes: []string{paddedRows}}, "tlayout trace --shape 8,64 '[:,4:]'  # the offset of a slice"),
	},
	{
		Message: Message{ID: "descriptor-last-dim", Framework: "Triton", Text: "AssertionError: Last dimension must be contiguous",
			Reference: "python/triton/tools/tensor_descriptor.py, and Gluon's hopper.py, Triton 3.5"},
		words: lazy.Regexp(`(?:^|[^:\w] |Error: )Last dimension must be contiguous`),
		answer: withFound(Answer{What: "a tensor descriptor of Triton or Gluon, read by TMA, requires stride 1 in the last dim", Same: tensor.No,
			Cost: "one copy of that tensor", Facts: []string{otherStride, "the other strides must be multiples of 16 bytes, and so must the address"},
			Fixes: []string{paddedRows}}, "tlayout trace --shape 8,64 T"),
	},
	{
		Message: Message{ID: "last-dim-contiguous", Framework: "FlashAttention", Text: "Input tensor must have contiguous last dimension",
			Reference: "csrc/flash_attn/flash_api.cpp, FlashAttention at 00979f57; vLLM's and PyTorch's copies print it too"},
		words: lazy.Regexp(`(?i)must have contiguous last dim`),
		answer: withFound(Answer{What: "the attention kernel requires stride 1 in the last dim of q, k and v", Same: tensor.No, Cost: "one copy of that tensor",
			Facts: []string{otherStride},
			Fixes: []string{"q, k, v = (" + freshCopy("x") + " for x in (q, k, v))", "dout = " + freshCopy("dout") + "  # if it is expanded"},
		}, "tlayout trace --shape 2,8,128,64 'transpose(2,3)'"),
	},
	{
		Message: Message{ID: "attention-last-dim", Framework: "PyTorch", Text: "RuntimeError: (*bias): last dimension must be contiguous",
			Reference: "aten/src/ATen/native/transformers/cuda/mem_eff_attention/pytorch_utils.h, PyTorch 2; xFormers prints it too"},
		words:  lazy.Regexp(`\(?\*?(\w+)\)? ?: last dimension must be contiguous`),
		answer: attentionLastDim,
	},
	{
		Message: Message{ID: "any-last-dim", Framework: "several", Text: "Expected x.stride(-1) == 1 to be true, but got false.",
			Reference: "kernels of PyTorch extensions: selective_scan.cpp of Mamba 2.2"},
		words: lazy.Regexp(`(?i)contiguous last dim|last dim(?:ension)? must be contiguous|\.stride\(-1\) == 1`),
		answer: withFound(Answer{What: "a kernel requires stride 1 in the last dim; Triton's, FlashAttention's and other kernels say so", Same: tensor.No,
			Cost: "one copy of that tensor", Facts: []string{otherStride}, Fixes: []string{"x = " + freshCopy("x") + "  # each tensor of the call"},
		}, "tlayout trace --shape 2,8,128,64 'transpose(2,3)'"),
	},
	{
		Message: Message{ID: "gmma-canonical", Framework: "CUTLASS", Text: "static assertion failed: \"Not a canonical GMMA_K Layout: Expected stride failure.\"",
			Reference: "include/cute/atom/mma_traits_sm90_gmma.hpp, CUTLASS at 082a375c"},
		words: lazy.Regexp(`Not a canonical [GU]MMA_(?:K|MN) Layout`),
		answer: always(Answer{What: "WGMMA or UMMA reads shared memory without a swizzle or with one of 32, 64 or 128 bytes; a padded or row-major tile is neither",
			Same: tensor.No, Cost: "nothing at run time: the layout of the shared tile must change",
			Facts:    []string{"K-major, in units of 16 bytes: Sw<b,4,3> o ((8,n),2):((2^b,SBO),1) for b = 1, 2, 3"},
			Fixes:    []string{"auto s = tile_to_shape(GMMA::Layout_K_SW128_Atom<T>{}, shape);  // K: n·128 B"},
			Commands: []string{"tlayout formats --descriptor 'Sw<3,4,3> o smem_ptr[16b](unset) o (128,64):(64,1)'  # your layout"}}),
	},
	{
		Message: Message{ID: "cute-vectorize", Framework: "CUTLASS", Text: "Copy_Traits: src failed to vectorize into registers. Layout is incompatible with this CopyOp.",
			Reference: "include/cute/atom/copy_traits.hpp, CUTLASS at 19e8990d"},
		words: lazy.Regexp(`(?:src|dst)(?: layout)? (?:failed to|doesn't) vectorize into registers`),
		answer: always(Answer{What: "a thread's values are not provably consecutive for as many bytes as the copy moves at once", Same: tensor.Unknown,
			Cost: "nothing at run time: the program does not compile", Facts: []string{"uint128_t needs 16/sizeof(T) values with stride 1 in the value layout: 8 of half_t",
				"sizes and strides must be constants (Int<64>{}), and a swizzle Sw<b,m,s> keeps 2^m elements together"},
			Fixes: []string{"Layout<Shape<_1,_8>>{}  // values of make_tiled_copy, along the dim of stride 1"}, Commands: []string{"tlayout formats '(16,8):(8,1)'"}}),
	},
	{
		Message: Message{ID: "candle-matmul", Framework: "candle", Reference: "candle-core/src/cuda_backend/error.rs, candle 0.6",
			Text: "matmul is only supported for contiguous tensors lstride: Layout { shape: [64, 256], stride: [1792, 1], start_offset: 256 } " +
				"rstride: Layout { shape: [256, 256], stride: [1, 256], start_offset: 0 } mnk: (64, 256, 256)"},
		words: lazy.Regexp(`matmul is only supported for contiguous tensors|MatMulNonContiguous|MatMulUnexpectedStriding`),
		answer: withFound(Answer{What: "candle multiplies operands that are contiguous, or transposed in their last two dims, and copies no others", Same: tensor.No,
			Cost: "one copy of that operand", Fixes: []string{"let y = a.contiguous()?.matmul(&b.contiguous()?)?;"}}, "tlayout trace --shape 64,1792 '[:,256:512]'"),
	},
	{
		Message: Message{ID: "jax-dlpack-strides", Framework: "JAX", Reference: "jaxlib 0.10 prints it",
			Text: "UNIMPLEMENTED: Only DLPack tensors with trivial (compact) striding are supported; i.e., tensors whose striding represents a transposition " +
				"of the underlying buffer but not broadcasting. Dimensions were: [4,3], strides were [6,2]."},
		words: lazy.Regexp(`Only DLPack tensors with trivial \(compact\) striding are supported`),
		answer: withFound(Answer{What: "jax.dlpack.from_dlpack takes dense tensors in any order of dims; this one has gaps, repeats or negative strides", Same: tensor.No,
			Cost: "one copy of the array", Fixes: []string{"y = jax.dlpack.from_dlpack(a.copy())"}}, "tlayout trace --numpy --shape 4,6 '[:,::2]'"),
	},
}

// attentionLastDim answers scaled_dot_product_attention, which names its operand.
func attentionLastDim(message string, m []string) Answer {
	name := m[1]
	shown := m[1]
	if strings.Contains(name, "bias") || strings.Contains(name, "mask") {
		name = "attn_mask"
		shown = "attn_mask, its bias"
	}
	a := Answer{What: "memory-efficient attention requires stride 1 in the last dim of " + shown, Same: tensor.No, Cost: "one copy of that tensor",
		Facts: []string{otherStride}, Fixes: []string{name + " = " + freshCopy(name)}}
	return withFound(a, "tlayout trace --shape 2,8,128,64 'transpose(2,3)'")(message, m)
}
