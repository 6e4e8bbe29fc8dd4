package trace

import (
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
)

// spatial returns how many dims a name like max_pool2d is for.
func spatial(name string) int { return int(name[strings.LastIndexByte(name, 'd')-1] - '0') }

// perDim returns a parameter of n dims: one number is for all.
func (a arguments) perDim(name string, n, byDefault int) ([]int, error) {
	values := a.numbers(name)
	if !a.has(name) || len(values) == 0 {
		values = []int{byDefault}
	}
	if len(values) == 1 {
		values = slices.Repeat(values, n)
	}
	if len(values) != n {
		return nil, fault.New(fault.Usage, "%s: %s must be an int or %d ints", a.call.Name, name, n)
	}
	if slices.Max(values) > maxConvolution {
		return nil, fault.New(fault.Unsupported, "%d is above the limit of %d", slices.Max(values), maxConvolution)
	}
	return values, nil
}

// pool is max_pool and avg_pool. (Pool.h in PyTorch's aten/src/ATen/native)
func (s State) pool(a arguments) (Step, error) {
	n := spatial(a.call.Name)
	if s.Rank() != n+1 && s.Rank() != n+2 {
		return Step{}, refuse("%s: Expected %dD or %dD tensor, but got %dD", a.call.Name, n+1, n+2, s.Rank())
	}
	isMax := strings.HasPrefix(a.call.Name, "max")
	if !isMax { // count_include_pad, and ceil_mode before it
		a = a.shifted()
	}
	kernel, err := a.perDim("kernel_size", n, 1)
	if err != nil {
		return Step{}, err
	}
	stride := kernel
	if a.has("stride") && len(a.numbers("stride")) > 0 {
		stride, err = a.perDim("stride", n, 1)
		if err != nil {
			return Step{}, err
		}
	}
	padding, err := a.perDim("padding", n, 0)
	if err != nil {
		return Step{}, err
	}
	dilation := slices.Repeat([]int{1}, n)
	if isMax && a.has("dilation") {
		dilation, err = a.perDim("dilation", n, 1)
		if err != nil {
			return Step{}, err
		}
	}
	if a.word("return_indices", "False") == "True" {
		return Step{}, stop(a.call.Name, "return_indices returns two tensors")
	}
	shape := slices.Clone(s.Shape)
	for k := range n {
		d := s.Rank() - n + k
		if min(kernel[k], stride[k], padding[k]+1, dilation[k]) < 1 {
			return Step{}, refuse("kernel size, stride and dilation should be greater than zero, padding not negative")
		}
		if padding[k] > kernel[k]/2 {
			return Step{}, refuse("pad should be at most half of effective kernel size, but got pad=%d, kernel_size=%d and dilation=%d", padding[k], kernel[k], dilation[k])
		}
		shape[d] = pooled(s.Shape[d], kernel[k], stride[k], padding[k], dilation[k], a.word("ceil_mode", "False") == "True")
		if shape[d] < 1 {
			return Step{}, refuse("Given input size %s, the output size is too small", tensor.Tuple(s.Shape)).because("%s has size %d", s.called(d), s.Shape[d])
		}
	}
	return s.pooledTo(a.call.Name, shape)
}

// shifted moves the arguments of avg_pool after padding, which has no dilation.
func (a arguments) shifted() arguments {
	given := map[string]Arg{}
	for name, v := range a.given {
		switch name {
		case "dilation":
			name = "ceil_mode"
		case "ceil_mode":
			if _, both := a.given["dilation"]; both {
				name = "count_include_pad"
			}
		case "return_indices":
			name = "count_include_pad"
		}
		given[name] = v
	}
	a.given = given
	return a
}

// pooled returns the size of a dim after pooling. (pooling_output_shape in PyTorch's aten/src/ATen/native/Pool.h)
func pooled(n, kernel, stride, padding, dilation int, ceil bool) int {
	span := n + 2*padding - dilation*(kernel-1) - 1
	if span < 0 {
		return 0
	}
	if !ceil {
		return span/stride + 1
	}
	size := (span+stride-1)/stride + 1
	if (size-1)*stride >= n+padding {
		size--
	}
	return size
}

// pooledTo returns the result of pooling. Images have the suggested format; rows are images of one row, and volumes are contiguous, but
// for max_pool3d.
func (s State) pooledTo(name string, shape []int) (Step, error) {
	switch spatial(name) {
	case 1:
		return s.asImage(name, shape)
	case 2:
		return s.inSuggested(shape)
	}
	if name == "max_pool3d" && s.Rank() == 5 {
		return s.inSuggested(shape)
	}
	if name == "max_pool3d" && s.SuggestMemoryFormat() != tensor.ContiguousFormat {
		return Step{}, stop(name, "its strides for a tensor without a batch that looks like channels_last are not known")
	}
	return s.fresh(shape, s.Names, s.DType)
}

// asImage pools rows: avg_pool1d inserts a dim, and removes it afterwards; max_pool1d is contiguous.
func (s State) asImage(name string, shape []int) (Step, error) {
	if strings.HasPrefix(name, "max") {
		return s.fresh(shape, s.Names, s.DType)
	}
	wide := s
	last := s.Rank() - 1
	wide.Strided, wide.Names, _ = s.inserted(last)
	step, err := wide.inSuggested(slices.Insert(slices.Clone(shape), last, 1))
	if err != nil {
		return step, err
	}
	to, _ := step.State.without([]int{last})
	return s.computed(to, s.Names, s.DType, step.Why...)
}

// adaptivePool pools to given sizes. (AdaptiveAveragePooling.cpp in PyTorch's aten/src/ATen/native)
func (s State) adaptivePool(a arguments) (Step, error) {
	name := a.call.Name
	n := spatial(name)
	sizes := a.given["output_size"]
	if name == "adaptive_avg_pool2d" && sizes.isOnes() && s.Rank() > max(1, len(sizes.List)) {
		return s.meanOfImages()
	}
	if s.Rank() != n+1 && s.Rank() != n+2 {
		return Step{}, refuse("%s(): Expected %dD or %dD tensor, but got %s", name, n+1, n+2, tensor.List(s.Shape))
	}
	shape := slices.Clone(s.Shape)
	first := s.Rank() - n
	if sizes.Kind == Int {
		sizes = Arg{Kind: List, List: slices.Repeat([]Arg{sizes}, n)}
	}
	if len(sizes.List) == 1 {
		sizes.List = slices.Repeat(sizes.List, n)
	}
	if sizes.Kind == Word {
		return Step{}, unknownNumber(sizes.Word)
	}
	if len(sizes.List) != n {
		return Step{}, fault.New(fault.Usage, "%s: output_size must be an int or %d ints", name, n)
	}
	for k, g := range sizes.List {
		switch g.Kind {
		case Int:
			shape[first+k] = g.Int
		case None:
		default:
			return Step{}, unknownNumber(g.String())
		}
	}
	isOne := !slices.ContainsFunc(shape[first:], func(n int) bool { return n != 1 })
	if name == "adaptive_avg_pool3d" && isOne && s.Rank() == 5 {
		return s.inSuggested(shape)
	}
	return s.pooledTo(name, shape)
}

// isOnes reports whether an argument is 1, or several of that.
func (g Arg) isOnes() bool {
	return !slices.ContainsFunc(g.all(), func(n int) bool { return n != 1 }) && (g.Kind == Int || len(g.List) > 0)
}

// meanOfImages is the mean of the last two dims, which stay with size 1. (adaptive_avg_pool2d in PyTorch's
// aten/src/ATen/native/AdaptiveAveragePooling.cpp)
func (s State) meanOfImages() (Step, error) {
	if isIntegral(s.DType.Kind()) {
		return Step{}, refuse("mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype").
			because("the dtype is %s", s.DType).withHint("float() first")
	}
	shape := slices.Clone(s.Shape)
	last := s.Rank() - 1
	shape[last-1] = 1
	shape[last] = 1
	if s.Rank() == 4 {
		return s.inSuggested(shape)
	}
	return s.fresh(shape, s.Names, s.DType)
}
