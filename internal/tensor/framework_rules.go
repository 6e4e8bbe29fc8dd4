package tensor

import (
	"cmp"
	"math"
	"slices"

	"github.com/tlayout/tlayout/internal/ints"
)

// What MegEngine computes of a TensorLayout (dnn/src/common/basic_types.cpp). It differs from PyTorch on empty tensors
// and on broadcast dims.

// MegContiguous is is_contiguous of the default format: CContiguous, except that an empty tensor is not.
func (s Strided) MegContiguous() bool { return !s.Empty() && s.CContiguous().OK }

// MegContiguousAllowBroadcast is is_contiguous_allow_brdcst: it skips dims of stride 0 of any size.
func (s Strided) MegContiguousAllowBroadcast() bool {
	if s.Rank() == 0 {
		return false
	}
	expect := 1
	for _, i := range s.lastToFirst() {
		if s.Strides[i] == 0 {
			continue
		}
		if s.Shape[i] != 1 && s.Strides[i] != expect {
			return false
		}
		expect *= s.Shape[i]
	}
	return expect != 0
}

// MegAbsMonotonous is is_abs_monotonous_allow_brdcst: from the innermost dim out, each |stride| is at least size·|stride| of the dim
// inside it.
func (s Strided) MegAbsMonotonous() bool {
	if s.Rank() == 0 {
		return false
	}
	last := s.Rank() - 1
	minStride := ints.Abs(s.Strides[last]) * s.Shape[last]
	for i := last - 1; i >= 0; i-- {
		if s.Strides[i] == 0 || s.Shape[i] == 1 {
			continue
		}
		if ints.Abs(s.Strides[i]) < minStride {
			return false
		}
		minStride = ints.Abs(s.Strides[i]) * s.Shape[i]
	}
	return true
}

// MegNonOverlapping is is_non_overlapping_strong: each stride exceeds the reach of the smaller ones of its sign. True rules out overlap
// only if all strides have the same sign: MegEngine returns true for (3,3):(1,-1), which overlaps. ok is false for an empty tensor,
// which fails an assertion of MegEngine.
func (s Strided) MegNonOverlapping() (answer, ok bool) {
	if s.Empty() {
		return false, false
	}
	dims := s.firstToLast()
	slices.SortFunc(dims, func(a, b int) int {
		return cmp.Or(cmp.Compare(ints.Abs(s.Strides[a]), ints.Abs(s.Strides[b])),
			cmp.Compare(s.Strides[a], s.Strides[b]), cmp.Compare(s.Shape[a], s.Shape[b]))
	})
	low, high := 0, 0
	for _, i := range dims {
		if s.Shape[i] == 1 {
			continue
		}
		stride := s.Strides[i]
		reach := stride * (s.Shape[i] - 1)
		if stride > 0 {
			if stride <= high {
				return false, true
			}
			high += reach
			continue
		}
		if stride >= low {
			return false, true
		}
		low += reach
	}
	return true, true
}

// MegSpan returns MegEngine's span relative to the first element: [low, high) in elements, [0, 0) if empty.
func (s Strided) MegSpan() (low, high int) {
	if s.Empty() {
		return 0, 0
	}
	low, high = s.reach()
	return low, high + 1
}

// OneDNNAccepts is oneDNN's check of a plain descriptor's strides: in rising order, each is at least size·stride of the previous one.
// It refuses some layouts without overlap, such as (2,3):(5,2). (memory_desc_strides_check in src/common/memory_desc.cpp)
func (s Strided) OneDNNAccepts() bool {
	if s.Empty() {
		return true
	}
	dims := s.firstToLast()
	slices.SortFunc(dims, func(a, b int) int {
		return cmp.Or(cmp.Compare(s.Strides[a], s.Strides[b]), cmp.Compare(s.Shape[a], s.Shape[b]))
	})
	minStride := 1
	for _, i := range dims {
		if s.Strides[i] == 0 || s.Shape[i] == 1 {
			continue
		}
		if s.Strides[i] < minStride {
			return false
		}
		minStride = s.Shape[i] * s.Strides[i]
	}
	return true
}

// OneDNNElems returns the size of a plain oneDNN memory object: max over dims of size·stride, where a dim of size 1 counts 1. It
// includes the padding after the last row: (2,3):(5,1) has 10 elements here, 8 in PyTorch and DirectML.
func (s Strided) OneDNNElems() int {
	if s.Empty() || s.Rank() == 0 {
		return 0
	}
	elems := 0
	for i, d := range s.Shape {
		step := s.Strides[i]
		if d == 1 {
			step = 1
		}
		elems = max(elems, d*step)
	}
	return elems
}

// DirectMLLimit is the largest number of elements in DirectML's 32-bit sizes.
const DirectMLLimit = 1<<32 - 1

// DirectMLBytes returns DMLCalcBufferTensorSize: the bytes up to the last element, rounded up to 4.
// (learn.microsoft.com/windows/ai/directml/dml-helper-functions)
//
//	⌈(1 + Σ (size−1)·stride) · bits / 8⌉, rounded up to a multiple of 4
//
// The storage offset is excluded: DirectML binds buffers at a separate offset. ok is false if DirectML cannot describe the tensor: rank
// 0, a size of 0, a negative stride, more than 2³²−1 elements, or bits of 0.
func (s Strided) DirectMLBytes(bits int) (bytes int, ok bool) {
	if bits == 0 || !s.hasDirectMLDesc() || !s.DirectMLCounts() {
		return 0, false
	}
	_, high := s.reach()
	words := (int64(high+1)*int64(bits) + 31) / 32
	return int(words) * 4, words <= math.MaxInt/4
}

// hasDirectMLDesc reports whether DML_BUFFER_TENSOR_DESC can hold the sizes and strides: at least one dim, no size of 0 and no negative
// stride.
func (s Strided) hasDirectMLDesc() bool { return s.Rank() > 0 && !s.Empty() && !s.Negative() }

// DirectMLCounts reports whether DirectML's 32-bit sizes can count the elements from the first to the last.
func (s Strided) DirectMLCounts() bool {
	_, high := s.reach()
	return int64(high) < DirectMLLimit
}

// DirectMLDesc prepends dims of size 1 to a DML_BUFFER_TENSOR_DESC of fewer than four dims. Each gets size·stride of
// the dim after it, as in {15, 15, 5, 1}. (learn.microsoft.com/windows/ai/directml/dml-strides)
func (s Strided) DirectMLDesc() (sizes, strides []int) {
	sizes = s.Shape
	strides = s.Strides
	for len(sizes) < 4 {
		step := 1
		if len(sizes) > 0 {
			step = sizes[0] * strides[0]
		}
		sizes = append([]int{1}, sizes...)
		strides = append([]int{step}, strides...)
	}
	return sizes, strides
}

// ByteBounds returns numpy.lib.array_utils.byte_bounds relative to the first element: the lowest byte in use, and the highest plus one.
// An empty array has (0, 0). (numpy/lib/_array_utils_impl.py)
func (s Strided) ByteBounds(itemSize int) (low, high int) {
	if s.Empty() {
		return 0, 0
	}
	low, high = s.reach()
	return low * itemSize, (high + 1) * itemSize
}

// FromBytes returns the strides divided by the itemsize, if those are dense in C or Fortran order while the original strides leave
// gaps: then they are probably NumPy's, in bytes.
func (s Strided) FromBytes(itemSize int) (strides []int, ok bool) {
	if itemSize < 2 || s.NonOverlappingAndDense() { // also scalars and empty tensors, which are dense
		return nil, false
	}
	for _, stride := range s.Strides {
		if stride%itemSize != 0 {
			return nil, false
		}
		strides = append(strides, stride/itemSize)
	}
	as := Strided{Shape: s.Shape, Strides: strides}
	return strides, as.CContiguous().OK || as.FContiguous().OK
}

// SavedFortran reports the fortran_order that numpy.save writes for a view: true if it is column-major and not also row-major.
// numpy.save writes any other view as a row-major copy, losing its layout.
func (s Strided) SavedFortran() bool { return s.FContiguous().OK && !s.CContiguous().OK }

// LeadingDim returns BLAS's leading dimension of a matrix, lda, in elements: the smallest ld ≥ max(1, C) with
//
//	offset(r, c) = offset(0, 0) + r·ld + c    for r < R, c < C
//
// where r and c are the indices of dims 0 and 1 of a row-major matrix, else of dims 1 and 0 of a column-major one. ok is false if there
// is none, as without a stride of 1 or with rows that overlap, and for other ranks. (Netlib's BLAS, dgemm.f: LDA)
func (s Strided) LeadingDim() (ld int, rowMajor, ok bool) {
	if s.Rank() != 2 {
		return 0, false, false
	}
	ld, ok = s.leading(0, 1)
	if ok {
		return ld, true, true
	}
	ld, ok = s.leading(1, 0)
	return ld, false, ok
}

// leading is LeadingDim of a matrix whose rows are a dim.
func (s Strided) leading(rows, columns int) (ld int, ok bool) {
	minLD := max(1, s.Shape[columns])
	if s.Empty() {
		return minLD, true
	}
	if s.Shape[columns] > 1 && s.Strides[columns] != 1 {
		return 0, false
	}
	if s.Shape[rows] == 1 {
		return minLD, true
	}
	return s.Strides[rows], s.Strides[rows] >= minLD
}
