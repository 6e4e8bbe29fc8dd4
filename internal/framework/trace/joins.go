package trace

import (
	"fmt"
	"slices"

	"github.com/tlayout/tlayout/internal/tensor"
)

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

// joined is vstack, hstack and dstack: cat along a dim that each tensor gets if it lacks it.
func (s State) joined(a arguments) (Step, error) {
	all, err := s.tensors(a)
	if err != nil {
		return Step{}, err
	}
	d := map[string]int{"vstack": 0, "hstack": 1, "dstack": 2}[a.call.Name]
	if s.Rank() <= max(d, 1) && !(a.call.Name == "hstack" && s.Rank() == 1) {
		return Step{}, stop(a.call.Name, "its strides for %d dims are not known", s.Rank())
	}
	if s.Rank() == 1 {
		d = 0
	}
	to, why, err := concat(all, d)
	if err != nil {
		return Step{}, err
	}
	return s.computed(to, s.namesFromEnd(to.Rank())[:to.Rank()], s.DType, why)
}
