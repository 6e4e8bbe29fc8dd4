package tensor

import (
	"cmp"
	"slices"
)

// NonOverlappingAndDense answers PyTorch's question of that name: contiguous in some order of the dims. For
// non-empty tensors of non-negative strides it means that the addresses are exactly 0 … numel−1 counted from the
// offset, each once. An empty tensor counts as dense. (c10/core/Contiguity.h)
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

// InferDense returns the strides of a dense tensor in the same order of dims, as clone and empty_like make them of
// a tensor with gaps or broadcast dims. (infer_dense_strides in aten/src/ATen/ExpandUtils.cpp)
//
// Post: the strides are non-overlapping and dense.
func (s Strided) InferDense() []int {
	strides, run := make([]int, s.Rank()), 1
	for _, d := range s.strideOrder() {
		strides[d] = run
		run *= max(s.Shape[d], 1)
	}
	return strides
}

// CloneStrides returns the strides of tensor.clone(), which preserves the format: the same strides where dense,
// InferDense otherwise.
func (s Strided) CloneStrides() []int {
	if s.NonOverlappingAndDense() {
		return s.Strides
	}
	return s.InferDense()
}

// DimOrder answers PyTorch 2's tensor.dim_order(): the dims from the outermost to the innermost.
func (s Strided) DimOrder() []int {
	c, cl := s.CContiguous().OK, s.ChannelsLast().OK
	switch {
	case c && !cl:
		return s.firstToLast()
	case cl && !c:
		return []int{0, 2, 3, 1}
	}
	order := s.strideOrder()
	slices.Reverse(order)
	return order
}

// strideOrder sorts the dims from the innermost to the outermost by PyTorch's insertion sort. A library sort will
// not do: the comparison says "equal" wherever a stride is 0, so it is not transitive, and the result depends on
// which pairs meet: a dim that compares equal stays where it is, yet goes on to be compared with the next ones out.
func (s Strided) strideOrder() []int {
	perm := s.lastToFirst()
	for i := 1; i < len(perm); i++ {
		at := i
		for j := i - 1; j >= 0; j-- {
			c := s.compareStrides(perm[j], perm[at])
			if c > 0 {
				perm[j], perm[at] = perm[at], perm[j]
				at = j
			} else if c < 0 {
				break
			}
		}
	}
	return perm
}

// compareStrides orders dims by stride; of equal strides the larger dim lies further out, and a stride of 0 is equal
// to any.
func (s Strided) compareStrides(a, b int) int {
	switch {
	case s.Strides[a] == 0 || s.Strides[b] == 0:
		return 0
	case s.Strides[a] != s.Strides[b]:
		return cmp.Compare(s.Strides[a], s.Strides[b])
	case s.Shape[a] > s.Shape[b]:
		return 1
	}
	return 0
}
