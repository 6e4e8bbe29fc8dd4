package trace

import (
	"fmt"

	"github.com/tlayout/tlayout/internal/tensor"
)

// npCopy is x.copy(order).
func (s State) npCopy(a arguments) (Step, error) {
	without := "C"
	if a.call.Of == NumPy { // np.copy(x) has another default than x.copy()
		without = "K"
	}
	order, err := s.npOrder(a, without)
	if err != nil {
		return Step{}, err
	}
	return s.npCopyIn(order)
}

// npCopyIn copies in C or Fortran order, or, for 'K', in the order of memory that the array has.
// (PyArray_NewLikeArray)
func (s State) npCopyIn(order string) (Step, error) {
	if order == "K" {
		switch {
		case s.CContiguous().OK || s.Rank() < 2:
			order = "C"
		case s.FContiguous().OK:
			order = "F"
		}
	}
	var by []int
	switch order {
	case "K":
		by = s.byStride()
	case "F":
		for d := range s.Rank() {
			by = append([]int{d}, by...)
		}
	default:
		by = s.inOrder()
	}
	strides := s.packedBy(by)
	if s.Empty() {
		strides = make([]int, s.Rank())
	}
	to := tensor.Strided{Shape: s.Shape, Strides: strides}
	return s.npCopied(to, strides, packedLines(to, s.Names, by)...)
}

func (s State) npContiguous(arguments) (Step, error) { return s.npRequire("C", s.CContiguous()) }

func (s State) npFortran(arguments) (Step, error) { return s.npRequire("F", s.FContiguous()) }

// npRequire copies unless the array is in the order already. A scalar becomes an array of one dim.
func (s State) npRequire(order string, v tensor.Verdict) (Step, error) {
	switch {
	case s.Rank() == 0:
		return s.look(tensor.Strided{Shape: []int{1}, Strides: []int{1}, Offset: s.Offset}, []string{""},
			"at least one dim: a scalar becomes an array of one element")
	case v.OK:
		return s.itself(fmt.Sprintf("already %s-contiguous: itself", order))
	}
	step, err := s.npCopyIn(order)
	step.Why = append([]string{s.notContiguous(v, order+"-contiguous")}, step.Why...)
	return step, err
}
