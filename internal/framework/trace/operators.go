package trace

import (
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// rule is an operation of many names.
type rule struct {
	run     func(State, arguments) (Step, error)
	example string
	names   string
	params  string // a signature
}

// operatorSteps are PyTorch's operators that compute values, by the rule that gives the strides of their result. The rules were found by
// comparing random strides with PyTorch 2.15 on a CPU, and are tested so.
func operatorSteps() []operation {
	var all []operation
	for _, r := range slices.Concat(elementwiseRules, contiguousRules, formatRules) {
		names := strings.Fields(r.names)
		all = append(all, operation{Usage: Usage{Name: names[0], Also: names[1:], Example: r.example}, params: signature(r.params), run: r.run})
	}
	all = slices.Concat(all, reducing(), factories(), writes())
	for i := range all {
		all[i].Values = true
	}
	return all
}

// elementwiseRules are operators by TensorIterator, and what keeps the order of the tensor.
var elementwiseRules = []rule{
	{typing(promotes).elementwise, "relu", "relu hardswish hardsigmoid mish selu silu", "inplace:any?"},
	{typing(promotes).elementwise, "neg", "neg negative sgn sign floor ceil trunc frac bitwise_not conj_physical tanhshrink softsign", ""},
	{typing(promotes).elementwise, "round", "round", "decimals:any?"},
	{typing(promotes).elementwise, "gelu", "gelu", "approximate:any?"},
	{typing(promotes).elementwise, "leaky_relu", "leaky_relu elu celu", "negative_slope=alpha:any? inplace:any?"},
	{typing(promotes).elementwise, "softplus", "softplus", "beta:any? threshold:any?"},
	{typing(promotes).elementwise, "threshold(0,1)", "threshold", "threshold:number value:number inplace:any?"},
	{typing(promotes).elementwise, "hardshrink", "hardshrink softshrink", "lambd:any?"},
	{State.square, "square", "square", ""},
	{State.abs, "abs", "abs absolute", ""},
	{State.clamp, "clamp(0,1)", "clamp clip", "min:bound? max:bound?"},
	{typing(promotes).elementwise, "clamp_min(0)", "clamp_min", "min:bound"},
	{typing(promotes).elementwise, "clamp_max(1)", "clamp_max", "max:bound"},
	{typing(toFloat).elementwise, "exp", `exp log sqrt rsqrt sin cos tanh sigmoid tan asin acos atan sinh cosh asinh acosh atanh arcsin arccos arctan erf erfc
		erfinv exp2 expm1 log2 log10 log1p reciprocal sinc logit lgamma digamma`, "eps:any?"},
	{typing(toBool).elementwise, "logical_not", "logical_not isnan isneginf isposinf", ""},
	{typing(toBool).elementwise, "isclose(x)", "isclose", "other:operand rtol:any? atol:any? equal_nan:any?"},
	{State.complexOf, "complex(x)", "complex polar", "imag=angle:operand"},
	{State.diff, "diff(dim=1)", "diff", "n:int? dim:int?"},
	{State.isInf, "isinf", "isinf", ""},
	{State.isFinite, "isfinite", "isfinite", ""},
	{typing(promotes).elementwise, "add((4,1,6):(1,1,4))", `add sub subtract mul multiply rsub maximum minimum fmax fmin floor_divide remainder fmod bitwise_and
		bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift`, "other:operand alpha:any?"},
	{typing(toFloat).elementwise, "true_divide(2)", "true_divide atan2 arctan2 hypot logaddexp xlogy copysign", "other:operand"},
	{State.divide, "div(2)", "div divide", "other:operand rounding_mode:word?"},
	{typing(promotes).elementwise, "pow(2)", "pow", "exponent:bound"},
	{typing(toBool).elementwise, "gt(0)", `eq ne gt ge lt le greater less greater_equal less_equal not_equal logical_and logical_or logical_xor`, "other:operand"},
	{typing(promotes).elementwise, "lerp((4,1,6),0.5)", "lerp", "end:operand weight:bound"},
	{typing(promotes).elementwise, "addcmul((4,1,6),(4,1,6))", "addcmul addcdiv", "tensor1:operand tensor2:operand value:any?"},
	{typing(promotes).elementwise, "where((4,4,6),0)", "where", "condition:mask other:operand"},
	{State.whereNumbers, "where_numbers(1,0)", "where_numbers", "input:number other:number"},
	{State.like, "zeros_like", "empty_like zeros_like ones_like rand_like randn_like", "memory_format:word? dtype:word? device:any? requires_grad:any? layout:any?"},
	{State.like, "full_like(0.5)", "full_like", "fill_value:operand memory_format:word? dtype:word? device:any? requires_grad:any?"},
	{State.like, "randint_like(10)", "randint_like", "high:number low:number? memory_format:word? dtype:word? device:any?"},
	{State.preserved, "nan_to_num", "nan_to_num", "nan:any? posinf:any? neginf:any?"},
	{State.preserved, "relu6", "relu6", "inplace:any?"},
	{State.preserved, "hardtanh", "hardtanh", "min_val:any? max_val:any? inplace:any?"},
	{State.preserved, "prelu((1,))", "prelu", "weight:tensor"},
	{State.angles, "deg2rad", "deg2rad rad2deg", ""},
	{State.sortedIndices, "argsort(-1)", "argsort", "dim:int? descending:any? stable:any?"},
	{State.preserved, "index_fill(0,(2,),0)", "index_fill", "dim:int index:any value:any"},
	{State.convert, "half", strings.Join(conversions(), " "), "memory_format:word?"},
	{State.convert, "type(float16)", "type", "dtype:word non_blocking:any?"},
	{State.typeAs, "type_as(x)", "type_as", "other:tensor"},
	{State.dropout, "dropout(0.5,False)", "dropout dropout1d dropout2d dropout3d alpha_dropout feature_dropout", "p:any? training:any? inplace:any?"},
	{State.roll, "roll(1,0)", "roll", "shifts:ints dims:ints?"},
	{State.normalize, "normalize(dim=1)", "normalize", "p:any? dim:int? eps:any?"},
	{State.glu, "glu(1)", "glu", "dim:int?"},
}

// contiguousRules are operators whose result is contiguous, whatever the strides of the operands.
var contiguousRules = []rule{
	{State.matmul, "matmul((6,3))", "matmul", "other:tensor"},
	{State.matmul, "mm((6,3))", "mm bmm mv", "other=mat2:tensor"},
	{State.addmm, "addmm((4,2),(2,6))", "addmm baddbmm addbmm addmv", "mat1=batch1:tensor mat2=batch2:tensor beta:any? alpha:any?"},
	{State.einsum, "einsum('bchw->bc')", "einsum", "equation:word tensors:tensors?"},
	{State.outer, "outer((3,))", "outer ger", "vec2=other:tensor"},
	{State.linear, "linear((3,6))", "linear", "weight:tensor bias:tensor?"},
	{State.softmax, "softmax(-1)", "softmax log_softmax softmin", "dim:int? _stacklevel:any? dtype:word?"},
	{State.cumulative, "cumsum(1)", "cumsum cumprod logcumsumexp", "dim:int dtype:word?"},
	{State.dense, "tril", "tril triu", "diagonal:any?"},
	{State.dense, "logsigmoid", "logsigmoid bernoulli", "p:any? generator:any?"},
	{State.dense, "layer_norm((6,))", "layer_norm", "normalized_shape:any weight:any? bias:any? eps:any?"},
	{State.dense, "instance_norm", "instance_norm", "running_mean:any? running_var:any? weight:any? bias:any? use_input_stats:any? momentum:any? eps:any?"},
	{State.rmsNorm, "rms_norm((6,))", "rms_norm", "normalized_shape:any weight:any? eps:any?"},
	{State.maskedFill, "masked_fill((4,4,6),0)", "masked_fill masked_scatter", "mask:tensor value=source:any"},
	{State.dense, "scatter(0,x,0)", "scatter scatter_add scatter_reduce", "dim:int index:any src=value:any? reduce:any? include_self:any?"},
	{State.dense, "index_add(0,(2,),x)", "index_add index_copy index_reduce", "dim:int index:any source:any alpha:any? reduce:any?"},
	{State.repeat, "repeat(2,1,1,1)", "repeat", "repeats=sizes:sizes"},
	{State.tile, "tile(2)", "tile", "dims:sizes"},
	{State.repeatInterleave, "repeat_interleave(2,dim=1)", "repeat_interleave", "repeats:any dim:int? output_size:any?"},
	{State.gather, "gather(1,(2,4,4,6))", "gather", "dim:int index:tensor sparse_grad:any?"},
	{State.takeAlong, "take_along_dim((2,4,4,6),1)", "take_along_dim", "indices:tensor dim:int?"},
	{State.indexSelect, "index_select(1,(3,))", "index_select", "dim:int index:tensor"},
	{State.take, "take((3,))", "take", "index:tensor"},
	{State.embedding, "embedding((10,3))", "embedding", "weight:tensor padding_idx:any? max_norm:any? norm_type:any? scale_grad_by_freq:any? sparse:any?"},
	{State.oneHot, "one_hot(4)", "one_hot", "num_classes:int?"},
	{State.bucketize, "bucketize((4,))", "bucketize", "boundaries:any right:any? out_int32:any?"},
	{State.searchSorted, "searchsorted((2,4,4,6))", "searchsorted", "input:tensor right:any? out_int32:any? side:any?"},
	{State.isIn, "isin(x)", "isin", "test_elements:operand assume_unique:any? invert:any?"},
	{State.attention, "scaled_dot_product_attention(x,x)", "scaled_dot_product_attention",
		"key:tensor value:tensor attn_mask:any? dropout_p:any? is_causal:any? scale:any? enable_gqa:flag?"},
	{State.rpow, "rpow(2)", "rpow", "base:number"},
	{State.multinomial, "multinomial(2)", "multinomial", "num_samples:int replacement:any? generator:any?"},
	{State.histc, "histc(10)", "histc", "bins:int? min:any? max:any?"},
	{State.cdist, "cdist(x)", "cdist", "x2:tensor p:any? compute_mode:any?"},
	{State.cosineSimilarity, "cosine_similarity(x)", "cosine_similarity", "x2:tensor dim:int? eps:any?"},
	{State.loss, "mse_loss(x)", `mse_loss l1_loss smooth_l1_loss huber_loss cross_entropy nll_loss binary_cross_entropy binary_cross_entropy_with_logits
		kl_div`, "target:operand weight:any? size_average:any? ignore_index:any? reduce:any? reduction:word? label_smoothing:any? beta:any? delta:any? pos_weight:any? log_target:any?"},
	{State.diagEmbed, "diag_embed", "diag_embed", "offset:int? dim1:int? dim2:int?"},
	{State.diag, "diag", "diag", "diagonal:int?"},
	{State.cross, "cross(x)", "cross", "other:tensor dim:int?"},
}

// formatRules are operators on images, whose results mostly have the memory format that the tensor suggests, and joins.
var formatRules = []rule{
	{State.cat, "cat((2,4,4,6),dim=1)", "cat concat concatenate", "tensors:tensors? dim:int?"},
	{State.stack, "stack(x,dim=1)", "stack", "tensors:tensors? dim:int?"},
	{State.joined, "vstack(x)", "vstack hstack dstack", "tensors:tensors?"},
	{State.conv2d, "conv2d((8,4,3,3):channels_last,padding=1)", "conv2d", "weight:tensor bias:tensor? stride:ints? padding:ints? dilation:ints? groups:int?"},
	{State.conv1d, "conv1d((8,4,3))", "conv1d", "weight:tensor bias:tensor? stride:ints? padding:ints? dilation:ints? groups:int?"},
	{State.pool, "max_pool2d(2)", "max_pool2d avg_pool2d max_pool1d avg_pool1d max_pool3d avg_pool3d",
		"kernel_size:ints stride:ints? padding:ints? dilation:any? ceil_mode:any? return_indices:any? count_include_pad:any? divisor_override:any?"},
	{State.adaptivePool, "adaptive_avg_pool2d(1)", "adaptive_avg_pool2d adaptive_max_pool2d adaptive_avg_pool1d adaptive_avg_pool3d adaptive_max_pool3d", "output_size:any"},
	{State.interpolate, "interpolate(scale_factor=2)", "interpolate upsample", "size:any? scale_factor:any? mode:word? align_corners:any? recompute_scale_factor:any? antialias:any?"},
	{State.pad, "pad((1,1))", "pad", "pad:ints mode:word? value:any?"},
	{State.pixelShuffle, "pixel_shuffle(2)", "pixel_shuffle pixel_unshuffle", "upscale_factor=downscale_factor:int"},
	{State.batchNorm, "batch_norm", "batch_norm", "running_mean:any? running_var:any? weight:any? bias:any? training:any? momentum:any? eps:any?"},
	{State.groupNorm, "group_norm(2)", "group_norm", "num_groups:int weight:any? bias:any? eps:any?"},
	{State.patches, "im2col(2)", "im2col", "kernel_size:ints dilation:ints? padding:ints? stride:ints?"},
	{State.gridSample, "grid_sample((2,5,5,2))", "grid_sample", "grid:tensor mode:any? padding_mode:any? align_corners:any?"},
}

// whyContiguous is why the strides of an operand do not matter.
const whyContiguous = "contiguous, whatever the strides of the operand"

// fresh returns a new contiguous tensor.
func (s State) fresh(shape []int, names []string, typ dtype.Type, why ...string) (Step, error) {
	to, err := tensor.Packed(shape)
	if err != nil {
		return Step{}, err
	}
	if names == nil {
		names = make([]string, len(shape))
	}
	if len(why) == 0 {
		why = []string{whyContiguous}
	}
	return s.computed(to, names, typ, why...)
}

// dense returns a new contiguous tensor of the shape and dtype.
func (s State) dense(a arguments) (Step, error) {
	if a.has("dim") {
		if _, err := s.axis(a.number("dim", 0), s.Rank(), ""); err != nil {
			return Step{}, err
		}
	}
	return s.fresh(s.Shape, s.Names, s.DType)
}

// preserved returns a new tensor with the strides of clone.
func (s State) preserved(arguments) (Step, error) {
	return s.computed(tensor.Strided{Shape: s.Shape, Strides: s.CloneStrides()}, s.Names, s.DType, strings.ReplaceAll(s.whyPreserved(), "copy", "new tensor"))
}

// angles returns a new float tensor with the strides of clone.
func (s State) angles(arguments) (Step, error) {
	_, typ := toFloat(s.DType)
	return s.computed(tensor.Strided{Shape: s.Shape, Strides: s.CloneStrides()}, s.Names, typ, strings.ReplaceAll(s.whyPreserved(), "copy", "new tensor"))
}

// sortedIndices returns indices with the strides of clone.
func (s State) sortedIndices(arguments) (Step, error) {
	return s.computed(tensor.Strided{Shape: s.Shape, Strides: s.CloneStrides()}, s.Names, typed("int64"), strings.ReplaceAll(s.whyPreserved(), "copy", "new tensor"))
}

// loss is a number, unless reduction is none.
func (s State) loss(a arguments) (Step, error) {
	if a.word("reduction", "mean") == "none" {
		return Step{}, stop(a.call.Name, "the strides without a reduction are not known")
	}
	return s.fresh([]int{}, nil, s.DType)
}

func (s State) multinomial(a arguments) (Step, error) {
	if s.Rank() < 1 || s.Rank() > 2 {
		return Step{}, refuse("prob_dist must be 1 or 2 dim")
	}
	return s.fresh(append(slices.Clone(s.Shape[:s.Rank()-1]), a.number("num_samples", 1)), nil, typed("int64"))
}

// histc counts values in bins.
func (s State) histc(a arguments) (Step, error) {
	return s.fresh([]int{max(a.number("bins", 100), 0)}, nil, s.DType)
}
