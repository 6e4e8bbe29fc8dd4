package trace

import (
	"fmt"

	"github.com/tlayout/tlayout/internal/tensor"
)

// ownWords begins a refusal in our own words: PyTorch's name the function that strides and backend choose.
const ownWords = "sizes do not match: "

// matmul returns a contiguous tensor, whatever the strides of its operands. (_matmul_impl in PyTorch's
// aten/src/ATen/native/LinearAlgebra.cpp)
func (s State) matmul(a arguments) (Step, error) {
	other, err := s.operand("matmul", a.given["other"])
	if err != nil {
		return Step{}, err
	}
	m := s.Rank()
	n := other.Rank()
	if m == 0 || n == 0 {
		return Step{}, refuse("both arguments to matmul need to be at least 1D, but they are %dD and %dD", m, n)
	}
	shape, err := broadcast(s.Shape[:max(0, m-2)], other.Shape[:max(0, n-2)])
	if err != nil {
		return Step{}, err
	}
	inner := s.Shape[m-1]
	found := other.Shape[max(0, n-2)]
	if inner != found {
		r := refuse(ownWords+"the last size, %d, is not the size of dim %d of the other, %d", inner, max(0, n-2), found)
		if m <= 2 && n == 2 {
			rows := append([]int{1}, s.Shape...)[m-1]
			r.Text = fmt.Sprintf("mm: mat1 and mat2 shapes cannot be multiplied (%dx%d and %dx%d)", rows, inner, found, other.Shape[1])
		}
		return Step{}, r
	}
	if m > 1 {
		shape = append(shape, s.Shape[m-2])
	}
	if n > 1 {
		shape = append(shape, other.Shape[n-1])
	}
	to, err := tensor.Packed(shape)
	if err != nil {
		return Step{}, err
	}
	return s.computed(to, make([]string, len(shape)), s.DType, "contiguous, whatever the strides of the operands")
}
