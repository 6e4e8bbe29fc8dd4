package graph

import (
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/tensor"
)

// maxFollowed limits how many operators are followed from a change; beyond them, nothing is proved.
const maxFollowed = 256

// writesInto reports whether an operator of PyTorch's writes its result into an operand: add_.
func (f *flow) writesInto(op *Operator, id ID) bool {
	return isInPlace(op) && op.Inputs[0] == id
}

// isInPlace reports whether an operator has the name of PyTorch's that write their result into the first operand.
func isInPlace(op *Operator) bool {
	return len(op.Inputs) > 0 && strings.HasSuffix(op.Name, "_") && !strings.HasSuffix(op.Name, "__")
}

// isRepeated reports whether a change gives the same values as the one that it repeats: nothing is written in place after that.
func (f *flow) isRepeated(c *Change) bool { return f.changes[c.Repeats].Operator > f.lastInPlace }

// anyOrder reports whether every reader of a change's result takes its elements in the order before it, with the same values.
func (f *flow) anyOrder(c *Change) bool {
	if !f.keepsShape(c) || slices.Contains(f.Outputs, c.Result) {
		return false
	}
	budget := maxFollowed
	back := f.changes[c.Cancels].Operator
	for _, i := range f.readers.of(c.Result) {
		op := &f.Operators[i]
		if f.writesInto(op, c.Result) || !f.takesAnyOrder(op, c) {
			return false
		}
		if int(i) != back && !f.variesFreely(op, &budget) {
			return false
		}
	}
	return len(f.readers.of(c.Result)) > 0
}

// keepsShape reports whether the result of a change has the dims of its source.
func (f *flow) keepsShape(c *Change) bool {
	if c.Result == NoValue || f.Operators[c.Operator].Perm != nil {
		return false
	}
	to := f.Tensor(c.Result)
	return to != nil && slices.Equal(c.From.Shape(), to.Layout.Shape())
}

// unneeded reports whether no operator after a change copies, or fails, without it.
func (f *flow) unneeded(c *Change) bool {
	if !f.keepsShape(c) {
		return false
	}
	budget := maxFollowed
	return len(f.readers.of(c.Result)) > 0 && f.isFree(c.Result, c.From, &budget)
}

// isFree reports whether all operators that read a value take it in another layout, as do those that read what they make of it, without a copy.
// Each one is taken from a budget; beyond that, nothing is known.
func (f *flow) isFree(id ID, l tensor.Layout, budget *int) bool {
	if slices.Contains(f.Outputs, id) {
		return false
	}
	for _, i := range f.readers.of(id) {
		*budget--
		if *budget < 0 || !f.takes(&f.Operators[i], id, l, budget) {
			return false
		}
	}
	return true
}

// takes reports whether an operator takes an operand in a layout without a copy, and so do all after it.
func (f *flow) takes(op *Operator, id ID, l tensor.Layout, budget *int) bool {
	if len(op.Outputs) == 0 || f.writesInto(op, id) {
		return false
	}
	switch op.Kind {
	case Computes:
		return f.variesFreely(op, budget)
	case Elementwise:
		return f.isAlone(op, id) && f.isFree(op.Outputs[0], l, budget)
	case Views:
		to := f.Tensor(op.Outputs[0])
		if op.Perm != nil || to == nil {
			return false
		}
		v, viewable := viewed(l, to.Layout.Shape())
		return viewable && f.isFree(op.Outputs[0], v, budget)
	case Multiplies:
		return f.takesMatrices(op, slices.Index(op.Inputs, id), l, f.ofWeights)
	case Unknown, Follows, Joins, Copies:
	}
	return false
}

// variesFreely reports whether no view that may need an order reads what an operator makes, if that has another order: view() fails then.
func (f *flow) variesFreely(op *Operator, budget *int) bool {
	if op.Kind == Multiplies {
		return true
	}
	for _, id := range op.Outputs {
		for _, i := range f.readers.of(id) {
			*budget--
			reader := &f.Operators[i]
			if *budget < 0 || reader.Kind == Unknown {
				return false
			}
			if f.writesInto(reader, id) || f.needsOrder(reader) {
				return false
			}
			if !f.variesFreely(reader, budget) {
				return false
			}
		}
	}
	return true
}

// needsOrder reports whether an operator is a view that may need an order.
func (f *flow) needsOrder(op *Operator) bool {
	if op.Kind != Views || op.Perm != nil || len(op.Outputs) == 0 {
		return false
	}
	return !f.sameShapes(op)
}

// takesAnyOrder reports whether an operator gives the same values for any order of an operand.
func (f *flow) takesAnyOrder(op *Operator, c *Change) bool {
	switch op.Kind {
	case Elementwise, Follows, Joins, Multiplies, Copies, Computes:
		return true
	case Views:
		if op.Perm != nil || len(op.Outputs) == 0 || f.Tensor(op.Outputs[0]) == nil {
			return op.Perm != nil
		}
		to := f.Tensor(op.Outputs[0])
		_, viewable := viewed(c.From, to.Layout.Shape())
		return viewable
	case Unknown:
	}
	return false
}
