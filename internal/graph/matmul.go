package graph

import (
	"slices"

	"github.com/tlayout/tlayout/internal/tensor"
)

// flattened returns the changes of operands of a product that no view makes a matrix, or a batch of matrices.
func (p *Program) flattened(i int, ofWeights []bool) []Change {
	op := &p.Operators[i]
	if p.ListsCopies {
		return nil
	}
	var all []Change
	for k, id := range op.Inputs[:min(2, len(op.Inputs))] {
		from := p.Tensor(id)
		if from == nil || p.takesMatrices(op, k, from.Layout, ofWeights) {
			continue
		}
		order := cOrder(from.Layout.Rank())
		if k == 1 && p.folds(op, k, ofWeights) {
			order = transposedLast(order)
		}
		c := p.newChange(i, id, from)
		c.To = packedIn(order, from.Layout.Shape())
		c.Implied = true
		c.Operand = k
		if !sameOrder(c.From, c.To) {
			all = append(all, c)
		}
	}
	return all
}

// ofWeights reports of each value whether it is a weight, or a view of one.
func (p *Program) ofWeights() []bool {
	is := make([]bool, len(p.Values))
	for id := range p.Values {
		is[id] = p.Values[id].Weight
	}
	for i := range p.Operators {
		op := &p.Operators[i]
		from, _, ok := op.Sides()
		if op.Kind != Views || !ok || !is[from] {
			continue
		}
		for _, id := range op.Outputs {
			if id != NoValue {
				is[id] = true
			}
		}
	}
	return is
}

// folds reports whether PyTorch's matmul merges all dims but one of operand k, because the other is a weight of at most two dims: its gradient
// would need a batch of copies of it. Beside any other such operand it folds where that is a view, which is as free as a batch.
// (should_fold in PyTorch's aten/src/ATen/native/LinearAlgebra.cpp)
func (p *Program) folds(op *Operator, k int, ofWeights []bool) bool {
	if len(op.Inputs) < 2 || k > 1 {
		return false
	}
	other := op.Inputs[1-k]
	return other != NoValue && ofWeights[other] && p.rank(other) <= 2
}

// takesMatrices reports whether PyTorch's matmul takes its operand k in a layout without a copy. Where it folds, it merges all dims but the last
// one, of the second operand all but the one before; else all but the last two. These must be a view.
// (_matmul_impl in PyTorch's aten/src/ATen/native/LinearAlgebra.cpp)
func (p *Program) takesMatrices(op *Operator, k int, l tensor.Layout, ofWeights []bool) bool {
	s, plain := l.Strided()
	if !plain || s.Rank() < 3 || s.Empty() {
		return true
	}
	batch := s.Rank() - 2
	if p.folds(op, k, ofWeights) {
		batch++
		if k == 1 {
			s.Shape = transposedLast(s.Shape)
			s.Strides = transposedLast(s.Strides)
		}
	}
	rows := 1
	for _, n := range s.Shape[:batch] {
		rows *= n
	}
	_, err := s.View(append([]int{rows}, s.Shape[batch:]...))
	return err == nil
}

// transposedLast returns a list, of dims or by dim, with the last two exchanged.
func transposedLast(all []int) []int {
	n := len(all)
	return append(slices.Clone(all[:n-2]), all[n-1], all[n-2])
}
