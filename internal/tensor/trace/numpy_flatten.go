package trace

import (
	"slices"

	"github.com/tlayout/tlayout/internal/tensor"
)

// npCopied is a copy that is looked at as to, after the elements have been put at the strides.
func (s State) npCopied(to tensor.Strided, strides []int, why ...string) (Step, error) {
	if s.Empty() { // NumPy's new empty arrays have strides of 0
		strides = make([]int, s.Rank())
	}
	why = slices.DeleteFunc(why, func(w string) bool { return w == "" })
	return s.copied(to, tensor.Strided{Shape: s.Shape, Strides: strides}, s.namesIn(to.Shape), why...)
}

// npRavel is a view of a contiguous array only; 'K' also of one that is packed in any order.
func (s State) npRavel(a arguments) (Step, error) {
	order, err := s.npOrder(a, "C")
	if err != nil {
		return Step{}, err
	}
	switch {
	case order != "F" && s.CContiguous().OK:
		return s.npReshaped([]int{-1}, false)
	case order != "C" && s.FContiguous().OK:
		return s.npReshaped([]int{-1}, true)
	case order == "K" && s.packedInOrder(s.byStride()):
		return s.look(tensor.Strided{Shape: []int{s.Numel()}, Strides: []int{1}, Offset: s.Offset}, []string{""},
			"packed: the elements are taken as they lie in memory")
	}
	return s.npFlattened(order)
}

func (s State) npFlatten(a arguments) (Step, error) {
	order, err := s.npOrder(a, "C")
	if err != nil {
		return Step{}, err
	}
	return s.npFlattened(order)
}

// npFlattened is a copy of the elements in the order.
func (s State) npFlattened(order string) (Step, error) {
	to := tensor.Strided{Shape: []int{s.Numel()}, Strides: []int{1}}
	if s.Empty() {
		to.Strides[0] = 0
	}
	switch order {
	case "F":
		return s.npCopied(to, npPacked(s.Shape, true), "the first index changes fastest")
	case "K":
		return s.npCopied(to, s.packedBy(s.iteration()), "the elements in the order of memory")
	}
	return s.npCopied(to, npPacked(s.Shape, false), "the last index changes fastest")
}
