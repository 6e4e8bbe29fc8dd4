package tensor

import (
	"cmp"
	"slices"
)

// MemoryFormat is PyTorch's memory_format.
type MemoryFormat string

// PyTorch's memory formats (c10/core/MemoryFormat.h).
const (
	ContiguousFormat   MemoryFormat = "contiguous"
	ChannelsLastFormat MemoryFormat = "channels_last"
	ChannelsLast3D     MemoryFormat = "channels_last_3d"
)

// Rank returns the only rank of the format; -1: any.
func (f MemoryFormat) Rank() int {
	switch f {
	case ChannelsLastFormat:
		return 4
	case ChannelsLast3D:
		return 5
	}
	return -1
}

func (f MemoryFormat) order() []int {
	switch f {
	case ChannelsLastFormat:
		return channelsLastOrder
	case ChannelsLast3D:
		return channelsLast3DOrder
	}
	return nil
}

// SuggestMemoryFormat returns tensor.suggest_memory_format(), the hint by which operators choose the format of their output. Unlike
// IsContiguous(channels_last), it compares the strides of size-1 dims and allows gaps. (aten/src/ATen/core/TensorBase.h)
func (s Strided) SuggestMemoryFormat() MemoryFormat {
	if f := channelsLastOf(s.Rank()); s.LikeChannelsLast(f) {
		return f
	}
	return ContiguousFormat
}

// FormatName names the strides in a word: contiguous, channels_last, channels_last_3d, expanded (a stride of 0), transposed (F-contiguous),
// permuted (dense in another order) or strided (with gaps or overlap).
func (s Strided) FormatName() string {
	if s.CContiguous().OK {
		return string(ContiguousFormat)
	}
	if last := channelsLastOf(s.Rank()); s.IsContiguous(last) {
		return string(last)
	}
	if slices.Contains(s.Strides, 0) {
		return "expanded"
	}
	if s.FContiguous().OK {
		return "transposed"
	}
	if s.NonOverlappingAndDense() {
		return "permuted"
	}
	return "strided"
}

// channelsLastOf returns the channels_last format for the rank; ContiguousFormat for ranks without one.
func channelsLastOf(rank int) MemoryFormat {
	for _, f := range []MemoryFormat{ChannelsLastFormat, ChannelsLast3D} {
		if f.Rank() == rank {
			return f
		}
	}
	return ContiguousFormat
}

// LikeChannelsLast returns c10's is_channels_last_strides_2d and _3d: strides that never decrease in the order C, W, H, N, where each
// dim spans stride·size, even for size 1. False if the rank does not match. (c10/core/MemoryFormat.h)
func (s Strided) LikeChannelsLast(f MemoryFormat) bool {
	return s.likeChannelsLast(f, func(size, stride int) int { return stride * size })
}

// PrimsLikeChannelsLast returns torch._prims_common.are_strides_like_channels_last of PyTorch 1.13 to 2.10, which determines the
// strides of results when torch.compile traces: those of convolution, pooling, pad and repeat in 1.13 (torch/_meta_registrations.py,
// torch/_refs/__init__.py). It tests stride > 1 where C++ tests size > 1, so that a dim of stride 1 spans 1 for any size. They differ
// only if a dim of stride 1 has a size over 1:
//
//	(2,1,3,1):(3,1,1,1)   C++ yes; Python no: the dims inside N span 1, which is the stride of C
//	(2,3,4,4):(48,1,12,1) C++ no: the stride of W is 1, and C spans 3; Python yes
//
// pytorch #173038 of January 2026 made it LikeChannelsLast. (torch/_prims_common/__init__.py)
func (s Strided) PrimsLikeChannelsLast(f MemoryFormat) bool {
	return s.likeChannelsLast(f, func(size, stride int) int {
		if stride > 1 {
			return stride * size
		}
		return stride
	})
}

// likeChannelsLast is the loop of both; spans returns the span of one dim.
func (s Strided) likeChannelsLast(f MemoryFormat, span func(size, stride int) int) bool {
	if s.Rank() != f.Rank() || s.Strides[1] == 0 {
		return false
	}
	minStride := 0
	for _, d := range f.order() {
		if s.Shape[d] == 0 || s.Strides[d] < minStride {
			return false
		}
		if d == 0 && minStride == s.Strides[1] { // N,1,1,1 and all strides equal: stays NCHW
			return false
		}
		minStride = span(s.Shape[d], s.Strides[d])
	}
	return true
}

// IsContiguous returns tensor.is_contiguous(memory_format=f).
func (s Strided) IsContiguous(f MemoryFormat) bool {
	switch f {
	case ChannelsLastFormat:
		return s.ChannelsLast().OK
	case ChannelsLast3D:
		return s.ChannelsLast3D().OK
	}
	return s.CContiguous().OK
}

// FormatStrides returns the strides that PyTorch gives a new tensor of the format; false if the rank does not match. In
// channels_last a size of 0 makes the strides after it 0; in the contiguous format it counts as 1.
// (c10/core/MemoryFormat.h, get_channels_last_strides_2d)
//
//	stride = 1; for k in {1, 3, 2, 0}: strides[k] = stride; stride *= shape[k]
func FormatStrides(shape []int, f MemoryFormat) ([]int, bool) {
	order := f.order()
	if order == nil {
		return rowMajor(shape), true
	}
	if len(shape) != len(order) {
		return nil, false
	}
	strides := make([]int, len(shape))
	run := 1
	for _, d := range order {
		strides[d] = run
		run *= shape[d]
	}
	return strides, true
}

// Copy is the result of a PyTorch call that may copy: the tensor itself if Self, otherwise a new one with Strides.
type Copy struct {
	Self    bool
	Strides []int
}

// Contiguous is tensor.contiguous(memory_format=f): the tensor itself if IsContiguous(f). ok is false if the rank does not match the
// format, which PyTorch refuses.
func (s Strided) Contiguous(f MemoryFormat) (c Copy, ok bool) {
	return s.copyUnless(s.IsContiguous(f), f)
}

// To is tensor.to(memory_format=f). It follows the hint, not contiguity: it returns the tensor itself if and only if
// SuggestMemoryFormat is f, so that the result of to(contiguous_format) may not be contiguous.
func (s Strided) To(f MemoryFormat) (c Copy, ok bool) {
	return s.copyUnless(s.SuggestMemoryFormat() == f, f)
}

func (s Strided) copyUnless(self bool, f MemoryFormat) (Copy, bool) {
	fresh, ok := FormatStrides(s.Shape, f)
	if !ok {
		return Copy{}, false
	}
	if self {
		return Copy{true, s.Strides}, true
	}
	return Copy{false, fresh}, true
}

// NonOverlappingAndDense is PyTorch's property of that name: contiguous in some order of the dims. For non-empty tensors with
// non-negative strides, the addresses are then exactly 0 … numel−1 from the offset, each once. An empty tensor counts as dense.
// (c10/core/Contiguity.h)
func (s Strided) NonOverlappingAndDense() bool {
	if s.CContiguous().OK || s.ChannelsLast().OK || s.ChannelsLast3D().OK {
		return true
	}
	if s.Rank() == 1 {
		return s.Shape[0] < 2 || s.Strides[0] == 1
	}
	dims := slices.DeleteFunc(s.firstToLast(), func(i int) bool { return s.Shape[i] < 2 })
	slices.SortFunc(dims, func(a, b int) int { return cmp.Compare(s.Strides[a], s.Strides[b]) })
	return s.packedIn(dims).OK
}

// InferDense returns dense strides in the same order of dims, as clone and empty_like make them for a tensor with gaps
// or broadcast dims. (infer_dense_strides in aten/src/ATen/ExpandUtils.cpp)
//
// Post: the strides are non-overlapping and dense.
func (s Strided) InferDense() []int {
	strides := make([]int, s.Rank())
	run := 1
	for _, d := range s.strideOrder() {
		strides[d] = run
		run *= max(s.Shape[d], 1)
	}
	return strides
}

// CloneStrides returns the strides of tensor.clone(), which preserves the format: the same if dense, otherwise InferDense.
func (s Strided) CloneStrides() []int {
	if s.NonOverlappingAndDense() {
		return s.Strides
	}
	return s.InferDense()
}

// DimOrder returns PyTorch 2's tensor.dim_order(): the dims from the outermost to the innermost.
func (s Strided) DimOrder() []int {
	c := s.CContiguous().OK
	cl := s.ChannelsLast().OK
	if c && !cl {
		return s.firstToLast()
	}
	if cl && !c {
		return []int{0, 2, 3, 1}
	}
	order := s.strideOrder()
	slices.Reverse(order)
	return order
}

// strideOrder is IterationOrder for a single tensor.
func (s Strided) strideOrder() []int { return IterationOrder(s.Shape, s.Strides) }

// IterationOrder sorts the dims from the innermost to the outermost by PyTorch's insertion sort: by the strides of the first operand
// that decides. A library sort would return other results: a stride of 0 compares equal to any, so that the comparison is not
// transitive and the result depends on which pairs are compared. A dim that compares equal stays, and is compared with the next dim
// out. (TensorIteratorBase::reorder_dimensions in aten/src/ATen/TensorIterator.cpp, infer_dense_strides in ExpandUtils.cpp)
func IterationOrder(shape []int, operands ...[]int) []int {
	perm := Strided{Shape: shape}.lastToFirst()
	for i := 1; i < len(perm); i++ {
		at := i
		for j := i - 1; j >= 0; j-- {
			c := compareDims(shape, operands, perm[j], perm[at])
			if c < 0 {
				break
			}
			if c > 0 {
				perm[j], perm[at] = perm[at], perm[j]
				at = j
			}
		}
	}
	return perm
}

// compareDims orders two dims by the strides of the first operand that decides, dims of equal stride by size; a stride of 0 is equal to
// any.
func compareDims(shape []int, operands [][]int, a, b int) int {
	for _, strides := range operands {
		if strides[a] == 0 || strides[b] == 0 {
			continue
		}
		if strides[a] != strides[b] {
			return cmp.Compare(strides[a], strides[b])
		}
		if shape[a] > shape[b] {
			return 1
		}
	}
	return 0
}
