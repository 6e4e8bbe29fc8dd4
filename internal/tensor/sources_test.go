package tensor

import (
	"slices"
	"strings"
	"testing"
)

// Every worked example of sources 1 to 3 of docs/sources.md about offsets. Mistakes in the sources are in
// sources_mistakes_test.go.

// wantStrides compares the strides that a source prints.
func wantStrides(t *testing.T, s Strided, want ...int) {
	t.Helper()
	if !slices.Equal(s.Strides, want) {
		t.Errorf("strides of %v are %v, the source says %v", s.Shape, s.Strides, want)
	}
}

// wantText compares a storage filled with the letters or numbers of a source.
func wantText(t *testing.T, l Layout, values, want string) {
	t.Helper()
	if got := string(stored(l, 'x', []byte(values))); got != want {
		t.Errorf("%s stores %s as %s, the source says %s", l, values, got, want)
	}
}

func contiguousIn(t *testing.T, s Strided, f MemoryFormat) Strided {
	t.Helper()
	c, ok := s.Contiguous(f)
	if !ok {
		t.Fatalf("%v has no %s", s.Shape, f)
	}
	return Strided{s.Shape, c.Strides, 0}
}

func permute(s Strided, order ...int) Strided {
	return Strided{permuted(s.Shape, order), permuted(s.Strides, order), s.Offset}
}

// The strides of x = rand(1, 64, 5, 4), and its rule: one more h is 4 elements, one more c is 20.
func TestSource1NCHWStrides(t *testing.T) {
	x := mustPacked(t, []int{1, 64, 5, 4})
	wantStrides(t, x, 1280, 20, 4, 1)
	l := layoutOf(t, x)
	if h, c := l.At(0, 0, 1, 0), l.At(0, 1, 0, 0); h != 4 || c != 20 {
		t.Errorf("next h at %d, next c at %d", h, c)
	}
}

// transpose(0, 2) swaps sizes and strides, moves nothing, and is not contiguous any more.
func TestSource1TransposeKeepsStorage(t *testing.T) {
	x := mustPacked(t, []int{1, 3, 2, 2})
	wantStrides(t, x, 12, 4, 2, 1)
	y := permute(x, 2, 1, 0, 3)
	wantStrides(t, y, 2, 4, 12, 1)
	if !slices.Equal(y.Shape, []int{2, 3, 1, 2}) || !x.CContiguous().OK || y.CContiguous().OK {
		t.Errorf("shape %v, contiguous before %v and after %v", y.Shape, x.CContiguous().OK, y.CContiguous().OK)
	}
	if before, after := slices.Sorted(slices.Values(addresses(x))), slices.Sorted(slices.Values(addresses(y))); !slices.Equal(before, after) {
		t.Errorf("storage in use: %v, then %v", before, after)
	}
}

// channels_last keeps the shape and changes the strides; the result is not contiguous in the default format.
func TestSource1ChannelsLastStrides(t *testing.T) {
	x := contiguousIn(t, mustPacked(t, []int{1, 64, 5, 4}), ChannelsLastFormat)
	wantStrides(t, x, 1280, 1, 256, 64)
	if x.CContiguous().OK {
		t.Error("contiguous")
	}
	if off := layoutOf(t, x).At(0, 1, 0, 0); off != 1 {
		t.Errorf("[0,1,0,0] lies at %d, the source says 1", off)
	}
}

// The storage of a 1×3×2×2 tensor before and after the conversion: the 8 of c1h0w0 moves from place 4 to place 1.
func TestSource1StorageAfterConversion(t *testing.T) {
	x := mustPacked(t, []int{1, 3, 2, 2})
	before := []int{14, 16, 20, 11, 8, 26, 15, 18, 29, 21, 10, 3}
	after := stored(layoutOf(t, contiguousIn(t, x, ChannelsLastFormat)), 0, read(layoutOf(t, x), before))
	if want := []int{14, 8, 29, 16, 26, 21, 20, 15, 10, 11, 18, 3}; !slices.Equal(after, want) {
		t.Errorf("storage %v, the source says %v", after, want)
	}
}

// ABC/DEF by rows: stride 1 along the width, the width along the height.
func TestSource2RowMajor(t *testing.T) {
	s := mustPacked(t, []int{2, 3})
	wantStrides(t, s, 3, 1)
	wantText(t, layoutOf(t, s), "ABCDEF", "ABCDEF")
}

// ABC/DEF by columns: stride 1 along the height, the height along the width.
func TestSource2ColumnMajor(t *testing.T) {
	s := mustColumnMajor(t, []int{2, 3})
	wantStrides(t, s, 1, 2)
	wantText(t, layoutOf(t, s), "ABCDEF", "ADBECF")
}

// DHW of 2×2×3: strides 6, 3, 1.
func TestSource2DHWStrides(t *testing.T) {
	s := mustPacked(t, []int{2, 2, 3})
	wantStrides(t, s, 6, 3, 1)
	wantText(t, layoutOf(t, s), "ABCDEFGHIJKL", "ABCDEFGHIJKL")
}

// The dot product of index and strides is the offset: H, at (1, 0, 1), is 7.
func TestSource2DotProduct(t *testing.T) {
	l := layoutOf(t, mustPacked(t, []int{2, 2, 3}))
	off := l.At(1, 0, 1)
	if off != 7 || "ABCDEFGHIJKL"[off] != 'H' {
		t.Errorf("(1, 0, 1) lies at %d", off)
	}
}

// Packed: a 2×2×3 tensor in 12 elements, no two at one offset.
func TestSource2Packed(t *testing.T) {
	if l := layoutOf(t, mustPacked(t, []int{2, 2, 3})); !l.Packed() || l.Alloc() != 12 {
		t.Errorf("%s in %d elements: packed %v", l, l.Alloc(), l.Packed())
	}
}

// Broadcasting: a height-stride of 0 reads the row ABC twice from 3 elements.
func TestSource2Broadcast(t *testing.T) {
	l := mustLayout(t, []int{2, 3}, []int{0, 1}, 0, 3)
	if got := string(read(l, []byte("ABC"))); got != "ABCABC" {
		t.Errorf("reads %s", got)
	}
	if o := l.Occupancy(); o != (Occupancy{Yes, 3}) || l.Numel() != 6 || l.Packed() || !slices.Equal(l.BroadcastDims(), []int{0}) {
		t.Errorf("%+v of %d elements, broadcast %v", o, l.Numel(), l.BroadcastDims())
	}
}

// With a C-stride of 0 every channel of an NCHW tensor has the same values along H and W.
func TestSource2BroadcastChannels(t *testing.T) {
	l := mustLayout(t, []int{2, 4, 3, 5}, []int{15, 0, 5, 1}, 0, Unbounded)
	for c := range 4 {
		if l.At(1, c, 2, 3) != l.At(1, 0, 2, 3) {
			t.Errorf("channel %d lies elsewhere", c)
		}
	}
}

// Padding: a height-stride of 5 reads ABC/DEF out of ABCxxDEFxx.
func TestSource2Padded(t *testing.T) {
	l := mustLayout(t, []int{2, 3}, []int{5, 1}, 0, 10)
	wantText(t, l, "ABCDEF", "ABCxxDEFxx")
	if l.Packed() || l.Gaps() != 2 {
		t.Errorf("packed %v, %d gaps", l.Packed(), l.Gaps())
	}
}

// A description of rank 2 is filled with leading ones: HW is {1, 1, H, W}.
func TestSource2LeadingOnes(t *testing.T) {
	sizes, strides := mustPacked(t, []int{3, 5}).DirectMLDesc()
	if !slices.Equal(sizes, []int{1, 1, 3, 5}) || !slices.Equal(strides, []int{15, 15, 5, 1}) {
		t.Errorf("sizes %v, strides %v", sizes, strides)
	}
}

// Height 3, width 5 as packed NCHW and as packed NHWC; without strides it is the former.
func TestSource2PackedDescriptions(t *testing.T) {
	nchw := mustPacked(t, []int{1, 1, 3, 5})
	wantStrides(t, nchw, 15, 15, 5, 1)
	nhwc := contiguousIn(t, mustStrided(t, nchw.Shape, []int{0, 0, 0, 0}, 0), ChannelsLastFormat)
	wantStrides(t, nhwc, 15, 1, 5, 1)
	explicit, _ := nchw.DirectMLBytes(32)
	if implicit, _ := packedLike(nhwc).DirectMLBytes(32); implicit != explicit || explicit != 60 {
		t.Errorf("%d bytes without strides, %d with them", implicit, explicit)
	}
}

// The matrix 1 2 / 3 4 by rows is 1234 with strides (2, 1), by columns 1324 with strides (1, 2).
func TestSource3TwoByTwo(t *testing.T) {
	c, f := mustPacked(t, []int{2, 2}), mustColumnMajor(t, []int{2, 2})
	wantStrides(t, c, 2, 1)
	wantText(t, layoutOf(t, c), "1234", "1234")
	wantStrides(t, f, 1, 2)
	wantText(t, layoutOf(t, f), "1234", "1324")
}

// Transposing flips between the two orders by exchanging the strides.
func TestSource3TransposeFlipsStrides(t *testing.T) {
	wantStrides(t, permute(mustPacked(t, []int{2, 2}), 1, 0), 1, 2)
}

// An image of red, green and blue pixels: CHW has them one color after the other, HWC pixel by pixel.
func TestSource3ColorPlanes(t *testing.T) {
	chw := mustPacked(t, []int{3, 2, 2})
	wantText(t, layoutOf(t, chw), "rrrrggggbbbb", "rrrrggggbbbb")
	hwc := permute(mustPacked(t, []int{2, 2, 3}), 2, 0, 1)
	wantText(t, layoutOf(t, hwc), "rrrrggggbbbb", strings.Repeat("rgb", 4))
}

// A 1×1 tensor has strides (1, 1) in either order, so that they cannot say which it was.
func TestSource3OneByOneIsAmbiguous(t *testing.T) {
	c, f := mustPacked(t, []int{1, 1}), mustColumnMajor(t, []int{1, 1})
	wantStrides(t, c, 1, 1)
	wantStrides(t, f, 1, 1)
	if in := c.Infer([]string{"H", "W"}, [][]int{{0, 1}, {1, 0}}); len(in.Candidates) != 2 || in.Ambiguity == "" {
		t.Errorf("%+v", in)
	}
}

// The stride of a dim of size 1 or 0 is free: it is only ever multiplied by 0.
func TestSource3FreeStrides(t *testing.T) {
	for _, stride := range []int{-3, 0, 999} {
		s := mustStrided(t, []int{2, 1, 3}, []int{3, stride, 1}, 0)
		if !s.CContiguous().OK || !slices.Equal(addresses(s), []int{0, 1, 2, 3, 4, 5}) {
			t.Errorf("stride %d matters", stride)
		}
	}
}
