package trace

import (
	"fmt"

	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/words"
)

// diagonal takes index i of two dims at once: the dims go, and a last dim with the sum of their strides comes. A positive
// offset leaves out the first indices of the second dim, a negative one of the first.
func (s State) diagonal(a arguments) (Step, error) {
	offset := a.number("offset", 0)
	d1, d2, err := s.diagonalDims(a)
	if err != nil {
		return Step{}, err
	}
	rows, columns := s.Shape[d1]+min(offset, 0), s.Shape[d2]-max(offset, 0)
	n := max(min(rows, columns), 0)
	to, names := s.without([]int{d1, d2})
	stride, ok := tensor.Add(s.Strides[d1], s.Strides[d2])
	if !ok {
		return Step{}, uncountable("stride %d + %d", s.Strides[d1], s.Strides[d2])
	}
	why := []string{s.calledAll([]int{d1, d2}) + " go", fmt.Sprintf("new dim %d: size = min(%d, %d) = %d, stride = %d+%d = %d",
		s.Rank()-2, max(rows, 0), max(columns, 0), n, s.Strides[d1], s.Strides[d2], stride)}
	reaches := n > 0 || s.Rules == NumPy && min(rows, columns) == 0
	skipped, by := offset, s.Strides[d2]
	if offset < 0 {
		skipped, by = -offset, s.Strides[d1]
	}
	if reaches && skipped != 0 && by != 0 {
		if to.Offset, err = s.past(skipped, by); err != nil {
			return Step{}, err
		}
		why = append(why, fmt.Sprintf("offset = %d + %d·%d = %d", s.Offset, skipped, by, to.Offset))
	}
	to.Shape, to.Strides = append(to.Shape, n), append(to.Strides, stride)
	return s.look(to, append(names, ""), why...)
}

func (s State) diagonalDims(a arguments) (d1, d2 int, err error) {
	first, second := a.number("dim1", 0), a.number("dim2", 1)
	if s.Rules == NumPy {
		if s.Rank() < 2 {
			return 0, 0, refuse("diag requires an array of at least two dimensions").because("the array has %s", words.Count(s.Rank(), "dim"))
		}
		first, second = a.number("axis1", 0), a.number("axis2", 1)
	}
	if d1, err = s.axis(first, s.Rank(), "axis1: "); err != nil {
		return 0, 0, err
	}
	if d2, err = s.axis(second, s.Rank(), "axis2: "); err != nil {
		return 0, 0, err
	}
	switch {
	case d1 == d2 && s.Rules == NumPy:
		return 0, 0, refuse("axis1 and axis2 cannot be the same")
	case d1 == d2:
		return 0, 0, refuse("diagonal dimensions cannot be identical %d, %d", first, second)
	}
	return d1, d2, nil
}
