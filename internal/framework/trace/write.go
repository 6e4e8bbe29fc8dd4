package trace

import (
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/tensor"
)

// writes are methods that write into the tensor, whatever their arguments.
func writes() []operation {
	names := strings.Fields(`copy_ normal_ uniform_ random_ bernoulli_ exponential_ log_normal_ cauchy_ geometric_ trunc_normal_ xavier_uniform_
		xavier_normal_ kaiming_uniform_ kaiming_normal_ orthogonal_ zeros_ ones_ constant_ eye_ dirac_ fill_diagonal_ index_put_ scatter_ scatter_add_
		scatter_reduce_ index_add_ index_copy_ index_fill_ masked_scatter_ put_ erfinv_ tril_ triu_ zero_ fill_ cumsum_ cumprod_ addcmul_ addcdiv_ addmm_
		baddbmm_ lerp_ write`)
	return []operation{{Usage: Usage{Name: names[0], Also: names[1:], Example: "copy_(x)"}, run: State.written, free: true}}
}

// fills are writes that may write an element twice.
var fills = []string{"zero_", "fill_", "write", "constant_", "zeros_", "ones_", "tril_", "triu_", "masked_fill_", "threshold", "threshold_"}

// written returns the tensor itself, whose elements are written.
func (s State) written(a arguments) (Step, error) {
	if a.call.Name == "copy_" && len(a.call.Args) > 0 && a.call.Args[0].isTensor() {
		source, err := s.operand("copy_", a.call.Args[0])
		if err != nil {
			return Step{}, err
		}
		if _, err := source.Expand(s.Shape); err != nil {
			return Step{}, refuse("The expanded size of the tensor must match the existing size at non-singleton dimensions. Target sizes: %s.  Tensor sizes: %s",
				tensor.List(s.Shape), tensor.List(source.Shape))
		}
	}
	if !slices.Contains(fills, a.call.Name) {
		if err := s.cannotWrite(); err != nil {
			return Step{}, err
		}
	}
	return s.itself("writes into the storage: returns the tensor itself")
}

// cannotWrite refuses to write elements that are several of the tensor. (assert_no_internal_overlap in PyTorch's
// aten/src/ATen/MemoryOverlap.cpp)
func (s State) cannotWrite() error {
	if s.NonOverlappingAndDense() {
		return nil
	}
	for d, n := range s.Shape {
		if n > 1 && s.Strides[d] == 0 && !s.Empty() {
			return refuse("unsupported operation: more than one element of the written-to tensor refers to a single memory location. Please clone() the "+
				"tensor before performing the operation.").because("%s has stride 0", s.called(d)).withHint("clone() first")
		}
	}
	return nil
}

// withTwins are operations with a form that writes into the tensor, whose name ends in _.
var withTwins = strings.Fields(`abs absolute acos acosh add asin asinh atan atan2 atanh bitwise_and bitwise_not bitwise_or bitwise_xor ceil clamp clamp_max
	clamp_min clip cos cosh div divide digamma eq erf erfc exp exp2 expm1 floor floor_divide fmod frac ge greater gt le less lgamma log log10 log1p
	log2 logical_and logical_not logical_or logical_xor logit lt masked_fill mul multiply nan_to_num ne neg negative pow reciprocal relu remainder round rsqrt
	sgn sigmoid sign sin sinc sinh sqrt square sub subtract tan tanh true_divide trunc xlogy hardtanh leaky_relu elu celu selu silu threshold hypot
	bitwise_left_shift bitwise_right_shift squeeze unsqueeze transpose t swapaxes swapdims dropout`)

// views are those that change the tensor's own shape and strides.
var views = []string{"squeeze_", "unsqueeze_", "transpose_", "t_", "swapaxes_", "swapdims_"}

// inPlace returns the operation of a name that ends in _.
func inPlace(r Rules, name string) (operation, bool) {
	base, ok := strings.CutSuffix(name, "_")
	if !ok || r != PyTorch || base == "matmul" {
		return operation{}, false
	}
	i := slices.IndexFunc(operations(r), func(o operation) bool { return o.is(base) && o.run != nil })
	if i < 0 || !slices.Contains(withTwins, base) {
		return operation{}, false
	}
	op := operations(r)[i]
	op.Example = strings.Replace(op.Example, op.Name, name, 1)
	op.Name = name
	op.Also = nil
	run := op.run
	op.run = func(s State, a arguments) (Step, error) {
		a.call.Name = base
		step, err := run(s, a)
		if err != nil {
			return step, err
		}
		if slices.Contains(views, name) {
			step.Kind = Self
			step.Why = append([]string{"changes shape and strides of the tensor itself"}, step.Why...)
			return step, nil
		}
		return s.overwritten(step, name)
	}
	return op, true
}

// overwritten returns the tensor itself, into which a result is written.
func (s State) overwritten(result Step, name string) (Step, error) {
	to := result.State
	if !slices.Equal(to.Shape, s.Shape) {
		return Step{}, refuse("output with shape %s doesn't match the broadcast shape %s", tensor.List(s.Shape), tensor.List(to.Shape))
	}
	if category(to.DType) > category(s.DType) {
		return Step{}, refuse("result type %s can't be cast to the desired output type %s", messageType(to.DType), messageType(s.DType))
	}
	return s.written(arguments{call: Call{Name: name}})
}
