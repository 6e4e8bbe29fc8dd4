package tensor

import (
	"slices"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/text"
)

// View is tensor.view(shape...): the same storage under another shape, if strides can express it. One size may be -1 and is inferred.
// The errors are PyTorch's, verbatim, so that a search finds them.
//
// The old dims are merged into chunks from the innermost out; a chunk ends where the stride of the next dim out is not size·stride of
// the inner one. The new dims must fill each chunk exactly: a dim across two chunks would need two strides. (computeStride in
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

// Reshape is tensor.reshape(shape...): a view if View allows one, otherwise a row-major copy.
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
	out := make([]int, len(shape))
	free := -1
	known := 1
	for i, d := range shape {
		out[i] = d
		if d == -1 {
			if free >= 0 {
				return nil, fault.New(fault.Usage, "only one dimension can be inferred")
			}
			free = i
			continue
		}
		if d < 0 {
			return nil, fault.New(fault.Usage, "invalid shape dimension %d at index %d of shape %s", d, i, List(shape))
		}
		var ok bool
		known, ok = Mul(known, d)
		if !ok {
			return nil, s.invalidShape(shape)
		}
	}
	n := s.Numel()
	if free < 0 {
		if known != n {
			return nil, s.invalidShape(shape)
		}
		_, err := Numel(out)
		return out, err
	}
	if known == 0 && n == 0 {
		return nil, fault.New(fault.Usage, "cannot reshape tensor of 0 elements into shape %s because the "+
			"unspecified dimension size -1 can be any value and is ambiguous", List(shape))
	}
	if known == 0 || n%known != 0 {
		return nil, s.invalidShape(shape)
	}
	out[free] = n / known
	_, err := Numel(out)
	return out, err
}

func (s Strided) invalidShape(shape []int) error {
	return fault.New(fault.Usage, "shape '%s' is invalid for input of size %d", List(shape), s.Numel())
}

// List prints numbers as PyTorch prints a shape: "[2, 3]".
func List(xs []int) string { return "[" + text.Ints(xs, ", ") + "]" }

func (s Strided) viewStrides(shape []int) ([]int, bool) {
	if s.Empty() {
		if slices.Equal(shape, s.Shape) {
			return s.Strides, true
		}
		return rowMajor(shape), true
	}
	if s.Rank() == 0 {
		return slices.Repeat([]int{1}, len(shape)), true
	}
	strides := make([]int, len(shape))
	v := len(shape) - 1           // the next new dim
	base := s.Strides[s.Rank()-1] // stride of the chunk
	chunk := 1                    // its elements
	filled := 1                   // those of the new dims in it
	for t := s.Rank() - 1; t >= 0; t-- {
		chunk *= s.Shape[t]
		if t > 0 && (s.Shape[t-1] == 1 || s.Strides[t-1] == chunk*base) { // the next dim out belongs to the chunk
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
			base = s.Strides[t-1]
			chunk = 1
			filled = 1
		}
	}
	return strides, v < 0
}

// Expand is tensor.expand(target...): dims of size 1 grow with a stride of 0, new dims come first. -1 keeps the size of an existing
// dim. A new leading dim of size 1 gets a view's stride, size·stride of the next dim; NumPy's newaxis gives 0. The errors are
// PyTorch's. (inferExpandGeometry in aten/src/ATen/ExpandUtils.cpp)
//
// Post: the element at i of the result is the element at the last Rank indices of i, with 0 for grown dims.
func (s Strided) Expand(target []int) (Strided, error) {
	n := len(target)
	skip := len(target) - s.Rank()
	if skip < 0 {
		return Strided{}, fault.New(fault.Usage, "expand: the number of sizes provided (%d) must be greater or equal "+
			"to the number of dimensions in the tensor (%d)", n, s.Rank())
	}
	out := Strided{make([]int, n), make([]int, n), s.Offset}
	for i := n - 1; i >= 0; i-- {
		leading := i < skip
		size := 1
		stride := 0
		if !leading {
			size = s.Shape[i-skip]
			stride = s.Strides[i-skip]
		}
		if leading && i+1 < n {
			stride = out.Shape[i+1] * out.Strides[i+1]
		}
		want := target[i]
		if want == -1 {
			if leading {
				return Strided{}, fault.New(fault.Usage, "The expanded size of the tensor (-1) isn't allowed in a leading, "+
					"non-existing dimension %d", i)
			}
			want = size
		}
		if want < 0 {
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

// StorageElems returns the storage size that PyTorch requires for the tensor, including its offset: 0 if empty, otherwise offset + 1 +
// Σ (size−1)·stride. Strides must not be negative. (aten/src/ATen/EmptyTensor.cpp)
func (s Strided) StorageElems() int {
	if s.Empty() {
		return 0
	}
	_, high := s.reach()
	return s.Offset + 1 + high
}

// AsStrided is tensor.as_strided(shape, strides, offset) on a storage of storageElems elements: any view that stays
// inside it. The offset counts from the start of the storage. The errors are PyTorch's, with sizes in bytes. (setStrided and checkInBoundsForStorage in aten/src/ATen/native/Resize.h)
func AsStrided(storageElems, itemSize int, shape, strides []int, offset int) (Strided, error) {
	refuse := func(format string, args ...any) (Strided, error) {
		return Strided{}, fault.New(fault.Negative, format, args...)
	}
	s := Strided{shape, strides, offset}
	if len(shape) != len(strides) {
		return refuse("mismatch in length of strides and shape")
	}
	if s.Negative() {
		return refuse("as_strided: Negative strides are not supported at the moment, got strides: %s", List(strides))
	}
	if _, err := Numel(shape); err != nil {
		return Strided{}, err
	}
	view, err := NewStrided(shape, strides, offset)
	needed, fits := Mul(view.StorageElems(), itemSize)
	if err != nil || !fits {
		return refuse("Storage size calculation overflowed with sizes=%s and strides=%s", List(shape), List(strides))
	}
	if !s.Empty() && view.StorageElems() > storageElems { // the storage's bytes, which are fewer, then fit too
		return refuse("setStorage: sizes %s, strides %s, storage offset %d, and itemsize %d requiring a storage size "+
			"of %d are out of bounds for storage of size %d",
			List(shape), List(strides), offset, itemSize, needed, storageElems*itemSize)
	}
	if offset < 0 {
		return refuse("Tensor: invalid storage offset %d", offset)
	}
	return view, nil
}
