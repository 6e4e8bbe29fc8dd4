package tensor

import "math"

// DirectMLLimit is the largest number of elements that DirectML's 32-bit sizes can count.
const DirectMLLimit = 1<<32 - 1

// DirectMLBytes is DMLCalcBufferTensorSize: the bytes up to the last element, rounded up to 4.
// (learn.microsoft.com/windows/ai/directml/dml-helper-functions)
//
//	⌈(1 + Σ (size−1)·stride) · bits / 8⌉, rounded up to a multiple of 4
//
// The storage offset does not count: DirectML binds buffers at an offset of its own. ok is false where DirectML
// cannot describe the tensor: rank 0, a size of 0, a negative stride, more than 2³²−1 elements, or bits of 0.
func (s Strided) DirectMLBytes(bits int) (bytes int, ok bool) {
	if s.Rank() == 0 || s.Empty() || s.Negative() || bits == 0 {
		return 0, false
	}
	_, high := s.reach()
	if int64(high) >= DirectMLLimit {
		return 0, false
	}
	words := (int64(high+1)*int64(bits) + 31) / 32
	return int(words) * 4, words <= math.MaxInt/4
}

// DirectMLDesc fills the leading dims of a DML_BUFFER_TENSOR_DESC with size 1 up to four dims. Each gets the stride
// that steps over the dim after it, as in {15, 15, 5, 1}. (learn.microsoft.com/windows/ai/directml/dml-strides)
func (s Strided) DirectMLDesc() (sizes, strides []int) {
	sizes, strides = s.Shape, s.Strides
	for len(sizes) < 4 {
		step := 1
		if len(sizes) > 0 {
			step = sizes[0] * strides[0]
		}
		sizes, strides = append([]int{1}, sizes...), append([]int{step}, strides...)
	}
	return sizes, strides
}
