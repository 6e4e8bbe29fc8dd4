package trace

import (
	"slices"
	"strings"
)

// npOrder reads the order of a call. 'A' is 'F' for an array that is Fortran and not C, else 'C'.
func (s State) npOrder(a arguments, without string) (string, error) {
	order := strings.ToUpper(a.word("order", without))
	switch order {
	case "A":
		if s.SavedFortran() {
			return "F", nil
		}
		return "C", nil
	case "C", "F", "K":
		return order, nil
	}
	return "", refuse("order must be one of 'C', 'F', 'A', or 'K' (got %s)", quote(a.word("order", without)))
}

// npPacked is the strides of C or Fortran order; a size of 0 counts as 1.
func npPacked(shape []int, fortran bool) []int {
	order := inward(len(shape))
	if !fortran {
		slices.Reverse(order)
	}
	strides, run := make([]int, len(shape)), 1
	for _, d := range order {
		strides[d] = run
		run *= max(shape[d], 1)
	}
	return strides
}

// byStride lists the dims by falling stride, whatever its sign; of equal ones the first lies further out.
// (PyArray_CreateSortedStridePerm)
func (s State) byStride() []int {
	order := s.inOrder()
	slices.SortStableFunc(order, func(a, b int) int {
		switch x, y := magnitude(s.Strides[a]), magnitude(s.Strides[b]); {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	return order
}

// packedInOrder reports whether the dims, outermost first, lie without gaps in each other.
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

// packedBy is strides without gaps, the outermost dim first.
func (s State) packedBy(order []int) []int {
	strides, run := make([]int, s.Rank()), 1
	for _, d := range slices.Backward(order) {
		strides[d] = run
		run *= s.Shape[d]
	}
	return strides
}

// iteration is the order, outermost first, in which NumPy's iterator goes through the dims to go through memory: an
// insertion sort that leaves alone what it cannot tell apart, a stride of 0 and one that is not.
// (npyiter_find_best_axis_ordering)
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
			moving, there := stride(order[i]), stride(order[j])
			if moving == 0 || there == 0 {
				continue
			}
			if moving >= there {
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
