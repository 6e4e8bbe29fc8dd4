package trace

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// npOrder returns the order of a call. 'A' is 'F' for an array that is F- but not C-contiguous, else 'C'.
func (s State) npOrder(a arguments, byDefault string) (string, error) {
	order := strings.ToUpper(a.word("order", byDefault))
	switch order {
	case "A":
		if s.SavedFortran() {
			return "F", nil
		}
		return "C", nil
	case "C", "F", "K":
		return order, nil
	}
	return "", refuse("order must be one of 'C', 'F', 'A', or 'K' (got '%s')", text.Quote(a.word("order", byDefault)))
}

// npPacked returns the strides of C or Fortran order; a size of 0 counts as 1.
func npPacked(shape []int, fortran bool) []int {
	order := ints.Range(len(shape))
	if !fortran {
		slices.Reverse(order)
	}
	strides := make([]int, len(shape))
	run := 1
	for _, d := range order {
		strides[d] = run
		run *= max(shape[d], 1)
	}
	return strides
}

// byStride returns the dims by falling magnitude of stride, equal ones in order. (PyArray_CreateSortedStridePerm in
// numpy/_core/src/multiarray/shape.c)
func (s State) byStride() []int {
	order := s.inOrder()
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(magnitude(s.Strides[b]), magnitude(s.Strides[a]))
	})
	return order
}

// packedInOrder reports whether the dims, outermost first, are packed.
func (s State) packedInOrder(order []int) bool {
	run := 1
	for _, d := range slices.Backward(order) {
		if s.Shape[d] == 1 {
			continue
		}
		if s.Strides[d] != run {
			return false
		}
		run *= s.Shape[d]
	}
	return true
}

// packedBy returns the strides of a dense tensor whose dims are in this order, outermost first.
func (s State) packedBy(order []int) []int {
	strides := make([]int, s.Rank())
	run := 1
	for _, d := range slices.Backward(order) {
		strides[d] = run
		run *= s.Shape[d]
	}
	return strides
}

// iteration returns the order of dims, outermost first, in which NumPy's iterator walks memory: an insertion sort by stride that never
// compares a stride of 0. (npyiter_find_best_axis_ordering in numpy/_core/src/multiarray/nditer_constr.c)
func (s State) iteration() []int {
	stride := func(d int) uint64 {
		if s.Shape[d] == 1 {
			return 0
		}
		return magnitude(s.Strides[d])
	}
	order := s.inOrder()
	slices.Reverse(order)
	for i := 1; i < len(order); i++ {
		at := i
		for j := i - 1; j >= 0; j-- {
			moving := stride(order[i])
			passed := stride(order[j])
			if moving == 0 || passed == 0 {
				continue
			}
			if moving >= passed {
				break
			}
			at = j
		}
		d := order[i]
		order = slices.Insert(slices.Delete(order, i, i+1), at, d)
	}
	slices.Reverse(order)
	return order
}

// npCopy is x.copy(order).
func (s State) npCopy(a arguments) (Step, error) {
	byDefault := "C"
	if a.call.Module == NumPy { // np.copy(x) and x.copy() have different defaults
		byDefault = "K"
	}
	order, err := s.npOrder(a, byDefault)
	if err != nil {
		return Step{}, err
	}
	return s.npCopyIn(order, "")
}

// npAstype is x.astype(dtype): a new array, unless copy=False and the array has the dtype and the order.
func (s State) npAstype(a arguments) (Step, error) {
	name, err := a.given["dtype"].dtypeName("astype")
	if err != nil {
		return Step{}, err
	}
	order, err := s.npOrder(a, "K")
	if err != nil {
		return Step{}, err
	}
	typ := typed(name)
	hasOrder := map[string]bool{"C": s.CContiguous().OK, "F": s.FContiguous().OK, "K": true}[order]
	mayShare := a.word("copy", "True") == "False" && hasOrder
	if mayShare && typ.Equal(s.DType) {
		return s.itself("copy=False, and the array has the dtype: returns the array itself")
	}
	to := tensor.Strided{Shape: s.Shape, Strides: s.newStrides(s.copyOrder(order))}
	return s.computed(to, s.Names, typ, "converted in the memory order of the array")
}

// npCopyIn copies in C or Fortran order, or, for 'K', in the memory order of the array. (PyArray_NewLikeArray in
// numpy/_core/src/multiarray/ctors.c)
func (s State) npCopyIn(order, reason string) (Step, error) {
	by := s.copyOrder(order)
	strides := s.newStrides(by)
	to := tensor.Strided{Shape: s.Shape, Strides: strides}
	return s.npCopied(to, strides, reason, packedLines(to, s.shownNames(), by)...)
}

// newStrides returns the strides of a new array whose dims are in this order, outermost first. Those of an empty one are 0.
func (s State) newStrides(order []int) []int {
	if s.Empty() {
		return make([]int, s.Rank())
	}
	return s.packedBy(order)
}

// copyOrder returns the dims of a copy, outermost first. 'K' of a contiguous array is its C or Fortran order, whatever the strides of
// size-1 dims.
func (s State) copyOrder(order string) []int {
	inOrder := s.inOrder()
	reversed := slices.Clone(inOrder)
	slices.Reverse(reversed)
	switch order {
	case "C":
		return inOrder
	case "F":
		return reversed
	}
	if s.CContiguous().OK || s.Rank() < 2 {
		return inOrder
	}
	if s.FContiguous().OK {
		return reversed
	}
	return s.byStride()
}

func (s State) npContiguous(arguments) (Step, error) { return s.npRequire("C", s.CContiguous()) }

func (s State) npFortran(arguments) (Step, error) { return s.npRequire("F", s.FContiguous()) }

// npRequire copies unless the array already has the order. A scalar becomes an array of one dim.
func (s State) npRequire(order string, v tensor.Verdict) (Step, error) {
	if s.Rank() == 0 {
		return s.view(tensor.Strided{Shape: []int{1}, Strides: []int{1}, Offset: s.Offset}, []string{""},
			"a scalar becomes an array of one element")
	}
	if v.OK {
		return s.itself(fmt.Sprintf("already %s-contiguous: returns the array itself", order))
	}
	return s.npCopyIn(order, s.notContiguous(v, order+"-contiguous"))
}

// npCopied returns a copy with the elements at these strides, viewed as to.
func (s State) npCopied(to tensor.Strided, strides []int, reason string, why ...string) (Step, error) {
	if s.Empty() { // NumPy's new empty arrays have strides of 0
		strides = make([]int, s.Rank())
	}
	return s.copied(to, tensor.Strided{Shape: s.Shape, Strides: strides}, s.namesIn(to.Shape), reason, why...)
}

// npRavel is a view only of a contiguous array; with 'K' also of an array that is dense in any order.
func (s State) npRavel(a arguments) (Step, error) {
	order, err := s.npOrder(a, "C")
	if err != nil {
		return Step{}, err
	}
	if order != "F" && s.CContiguous().OK {
		return s.npReshaped([]int{-1}, false)
	}
	if order != "C" && s.FContiguous().OK {
		return s.npReshaped([]int{-1}, true)
	}
	if order == "K" && s.packedInOrder(s.byStride()) {
		return s.view(tensor.Strided{Shape: []int{s.Numel()}, Strides: []int{1}, Offset: s.Offset}, []string{""},
			"packed: elements in memory order")
	}
	reason := "not dense in any order"
	switch order {
	case "C":
		reason = s.notContiguous(s.CContiguous(), "C-contiguous")
	case "F":
		reason = s.notContiguous(s.FContiguous(), "F-contiguous")
	}
	return s.npFlattened(order, reason)
}

func (s State) npFlatten(a arguments) (Step, error) {
	order, err := s.npOrder(a, "C")
	if err != nil {
		return Step{}, err
	}
	return s.npFlattened(order, "")
}

// npFlattened returns a copy of the elements in this order.
func (s State) npFlattened(order, reason string) (Step, error) {
	to := tensor.Strided{Shape: []int{s.Numel()}, Strides: []int{1}}
	if s.Empty() {
		to.Strides[0] = 0
	}
	switch order {
	case "F":
		return s.npCopied(to, npPacked(s.Shape, true), reason, "the first index varies fastest")
	case "K":
		return s.npCopied(to, s.packedBy(s.iteration()), reason, "elements in memory order")
	}
	return s.npCopied(to, npPacked(s.Shape, false), reason, "the last index varies fastest")
}
