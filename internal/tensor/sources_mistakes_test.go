package tensor

import (
	"slices"
	"testing"
)

// What the sources of docs/sources.md get wrong or leave open to misreading. Each test states what holds instead.

// Source 1 prints x.contiguous() with the comment True; the question meant is is_contiguous(), which says yes, while
// contiguous() returns the tensor, here itself.
func TestMistake1ContiguousIsNotAQuestion(t *testing.T) {
	x := mustPacked(t, []int{1, 64, 5, 4})
	if c, _ := x.Contiguous(ContiguousFormat); !c.Self || !x.CContiguous().OK {
		t.Errorf("contiguous() %+v", c)
	}
}

// Source 1's is_contiguous compares the strides of size-1 dims, which PyTorch skips: (2,1,3):(3,999,1).
func TestMistake1StrictSizeOne(t *testing.T) {
	s := mustStrided(t, []int{2, 1, 3}, []int{3, 999, 1}, 0)
	if got := s.StrictContiguous(); got != (Verdict{Dim: 1, Expected: 3, Found: 999}) || !s.CContiguous().OK {
		t.Errorf("strict %+v, PyTorch %+v", got, s.CContiguous())
	}
}

// Source 1's is_contiguous has no rule for empty tensors, which PyTorch calls contiguous whatever their strides.
func TestMistake1StrictEmpty(t *testing.T) {
	s := mustStrided(t, []int{2, 3, 0}, []int{3, 5, 7}, 0)
	if s.StrictContiguous().OK || !s.CContiguous().OK {
		t.Errorf("strict %+v, PyTorch %+v", s.StrictContiguous(), s.CContiguous())
	}
}

// Source 2 stores its padded example in 10 slots, but its own helper, which sees only sizes and strides, counts 8
// elements: the 2 after the last row are slack of the buffer, not gaps.
func TestMistake2PaddedHelper(t *testing.T) {
	l := mustLayout(t, []int{2, 3}, []int{5, 1}, 0, 10)
	s, _ := l.Strided()
	bytes, _ := s.DirectMLBytes(8)
	leading, trailing := l.Slack()
	if l.Alloc() != 10 || l.Extent() != 8 || bytes != 8 || l.Gaps() != 2 || leading != 0 || trailing != 2 {
		t.Errorf("extent %d, helper %d bytes, %d gaps, slack %d and %d", l.Extent(), bytes, l.Gaps(), leading, trailing)
	}
	if s.OneDNNElems() != 10 {
		t.Errorf("oneDNN, which counts whole rows, says %d", s.OneDNNElems())
	}
}

// Source 2 ties broadcasting to "all elements in the lower-order dimensions"; a stride of 0 repeats along its own dim,
// the innermost one as well.
func TestMistake2BroadcastIsPerDim(t *testing.T) {
	l := mustLayout(t, []int{3, 4}, []int{1, 0}, 0, 3)
	if got := string(read(l, []byte("ABC"))); got != "AAAABBBBCCCC" {
		t.Errorf("reads %s", got)
	}
}

// Source 3 says "one three" for the strides of the Fortran order; of a 2×2 matrix they are (1, 2), as it says itself
// soon after. (1, 3) would be those of a matrix with 3 rows.
func TestMistake3FortranStrides(t *testing.T) {
	wantStrides(t, mustColumnMajor(t, []int{2, 2}), 1, 2)
	wantStrides(t, mustColumnMajor(t, []int{3, 2}), 1, 3)
	wantText(t, layoutOf(t, mustColumnMajor(t, []int{2, 2})), "1234", "1324")
}

// Source 3 leaves "the reverse permutation" to the reader: the logical strides of channels_last are the physical NHWC
// strides, permuted by the inverse (0, 3, 1, 2) of NCHW → NHWC (0, 2, 3, 1); by the latter they come out wrong.
func TestMistake3InversePermutation(t *testing.T) {
	shape, toPhysical := []int{1, 64, 5, 4}, []int{0, 2, 3, 1}
	physical := rowMajor(permuted(shape, toPhysical))
	strides, _ := FormatStrides(shape, ChannelsLastFormat)
	if got := permuted(physical, inverse(toPhysical)); !slices.Equal(got, strides) {
		t.Errorf("by the inverse %v, channels_last has %v", got, strides)
	}
	if got := permuted(physical, toPhysical); slices.Equal(got, strides) {
		t.Errorf("the permutation itself gives %v too", got)
	}
}

// Source 3's jumps between color planes, "four" elements for one channel, are those of 2×2 images, not of every C.
func TestMistake3PlaneStride(t *testing.T) {
	if s := mustPacked(t, []int{3, 2, 2}); s.Strides[0] != 4 {
		t.Errorf("2×2 planes: %v", s.Strides)
	}
	if s := mustPacked(t, []int{3, 5, 4}); s.Strides[0] != 20 {
		t.Errorf("5×4 planes: %v", s.Strides)
	}
}

// Source 4 calls a tensor contiguous by its "standard memory order"; channels_last answers its own question, and a
// tensor of one channel answers both with yes.
func TestMistake4TwoQuestions(t *testing.T) {
	one := mustPacked(t, []int{2, 1, 4, 4})
	if !one.CContiguous().OK || !one.ChannelsLast().OK || one.SuggestMemoryFormat() != ContiguousFormat {
		t.Errorf("%v", one)
	}
}

// Source 5 says that NHWC stores 0000, 0009 "until 1143" and then 0001. The run of channels ends at 0567; 1143, the
// last channel of the second image, lies at 639.
func TestMistake5Until1143(t *testing.T) {
	storage := figure(t, whole("N", 2, 576), whole("C", 64, 1), whole("H", 3, 192), whole("W", 3, 64))
	if storage[63] != 567 || storage[64] != 1 || storage[65] != 10 {
		t.Errorf("after the first channels: %v", storage[62:66])
	}
	if at := slices.Index(storage, 1143); at != 639 {
		t.Errorf("1143 lies at %d", at)
	}
}

// Source 5 speaks of strides in bytes; MegEngine's TensorLayout, as this program, counts elements.
func TestMistake5BytesAndElements(t *testing.T) {
	s := mustPacked(t, []int{2, 5})
	wantStrides(t, s, 5, 1)
	if low, high := s.MegSpan(); low != 0 || high != 10 {
		t.Errorf("span %d to %d, in elements 0 to 10", low, high)
	}
	if low, high := s.ByteBounds(4); low != 0 || high != 40 {
		t.Errorf("bytes %d to %d", low, high)
	}
}

// Source 5 calls its figure "128 tensors". It is one tensor of 2·64 = 128 planes of 3×3.
func TestMistake5Planes(t *testing.T) {
	s := mustPacked(t, []int{2, 64, 3, 3})
	planes, err := s.View([]int{128, 3, 3})
	if err != nil || s.Numel() != 1152 {
		t.Fatal(s.Numel(), err)
	}
	wantStrides(t, planes, 9, 3, 1)
}
