package graph

import (
	"slices"
	"strconv"

	"github.com/tlayout/tlayout/internal/tensor"
)

// Change is elements that an operator moves into another memory order.
type Change struct {
	Operator int // index in Program.Operators
	Operand  int // of the operator; of Inside for its own copy
	From, To tensor.Layout
	Tensor   *Tensor // that is moved
	Dims     string  // names of the dims of From and To; empty if they are unknown
	Implied  bool    // the operator does it for itself: no statement of the user's asks for it
	Weight   bool    // the elements are a weight's
	Source   ID      // value before the change
	Result   ID      // value after it; NoValue if only the operator sees it

	Cancels int // index of the change that it undoes, or that undoes it; -1 for none
	Repeats int // index of an earlier change of the same value into the same order; -1 for none
	Forced  string
	Cure    string
	Proved  bool // the cure gives the same values, by the rules of the framework
}

// Bytes returns the size of the elements that are moved.
func (c *Change) Bytes() int64 { return c.Tensor.Bytes() }

// FromName returns the memory order before the change: NCHW, or 0,1,2 for dims without names.
func (c *Change) FromName() string { return orderName(c.From, c.Dims) }

// ToName returns the memory order after the change.
func (c *Change) ToName() string { return orderName(c.To, c.Dims) }

// Changes returns the changes of a program in the order of its operators, with what cancels, what forces them and cures.
func (p *Program) Changes() []Change {
	p.nameDims()
	var all []Change
	ofWeights := p.ofWeights()
	for i := range p.Operators {
		all = append(all, p.changesOf(i, ofWeights)...)
	}
	flow := newFlow(p, all)
	flow.ofWeights = ofWeights
	flow.cancel()
	flow.cure()
	return flow.changes
}

// changesOf returns the changes of one operator.
func (p *Program) changesOf(i int, ofWeights []bool) []Change {
	op := &p.Operators[i]
	switch op.Kind {
	case Copies:
		return p.copied(i)
	case Elementwise, Joins:
		return p.mixed(i)
	case Follows:
		return p.followed(i)
	case Multiplies:
		return p.flattened(i, ofWeights)
	case Unknown, Computes, Views:
	}
	return nil
}

// copied returns the change of an operator that copies its first operand.
func (p *Program) copied(i int) []Change {
	op := &p.Operators[i]
	if len(op.Inputs) == 0 || len(op.Outputs) == 0 {
		return nil
	}
	from := p.Tensor(op.Inputs[0])
	to := p.Tensor(op.Outputs[0])
	if from == nil || to == nil {
		return p.unsized(i)
	}
	c := p.newChange(i, op.Inputs[0], from)
	c.Result = op.Outputs[0]
	c.Implied = op.Inside != ""
	c.Operand = op.Operand
	var known bool
	if op.Perm == nil {
		c.To, known = viewed(to.Layout, from.Layout.Shape())
	} else {
		c.To, known = permuted(to.Layout, op.Perm)
	}
	if !known || sameOrder(c.From, c.To) {
		return nil
	}
	return []Change{c}
}

// unsized returns the change of a permutation whose result the file does not describe. If it does not have the sizes of the dims either, the
// permutation moves elements unless these are 1.
func (p *Program) unsized(i int) []Change {
	op := &p.Operators[i]
	if op.Inputs[0] == NoValue || isIdentity(op.Perm) || !isPermutation(op.Perm, len(op.Perm)) {
		return nil
	}
	from := p.Tensor(op.Inputs[0])
	if from == nil {
		shape := slices.Repeat([]int{SymbolSize}, len(op.Perm))
		from = &Tensor{Layout: packedIn(cOrder(len(shape)), shape), Symbols: slices.Repeat([]string{"?"}, len(shape))}
	}
	if from.Layout.Rank() != len(op.Perm) {
		return nil
	}
	c := p.newChange(i, op.Inputs[0], from)
	c.Result = op.Outputs[0]
	c.To = packedIn(op.Perm, from.Layout.Shape())
	c.Implied = op.Inside != ""
	if sameOrder(c.From, c.To) {
		return nil
	}
	return []Change{c}
}

// newChange returns a change of a value by an operator, without its result.
func (p *Program) newChange(i int, id ID, t *Tensor) Change {
	return Change{Operator: i, From: t.Layout, Tensor: t, Dims: p.Values[id].Dims, Weight: p.Values[id].Weight, Source: id, Result: NoValue,
		Cancels: -1, Repeats: -1}
}

// mixed returns the changes of operands that have another order than the output: the operator reads them out of order. Operands that are
// repeated along a dim are read as often in any order.
func (p *Program) mixed(i int) []Change {
	op := &p.Operators[i]
	if len(op.Outputs) == 0 {
		return nil
	}
	to := p.Tensor(op.Outputs[0])
	if to == nil {
		return nil
	}
	if op.Kind == Elementwise && !p.takesOrderOf(op.Inputs, to) {
		return nil
	}
	var all []Change
	for k, id := range op.Inputs {
		from := p.Tensor(id)
		if from == nil || from.Layout.Rank() != to.Layout.Rank() {
			continue
		}
		if op.Kind == Elementwise && !slices.Equal(from.Layout.Shape(), to.Layout.Shape()) {
			continue
		}
		if c, changed := p.implied(i, k, id, to); changed {
			all = append(all, c)
		}
	}
	return all
}

// takesOrderOf reports whether an operand of an elementwise operator has the order of its output, as one does: the output takes it. Otherwise
// the output is another tensor than the file seems to say. (TensorIteratorBase::reorder_dimensions in PyTorch's
// aten/src/ATen/TensorIterator.cpp)
func (p *Program) takesOrderOf(operands []ID, to *Tensor) bool {
	return slices.ContainsFunc(operands, func(id ID) bool {
		from := p.Tensor(id)
		return from != nil && slices.Equal(from.Layout.Shape(), to.Layout.Shape()) && sameOrder(from.Layout, to.Layout)
	})
}

// implied returns the change of an operand into the order of an operator's output. Dims that the output has with size 1 have any order there.
func (p *Program) implied(i, operand int, id ID, to *Tensor) (Change, bool) {
	from := p.Tensor(id)
	order, ok := orderOf(to.Layout)
	if !ok {
		return Change{}, false
	}
	c := p.newChange(i, id, from)
	c.To = packedIn(order, from.Layout.Shape())
	c.Implied = true
	c.Operand = operand
	inOutput := func(g digit) bool { return to.Layout.Dim(g.dim).Size > 1 }
	return c, !sameOrderOf(c.From, c.To, inOutput)
}

// followed returns the changes that an operator with the dims of its first operand makes for itself: of that operand, and of a weight with as
// many dims, as that of a convolution.
func (p *Program) followed(i int) []Change {
	if p.ListsCopies {
		return nil
	}
	return p.mixed(i)
}

// viewed returns a layout with another shape of the same elements in logical order; false if no view has it.
func viewed(l tensor.Layout, shape []int) (tensor.Layout, bool) {
	if slices.Equal(l.Shape(), shape) {
		return l, true
	}
	s, plain := l.Strided()
	if !plain {
		return tensor.Layout{}, false
	}
	v, err := s.View(shape)
	if err != nil {
		return tensor.Layout{}, false
	}
	to, err := v.Layout(nil, tensor.Unbounded)
	return to, err == nil
}

// permuted returns the layout whose dim perm[d] is dim d of l; false if perm is not a permutation of its dims.
func permuted(l tensor.Layout, perm []int) (tensor.Layout, bool) {
	if !isPermutation(perm, l.Rank()) {
		return tensor.Layout{}, false
	}
	dims := make([]tensor.Dim, l.Rank())
	for d, to := range perm {
		dims[to] = l.Dim(d)
		dims[to].Name = "d" + strconv.Itoa(to)
	}
	moved, err := tensor.New(dims, l.Offset(), tensor.Unbounded)
	return moved, err == nil
}

func isPermutation(perm []int, rank int) bool {
	seen := make([]bool, rank)
	for _, d := range perm {
		if d < 0 || d >= rank || seen[d] {
			return false
		}
		seen[d] = true
	}
	return len(perm) == rank
}

// inverse returns the permutation that undoes one; perm itself if it is none.
func inverse(perm []int) []int {
	if !isPermutation(perm, len(perm)) {
		return perm
	}
	inv := make([]int, len(perm))
	for d, to := range perm {
		inv[to] = d
	}
	return inv
}
