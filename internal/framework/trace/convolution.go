package trace

import (
	"fmt"
	"slices"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/text"
)

// maxConvolution limits the parameters of a convolution, so that its sizes do not overflow.
const maxConvolution = 1 << 30

// convolution is a conv2d on a CPU: a batch of images, a weight that fits it, and parameters by height and width.
type convolution struct {
	input, weight             tensor.Strided // of complex numbers, their real parts
	stride, padding, dilation [2]int
	groups                    int
	typ                       dtype.Type
	shape                     []int // of the result
}

// conv2d returns a channels_last tensor if suggest_memory_format of the input or of the weight is that, else a contiguous one. Refusals
// are in the order of check_shape_forward in PyTorch's aten/src/ATen/native/Convolution.cpp.
func (s State) conv2d(a arguments) (Step, error) {
	c, err := s.convolution(a)
	if err != nil {
		return Step{}, err
	}
	if err := s.checkBias(a, c.weight.Shape); err != nil {
		return Step{}, err
	}
	why, err := c.size()
	if err != nil {
		return Step{}, err
	}
	to, reason, err := c.result()
	if err != nil {
		return Step{}, err
	}
	if s.Rank() == 3 {
		to, _ = State{Strided: to, Names: make([]string, 4)}.without([]int{0})
	}
	return s.computed(to, s.Names, s.DType, append([]string{reason}, why...)...)
}

// convolution returns the operands and parameters of a call, whose channels fit. An image without a batch gets a batch of one.
func (s State) convolution(a arguments) (c convolution, err error) {
	c.typ = s.DType
	c.input = s.Strided
	c.groups = a.number("groups", 1)
	c.weight, err = s.operand("conv2d", a.given["weight"])
	if err != nil {
		return c, err
	}
	switch s.Rank() {
	case 3:
		c.input, _, _ = s.inserted(0)
	case 4:
	default:
		return c, refuse("Expected 3D (unbatched) or 4D (batched) input to conv2d, but got input of size: %s", tensor.List(s.Shape))
	}
	x := c.input.Shape
	w := c.weight.Shape
	if c.input.Empty() {
		return c, fault.New(fault.Unsupported, "conv2d of an empty tensor: PyTorch's result depends on the version")
	}
	if len(w) != 4 || c.weight.Empty() {
		return c, fault.New(fault.Usage, "conv2d: a weight of shape %s", tensor.Tuple(w)).
			WithHint("a weight is (output channels, input channels / groups, height, width)")
	}
	if c.groups < 1 {
		return c, cannotConvolve
	}
	if w[0]%c.groups != 0 || x[1]%c.groups != 0 {
		return c, refuse(ownWords+"%d channels and %d of the weight in %d groups", x[1], w[0], c.groups)
	}
	if x[1]/c.groups != w[1] {
		return c, refuse("Given groups=%d, weight of size %s, expected input%s to have %d channels, but got %d channels instead", c.groups,
			tensor.List(w), tensor.List(x), w[1]*c.groups, x[1])
	}
	if c.typ.Kind() == dtype.Complex {
		c.input, err = realParts(c.input)
		if err != nil {
			return c, err
		}
		c.weight, err = realParts(c.weight)
		if err != nil {
			return c, err
		}
	}
	for d := range 2 {
		c.stride[d] = a.pair("stride", 1, d)
		c.padding[d] = a.pair("padding", 0, d)
		c.dilation[d] = a.pair("dilation", 1, d)
	}
	return c, nil
}

var cannotConvolve = fault.New(fault.Usage, "conv2d: stride, dilation and groups must be positive, padding not negative, in one or two dims")

// pair returns the parameter of a convolution for one of two dims: a number holds for both. It is -1 for a list of another length.
func (a arguments) pair(name string, byDefault, d int) int {
	values := a.numbers(name)
	if !a.has(name) {
		return byDefault
	}
	if len(values) == 1 || len(values) == 2 {
		return values[d%len(values)]
	}
	return -1
}

func (s State) checkBias(a arguments, weight []int) error {
	if !a.has("bias") {
		return nil
	}
	bias, err := s.operand("conv2d", a.given["bias"])
	if err != nil || slices.Equal(bias.Shape, weight[:1]) {
		return err
	}
	return refuse("Given weight of size %s, expected bias to be 1-dimensional with %d elements, but got bias of size %s instead",
		tensor.List(weight), weight[0], tensor.List(bias.Shape))
}

// size computes the sizes of the result, and returns their equations.
//
//	size = 1 + ⌊(n + 2·padding - (dilation·(kernel-1) + 1))/stride⌋
func (c *convolution) size() (why []string, err error) {
	var in, kernel [2]int
	c.shape = []int{c.input.Shape[0], c.weight.Shape[0], 0, 0}
	for d := range 2 {
		n := c.weight.Shape[d+2]
		if largest := max(c.stride[d], c.padding[d], c.dilation[d], n); largest > maxConvolution {
			return nil, fault.New(fault.Unsupported, "%d is above the limit of %d", largest, maxConvolution)
		}
		if min(c.stride[d], c.padding[d]+1, c.dilation[d]) < 1 {
			return nil, cannotConvolve
		}
		in[d] = c.input.Shape[d+2] + 2*c.padding[d]
		kernel[d] = c.dilation[d]*(n-1) + 1
		c.shape[d+2] = (in[d]-kernel[d])/c.stride[d] + 1
		why = append(why, fmt.Sprintf("size[%d] = 1 + ⌊(%d - %d)/%d⌋ = %d", d+2, in[d], kernel[d], c.stride[d], c.shape[d+2]))
	}
	if in[0] < kernel[0] || in[1] < kernel[1] {
		return nil, refuse("Calculated padded input size per channel: (%d x %d). Kernel size: (%d x %d). Kernel size can't be greater than "+
			"actual input size", in[0], in[1], kernel[0], kernel[1])
	}
	_, err = tensor.Numel(c.shape)
	return why, err
}

// result returns the tensor that a CPU makes, and why. It is an error if the strides depend on something that is not known here.
func (c convolution) result() (tensor.Strided, string, error) {
	fused, reason := c.with(c.fused)
	if c.groups == 1 {
		return fused, reason, nil
	}
	split, splitReason := c.with(c.split)
	usesOneDNN, depends := c.usesOneDNN()
	if slices.Equal(fused.Strides, split.Strides) || usesOneDNN == tensor.Yes {
		return fused, reason, nil
	}
	if usesOneDNN == tensor.No {
		return split, splitReason, nil
	}
	return fused, "", stop("conv2d", "%s depend on %s: %s or %s", differing(fused, split), depends, tensor.Tuple(fused.Strides), tensor.Tuple(split.Strides))
}

// differing says which strides of two tensors of a shape differ.
func differing(a, b tensor.Strided) string {
	used := func(d int) bool { return a.Shape[d] > 1 && a.Strides[d] != b.Strides[d] }
	if slices.ContainsFunc(ints.Range(a.Rank()), used) {
		return "the strides"
	}
	return "the strides of size-1 dims"
}

// usesOneDNN reports whether oneDNN computes the groups, all at once; PyTorch's own kernels take one after the other. If that is unknown,
// dependsOn says why. (ConvParams::use_mkldnn in PyTorch's aten/src/ATen/native/Convolution.cpp, 1.13 and 2.15, for groups > 1)
func (c convolution) usesOneDNN() (answer tensor.Answer, dependsOn string) {
	unit := [2]int{1, 1}
	pointwise := slices.Equal(c.weight.Shape[2:], unit[:]) && c.stride == unit && c.dilation == unit
	switch c.typ.String() {
	case "float32", "complex64":
		if pointwise && c.input.Shape[0] < 16 {
			return tensor.Unknown, "the number of threads"
		}
		return tensor.Yes, ""
	case "float16", "bfloat16", "complex32":
		return tensor.Unknown, "the processor"
	}
	return tensor.No, ""
}

// algorithm returns the tensor that a CPU makes of real operands, and why.
type algorithm func(input, weight tensor.Strided) (tensor.Strided, string)

// with returns the result by an algorithm. A convolution of complex numbers is three of real ones.
// (complex_convolution in PyTorch's aten/src/ATen/native/Convolution.cpp)
//
//	a = conv(Re x, Re w), b = conv(Im x, Im w), c = conv(Re x + Im x, Re w + Im w); a - b + i·(c - a - b)
func (c convolution) with(convolve algorithm) (tensor.Strided, string) {
	a, reason := convolve(c.input, c.weight)
	if c.typ.Kind() != dtype.Complex {
		return a, reason
	}
	b := a // the imaginary parts have the strides of the real ones
	sum, _ := convolve(elementwise(c.input, c.input), elementwise(c.weight, c.weight))
	rest := elementwise(elementwise(sum, a), b)
	imaginary := elementwise(converted(rest), tensor.Strided{}) // i is a number
	return elementwise(converted(elementwise(a, b)), imaginary), "of real and imaginary parts: " + reason
}

// realParts returns the real parts of complex numbers, whose strides count real numbers.
func realParts(x tensor.Strided) (tensor.Strided, error) {
	to := tensor.Strided{Shape: x.Shape, Strides: slices.Clone(x.Strides)}
	for d, stride := range x.Strides {
		var err error
		to.Strides[d], err = strideTimes(stride, 2)
		if err != nil {
			return to, err
		}
	}
	return to, nil
}

// converted returns the copy of another dtype that an operator makes of an operand.
func converted(x tensor.Strided) tensor.Strided {
	return tensor.Strided{Shape: x.Shape, Strides: x.CloneStrides()}
}

// elementwise returns the result of an operator whose operands have equal shapes, or rank 0.
func elementwise(operands ...tensor.Strided) tensor.Strided {
	to, _, _ := State{Rules: PyTorch}.iterate(operands) //nolint:errcheck // the shapes fit
	return to
}

// fused convolves all groups at once. PyTorch asks for the format twice: of the operands, and of their contiguous() in that format, whose
// strides of size-1 dims may no longer suggest it.
func (c convolution) fused(input, weight tensor.Strided) (tensor.Strided, string) {
	f, reason := suggested(input, weight)
	last, _ := suggested(inFormat(input, f), inFormat(weight, f))
	if last == tensor.ContiguousFormat {
		reason = notChannelsLast
	}
	return newInFormat(c.shape, last), reason
}

// split convolves the groups one after the other, and joins them by cat. (subtensor in PyTorch's
// aten/src/ATen/native/Convolution.cpp)
func (c convolution) split(input, weight tensor.Strided) (tensor.Strided, string) {
	f, _ := suggested(input, weight)
	f, reason := suggested(oneGroup(inFormat(input, f), 1, c.groups), oneGroup(inFormat(weight, f), 0, c.groups))
	shape := slices.Clone(c.shape)
	shape[1] /= c.groups
	to, _, _ := concat(slices.Repeat([]tensor.Strided{newInFormat(shape, f)}, c.groups), 1) //nolint:errcheck // the shapes fit
	return to, fmt.Sprintf("cat of %d groups; each is %s", c.groups, reason)
}

// oneGroup returns a group of the channels of dim d, contiguous in the format that all channels suggest.
func oneGroup(x tensor.Strided, d, groups int) tensor.Strided {
	f := x.SuggestMemoryFormat()
	shape := slices.Clone(x.Shape)
	shape[d] /= groups
	return inFormat(tensor.Strided{Shape: shape, Strides: x.Strides}, f)
}

const notChannelsLast = "contiguous, because suggest_memory_format of neither input nor weight is channels_last"

// suggested returns the format of the result of a kernel with these operands, and why. (mkldnn_conv_use_channels_last and
// thnn_conv_use_channels_last in PyTorch's aten/src/ATen/native/ConvUtils.h)
func suggested(input, weight tensor.Strided) (tensor.MemoryFormat, string) {
	var last []string
	for i, x := range []tensor.Strided{input, weight} {
		if x.SuggestMemoryFormat() == tensor.ChannelsLastFormat {
			last = append(last, []string{"input", "weight"}[i])
		}
	}
	if last == nil {
		return tensor.ContiguousFormat, notChannelsLast
	}
	return tensor.ChannelsLastFormat, fmt.Sprintf("channels_last, because suggest_memory_format of the %s is, on a CPU", text.And(last))
}

// inFormat is x.contiguous(memory_format=f).
func inFormat(x tensor.Strided, f tensor.MemoryFormat) tensor.Strided {
	c, _ := x.Contiguous(f)
	return tensor.Strided{Shape: x.Shape, Strides: c.Strides}
}

// newInFormat returns a new tensor of the format.
func newInFormat(shape []int, f tensor.MemoryFormat) tensor.Strided {
	strides, _ := tensor.FormatStrides(shape, f)
	return tensor.Strided{Shape: shape, Strides: strides}
}
