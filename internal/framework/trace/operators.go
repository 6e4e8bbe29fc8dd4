package trace

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/tensor"
)

// operatorSteps are PyTorch's operators that compute values. Functions are steps like methods.
func operatorSteps() []operation {
	row := func(run func(State, arguments) (Step, error), example string, names []string, params ...param) operation {
		return operation{Usage: Usage{Name: names[0], Also: names[1:], Example: example}, params: params, run: run}
	}
	optional := func(name string, kind paramKind) param { return param{name: name, kind: kind, optional: true} }
	given := func(name string, kind paramKind) param { return param{name: name, kind: kind} }
	other := given("other", operand)
	dim := optional("dim", integer)
	format := optional("memory_format", word)
	dtype := optional("dtype", word)
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
		row(State.convert, "type(float16)", []string{"type"}, given("dtype", word)),
		row(State.cat, "cat((2,4,4,6),dim=1)", strings.Fields("cat concat concatenate"), optional("tensors", operands), dim),
		row(State.stack, "stack(x,dim=1)", []string{"stack"}, optional("tensors", operands), dim),
		row(State.matmul, "matmul((6,3))", []string{"matmul"}, given("other", tensorOnly)),
		row(State.conv2d, "conv2d((8,4,3,3):channels_last,padding=1)", []string{"conv2d"}, given("weight", tensorOnly), optional("bias", tensorOnly),
			optional("stride", integers), optional("padding", integers), optional("dilation", integers), optional("groups", integer)),
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
		first = 0
		dim = 0
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
			widened := s
			widened.Strided = x
			all[i], _, _ = widened.inserted(d)
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
