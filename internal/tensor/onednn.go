package tensor

import (
	"cmp"
	"slices"
)

// OneDNNAccepts is oneDNN's check of a plain descriptor's strides: sorted by stride, each at least the extent of
// what lies inside it. It refuses some layouts without overlap, (2,3):(5,2) for one. (memory_desc_strides_check in
// src/common/memory_desc.cpp)
func (s Strided) OneDNNAccepts() bool {
	if s.Empty() {
		return true
	}
	dims := s.firstToLast()
	slices.SortFunc(dims, func(a, b int) int {
		return cmp.Or(cmp.Compare(s.Strides[a], s.Strides[b]), cmp.Compare(s.Shape[a], s.Shape[b]))
	})
	least := 1
	for _, i := range dims {
		if s.Strides[i] == 0 || s.Shape[i] == 1 {
			continue
		}
		if s.Strides[i] < least {
			return false
		}
		least = s.Shape[i] * s.Strides[i]
	}
	return true
}

// OneDNNElems is the size of a plain oneDNN memory object: max over dims of size·stride, where a dim of size 1 counts
// 1. It includes the padding after the last row: (2,3):(5,1) takes 10 elements here, 8 in PyTorch and DirectML.
func (s Strided) OneDNNElems() int {
	if s.Empty() || s.Rank() == 0 {
		return 0
	}
	most := 0
	for i, d := range s.Shape {
		step := s.Strides[i]
		if d == 1 {
			step = 1
		}
		most = max(most, d*step)
	}
	return most
}
