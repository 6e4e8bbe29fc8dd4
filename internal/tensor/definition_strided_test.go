package tensor

import (
	"slices"

	"github.com/tlayout/tlayout/internal/ints"
)

// stridedDefinitions states each question that frameworks ask of a strided tensor as a fact about its addresses.
var stridedDefinitions = map[string]func(reporter, Strided){
	"Elements":    defineElements,
	"Contiguity":  defineContiguity,
	"Strict":      defineStrict,
	"Dense":       defineDense,
	"InferDense":  defineInferDense,
	"DimOrder":    defineDimOrder,
	"Infer":       defineInfer,
	"Suggest":     defineSuggest,
	"Copies":      defineCopies,
	"StorageSize": defineStorageSize,
	"View":        defineView,
	"Expand":      defineExpand,
	"NumPy":       defineNumPy,
	"BLAS":        defineBLAS,
	"DirectML":    defineDirectML,
	"OneDNN":      defineOneDNN,
	"MegEngine":   defineMegEngine,
}

func defineElements(t reporter, s Strided) {
	all := addresses(s)
	same(t, "Rank", s, s.Rank(), len(s.Strides))
	same(t, "Numel", s, s.Numel(), len(all))
	same(t, "Empty", s, s.Empty(), len(all) == 0)
	backwards := false
	for _, stride := range s.Strides {
		backwards = backwards || stride < 0
	}
	same(t, "Negative", s, s.Negative(), backwards)
}

// walkIn lists the addresses, counted from the offset, with the dims nested in the given order, outermost first.
func walkIn(s Strided, outerToInner []int) []int {
	moved := Strided{permuted(s.Shape, outerToInner), permuted(s.Strides, outerToInner), 0}
	return addresses(moved)
}

// counts reports whether xs is 0, 1, 2, ….
func counts(xs []int) bool {
	for k, x := range xs {
		if x != k {
			return false
		}
	}
	return true
}

// formatOrders lists the dims from the outermost to the innermost in memory.
var formatOrders = map[MemoryFormat][]int{
	ChannelsLastFormat: {0, 2, 3, 1},
	ChannelsLast3D:     {0, 2, 3, 4, 1},
}

// A tensor is contiguous in an order of dims if walking it in that order counts the addresses one by one. An empty one
// is C- and F-contiguous; for channels_last its strides decide, zeros included.
func defineContiguity(t reporter, s Strided) {
	identity := s.firstToLast()
	backward := slices.Clone(identity)
	slices.Reverse(backward)
	same(t, "CContiguous", s, s.CContiguous().OK, counts(walkIn(s, identity)))
	same(t, "FContiguous", s, s.FContiguous().OK, counts(walkIn(s, backward)))
	same(t, "IsContiguous", s, s.IsContiguous(ContiguousFormat), counts(walkIn(s, identity)))
	defineReason(t, s, s.CContiguous(), identity, true)
	defineReason(t, s, s.FContiguous(), backward, true)
	for f, order := range formatOrders {
		verdict := s.ChannelsLast()
		if f == ChannelsLast3D {
			verdict = s.ChannelsLast3D()
		}
		same(t, string(f), s, s.IsContiguous(f), verdict.OK)
		if s.Rank() != len(order) {
			same(t, "verdict on the wrong rank", s, verdict, Verdict{Dim: -1})
			continue
		}
		want := counts(walkIn(s, order))
		if s.Empty() {
			fresh, _ := FormatStrides(s.Shape, f)
			for d, size := range s.Shape {
				want = want && (size == 1 || s.Strides[d] == fresh[d])
			}
		}
		same(t, string(f), s, verdict.OK, want)
		defineReason(t, s, verdict, order, true)
	}
}

// The reason of a no is the first dim, going out, whose stride is not the product of the sizes inside it.
func defineReason(t reporter, s Strided, v Verdict, outerToInner []int, skipOnes bool) {
	if v.OK {
		return
	}
	product := 1
	for k := len(outerToInner) - 1; k >= 0; k-- {
		d := outerToInner[k]
		if s.Strides[d] != product && (s.Shape[d] != 1 || !skipOnes) {
			same(t, "reason", s, v, Verdict{Dim: d, Expected: product, Found: s.Strides[d]})
			return
		}
		product *= s.Shape[d]
	}
	t.Errorf("%v: the verdict %v has no reason", s, v)
}

// The strict loop of source 1 compares every stride with the product of the sizes after it.
func defineStrict(t reporter, s Strided) {
	want := make([]int, s.Rank())
	for i := range want {
		want[i] = ints.Product(s.Shape[i+1:])
	}
	same(t, "StrictContiguous", s, s.StrictContiguous().OK, slices.Equal(s.Strides, want))
	defineReason(t, s, s.StrictContiguous(), s.firstToLast(), false)
}

// Non-overlapping and dense: as many distinct addresses as elements, and none unused between them. Stated for strides
// of at least 0; an empty tensor counts.
func defineDense(t reporter, s Strided) {
	if s.Negative() {
		return
	}
	all := addresses(s)
	want := len(all) == 0 || distinct(all) == len(all) && slices.Max(all)-slices.Min(all)+1 == len(all)
	same(t, "NonOverlappingAndDense", s, s.NonOverlappingAndDense(), want)
	clone := s.InferDense()
	if want {
		clone = s.Strides
	}
	same(t, "CloneStrides", s, s.CloneStrides(), clone)
}

// InferDense packs the dims in the order of their strides: smallest innermost, of equal strides the smaller dim, then
// the later one. With a stride of 0 the order is PyTorch's own, but the result is dense all the same.
func defineInferDense(t reporter, s Strided) {
	got := s.InferDense()
	dense := Strided{s.Shape, got, 0}
	if !dense.NonOverlappingAndDense() {
		t.Errorf("InferDense of %v gives %v, which is not dense", s, got)
	}
	if slices.Contains(s.Strides, 0) {
		return
	}
	want, run, left := make([]int, s.Rank()), 1, s.firstToLast()
	for len(left) > 0 {
		inner := left[0]
		for _, d := range left {
			if s.Strides[d] < s.Strides[inner] || s.Strides[d] == s.Strides[inner] && s.Shape[d] <= s.Shape[inner] {
				inner = d
			}
		}
		want[inner] = run
		run *= max(1, s.Shape[inner])
		left = slices.DeleteFunc(left, func(d int) bool { return d == inner })
	}
	same(t, "InferDense", s, got, want)
}

// DimOrder is a permutation; where every dim moves, it goes from the largest stride to the smallest.
func defineDimOrder(t reporter, s Strided) {
	order := s.DimOrder()
	same(t, "sorted DimOrder", s, slices.Sorted(slices.Values(order)), s.firstToLast())
	if slices.Contains(s.Strides, 0) || slices.ContainsFunc(s.Shape, func(d int) bool { return d < 2 }) {
		return
	}
	falling := permuted(s.Strides, order)
	slices.Reverse(falling)
	if !slices.IsSorted(falling) {
		t.Errorf("DimOrder of %v = %v: strides do not fall", s, order)
	}
}
