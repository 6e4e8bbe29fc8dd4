package trace

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// operatorSteps are PyTorch's operators that compute values, and those that split a tensor. Functions are steps like methods.
func operatorSteps() []operation {
	row := func(run func(State, arguments) (Step, error), example string, names []string, params ...param) operation {
		return operation{Usage{Name: names[0], Also: names[1:], Example: example}, params, run}
	}
	optional := func(name string, kind paramKind) param { return param{name: name, kind: kind, optional: true} }
	given := func(name string, kind paramKind) param { return param{name: name, kind: kind} }
	other, dim := given("other", operand), optional("dim", one)
	format, dtype := optional("memory_format", word), optional("dtype", word)
	return []operation{
		row(typing(promotes).elementwise, "relu", strings.Fields("relu neg silu")),
		row(typing(promotes).elementwise, "gelu", []string{"gelu"}, optional("approximate", word)),
		row(State.abs, "abs", []string{"abs"}),
		row(State.clamp, "clamp(0,1)", []string{"clamp"}, optional("min", bound), optional("max", bound)),
		row(typing(toFloat).elementwise, "exp", strings.Fields("exp log sqrt rsqrt sin cos tanh sigmoid")),
		row(typing(promotes).elementwise, "add((4,1,6):(1,1,4))", strings.Fields("add sub mul"), other),
		row(typing(toFloat).elementwise, "div(2)", []string{"div"}, other),
		row(typing(promotes).elementwise, "pow(2)", []string{"pow"}, given("exponent", bound)),
		row(typing(toBool).elementwise, "gt(0)", strings.Fields("eq ne gt ge lt le"), other),
		row(typing(promotes).elementwise, "where((4,4,6),0)", []string{"where"}, given("condition", mask), other),
		row(State.like, "zeros_like", strings.Fields("empty_like zeros_like ones_like rand_like randn_like"), format, dtype),
		row(State.like, "full_like(0.5)", []string{"full_like"}, given("fill_value", operand), format, dtype),
		row(State.convert, "half", conversions()),
		row(State.cat, "cat((2,4,4,6),dim=1)", strings.Fields("cat concat concatenate"), optional("tensors", operands), dim),
		row(State.stack, "stack(x,dim=1)", []string{"stack"}, optional("tensors", operands), dim),
		row(State.split, "chunk(2,1)[0]", []string{"chunk"}, given("chunks", one), dim),
		row(State.split, "split(2,1)[0]", []string{"split"}, given("split_size", many), dim),
		row(State.matmul, "matmul((6,3))", []string{"matmul"}, given("other", another)),
		row(State.conv2d, "conv2d((8,4,3,3):channels_last,padding=1)", []string{"conv2d"}, given("weight", another), optional("bias", another),
			optional("stride", many), optional("padding", many), optional("dilation", many), optional("groups", one)),
	}
}

// tensors returns the tensor and those that a call joins to it.
func (s State) tensors(a arguments) ([]tensor.Strided, error) {
	all := []tensor.Strided{s.Strided}
	for _, g := range a.given["tensors"].List {
		x, err := s.operand(a.call.Name, g)
		if err != nil {
			return nil, err
		}
		all = append(all, x)
	}
	return all, nil
}

func (s State) cat(a arguments) (Step, error) {
	all, err := s.tensors(a)
	if err != nil {
		return Step{}, err
	}
	to, why, err := concat(all, a.number("dim", 0))
	if err != nil {
		return Step{}, err
	}
	return s.computed(to, s.namesFromEnd(to.Rank())[:to.Rank()], s.DType, why)
}

// concat returns the new tensor of cat: channels_last if suggest_memory_format of every tensor is, else contiguous. A tensor of shape
// (0,) counts only for that. (TORCH_PRECOMPUTE_META_FUNC(cat) in PyTorch's aten/src/ATen/native/TensorShape.cpp)
func concat(all []tensor.Strided, dim int) (to tensor.Strided, why string, err error) {
	skipped := func(x tensor.Strided) bool { return slices.Equal(x.Shape, []int{0}) }
	format := all[0].SuggestMemoryFormat()
	for i, x := range all {
		if x.SuggestMemoryFormat() != format {
			format = tensor.ContiguousFormat
		}
		if x.Rank() == 0 {
			return to, "", refuse("zero-dimensional tensor (at position %d) cannot be concatenated", i)
		}
	}
	first := slices.IndexFunc(all, func(x tensor.Strided) bool { return !skipped(x) })
	if first < 0 {
		first, dim = 0, 0
	}
	to.Shape = slices.Clone(all[first].Shape)
	d, err := State{Rules: PyTorch, Strided: to, Names: make([]string, to.Rank())}.axis(dim, to.Rank(), "")
	for i, x := range all {
		if err != nil || skipped(x) || i == first {
			continue
		}
		if x.Rank() != to.Rank() {
			return to, "", refuse("Tensors must have same number of dimensions: got %d and %d", to.Rank(), x.Rank())
		}
		for k, n := range x.Shape {
			if k != d && n != to.Shape[k] {
				return to, "", refuse("Sizes of tensors must match except in dimension %d. Expected size %d but got size %d for tensor number %d "+
					"in the list.", d, to.Shape[k], n, i)
			}
		}
		to.Shape[d] += x.Shape[d]
	}
	if err == nil {
		_, err = tensor.Numel(to.Shape)
	}
	to.Strides, _ = tensor.FormatStrides(to.Shape, format)
	why = "contiguous: suggest_memory_format is not channels_last for every tensor"
	if format != tensor.ContiguousFormat {
		why = fmt.Sprintf("%s: suggest_memory_format of every tensor is that", format)
	}
	return to, why, err
}

// stack is cat along the dim, of which a view splits the parts; at the last position, cat of tensors with a new dim.
// (stack in PyTorch's aten/src/ATen/native/TensorShape.cpp)
func (s State) stack(a arguments) (Step, error) {
	all, err := s.tensors(a)
	if err != nil {
		return Step{}, err
	}
	d, err := s.axis(a.number("dim", 0), s.Rank()+1, "")
	if err != nil {
		return Step{}, err
	}
	for i, x := range all {
		if !slices.Equal(x.Shape, s.Shape) {
			return Step{}, refuse("stack expects each tensor to be equal size, but got %s at entry 0 and %s at entry %d", tensor.List(s.Shape),
				tensor.List(x.Shape), i)
		}
		if d == s.Rank() {
			one := s
			one.Strided = x
			all[i], _, _ = one.inserted(d)
		}
	}
	to, why, err := concat(all, d)
	if err == nil && d < s.Rank() {
		to, err = to.View(slices.Insert(slices.Clone(s.Shape), d, len(all)))
	}
	if err != nil {
		return Step{}, err
	}
	return s.computed(to, slices.Insert(slices.Clone(s.Names), d, ""), s.DType, fmt.Sprintf("a view of cat along dim %d, which is %s", d, why))
}

// maxParts limits the parts of a dim, which are listed here.
const maxParts = 1 << 16

// split is also chunk, which splits into that many parts or fewer: the step is one of the tensors that the call returns.
// (split, split_with_sizes and chunk in PyTorch's aten/src/ATen/native/TensorShape.cpp)
func (s State) split(a arguments) (Step, error) {
	name, sizes := a.call.Name, a.numbers("split_size")
	each, n := a.number("split_size", 0), a.number("chunks", 1)
	switch {
	case a.call.Part == nil:
		return Step{}, fault.New(fault.Usage, "%s returns several tensors, of which trace follows one", name).
			WithHint("%s[0] is the first", a.call.Text)
	case s.Rank() == 0:
		return Step{}, refuse("%s expects at least a 1-dimensional tensor", name)
	case n < 1:
		return Step{}, refuse("chunk expects `chunks` to be greater than 0, got: %d", n)
	case each < 0:
		return Step{}, refuse("split expects split_size be non-negative, but got split_size=%d", each)
	}
	d, err := s.axis(a.number("dim", 0), s.Rank(), "")
	if err != nil {
		return Step{}, err
	}
	if size := s.Shape[d]; a.given["split_size"].Kind != List {
		if name == "chunk" {
			each = size/n + min(1, size%n)
		} else if each == 0 && size != 0 {
			return Step{}, refuse("split_size can only be 0 if dimension size is 0, but got dimension size of %d", size)
		}
		if each > 0 {
			n = max(1, size/each+min(1, size%each))
		}
		if n > maxParts {
			return Step{}, fault.New(fault.Unsupported, "%d parts: the limit is %d", n, maxParts)
		}
		sizes = slices.Repeat([]int{each}, n)
		sizes[n-1] = size - each*(n-1)
	}
	left := s.Shape[d]
	for _, n := range sizes {
		if n < 0 {
			return Step{}, refuse("split_with_sizes expects split_sizes have only non-negative entries, but got split_sizes=%s",
				tensor.List(sizes))
		}
		left -= min(n, left+1)
	}
	if left != 0 {
		return Step{}, refuse("split_with_sizes expects split_sizes to sum exactly to %d (input tensor's size at dimension %d), "+
			"but got split_sizes=%s", s.Shape[d], a.number("dim", 0), tensor.List(sizes))
	}
	return s.part(d, sizes, *a.call.Part)
}

// part returns the k-th part of a dim, from the end if k is negative.
func (s State) part(d int, sizes []int, k int) (Step, error) {
	n := len(sizes)
	if k < -n || k >= n {
		return Step{}, refuse("tuple index out of range").because("the tuple has %s", text.Count(n, "tensor"))
	}
	k = (k + n) % n
	to := tensor.Strided{Shape: slices.Clone(s.Shape), Strides: s.Strides}
	to.Shape[d] = sizes[k]
	start := 0
	for _, size := range sizes[:k] {
		start += size
	}
	var err error
	if to.Offset, err = s.offsetBy(start, s.Strides[d]); err != nil {
		return Step{}, err
	}
	return s.view(to, s.Names, fmt.Sprintf("part %d of %d: %s from index %d, offset %d + %d·%d = %d", k, n, s.called(d), start, s.Offset, start,
		s.Strides[d], to.Offset))
}
