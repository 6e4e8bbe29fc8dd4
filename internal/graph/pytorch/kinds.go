// Package pytorch is what exported programs and profiles have in common: kinds of PyTorch's operators, and lines of Python's stacks.
package pytorch

import (
	"strings"

	"github.com/tlayout/tlayout/internal/graph"
)

// kinds are PyTorch's operators by kind, without namespace and overload; those that end in _ are theirs too. Elementwise operators have
// the tag pointwise, views an alias in their schema. (native_functions.yaml and tags.yaml in PyTorch's aten/src/ATen/native, 2.15)
var kinds = map[graph.Kind]string{
	graph.Elementwise: `abs acos acosh add addcdiv addcmul angle asin asinh atan atan2 atanh bernoulli bitwise_and bitwise_left_shift bitwise_not
		bitwise_or bitwise_right_shift bitwise_xor ceil celu clamp clamp_max clamp_min clip conj_physical copysign cos cosh deg2rad digamma div
		dropout alpha_dropout feature_dropout native_dropout elu eq erf erfc erfinv exp exp2 expm1 fake_quantize_per_tensor_affine float_power
		floor floor_divide fmax fmin fmod frac ge gelu glu gt hardshrink hardsigmoid hardswish hardtanh heaviside hypot isfinite isinf isnan
		isneginf isposinf ldexp le leaky_relu lerp lgamma log log10 log1p log2 log_sigmoid logaddexp logical_and logical_not logical_or
		logical_xor logit lt masked_fill maximum minimum mish mul multiply nan_to_num ne neg nextafter polygamma pow prelu quantize_per_tensor
		dequantize rad2deg reciprocal relu relu6 remainder round rrelu rsqrt rsub selu sgn sigmoid sign signbit silu sin sinc sinh softplus
		softshrink sqrt square sub subtract tan tanh tanhshrink threshold true_divide trunc where xlogy zeros_like ones_like empty_like
		rand_like randn_like full_like threshold_backward`,
	graph.Follows: `conv1d conv2d conv3d convolution _convolution conv_transpose1d conv_transpose2d conv_transpose3d mkldnn_convolution
		cudnn_convolution miopen_convolution thnn_conv2d batch_norm _native_batch_norm_legit _native_batch_norm_legit_no_training
		native_batch_norm _batch_norm_impl_index cudnn_batch_norm group_norm native_group_norm instance_norm layer_norm native_layer_norm
		rms_norm _fused_rms_norm max_pool1d max_pool2d max_pool3d max_pool2d_with_indices avg_pool1d avg_pool2d avg_pool3d adaptive_avg_pool1d
		adaptive_avg_pool2d _adaptive_avg_pool2d adaptive_max_pool2d adaptive_avg_pool3d lp_pool2d upsample_nearest1d upsample_nearest2d
		upsample_nearest3d upsample_bilinear2d upsample_bicubic2d upsample_trilinear3d _upsample_nearest_exact2d _upsample_bilinear2d_aa
		interpolate grid_sampler grid_sampler_2d pixel_shuffle pixel_unshuffle softmax _softmax log_softmax _log_softmax cumsum
		cumprod local_response_norm pad constant_pad_nd reflection_pad2d replication_pad2d roll flip normalize`,
	graph.Joins:      `cat concat concatenate _cat`,
	graph.Multiplies: `matmul linear`,
	graph.Views: `alias as_strided broadcast_to chunk conj detach diagonal dsplit expand expand_as hsplit imag lift_fresh mH mT matrix_H moveaxis
		movedim narrow numpy_T permute positive real resolve_conj resolve_neg select slice split split_with_sizes squeeze swapaxes swapdims
		t tensor_split transpose unbind unflatten unfold unsafe_chunk unsafe_split unsafe_split_with_sizes unsqueeze values view view_as
		view_as_complex view_as_real vsplit _reshape_alias _unsafe_view _conj _neg_view reshape reshape_as flatten ravel contiguous to _to_copy adjoint`,
	graph.Copies: `clone copy copy_ permute_copy transpose_copy lift_fresh_copy`,
	graph.Computes: `addmm bmm baddbmm mm mv dot einsum tensordot mean sum prod amax amin max min argmax argmin any all var std var_mean
		std_mean norm linalg_vector_norm logsumexp median nanmean count_nonzero embedding embedding_bag index_select gather index index_put
		scatter scatter_add take topk sort argsort masked_select nonzero unique bincount one_hot arange zeros ones full empty empty_strided
		rand randn randint scalar_tensor tensor new_zeros new_ones new_full new_empty new_empty_strided eye tril triu linspace meshgrid stack
		repeat repeat_interleave tile cross_entropy cross_entropy_loss nll_loss nll_loss_nd nll_loss2d mse_loss l1_loss smooth_l1_loss
		binary_cross_entropy binary_cross_entropy_with_logits scaled_dot_product_attention _scaled_dot_product_flash_attention
		_scaled_dot_product_flash_attention_for_cpu _scaled_dot_product_efficient_attention _scaled_dot_product_cudnn_attention
		multi_head_attention_forward lstm gru rnn_tanh lstm_cell gru_cell item _local_scalar_dense is_nonzero equal allclose sym_size
		sym_numel sym_stride sym_constrain_range_for_size _assert_async _assert_tensor_metadata _assert_scalar fill fill_ zero_ zero resize_
		set_ random_ normal_ uniform_ cdist outer ger bilinear searchsorted bucketize histc fft_fft fft_ifft fft_rfft fft_irfft _fft_r2c _fft_c2c _fft_c2r
		stft channel_shuffle im2col col2im rot90 index_fill index_copy index_add empty_permuted slice_scatter select_scatter diagonal_scatter
		as_strided_scatter _cdist_forward`,
}

var kindOf = graph.KindsByName(kinds)

// Kind returns the kind of PyTorch's operator, as in conv2d or add_.
func Kind(name string) graph.Kind {
	if kind, ok := kindOf[name]; ok {
		return kind
	}
	if strings.HasSuffix(name, "_backward") {
		return graph.Computes
	}
	return kindOf[strings.TrimSuffix(name, "_")]
}

// Name returns an operator's name without namespace and overload: conv2d of aten::conv2d and of torch.ops.aten.conv2d.default. own is
// false for operators of other namespaces, which keep theirs.
func Name(target string) (name string, own bool) {
	if rest, ok := strings.CutPrefix(target, "aten::"); ok {
		return rest, true
	}
	if rest, ok := strings.CutPrefix(target, "torch.ops.aten."); ok {
		base, _, _ := strings.Cut(rest, ".")
		return base, true
	}
	return strings.TrimSuffix(strings.TrimPrefix(target, "torch.ops."), ".default"), false
}
