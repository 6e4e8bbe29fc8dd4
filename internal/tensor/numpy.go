package tensor

// ByteBounds is numpy.lib.array_utils.byte_bounds relative to the first element: the lowest byte in use and the one
// after the highest. An empty array has (0, 0). (numpy/lib/_array_utils_impl.py)
func (s Strided) ByteBounds(itemSize int) (low, high int) {
	if s.Empty() {
		return 0, 0
	}
	low, high = s.reach()
	return low * itemSize, (high + 1) * itemSize
}

// SavedFortran reports the fortran_order that numpy.save writes for the view: column-major and not also row-major.
// Any other view is written as a row-major copy of its logical size, and its layout is lost.
func (s Strided) SavedFortran() bool { return s.FContiguous().OK && !s.CContiguous().OK }
