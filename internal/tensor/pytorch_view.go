package tensor

import (
	"slices"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/words"
)

// View is tensor.view(shape...): the same storage under another shape, where one set of strides can say it. One size
// may be -1: what is left. The errors are PyTorch's, word for word, so that a search for them finds this program.
//
// The old dims are walked from the innermost out and collected into chunks that run on as one dim; a chunk ends
// where the next dim out is not its continuation (stride ≠ size·stride of the inner one). The new dims must fill
// each chunk exactly, for a dim that spans two chunks would need two strides. (computeStride in
// aten/src/ATen/TensorUtils.cpp)
//
//	(2,3,4):(12,4,1) → (6,4):(4,1)        one chunk of 24
//	(3,2):(1,3)      → (6,)               refused: chunks of 2 and 3
//
// Post: coordinate k in logical order has the same address before and after.
func (s Strided) View(shape []int) (Strided, error) {
	want, err := s.resolve(shape)
	if err != nil {
		return Strided{}, err
	}
	if strides, ok := s.viewStrides(want); ok {
		return Strided{want, strides, s.Offset}, nil
	}
	return Strided{}, fault.New(fault.Negative, "view size is not compatible with input tensor's size and stride "+
		"(at least one dimension spans across two contiguous subspaces). Use .reshape(...) instead.")
}

// Reshape is tensor.reshape(shape...): a view where View allows one, otherwise a row-major copy.
//
// Post: coordinate k in logical order is the same element before and after; without a copy it has the same address.
func (s Strided) Reshape(shape []int) (r Strided, copied bool, err error) {
	want, err := s.resolve(shape)
	if err != nil {
		return Strided{}, false, err
	}
	if strides, ok := s.viewStrides(want); ok {
		return Strided{want, strides, s.Offset}, false, nil
	}
	return Strided{want, rowMajor(want), 0}, true, nil
}

// resolve replaces a -1 and checks the number of elements.
func (s Strided) resolve(shape []int) ([]int, error) {
	out, free, known := make([]int, len(shape)), -1, 1
	for i, d := range shape {
		out[i] = d
		switch {
		case d == -1 && free >= 0:
			return nil, fault.New(fault.Usage, "only one dimension can be inferred")
		case d == -1:
			free = i
		case d < 0:
			return nil, fault.New(fault.Usage, "invalid shape dimension %d", d)
		default:
			var ok bool
			if known, ok = Mul(known, d); !ok {
				return nil, s.invalidShape(shape)
			}
		}
	}
	n := s.Numel()
	switch {
	case free >= 0 && known == 0 && n == 0:
		return nil, fault.New(fault.Usage, "cannot reshape tensor of 0 elements into shape %s because the "+
			"unspecified dimension size -1 can be any value and is ambiguous", List(shape))
	case free >= 0 && (known == 0 || n%known != 0), free < 0 && known != n:
		return nil, s.invalidShape(shape)
	case free >= 0:
		out[free] = n / known
	}
	_, err := Numel(out)
	return out, err
}

func (s Strided) invalidShape(shape []int) error {
	return fault.New(fault.Usage, "shape '%s' is invalid for input of size %d", List(shape), s.Numel())
}

// List prints numbers the way PyTorch prints a shape: "[2, 3]".
func List(xs []int) string { return "[" + words.Ints(xs, ", ") + "]" }

func (s Strided) viewStrides(shape []int) ([]int, bool) {
	strides := make([]int, len(shape))
	switch {
	case s.Empty() && slices.Equal(shape, s.Shape):
		return s.Strides, true
	case s.Empty():
		return rowMajor(shape), true
	case s.Rank() == 0:
		for i := range strides {
			strides[i] = 1
		}
		return strides, true
	}
	v, base := len(shape)-1, s.Strides[s.Rank()-1]
	chunk, filled := 1, 1
	for t := s.Rank() - 1; t >= 0; t-- {
		chunk *= s.Shape[t]
		if t > 0 && (s.Shape[t-1] == 1 || s.Strides[t-1] == chunk*base) {
			continue
		}
		for ; v >= 0 && (filled < chunk || shape[v] == 1); v-- {
			strides[v] = filled * base
			filled *= shape[v]
		}
		if filled != chunk {
			return nil, false
		}
		if t > 0 {
			base, chunk, filled = s.Strides[t-1], 1, 1
		}
	}
	return strides, v < 0
}
