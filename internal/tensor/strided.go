package tensor

import (
	"slices"
	"strconv"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/ints"
)

// Strided is a tensor in PyTorch's and NumPy's model: one stride per dim.
//
//	addr(i) = Offset + Σ i_d · Strides[d]      (elements)
//
// Strides may be 0 (broadcast) or negative (NumPy only).
type Strided struct {
	Shape   []int
	Strides []int
	Offset  int
}

// NewStrided checks the parts as New does: equal lengths, sizes of at least 0, addresses that fit an int.
func NewStrided(shape, strides []int, offset int) (Strided, error) {
	if len(shape) != len(strides) {
		return Strided{}, fault.New(fault.Usage, "%d strides for %d dims: strides %s, shape %s",
			len(strides), len(shape), Tuple(strides), Tuple(shape))
	}
	s := Strided{slices.Clone(shape), slices.Clone(strides), offset}
	_, err := s.Layout(nil, Unbounded)
	return s, err
}

// Packed returns the row-major strided tensor of a shape: the last dim has stride 1, each other dim the product of the later sizes. A
// size of 0 counts as 1, as in PyTorch. (c10/core/TensorImpl.h, empty_tensor_restride)
//
// Post: coordinate k in logical order is at offset k.
func Packed(shape []int) (Strided, error) {
	if _, err := Numel(shape); err != nil {
		return Strided{}, err
	}
	return NewStrided(shape, rowMajor(shape), 0)
}

func rowMajor(shape []int) []int {
	strides := make([]int, len(shape))
	run := 1
	for i := len(shape) - 1; i >= 0; i-- {
		strides[i] = run
		run *= max(shape[i], 1)
	}
	return strides
}

// ColumnMajor returns the Fortran-order tensor of a shape: the first dim has stride 1.
//
// Post: FContiguous; the reversed shape's Packed has the reversed strides.
func ColumnMajor(shape []int) (Strided, error) {
	if _, err := Numel(shape); err != nil {
		return Strided{}, err
	}
	back := slices.Clone(shape)
	slices.Reverse(back)
	strides := rowMajor(back)
	slices.Reverse(strides)
	return NewStrided(shape, strides, 0)
}

// Layout returns the layout with one digit per dim. Without names, dims are called d0, d1, ….
//
// Post: At(i) = Offset + Σ i_d · Strides[d]; Strided gives s again.
func (s Strided) Layout(names []string, alloc int) (Layout, error) {
	dims := make([]Dim, len(s.Shape))
	for i, size := range s.Shape {
		dims[i] = Dim{Name: "d" + strconv.Itoa(i), Size: size, Digits: []Digit{{1, size, s.Strides[i]}}}
		if names != nil {
			dims[i].Name = names[i]
		}
	}
	return New(dims, s.Offset, alloc)
}

// Rank returns the number of dims.
func (s Strided) Rank() int { return len(s.Shape) }

// Numel returns the number of elements.
func (s Strided) Numel() int { return ints.Product(s.Shape) }

// Empty reports whether a size is 0.
func (s Strided) Empty() bool { return slices.Contains(s.Shape, 0) }

// reach returns the lowest and the highest offset in use, relative to Offset; (0, 0) for an empty tensor.
func (s Strided) reach() (low, high int) {
	if s.Empty() {
		return 0, 0
	}
	for i, d := range s.Shape {
		low += min(0, (d-1)*s.Strides[i])
		high += max(0, (d-1)*s.Strides[i])
	}
	return low, high
}

// Negative reports whether a stride is negative, which PyTorch, DirectML and oneDNN refuse.
func (s Strided) Negative() bool {
	return slices.ContainsFunc(s.Strides, func(x int) bool { return x < 0 })
}

// Backwards reports whether elements are in descending order along a dim: whether a negative stride is ever added. That of a dim of size 1 is
// not, and none of an empty tensor.
func (s Strided) Backwards() bool {
	return !s.Empty() && slices.ContainsFunc(s.firstToLast(), func(d int) bool { return s.Strides[d] < 0 && s.Shape[d] > 1 })
}
