package trace

import (
	"fmt"
	"slices"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/text"
)

// typing returns the dtype to which an operator converts its operands, and that of its result, from the one that they have in common.
type typing func(common dtype.Type) (computed, result dtype.Type)

// elementwise is an operator by TensorIterator: of the tensor alone, or with other tensors of its dtype and numbers. On a CPU an operand
// of another dtype than the common one is first converted, as clone does; a condition is not.
func (t typing) elementwise(s State, a arguments) (Step, error) {
	before := []tensor.Strided{}
	operands := []tensor.Strided{s.Strided}
	dtypes := []dtype.Type{s.DType}
	types := []Arg{{Kind: Tensor, Of: &s}}
	for _, p := range a.params {
		if !a.has(p.name) || !p.takesTensor() {
			continue
		}
		g := a.given[p.name]
		if p.kind == bound && g.isNumber() {
			types = append(types, g)
			continue
		}
		x, err := s.operand(a.call.Name, g)
		if err != nil {
			return Step{}, err
		}
		if p.kind == mask {
			before = append(before, x)
			continue
		}
		operands = append(operands, x)
		dtypes = append(dtypes, s.typeOf(g))
		types = append(types, g)
	}
	common, result := t(s.commonType(types))
	for i, x := range operands {
		if !common.Equal(dtypes[i]) {
			operands[i].Strides = x.CloneStrides()
		}
	}
	to, why, err := s.iterate(append(before, operands...))
	if err != nil {
		return Step{}, err
	}
	if !common.Equal(s.DType) {
		why = append([]string{fmt.Sprintf("on a CPU, %s is first converted to %s, dense and in the same order", s.DType, common)}, why...)
	}
	return s.computed(to, s.namesFromEnd(to.Rank()), result, why...)
}

// abs of complex numbers writes to a tensor that empty_like makes. (unary_op_impl_with_complex_to_float in PyTorch's
// aten/src/ATen/native/UnaryOps.cpp)
func (s State) abs(a arguments) (Step, error) {
	if s.DType.Kind() != dtype.Complex {
		return typing(promotes).elementwise(s, a)
	}
	a.given["dtype"] = Arg{Kind: Word, Word: fmt.Sprintf("float%d", s.DType.Bits()/2)}
	return s.like(a)
}

func (s State) clamp(a arguments) (Step, error) {
	low := a.given["min"]
	high := a.given["max"]
	if len(a.given) == 0 {
		return Step{}, refuse("torch.clamp: At least one of 'min' or 'max' must not be None")
	}
	mixed := len(a.given) == 2 && low.isNumber() != high.isNumber()
	if mixed && !(low.isScalar() && high.isScalar()) {
		return Step{}, fault.New(fault.Usage, "clamp: min and max must be two numbers or two tensors")
	}
	return typing(promotes).elementwise(s, a)
}

// isScalar reports whether a bound is a number, or a tensor without dims, which stands for one.
func (g Arg) isScalar() bool {
	isEmpty := g.Kind == Tensor && g.Of == nil && len(g.List[0].List) == 0
	return g.isNumber() || isEmpty || g.Of != nil && g.Of.Rank() == 0
}

// iterate returns the new tensor that TensorIterator makes of operands, and why it has its strides: those of commonStrides, or else dims
// in the memory order of the operands. A dim of size 1 takes part by its stride. (TensorIteratorBase::compute_strides,
// reorder_dimensions and allocate_or_resize_outputs in PyTorch's aten/src/ATen/TensorIterator.cpp)
//
// Post: the result is dense.
func (s State) iterate(operands []tensor.Strided) (to tensor.Strided, why []string, err error) {
	for _, x := range operands {
		to.Shape, err = broadcast(to.Shape, x.Shape)
		if err != nil {
			return to, nil, err
		}
	}
	var reason string
	to.Strides, reason = commonStrides(to.Shape, operands)
	if to.Strides != nil {
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
	if !all(tensor.Strided.NonOverlappingAndDense) {
		return nil, text.Plural(len(operands), "the operand is", "an operand is") + " not dense"
	}
	if !equal {
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
	common := wide(a)
	other := wide(b)
	for i, m := range slices.Backward(other) {
		n := common[i]
		if n == 1 {
			common[i] = m
			continue
		}
		if m != n && m != 1 {
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
	if g.Of != nil {
		return g.Of.Strided, nil
	}
	shape := g
	layout := Arg{Kind: Word, Word: "contiguous_format"}
	if g.isNumber() {
		return tensor.Strided{}, nil
	}
	if g.Kind == Word {
		return tensor.Strided{}, unknownTensor(g.Word)
	}
	if g.Kind == Tensor {
		shape = g.List[0]
		layout = g.List[1]
	}
	strides, ok := tensor.FormatStrides(shape.all(), formats[layout.Word])
	if layout.Kind == List {
		strides = layout.all()
	}
	x, err := tensor.NewStrided(shape.all(), strides, 0)
	unknownFormat := layout.Kind == Word && formats[layout.Word] == ""
	negative := err == nil && x.Negative()
	if !ok || unknownFormat || negative {
		return x, fault.New(fault.Usage, "%s: %s is not a tensor of PyTorch", name, g).
			WithHint("write a shape with strides or a memory format: (2,3):(1,2), (8,3,4,4):channels_last")
	}
	if fault.ClassOf(err) == fault.Unsupported { // apply names the call
		return x, err
	}
	return x, fault.In(name, err)
}
