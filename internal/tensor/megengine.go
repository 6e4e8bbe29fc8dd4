package tensor

import (
	"cmp"
	"slices"

	"github.com/tlayout/tlayout/internal/ints"
)

// MegEngine's questions about a TensorLayout, as dnn/src/common/basic_types.cpp answers them. They differ from
// PyTorch's on empty tensors and on broadcast dims.

// MegContiguous is is_contiguous of the default format: CContiguous, but an empty tensor is not.
func (s Strided) MegContiguous() bool { return !s.Empty() && s.CContiguous().OK }

// MegContiguousAllowBroadcast is is_contiguous_allow_brdcst: dims of stride 0 are passed over whatever their size.
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

// MegAbsMonotonous is is_abs_monotonous_allow_brdcst: going out, no |stride| is smaller than what lies inside it.
func (s Strided) MegAbsMonotonous() bool {
	if s.Rank() == 0 {
		return false
	}
	last := s.Rank() - 1
	least := ints.Abs(s.Strides[last]) * s.Shape[last]
	for i := last - 1; i >= 0; i-- {
		if s.Strides[i] == 0 || s.Shape[i] == 1 {
			continue
		}
		if ints.Abs(s.Strides[i]) < least {
			return false
		}
		least = ints.Abs(s.Strides[i]) * s.Shape[i]
	}
	return true
}

// MegNonOverlapping is is_non_overlapping_strong: each stride leads past all that is covered so far, on its own side of
// the start. A yes proves that no elements overlap only where the strides have one sign: MegEngine says yes to
// (3,3):(1,-1), whose two sides meet. ok is false for an empty tensor, which MegEngine asserts against.
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
		stride, reach := s.Strides[i], s.Strides[i]*(s.Shape[i]-1)
		switch {
		case s.Shape[i] == 1:
		case stride > 0 && stride > high:
			high += reach
		case stride <= 0 && stride < low:
			low += reach
		default:
			return false, true
		}
	}
	return true, true
}

// MegSpan is MegEngine's span relative to the first element: [low, high) in elements, [0, 0) where empty.
func (s Strided) MegSpan() (low, high int) {
	if s.Empty() {
		return 0, 0
	}
	low, high = s.reach()
	return low, high + 1
}
