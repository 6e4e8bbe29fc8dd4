package graph

import (
	"slices"

	"github.com/tlayout/tlayout/internal/tensor"
)

// flow is a program's changes with who makes and reads each value.
type flow struct {
	*Program
	changes []Change
	readers *readers
	makers  []int32 // of each value, the operator; -1 for inputs and weights

	ofWeights   []bool // of each value
	lastInPlace int    // the last operator that writes into an operand; -1 for none
}

func newFlow(p *Program, changes []Change) *flow {
	f := &flow{Program: p, changes: changes, readers: p.readers(), makers: make([]int32, len(p.Values)),
		lastInPlace: -1}
	for i := range f.makers {
		f.makers[i] = -1
	}
	for i := range p.Operators {
		for _, id := range p.Operators[i].Outputs {
			if id != NoValue {
				f.makers[id] = int32(i)
			}
		}
		if p.Engine.IsPyTorch() && isInPlace(&p.Operators[i]) {
			f.lastInPlace = i
		}
	}
	return f
}

// changesBy returns the indices of the changes of an operator: from first up to end.
func (f *flow) changesBy(op int32) (first, end int) {
	first, _ = slices.BinarySearchFunc(f.changes, int(op), func(c Change, op int) int { return c.Operator - op })
	end = first
	for end < len(f.changes) && f.changes[end].Operator == int(op) {
		end++
	}
	return first, end
}

// cancel pairs each change with the first later one that undoes it, and finds changes that repeat an earlier one.
func (f *flow) cancel() {
	for k := range f.changes {
		c := &f.changes[k]
		if c.Result == NoValue || c.Cancels >= 0 {
			continue
		}
		back := f.undoneBy(k)
		if back >= 0 {
			c.Cancels = back
			f.changes[back].Cancels = k
		}
	}
	type conversion struct {
		source ID
		order  string
	}
	first := map[conversion]int{}
	for k := range f.changes {
		c := &f.changes[k]
		into := conversion{c.Source, orderKey(c.To)}
		earlier, repeated := first[into]
		if repeated {
			c.Repeats = earlier
			continue
		}
		first[into] = k
	}
}

// maxBetween limits how many operators are followed from a change to the one that undoes it.
const maxBetween = 64

// undoneBy returns the first change that undoes change k; -1 for none. Operators between them compute elements one by one, of this tensor alone,
// or are views with the same dims.
func (f *flow) undoneBy(k int) int {
	value := f.changes[k].Result
	for range maxBetween {
		next := ID(NoValue)
		for _, op := range f.readers.of(value) {
			first, end := f.changesBy(op)
			for other := first; other < end; other++ {
				if f.changes[other].Source == value && f.undoes(k, other) {
					return other
				}
			}
			if to, keeps := f.keepsDims(op, value); keeps && next == NoValue {
				next = to
			}
		}
		if next == NoValue {
			break
		}
		value = next
	}
	return -1
}

// keepsDims returns the output of an operator that has the elements of a value at the same indices, whatever their order.
func (f *flow) keepsDims(i int32, id ID) (ID, bool) {
	op := &f.Operators[i]
	if len(op.Outputs) == 0 || !f.mayHaveShapeOf(op, id) {
		return NoValue, false
	}
	switch op.Kind {
	case Views:
		return op.Outputs[0], op.Perm == nil
	case Elementwise:
		return op.Outputs[0], f.isAlone(op, id)
	case Unknown, Computes, Follows, Joins, Multiplies, Copies:
	}
	return NoValue, false
}

// mayHaveShapeOf reports whether an operator's first output has a value's shape. Where the file has no shapes, the kind of the operator tells.
func (f *flow) mayHaveShapeOf(op *Operator, id ID) bool {
	a := f.Tensor(id)
	b := f.Tensor(op.Outputs[0])
	if a == nil || b == nil {
		return op.Kind == Elementwise
	}
	return slices.Equal(a.Layout.Shape(), b.Layout.Shape())
}

// isAlone reports whether no other operand has a value's shape, or may have it.
func (f *flow) isAlone(op *Operator, id ID) bool {
	t := f.Tensor(id)
	for _, input := range op.Inputs {
		if input == id || input == NoValue || f.Values[input].Weight {
			continue
		}
		other := f.Tensor(input)
		if t == nil || other == nil || slices.Equal(other.Layout.Shape(), t.Layout.Shape()) {
			return false
		}
	}
	return true
}

// undoes reports whether change b gives elements the order and the dims that they had before change a.
func (f *flow) undoes(a, b int) bool {
	source := f.Tensor(f.changes[a].Source)
	if source == nil || f.changes[b].Result != NoValue && f.Tensor(f.changes[b].Result) == nil {
		return f.undoesUnsized(a, b)
	}
	before := source.Layout
	perm := f.Operators[f.changes[a].Operator].Perm
	after := f.changes[b].To
	if f.changes[b].Result != NoValue {
		after = f.Tensor(f.changes[b].Result).Layout
		perm = composed(perm, f.Operators[f.changes[b].Operator].Perm)
	}
	return isIdentity(perm) && slices.Equal(before.Shape(), after.Shape()) && sameOrder(before, after)
}

// undoesUnsized reports whether two permutations of dims of unknown sizes undo each other.
func (f *flow) undoesUnsized(a, b int) bool {
	first := f.Operators[f.changes[a].Operator].Perm
	second := f.Operators[f.changes[b].Operator].Perm
	return first != nil && second != nil && isIdentity(composed(first, second))
}

// composed returns the permutation of two in turn; nil is the identity.
func composed(first, second []int) []int {
	if first == nil || second == nil {
		return slices.Concat(first, second)
	}
	if len(first) != len(second) {
		return []int{}
	}
	both := make([]int, len(first))
	for d, from := range second {
		if from < 0 || from >= len(first) {
			return []int{}
		}
		both[d] = first[from]
	}
	return both
}

func isIdentity(perm []int) bool {
	for d, from := range perm {
		if d != from {
			return false
		}
	}
	return perm == nil || len(perm) > 0
}

// inOrder returns the dense layout of a shape in the order of another layout; false if that has blocks.
func inOrder(of tensor.Layout, shape []int) (tensor.Layout, bool) {
	order, ok := orderOf(of)
	if !ok || len(order) != len(shape) {
		return tensor.Layout{}, false
	}
	return packedIn(order, shape), true
}

// SameOrder counts the copies that are no change: their elements keep the memory order, or only dims of size 1 move.
func (p *Program) SameOrder(changes []Change) int {
	moves := map[int]bool{}
	for k := range changes {
		moves[changes[k].Operator] = true
	}
	count := 0
	for i := range p.Operators {
		op := &p.Operators[i]
		isStatement := op.Kind == Copies && op.Inside == ""
		if isStatement && !moves[i] && p.known(op) {
			count++
		}
	}
	return count
}

// known reports whether the layouts of a copy's sides are known.
func (p *Program) known(op *Operator) bool {
	from, to, ok := op.Sides()
	return ok && p.Tensor(from) != nil && p.Tensor(to) != nil
}
