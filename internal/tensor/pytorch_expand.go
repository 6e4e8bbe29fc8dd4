package tensor

import "github.com/tlayout/tlayout/internal/fault"

// Expand is tensor.expand(target...): dims of size 1 grow by a stride of 0, new dims appear in front. -1 keeps an
// existing dim's size. A new leading dim of size 1 gets the stride that a view would give it, size·stride of the dim
// after it, where NumPy's newaxis gives 0. The errors are PyTorch's. (inferExpandGeometry in
// aten/src/ATen/ExpandUtils.cpp)
//
// Post: the element at i of the result is the element at i, cut to the old rank and with 0 for grown dims.
func (s Strided) Expand(target []int) (Strided, error) {
	n, skip := len(target), len(target)-s.Rank()
	if skip < 0 {
		return Strided{}, fault.New(fault.Usage, "expand: the number of sizes provided (%d) must be greater or equal "+
			"to the number of dimensions in the tensor (%d)", n, s.Rank())
	}
	out := Strided{make([]int, n), make([]int, n), s.Offset}
	for i := n - 1; i >= 0; i-- {
		size, stride := 1, 0
		switch d := i - skip; {
		case d >= 0:
			size, stride = s.Shape[d], s.Strides[d]
		case i+1 < n:
			stride = out.Shape[i+1] * out.Strides[i+1]
		}
		want := target[i]
		switch {
		case want == -1 && i < skip:
			return Strided{}, fault.New(fault.Usage, "The expanded size of the tensor (-1) isn't allowed in a leading, "+
				"non-existing dimension %d", i)
		case want == -1:
			want = size
		case want < 0:
			return Strided{}, fault.New(fault.Usage, "invalid size %d in dimension %d", want, i)
		}
		if size != want {
			if size != 1 {
				return Strided{}, fault.New(fault.Usage, "The expanded size of the tensor (%d) must match the existing "+
					"size (%d) at non-singleton dimension %d.  Target sizes: %s.  Tensor sizes: %s",
					want, size, i, List(target), List(s.Shape))
			}
			stride = 0
		}
		out.Shape[i], out.Strides[i] = want, stride
	}
	return NewStrided(out.Shape, out.Strides, out.Offset)
}
