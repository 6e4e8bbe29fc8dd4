package tensor

import (
	"slices"

	"github.com/tlayout/tlayout/internal/ints"
)

// ByteBounds are the first byte in use and one past the last, counted from the first element. numpy.save writes
// Fortran order for what counts along the first dim fastest and does not count along the last.
func defineNumPy(t reporter, s Strided) {
	low, high := s.ByteBounds(8)
	all := addresses(s)
	if len(all) == 0 {
		same(t, "ByteBounds", s, []int{low, high}, []int{0, 0})
	} else {
		same(t, "ByteBounds", s, []int{low, high},
			[]int{8 * (slices.Min(all) - s.Offset), 8 * (slices.Max(all) - s.Offset + 1)})
	}
	backward := s.lastToFirst()
	same(t, "SavedFortran", s, s.SavedFortran(),
		counts(walkIn(s, backward)) && !counts(walkIn(s, s.firstToLast())))
}

// defineBLAS searches for a leading dimension by its definition, row-major first.
func defineBLAS(t reporter, s Strided) {
	if s.Rank() != 2 {
		_, _, ok := s.LeadingDim()
		same(t, "LeadingDim of another rank", s, ok, false)
		return
	}
	want := []int{0, 0}
search:
	for _, rows := range []int{0, 1} {
		for ld := max(1, s.Shape[1-rows]); ld <= 4096; ld++ {
			fits := true
			for r := range s.Shape[rows] {
				for c := range s.Shape[1-rows] {
					fits = fits && r*s.Strides[rows]+c*s.Strides[1-rows] == r*ld+c
				}
			}
			if fits {
				want = []int{ld, 1 - rows}
				break search
			}
		}
	}
	ld, rowMajor, ok := s.LeadingDim()
	got := []int{0, 0}
	if ok {
		got[0] = ld
	}
	if rowMajor {
		got[1] = 1
	}
	same(t, "LeadingDim", s, got, want)
}

// packedLike is what DirectML makes of null strides: the shape, packed.
func packedLike(s Strided) Strided { return Strided{s.Shape, rowMajor(s.Shape), 0} }

// DirectML's size reaches the last element, in whole groups of four bytes; it has neither rank 0 nor empty tensors. The
// description has at least four dims and the same elements.
func defineDirectML(t reporter, s Strided) {
	all := addresses(s)
	exists := len(all) > 0 && s.Rank() > 0
	for _, bits := range []int{0, 4, 8, 16, 32, 64} {
		bytes, ok := s.DirectMLBytes(bits)
		packed, packedOK := packedLike(s).DirectMLBytes(bits)
		same(t, "whether DirectML has it", s, ok, bits > 0 && exists && !s.Negative())
		same(t, "whether DirectML has it packed", s, packedOK, bits > 0 && exists)
		if ok {
			same(t, "DirectMLBytes", s, bytes, roundUp(roundUp((slices.Max(all)-s.Offset+1)*bits, 8)/8, 4))
		}
		if packedOK {
			same(t, "DirectMLBytes of null strides", s, packed, roundUp(roundUp(len(all)*bits, 8)/8, 4))
		}
	}
	sizes, strides := s.DirectMLDesc()
	filled := max(4-s.Rank(), 0)
	same(t, "rank of DirectMLDesc", s, []int{len(sizes), len(strides)}, []int{max(4, s.Rank()), max(4, s.Rank())})
	same(t, "sizes of DirectMLDesc", s, sizes, append(slices.Repeat([]int{1}, filled), s.Shape...))
	same(t, "elements of DirectMLDesc", s, addresses(Strided{sizes, strides, s.Offset}), all)
	for i := range filled {
		step := 1
		if i+1 < len(sizes) && (i+1 < filled || s.Rank() > 0) {
			step = sizes[i+1] * strides[i+1]
		}
		same(t, "leading stride of DirectMLDesc", s, strides[i], step)
	}
}

// oneDNN accepts strides of which one of any two that move steps over the other's whole dim. That lets no overlap
// through except broadcast dims, and its size then covers every element.
func defineOneDNN(t reporter, s Strided) {
	if s.Negative() {
		return
	}
	want := true
	for i := range s.Rank() {
		for j := range i {
			a, b := s.Strides[i], s.Strides[j]
			moving := a > 0 && b > 0 && s.Shape[i] != 1 && s.Shape[j] != 1
			want = want && (!moving || a >= b*s.Shape[j] || b >= a*s.Shape[i])
		}
	}
	same(t, "OneDNNAccepts", s, s.OneDNNAccepts(), want || s.Empty())
	if !s.OneDNNAccepts() || s.Empty() {
		return
	}
	all := addresses(s)
	repeats := slices.Contains(s.Strides, 0)
	if !repeats && distinct(all) < len(all) {
		t.Errorf("oneDNN accepts %v, whose elements overlap", s)
	}
	if elems := s.OneDNNElems(); s.Rank() > 0 && !repeats && elems < slices.Max(all)-s.Offset+1 {
		t.Errorf("OneDNNElems of %v = %d, too few", s, elems)
	}
}

// MegEngine: contiguous as elsewhere but never empty; allowing broadcast, the same of the dims that move; monotonous,
// where each dim that moves steps over the one inside it; non-overlapping, strides of both signs set aside, where each
// steps over all that smaller strides reach.
func defineMegEngine(t reporter, s Strided) {
	all := addresses(s)
	same(t, "MegContiguous", s, s.MegContiguous(), len(all) > 0 && counts(walkIn(s, s.firstToLast())))

	var moving, stepping Strided
	for i, size := range s.Shape {
		if s.Strides[i] != 0 {
			moving.Shape, moving.Strides = append(moving.Shape, size), append(moving.Strides, s.Strides[i])
		}
		if i == s.Rank()-1 || s.Strides[i] != 0 && size != 1 {
			stepping.Shape, stepping.Strides = append(stepping.Shape, size), append(stepping.Strides, s.Strides[i])
		}
	}
	walked := addresses(moving)
	same(t, "MegContiguousAllowBroadcast", s, s.MegContiguousAllowBroadcast(),
		s.Rank() > 0 && len(walked) > 0 && counts(walked))
	monotonous := s.Rank() > 0
	for i := range len(stepping.Shape) - 1 {
		monotonous = monotonous && ints.Abs(stepping.Strides[i]) >= ints.Abs(stepping.Strides[i+1])*stepping.Shape[i+1]
	}
	same(t, "MegAbsMonotonous", s, s.MegAbsMonotonous(), monotonous)

	answer, ok := s.MegNonOverlapping()
	same(t, "whether MegNonOverlapping answers", s, ok, len(all) > 0)
	forwards := slices.ContainsFunc(s.Strides, func(x int) bool { return x > 0 })
	if ok && !(forwards && s.Negative()) {
		same(t, "MegNonOverlapping", s, answer, steps(s))
	}
	low, high := s.MegSpan()
	if len(all) == 0 {
		same(t, "MegSpan", s, []int{low, high}, []int{0, 0})
	} else {
		same(t, "MegSpan", s, []int{low, high}, []int{slices.Min(all) - s.Offset, slices.Max(all) - s.Offset + 1})
	}
}
