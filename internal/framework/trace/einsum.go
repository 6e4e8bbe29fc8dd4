package trace

import (
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
)

// einsum permutes each operand to the labels of the output and then those that are summed, and multiplies them from left to right.
// (einsum in PyTorch's aten/src/ATen/native/Linear.cpp, without opt_einsum)
func (s State) einsum(a arguments) (Step, error) {
	equation := strings.ReplaceAll(a.word("equation", ""), " ", "")
	all, err := s.tensors(a)
	if err != nil {
		return Step{}, err
	}
	if len(all) > 2 {
		return Step{}, stop("einsum", "the order in which it multiplies three tensors is not known")
	}
	e, err := parseEinsum(equation, len(all))
	if err != nil {
		return Step{}, err
	}
	for i, x := range all {
		all[i], err = e.permuted(s, x, e.inputs[i])
		if err != nil {
			return Step{}, err
		}
	}
	rank := len(e.labels)
	kept := len(e.output)
	if len(all) == 1 {
		if kept < rank {
			return s.fresh(slices.Clone(all[0].Shape[:kept]), nil, s.DType, "a sum is contiguous")
		}
		to := all[0]
		to.Offset = s.Offset
		return s.view(to, make([]string, rank), "a permutation")
	}
	to, err := s.contracted(all[0], all[1], kept)
	if err != nil {
		return Step{}, err
	}
	typ := s.DType
	if list := a.given["tensors"].List; len(list) > 0 {
		typ = s.commonType([]Arg{{Kind: Tensor, Of: &s}, list[0]})
	}
	return s.computed(to, make([]string, to.Rank()), typ, "a view of the product of batches of matrices")
}

// einsumLabels are the labels of an equation: those of the output and then the others, in the order of ASCII.
type einsumLabels struct {
	inputs []string
	output string
	labels string
}

// parseEinsum reads an equation: bij,bjk->bik. Without an arrow, labels that occur once are the output.
func parseEinsum(equation string, n int) (einsumLabels, error) {
	left, output, explicit := strings.Cut(equation, "->")
	e := einsumLabels{inputs: strings.Split(left, ","), output: output}
	if strings.Contains(equation, "...") {
		return e, stop("einsum", "the dims that ... stands for are not followed")
	}
	if len(e.inputs) != n {
		return e, refuse("einsum(): the number of subscripts in the equation (%d) does not match the number of operands (%d)", len(e.inputs), n)
	}
	var used []byte
	for _, labels := range e.inputs {
		for i := range len(labels) {
			isLetter := labels[i]|0x20 >= 'a' && labels[i]|0x20 <= 'z'
			if !isLetter {
				return e, fault.New(fault.Usage, "einsum: %q is not an equation of letters", equation)
			}
			if strings.Count(labels, labels[i:i+1]) > 1 {
				return e, stop("einsum", "a label that an operand repeats is not followed")
			}
		}
		used = append(used, labels...)
	}
	slices.Sort(used)
	used = slices.Compact(used)
	if !explicit {
		for _, c := range used {
			if strings.Count(left, string(c)) == 1 {
				e.output += string(c)
			}
		}
	}
	e.labels = e.output
	for _, c := range used {
		if !strings.ContainsRune(e.output, rune(c)) {
			e.labels += string(c)
		}
	}
	if len(e.labels) != len(used) {
		return e, refuse("einsum(): output subscript does not appear in the equation for any input operand")
	}
	return e, nil
}

// permuted returns an operand with a dim for each label, of size 1 where it has none.
func (e einsumLabels) permuted(s State, x tensor.Strided, labels string) (tensor.Strided, error) {
	if len(labels) != x.Rank() {
		return x, refuse("einsum(): the number of subscripts in the equation (%d) does not match the number of dimensions (%d) for an operand", len(labels), x.Rank())
	}
	state := s
	state.Strided = x
	state.Names = make([]string, x.Rank())
	var order []int
	for _, c := range e.labels {
		d := strings.IndexRune(labels, c)
		if d < 0 { // a new last dim
			d = state.Rank()
			state.Strided, state.Names, _ = state.inserted(d)
		}
		order = append(order, d)
	}
	step, err := state.reorder(order)
	return step.State.Strided, err
}

// contracted returns the product of two operands of the same labels, of which those from kept on are summed. (sumproduct_pair in
// PyTorch's aten/src/ATen/native/Linear.cpp)
func (s State) contracted(left, right tensor.Strided, kept int) (tensor.Strided, error) {
	rank := left.Rank()
	var both, onlyLeft, onlyRight, summed []int
	for d := range rank {
		l := left.Shape[d] != 1
		r := right.Shape[d] != 1
		if l && r && left.Shape[d] != right.Shape[d] {
			return left, refuse("einsum(): operands do not broadcast with remapped shapes [original->remapped]: %s, %s", tensor.Tuple(left.Shape), tensor.Tuple(right.Shape))
		}
		isSummed := d >= kept
		if isSummed && l != r {
			return left, stop("einsum", "a label that is summed in one operand alone is not followed")
		}
		to := &onlyRight // also of size 1 in both
		if l {
			to = &onlyLeft
		}
		if l && r {
			to = &both
		}
		if isSummed && l {
			to = &summed
		}
		*to = append(*to, d)
	}
	if len(summed) == 0 {
		to, _, err := s.iterate([]tensor.Strided{left, right})
		if err != nil {
			return to, err
		}
		return withoutSummed(to, kept)
	}
	isSwapped := len(onlyLeft) > 0 && len(onlyRight) > 0 && onlyRight[0] < onlyLeft[0]
	if isSwapped {
		return left, stop("einsum", "whether it exchanges the operands is not known")
	}
	order := slices.Concat(both, onlyLeft, summed, onlyRight)
	shape := make([]int, rank)
	for i, d := range order {
		shape[i] = max(left.Shape[d], right.Shape[d])
		if left.Shape[d] == 0 || right.Shape[d] == 0 {
			shape[i] = 0
		}
		if slices.Contains(summed, d) {
			shape[i] = 1
		}
	}
	product, err := tensor.Packed(shape)
	if err != nil {
		return product, err
	}
	to := tensor.Strided{Shape: make([]int, rank), Strides: make([]int, rank)}
	for i, d := range order {
		to.Shape[d] = shape[i]
		to.Strides[d] = product.Strides[i]
	}
	return withoutSummed(to, kept)
}

// withoutSummed views a product without the dims that are summed.
func withoutSummed(to tensor.Strided, kept int) (tensor.Strided, error) {
	if kept == to.Rank() {
		return to, nil
	}
	return to.View(to.Shape[:kept])
}
