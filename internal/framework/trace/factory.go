package trace

import (
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
)

// factories are methods that make a new tensor with the dtype of this one.
func factories() []operation {
	const rest = " dtype:word? device:any? requires_grad:any? layout:any? pin_memory:any?"
	row := func(run func(State, arguments) (Step, error), example, names, params string) operation {
		all := strings.Fields(names)
		return operation{Usage: Usage{Name: all[0], Also: all[1:], Example: example}, params: signature(params + rest), run: run}
	}
	return []operation{
		row(State.newOf, "new_zeros(2,3)", "new_zeros new_ones new_empty new", "size:sizes"),
		row(State.newOf, "new_full((2,3),0)", "new_full", "size:ints fill_value:any"),
		row(State.newTensor, "new_tensor([1,2])", "new_tensor", "data:any"),
	}
}

func (s State) newOf(a arguments) (Step, error) {
	typ, err := s.newType(a)
	if err != nil {
		return Step{}, err
	}
	shape := a.numbers("size")
	if err := refuseNegative(shape); err != nil {
		return Step{}, err
	}
	return s.fresh(shape, nil, typ, "a new tensor is contiguous")
}

// refuseNegative refuses a shape with a negative size.
func refuseNegative(shape []int) error {
	if !slices.ContainsFunc(shape, isNegative) {
		return nil
	}
	return refuse("Trying to create tensor with negative dimension %d: [%s]", slices.Min(shape), spelled(shape))
}

func (s State) newTensor(a arguments) (Step, error) {
	data := a.given["data"]
	typ, err := s.newType(a)
	if err != nil {
		return Step{}, err
	}
	shape, err := shapeOf(data)
	if err != nil {
		return Step{}, err
	}
	return s.fresh(shape, nil, typ, "a new tensor is contiguous")
}

// shapeOf returns the shape of nested lists of numbers.
func shapeOf(g Arg) ([]int, error) {
	if g.Of != nil {
		return g.Of.Shape, nil
	}
	if g.isUnknown() {
		return nil, unknownNumber(g.Word)
	}
	if g.Kind == Ellipsis {
		return nil, stop("tensor", "the print leaves out elements, so its sizes are not known")
	}
	if g.Kind != List {
		return []int{}, nil
	}
	if len(g.List) == 0 {
		return []int{0}, nil
	}
	shape, err := shapeOf(g.List[0])
	for _, item := range g.List[1:] {
		if err != nil {
			return nil, err
		}
		var other []int
		other, err = shapeOf(item)
		if err == nil && !slices.Equal(shape, other) {
			return nil, refuse("lists of different lengths are no tensor")
		}
	}
	return append([]int{len(g.List)}, shape...), err
}

// lengthOf returns an int argument; a usage error for another value.
func (a arguments) lengthOf(name string) (int, error) {
	g := a.given[name]
	if g.Kind == Word && isName(g.Word) {
		return 0, unknownNumber(g.Word)
	}
	if g.Kind != Int || g.Int < 0 {
		return 0, fault.New(fault.Usage, "%s: %s must be an int that is not negative", a.call.Name, name)
	}
	return g.Int, nil
}
