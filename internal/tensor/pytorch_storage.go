package tensor

import "github.com/tlayout/tlayout/internal/fault"

// StorageElems is the storage that PyTorch requires for the tensor, its offset included: 0 where empty, otherwise
// offset + 1 + Σ (size−1)·stride. It is for non-negative strides. (aten/src/ATen/EmptyTensor.cpp)
func (s Strided) StorageElems() int {
	if s.Empty() {
		return 0
	}
	_, high := s.reach()
	return s.Offset + 1 + high
}

// AsStrided is tensor.as_strided(shape, strides, offset) on a storage of the given number of elements: any view that
// stays inside it. The offset counts from the start of the storage. The errors are PyTorch's; sizes in them are in
// bytes. (setStrided and checkInBoundsForStorage in aten/src/ATen/native/Resize.h)
func AsStrided(storageElems, itemSize int, shape, strides []int, offset int) (Strided, error) {
	refuse := func(format string, args ...any) (Strided, error) {
		return Strided{}, fault.New(fault.Negative, format, args...)
	}
	s := Strided{shape, strides, offset}
	switch {
	case len(shape) != len(strides):
		return refuse("mismatch in length of strides and shape")
	case s.Negative():
		return refuse("as_strided: Negative strides are not supported at the moment, got strides: %s", List(strides))
	}
	if _, err := Numel(shape); err != nil {
		return Strided{}, err
	}
	view, err := NewStrided(shape, strides, offset)
	needed, fits := Mul(view.StorageElems(), itemSize)
	switch {
	case err != nil || !fits:
		return refuse("Storage size calculation overflowed with sizes=%s and strides=%s", List(shape), List(strides))
	case !s.Empty() && view.StorageElems() > storageElems: // so that the storage's bytes, which are fewer, can be counted too
		return refuse("setStorage: sizes %s, strides %s, storage offset %d, and itemsize %d requiring a storage size "+
			"of %d are out of bounds for storage of size %d",
			List(shape), List(strides), offset, itemSize, needed, storageElems*itemSize)
	case offset < 0:
		return refuse("Tensor: invalid storage offset %d", offset)
	}
	return view, nil
}
