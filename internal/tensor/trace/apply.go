package trace

import (
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
)

// Apply takes one step. The error is a *Refusal where the framework refuses the call, and a *fault.Error where there is
// no such step, its arguments are of the wrong number or kind (Usage), or the result is beyond what tlayout can count
// (Unsupported).
//
// Post: with Kind View or Self the storage is the same; the element at any coordinate of the result is, followed by
// Storage.Origin, the one that the framework has there.
func (s State) Apply(c Call) (Step, error) {
	op, err := find(s.Rules, c)
	if err != nil {
		return Step{}, err
	}
	a, err := op.bind(c)
	if err != nil {
		return Step{}, err
	}
	if err := s.countable(); err != nil {
		return Step{}, err
	}
	step, err := op.run(s, a)
	if err == nil {
		err = step.State.countable()
	}
	switch {
	case err == nil:
		step.Call = c
		return step, nil
	case fault.ClassOf(err) == fault.Unsupported:
		return Step{}, fault.In(c.Text, err)
	}
	return Step{}, err
}

// look is another look at the same storage.
func (s State) look(to tensor.Strided, names []string, why ...string) (Step, error) {
	s.Strided, s.Names = to, names
	if len(why) == 0 {
		why = []string{"every dim keeps its size and stride"}
	}
	return Step{State: s, Kind: View, Why: why}, nil
}

// itself is what a call returns that has nothing to do.
func (s State) itself(why ...string) (Step, error) {
	return Step{State: s, Kind: Self, Why: why}, nil
}

// copied is a storage of its own: the element at a coordinate of s is put where placed has that coordinate. The result
// looks at it as to.
func (s State) copied(to, placed tensor.Strided, names []string, why ...string) (Step, error) {
	made, err := placed.Layout(nil, tensor.Unbounded)
	if err != nil {
		return Step{}, err
	}
	n := s.Numel()
	bytes, ok := s.bytes()
	if !ok {
		return Step{}, fault.New(fault.Unsupported, "a copy of %d elements is more than this machine can address", n)
	}
	why = append(why, "copies "+s.price())
	next := State{to, names, &Storage{n, &s, made}, s.ItemSize, s.Rules}
	return Step{State: next, Kind: Copy, Copied: bytes, Why: why}, nil
}

// duplicate is a copy of the same shape with other strides.
func (s State) duplicate(strides []int, why ...string) (Step, error) {
	to := tensor.Strided{Shape: s.Shape, Strides: strides}
	return s.copied(to, to, s.Names, why...)
}
