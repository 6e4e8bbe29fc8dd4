package trace

import (
	"fmt"
	"slices"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/text"
)

// elementwise is an operator by TensorIterator: of the tensor alone, with another tensor of its dtype or a number, or with a condition,
// which is the first operand. On a CPU an operand of another dtype than the common one is first converted, as clone does.
func (s State) elementwise(a arguments) (Step, error) {
	name, common := a.call.Name, s.DType
	switch {
	case a.call.Of != "" && name == "where":
		return Step{}, fault.New(fault.Usage, "the first argument of torch.where is the condition").WithHint("write x.where(condition, other)")
	case slices.Contains(toFloat, name) || name == "div":
		common = s.promoted(Number)
	case a.has("other"):
		common = s.promoted(a.given["other"].Kind)
	}
	var operands []tensor.Strided
	for _, param := range []string{"condition", "", "other"} {
		x, g := s.Strided, a.given[param]
		if param != "" {
			if !a.has(param) || name == "pow" && g.isNumber() { // the number is part of the operator
				continue
			}
			var err error
			if x, err = s.operand(name, g); err != nil {
				return Step{}, err
			}
		}
		if !common.Equal(s.DType) {
			x.Strides = x.CloneStrides()
		}
		operands = append(operands, x)
	}
	to, why, err := s.iterate(operands)
	if err != nil {
		return Step{}, err
	}
	if !common.Equal(s.DType) {
		why = append([]string{fmt.Sprintf("on a CPU, %s is first converted to %s, dense and in the same order", s.DType, common)}, why...)
	}
	if slices.Contains(toBool, name) {
		common, _ = dtype.Parse("bool")
	}
	return s.computed(to, s.namesFromEnd(to.Rank()), common, why...)
}

// iterate returns the new tensor that TensorIterator makes of operands, and why it has its strides: those of commonStrides, or else dims
// in the memory order of the operands. A dim of size 1 takes part by its stride. (TensorIteratorBase::compute_strides,
// reorder_dimensions and allocate_or_resize_outputs in PyTorch's aten/src/ATen/TensorIterator.cpp)
//
// Post: the result is dense.
func (s State) iterate(operands []tensor.Strided) (to tensor.Strided, why []string, err error) {
	for _, x := range operands {
		if to.Shape, err = broadcast(to.Shape, x.Shape); err != nil {
			return to, nil, err
		}
	}
	var reason string
	if to.Strides, reason = commonStrides(to.Shape, operands); to.Strides != nil {
		return to, []string{reason}, nil
	}
	strides := make([][]int, len(operands))
	for i, x := range operands {
		expanded, err := x.Expand(to.Shape)
		if err != nil {
			return to, nil, err
		}
		strides[i] = expanded.Strides
		clear(strides[i][:to.Rank()-x.Rank()])
	}
	order := tensor.IterationOrder(to.Shape, strides...)
	to.Strides = make([]int, to.Rank())
	run := 1
	for _, d := range order {
		to.Strides[d] = run
		run *= to.Shape[d]
	}
	if slices.Reverse(order); slices.IsSorted(order) {
		to.Strides, _ = tensor.FormatStrides(to.Shape, tensor.ContiguousFormat)
	}
	s.Names = s.namesFromEnd(to.Rank())
	reason += fmt.Sprintf(", so dims keep the order of the first operand that decides (a stride of 0 does not), outermost first: %s", text.Ints(order, ", "))
	return to, append([]string{reason}, packedLines(to, s.shownNames(), order)...), nil
}

// commonStrides returns the strides of the result if all operands have its shape and a common format; nil if not. Contiguous is tested
// first: of operands with size-1 dims that are contiguous and channels_last, the result is contiguous.
// (TensorIteratorBase::compute_fast_setup_type)
func commonStrides(shape []int, operands []tensor.Strided) ([]int, string) {
	all := func(holds func(tensor.Strided) bool) bool {
		return !slices.ContainsFunc(operands, func(x tensor.Strided) bool { return !holds(x) })
	}
	equal := all(func(x tensor.Strided) bool { return slices.Equal(x.Strides, operands[0].Strides) })
	are := text.Plural(len(operands), "the operand is ", "all operands are ")
	if !all(func(x tensor.Strided) bool { return slices.Equal(x.Shape, shape) }) {
		return nil, "the shapes of the operands differ"
	}
	for _, f := range []tensor.MemoryFormat{tensor.ContiguousFormat, tensor.ChannelsLastFormat} {
		if !all(func(x tensor.Strided) bool { return x.IsContiguous(f) }) {
			continue
		}
		strides, _ := tensor.FormatStrides(shape, f)
		why := are + string(f) + ", so the result is"
		if !equal || !slices.Equal(strides, operands[0].Strides) {
			why += "; strides of size-1 dims are ambiguous, and contiguous is tested first"
		}
		return strides, why
	}
	switch {
	case !all(tensor.Strided.NonOverlappingAndDense):
		return nil, text.Plural(len(operands), "the operand is", "an operand is") + " not dense"
	case !equal:
		return nil, "the strides of the operands differ"
	}
	return slices.Clone(operands[0].Strides), are + "non-overlapping and dense" + text.Plural(len(operands), "", " with equal strides") +
		", which the result has too"
}

// broadcast returns the common shape of two operands: sizes match from the last dim on, or one of them is 1. (infer_size_impl in
// PyTorch's aten/src/ATen/ExpandUtils.cpp)
func broadcast(a, b []int) ([]int, error) {
	rank := max(len(a), len(b))
	wide := func(shape []int) []int { return slices.Concat(slices.Repeat([]int{1}, rank-len(shape)), shape) }
	common, other := wide(a), wide(b)
	for i, m := range slices.Backward(other) {
		switch n := common[i]; {
		case n == 1:
			common[i] = m
		case m != n && m != 1:
			return nil, refuse("The size of tensor a (%d) must match the size of tensor b (%d) at non-singleton dimension %d", n, m, i).
				because("shapes %s and %s: only a size of 1 is broadcast", tensor.Tuple(a), tensor.Tuple(b))
		}
	}
	_, err := tensor.Numel(common)
	return common, err
}

// namesFromEnd returns the names of a result of that rank, which has the tensor's dims last.
func (s State) namesFromEnd(rank int) []string {
	return append(make([]string, max(0, rank-s.Rank())), s.Names...)
}

// operand returns the tensor that an argument describes. A number has rank 0, a shape alone is contiguous.
func (s State) operand(name string, g Arg) (tensor.Strided, error) {
	shape, layout := g, Arg{Kind: Word, Word: "contiguous_format"}
	switch {
	case g.isNumber():
		return tensor.Strided{}, nil
	case g.Kind == Word:
		return s.Strided, nil
	case g.Kind == Tensor:
		shape, layout = g.List[0], g.List[1]
	}
	strides, ok := tensor.FormatStrides(shape.all(), formats[layout.Word])
	if layout.Kind == List {
		strides = layout.all()
	}
	x, err := tensor.NewStrided(shape.all(), strides, 0)
	if !ok || formats[layout.Word] == "" && layout.Kind == Word || err == nil && x.Negative() {
		return x, fault.New(fault.Usage, "%s: %s is not a tensor of PyTorch", name, g).
			WithHint("write a shape with strides or a memory format: (2,3):(1,2), (8,3,4,4):channels_last")
	}
	return x, fault.In(name, err)
}
