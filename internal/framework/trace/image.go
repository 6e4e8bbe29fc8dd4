package trace

import (
	"fmt"
	"math"
	"slices"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
)

// inSuggested returns a new tensor in the memory format that the tensor suggests, which has the rank of the shape.
func (s State) inSuggested(shape []int) (Step, error) {
	f := tensor.ContiguousFormat
	why := "contiguous: suggest_memory_format of the tensor is not channels_last"
	if s.Rank() == len(shape) {
		f = s.SuggestMemoryFormat()
	}
	if f != tensor.ContiguousFormat {
		why = fmt.Sprintf("%s: suggest_memory_format of the tensor is that", f)
	}
	if _, err := tensor.Numel(shape); err != nil {
		return Step{}, err
	}
	strides, _ := tensor.FormatStrides(shape, f)
	names := s.Names
	if len(names) != len(shape) {
		names = make([]string, len(shape))
	}
	return s.computed(tensor.Strided{Shape: shape, Strides: strides}, names, s.DType, why)
}

// interpolate resizes images. (UpSample.h in PyTorch's aten/src/ATen/native)
func (s State) interpolate(a arguments) (Step, error) {
	n := s.Rank() - 2
	if n < 1 || n > 3 {
		return Step{}, refuse("Input Error: Only 3D, 4D and 5D input Tensors supported (got %dD)", s.Rank())
	}
	shape := slices.Clone(s.Shape)
	given, scaled := a.given["size"], false
	if !a.has("size") {
		given = a.given["scale_factor"]
		scaled = true
	}
	values := given.List
	if given.Kind != List {
		values = slices.Repeat([]Arg{given}, n)
	}
	if len(values) != n {
		return Step{}, fault.New(fault.Usage, "interpolate: size and scale_factor must be a number or %d numbers", n)
	}
	for k, g := range values {
		x, ok := g.float()
		if !ok {
			return Step{}, unknownNumber(g.String())
		}
		isFinite := !math.IsNaN(x) && !math.IsInf(x, 0)
		if !isFinite {
			return Step{}, refuse("value cannot be converted to type int64_t without overflow")
		}
		if scaled {
			x = math.Floor(float64(s.Shape[k+2]) * x)
		}
		if x < 1 || x > maxConvolution {
			return Step{}, refuse("Input and output sizes should be greater than 0, but got input (%s) and output %g", spelled(s.Shape[2:]), x)
		}
		shape[k+2] = int(x)
	}
	if a.word("mode", "nearest") == "area" {
		return s.pooledTo(fmt.Sprintf("adaptive_avg_pool%dd", n), shape)
	}
	return s.inSuggested(shape)
}

// pad adds to the last dims, or removes from them where it is negative. (constant_pad_nd in PyTorch's aten/src/ATen/native/PadNd.cpp)
func (s State) pad(a arguments) (Step, error) {
	by := a.numbers("pad")
	mode := a.word("mode", "constant")
	if len(by)%2 != 0 || len(by) > 2*s.Rank() {
		return Step{}, refuse("Padding length should be less than or equal to two times the input dimension but got padding length %d and input of "+
			"dimension %d", len(by), s.Rank())
	}
	inner := s.Strided
	inner.Shape = slices.Clone(s.Shape)
	shape := slices.Clone(s.Shape)
	grows := false
	for k := 0; k < len(by); k += 2 {
		d := s.Rank() - 1 - k/2
		for _, n := range by[k : k+2] {
			grows = grows || n > 0
			inner.Shape[d] += min(n, 0)
			size, ok := tensor.Add(shape[d], n)
			if !ok {
				return Step{}, overflow("pad: %d + %d", shape[d], n)
			}
			shape[d] = size
		}
		if shape[d] < 0 || inner.Shape[d] < 0 {
			return Step{}, refuse("The input size %d, plus negative padding %d and %d, resulted in a negative output size, which is invalid. Check dimension %d of "+
				"your input.", s.Shape[d], by[k], by[k+1], d)
		}
	}
	if mode == "circular" {
		return s.fresh(shape, s.Names, s.DType, "circular padding is contiguous")
	}
	if mode == "constant" && !grows {
		return s.computed(tensor.Strided{Shape: shape, Strides: inner.CloneStrides()}, s.Names, s.DType, "no padding is positive: a clone of what remains")
	}
	if mode != "constant" && s.Rank() < 3 && len(by) == 4 {
		return Step{}, refuse("Only 2D, 3D, 4D, 5D padding with non-constant padding are supported for now")
	}
	return s.inSuggested(shape)
}

// pixelShuffle moves channels into rows and columns, or back. (pixel_shuffle_cpu in PyTorch's aten/src/ATen/native/PixelShuffle.cpp)
func (s State) pixelShuffle(a arguments) (Step, error) {
	r := a.number("upscale_factor", 1)
	n := s.Rank()
	if n < 3 {
		return Step{}, refuse("%s expects input to have at least 3 dimensions, but got input with %d dimension(s)", a.call.Name, n)
	}
	if r < 1 || r > 1<<15 {
		return Step{}, refuse("%s expects a positive factor, but got %d", a.call.Name, r)
	}
	if s.Empty() {
		return Step{}, stop(a.call.Name, "what it returns for an empty tensor is not known")
	}
	shape := slices.Clone(s.Shape)
	c, h, w := n-3, n-2, n-1
	if a.call.Name == "pixel_unshuffle" {
		if shape[h]%r != 0 || shape[w]%r != 0 {
			return Step{}, refuse("pixel_unshuffle expects height and width to be divisible by downscale_factor, but input is %d by %d", shape[h], shape[w])
		}
		shape[c] *= r * r
		shape[h] /= r
		shape[w] /= r
		return s.inSuggested(shape)
	}
	if shape[c]%(r*r) != 0 {
		return Step{}, refuse("pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of upscale_factor, but input.size(-3)=%d is "+
			"not divisible by %d", shape[c], r*r)
	}
	shape[c] /= r * r
	shape[h] *= r
	shape[w] *= r
	return s.inSuggested(shape)
}

// batchNorm keeps the memory format if the tensor is contiguous in one, contiguous before channels_last. (batch_norm_cpu in PyTorch's
// aten/src/ATen/native/Normalization.cpp)
func (s State) batchNorm(arguments) (Step, error) {
	if s.Rank() < 2 {
		return Step{}, refuse("Expected more than 1 value per channel when training, got input size %s", tensor.List(s.Shape))
	}
	if s.Empty() {
		return Step{}, stop("batch_norm", "its strides for an empty tensor are not known")
	}
	if s.IsContiguous(tensor.ContiguousFormat) {
		return s.fresh(s.Shape, s.Names, s.DType)
	}
	for _, f := range []tensor.MemoryFormat{tensor.ChannelsLastFormat, tensor.ChannelsLast3D} {
		if f.Rank() == s.Rank() && s.IsContiguous(f) {
			strides, _ := tensor.FormatStrides(s.Shape, f)
			return s.computed(tensor.Strided{Shape: s.Shape, Strides: strides}, s.Names, s.DType, fmt.Sprintf("the tensor is %s contiguous", f))
		}
	}
	return s.inSuggested(s.Shape)
}

func (s State) groupNorm(a arguments) (Step, error) {
	if s.Rank() < 2 {
		return Step{}, refuse("Expected at least 2 dimensions for input tensor but received %d", s.Rank())
	}
	if n := a.number("num_groups", 1); n < 1 || s.Shape[1]%n != 0 {
		return Step{}, refuse("Expected number of channels in input to be divisible by num_groups, but got input of shape %s and num_groups=%d",
			tensor.List(s.Shape), n)
	}
	return s.inSuggested(s.Shape)
}

// rmsNorm is one kernel for a contiguous tensor; for others its parts decide.
func (s State) rmsNorm(arguments) (Step, error) {
	packed, err := tensor.Packed(s.Shape)
	if err != nil || !slices.Equal(packed.Strides, s.Strides) {
		return Step{}, stop("rms_norm", "its strides for other strides than the contiguous ones depend on the version of PyTorch")
	}
	return s.fresh(s.Shape, s.Names, s.DType)
}

func (s State) gridSample(a arguments) (Step, error) {
	grid, err := s.operand("grid_sample", a.given["grid"])
	if err != nil {
		return Step{}, err
	}
	if s.Rank() != grid.Rank() || s.Rank() < 4 || s.Rank() > 5 {
		return Step{}, refuse("grid_sampler(): expected input and grid to have the same number of dimensions")
	}
	shape := slices.Concat(s.Shape[:2], grid.Shape[1:grid.Rank()-1])
	return s.fresh(shape, nil, s.DType)
}

// conv1d makes its input contiguous, and then is conv2d of images of one row. (convolution in PyTorch's
// aten/src/ATen/native/Convolution.cpp)
func (s State) conv1d(a arguments) (Step, error) {
	w, err := s.operand("conv1d", a.given["weight"])
	if err != nil {
		return Step{}, err
	}
	if s.Rank() != 2 && s.Rank() != 3 {
		return Step{}, refuse("Expected 2D (unbatched) or 3D (batched) input to conv1d, but got input of size: %s", tensor.List(s.Shape))
	}
	if w.Rank() != 3 {
		return Step{}, fault.New(fault.Usage, "conv1d: a weight of shape %s", tensor.Tuple(w.Shape)).WithHint("a weight is (output channels, input channels / groups, length)")
	}
	image := s
	image.Guessed = true
	if s.Rank() == 2 {
		image.Strided, image.Names, _ = image.inserted(0)
	}
	if !image.IsContiguous(tensor.ContiguousFormat) {
		image.Strided, err = tensor.Packed(image.Shape)
		if err != nil {
			return Step{}, err
		}
	}
	image.Strided, image.Names, _ = image.inserted(2)
	weight := s
	weight.Strided = w
	weight.Names = make([]string, w.Rank())
	weight.Strided, weight.Names, _ = weight.inserted(2)
	a.given["weight"] = Arg{Kind: Tensor, Of: &weight}
	for name, byDefault := range map[string]int{"stride": 1, "padding": 0, "dilation": 1} {
		if a.has(name) {
			a.given[name] = Arg{Kind: List, List: []Arg{{Int: byDefault}, {Int: slices.Max(append(a.numbers(name), -1))}}}
		}
	}
	step, err := image.conv2d(a)
	if err != nil {
		return step, err
	}
	to, _ := step.State.without([]int{2})
	if s.Rank() == 2 {
		to, _ = State{Strided: to, Names: make([]string, 3)}.without([]int{0})
	}
	return s.computed(to, s.Names, s.DType, append([]string{"of images of one row: " + step.Why[0]}, step.Why[1:]...)...)
}

// patches is F.unfold: the windows of images as columns.
func (s State) patches(a arguments) (Step, error) {
	if s.Rank() != 4 {
		return Step{}, stop("unfold", "its shape without a batch is not known")
	}
	kernel, err := a.perDim("kernel_size", 2, 1)
	if err != nil {
		return Step{}, err
	}
	dilation, err := a.perDim("dilation", 2, 1)
	if err != nil {
		return Step{}, err
	}
	padding, err := a.perDim("padding", 2, 0)
	if err != nil {
		return Step{}, err
	}
	stride, err := a.perDim("stride", 2, 1)
	if err != nil {
		return Step{}, err
	}
	columns := 1
	for k := range 2 {
		if min(kernel[k], dilation[k], stride[k], padding[k]+1) < 1 {
			return Step{}, refuse("kernel size, dilation and stride should be greater than zero")
		}
		columns *= pooled(s.Shape[2+k], kernel[k], stride[k], padding[k], dilation[k], false)
	}
	if columns < 1 {
		return Step{}, refuse("Given input with spatial size %s, kernel_size=%s, the calculated shape of the array of sliding blocks is too small",
			tensor.Tuple(s.Shape[2:]), tensor.Tuple(kernel))
	}
	return s.fresh([]int{s.Shape[0], s.Shape[1] * kernel[0] * kernel[1], columns}, nil, s.DType)
}
