package trace

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// ownWords begins a refusal in our own words: PyTorch's name the function that strides and backend choose.
const ownWords = "sizes do not match: "

// matmul returns a contiguous tensor, whatever the strides of its operands. (_matmul_impl in PyTorch's
// aten/src/ATen/native/LinearAlgebra.cpp)
func (s State) matmul(a arguments) (Step, error) {
	other, err := s.operand("matmul", a.given["other"])
	if err != nil {
		return Step{}, err
	}
	m, n := s.Rank(), other.Rank()
	if m == 0 || n == 0 {
		return Step{}, refuse("both arguments to matmul need to be at least 1D, but they are %dD and %dD", m, n)
	}
	shape, err := broadcast(s.Shape[:max(0, m-2)], other.Shape[:max(0, n-2)])
	if err != nil {
		return Step{}, err
	}
	if inner, found := s.Shape[m-1], other.Shape[max(0, n-2)]; inner != found {
		r := refuse(ownWords+"the last size, %d, is not the size of dim %d of the other, %d", inner, max(0, n-2), found)
		if m <= 2 && n == 2 {
			rows := append([]int{1}, s.Shape...)[m-1]
			r.Text = fmt.Sprintf("mm: mat1 and mat2 shapes cannot be multiplied (%dx%d and %dx%d)", rows, inner, found, other.Shape[1])
		}
		return Step{}, r
	}
	if m > 1 {
		shape = append(shape, s.Shape[m-2])
	}
	if n > 1 {
		shape = append(shape, other.Shape[n-1])
	}
	to, err := tensor.Packed(shape)
	if err != nil {
		return Step{}, err
	}
	return s.computed(to, make([]string, len(shape)), s.DType, "contiguous, whatever the strides of the operands")
}

// maxConvolution limits the parameters of a convolution, so that its sizes do not overflow.
const maxConvolution = 1 << 30

// conv2d returns a channels_last tensor if suggest_memory_format of the input or of the weight is that, else a contiguous one: the rule
// of a CPU and, except for float64, of cuDNN. (mkldnn_conv_use_channels_last, thnn_conv_use_channels_last and
// cudnn_conv_suggest_memory_format in PyTorch's aten/src/ATen/native/ConvUtils.h; check_shape_forward in Convolution.cpp)
func (s State) conv2d(a arguments) (Step, error) {
	weight, err := s.operand("conv2d", a.given["weight"])
	if err != nil {
		return Step{}, err
	}
	x := s.Strided
	switch {
	case s.Rank() == 3:
		x, _, _ = s.inserted(0)
	case s.Rank() != 4:
		return Step{}, refuse("Expected 3D (unbatched) or 4D (batched) input to conv2d, but got input of size: %s", tensor.List(s.Shape))
	}
	if x.Empty() {
		return Step{}, fault.New(fault.Unsupported, "conv2d of an empty tensor: PyTorch's result depends on the version")
	}
	if weight.Rank() != 4 || weight.Empty() {
		return Step{}, fault.New(fault.Usage, "conv2d: a weight of shape %s", tensor.Tuple(weight.Shape)).
			WithHint("a weight is (output channels, input channels / groups, height, width)")
	}
	groups, w := a.number("groups", 1), weight.Shape
	if groups > 0 && (w[0]%groups != 0 || x.Shape[1]%groups != 0) {
		return Step{}, refuse(ownWords+"%d channels and %d of the weight in %d groups", x.Shape[1], w[0], groups)
	} else if groups > 0 && x.Shape[1]/groups != w[1] {
		return Step{}, refuse("Given groups=%d, weight of size %s, expected input%s to have %d channels, but got %d channels instead", groups,
			tensor.List(w), tensor.List(x.Shape), w[1]*groups, x.Shape[1])
	}
	if a.has("bias") {
		bias, err := s.operand("conv2d", a.given["bias"])
		if err == nil && !slices.Equal(bias.Shape, w[:1]) {
			err = refuse("Given weight of size %s, expected bias to be 1-dimensional with %d elements, but got bias of size %s instead",
				tensor.List(w), w[0], tensor.List(bias.Shape))
		}
		if err != nil {
			return Step{}, err
		}
	}
	to := tensor.Strided{Shape: []int{x.Shape[0], w[0], 0, 0}}
	var in, kernel [2]int
	var why []string
	for d := range 2 {
		stride, padding, dilation := a.pair("stride", 1, d), a.pair("padding", 0, d), a.pair("dilation", 1, d)
		if largest := max(stride, padding, dilation, w[d+2]); largest > maxConvolution {
			return Step{}, fault.New(fault.Unsupported, "%d is above the limit of %d", largest, maxConvolution)
		}
		if min(stride, padding+1, dilation, groups) < 1 {
			return Step{}, fault.New(fault.Usage, "conv2d: stride, dilation and groups must be positive, padding not negative, in one or two dims")
		}
		in[d], kernel[d] = x.Shape[d+2]+2*padding, dilation*(w[d+2]-1)+1
		to.Shape[d+2] = (in[d]-kernel[d])/stride + 1
		why = append(why, fmt.Sprintf("size[%d] = 1 + ⌊(%d - %d)/%d⌋ = %d", d+2, in[d], kernel[d], stride, to.Shape[d+2]))
	}
	if in[0] < kernel[0] || in[1] < kernel[1] {
		return Step{}, refuse("Calculated padded input size per channel: (%d x %d). Kernel size: (%d x %d). Kernel size can't be greater than "+
			"actual input size", in[0], in[1], kernel[0], kernel[1])
	}
	if _, err := tensor.Numel(to.Shape); err != nil {
		return Step{}, err
	}
	f, reason := convolved(x, weight)
	if f != tensor.ContiguousFormat && groups > 1 && s.DType.String() == "float64" && to.Shape[2]*to.Shape[3] == 1 {
		return Step{}, fault.New(fault.Unsupported, "conv2d of float64 in groups to one pixel: the strides of size-1 dims depend on the kernel")
	}
	to.Strides, _ = tensor.FormatStrides(to.Shape, f)
	if s.Rank() == 3 {
		to, _ = State{Strided: to, Names: make([]string, 4)}.without([]int{0})
	}
	return s.computed(to, s.Names, s.DType, append([]string{reason}, why...)...)
}

// pair returns the parameter of a convolution for one of two dims: a number holds for both. It is -1 for a list of another length.
func (a arguments) pair(name string, byDefault, d int) int {
	values := a.numbers(name)
	switch {
	case !a.has(name):
		return byDefault
	case len(values) == 1 || len(values) == 2:
		return values[d%len(values)]
	}
	return -1
}

// convolved returns the format of a convolution's result, and why. PyTorch asks twice: for the operands, and for their contiguous() in the
// format, whose strides of size-1 dims may no longer suggest it.
func convolved(input, weight tensor.Strided) (tensor.MemoryFormat, string) {
	var reason string
	for range 2 {
		var last []string
		for i, x := range []*tensor.Strided{&input, &weight} {
			if x.SuggestMemoryFormat() == tensor.ChannelsLastFormat {
				last = append(last, []string{"input", "weight"}[i])
			}
			c, _ := x.Contiguous(tensor.ChannelsLastFormat)
			x.Strides = c.Strides
		}
		if last == nil {
			return tensor.ContiguousFormat, "contiguous, because suggest_memory_format of neither input nor weight is channels_last"
		}
		reason = cmp.Or(reason, fmt.Sprintf("channels_last, because suggest_memory_format of the %s is, on a CPU", text.And(last)))
	}
	return tensor.ChannelsLastFormat, reason
}
