package tensor

import (
	"slices"
	"testing"
)

// The worked examples of sources 4 and 5 of docs/sources.md.

// A 2×3 tensor: moving one row skips 3 elements, one column 1.
func TestSource4Strides(t *testing.T) {
	s := mustPacked(t, []int{2, 3})
	wantStrides(t, s, 3, 1)
	if !s.CContiguous().OK || !counts(addresses(s)) {
		t.Error("not contiguous")
	}
}

// The strides of [B, C, H, W] are [C·H·W, H·W, W, 1].
func TestSource4ImageStrides(t *testing.T) {
	wantStrides(t, mustPacked(t, []int{32, 3, 224, 224}), 150528, 50176, 224, 1)
}

// arange(10)[3:8] begins at storage place 3 and reads 3 4 5 6 7.
func TestSource4StorageOffset(t *testing.T) {
	l := mustLayout(t, []int{5}, []int{1}, 3, 10)
	if got := read(l, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}); !slices.Equal(got, []int{3, 4, 5, 6, 7}) || l.Offset() != 3 {
		t.Errorf("reads %v from %d", got, l.Offset())
	}
	if leading, trailing := l.Slack(); leading != 3 || trailing != 2 {
		t.Errorf("%d elements before, %d after", leading, trailing)
	}
}

// arange(12).view(3, 4) only describes the storage anew.
func TestSource4View(t *testing.T) {
	y, err := mustPacked(t, []int{12}).View([]int{3, 4})
	if err != nil {
		t.Fatal(err)
	}
	wantStrides(t, y, 4, 1)
}

// X.T of a 2×3 tensor has shape [3, 2], strides (1, 3), and is not contiguous; contiguous() repairs that by a copy.
func TestSource4Transpose(t *testing.T) {
	x := mustPacked(t, []int{2, 3})
	y := permute(x, 1, 0)
	wantStrides(t, y, 1, 3)
	if y.CContiguous().OK {
		t.Error("contiguous")
	}
	z, _ := y.Contiguous(ContiguousFormat)
	if self, _ := x.Contiguous(ContiguousFormat); !self.Self || z.Self || !slices.Equal(z.Strides, []int{2, 1}) {
		t.Errorf("x.contiguous() %+v, y.contiguous() %+v", self, z)
	}
}

// After a transposition view(12) fails, and reshape(12) copies.
func TestSource4ViewAfterTranspose(t *testing.T) {
	y := permute(mustPacked(t, []int{3, 4}), 1, 0)
	if _, err := y.View([]int{12}); err == nil {
		t.Error("view(12) is accepted")
	}
	z, copied, err := y.Reshape([]int{12})
	if err != nil || !copied {
		t.Errorf("reshape(12): copied %v, %v", copied, err)
	}
	wantStrides(t, z, 1)
}

// permute(0, 2, 1).contiguous() can be viewed as (B, −1); without the copy it cannot.
func TestSource4ContiguousThenView(t *testing.T) {
	x := permute(mustPacked(t, []int{2, 3, 4}), 0, 2, 1)
	if _, err := x.View([]int{2, -1}); err == nil {
		t.Error("viewed without a copy")
	}
	y, err := contiguousIn(t, x, ContiguousFormat).View([]int{2, -1})
	if err != nil {
		t.Fatal(err)
	}
	wantStrides(t, y, 12, 1)
}

// An NHWC tensor permuted to NCHW keeps its memory: channels_last, not contiguous.
func TestSource4PermuteNHWCToNCHW(t *testing.T) {
	y := permute(mustPacked(t, []int{32, 224, 224, 3}), 0, 3, 1, 2)
	wantStrides(t, y, 150528, 1, 672, 3)
	if y.CContiguous().OK || !y.ChannelsLast().OK || !slices.Equal(y.Shape, []int{32, 3, 224, 224}) {
		t.Errorf("%v", y)
	}
}

// to(memory_format=channels_last) keeps the shape [N, C, H, W].
func TestSource4ToChannelsLast(t *testing.T) {
	x := mustPacked(t, []int{32, 3, 224, 224})
	c, ok := x.To(ChannelsLastFormat)
	y := Strided{x.Shape, c.Strides, 0}
	if !ok || c.Self || !y.IsContiguous(ChannelsLastFormat) {
		t.Errorf("%+v", c)
	}
	wantStrides(t, y, 150528, 1, 672, 3)
}

// A [32, 3, 224, 224] tensor of float32 takes 18.4 MiB: 19,267,584 bytes.
func TestSource4Bytes(t *testing.T) {
	s := mustPacked(t, []int{32, 3, 224, 224})
	bytes, ok := s.DirectMLBytes(32)
	if _, high := s.ByteBounds(4); !ok || bytes != 19267584 || high != bytes || s.Numel()*4 != bytes {
		t.Errorf("%d bytes, byte bound %d", bytes, high)
	}
}

// A 3×3 matrix by rows: a[i][j] lies at 3i + j.
func TestSource5RowMajor(t *testing.T) {
	l := layoutOf(t, mustPacked(t, []int{3, 3}))
	for off, c := range coordsOf([]int{3, 3}) {
		if l.At(c...) != off {
			t.Errorf("a%v lies at %d, the source says %d", c, l.At(c...), off)
		}
	}
}

// A 2×5 tensor of int32: 40 bytes, byte strides (20, 4), and x[1][2] = 7 lies at byte 28.
func TestSource5ByteOffset(t *testing.T) {
	const itemSize = 4
	s := mustPacked(t, []int{2, 5})
	l := layoutOf(t, s)
	if off := l.At(1, 2); off*itemSize != 28 || off != 7 || s.Strides[0]*itemSize != 20 || l.Alloc()*itemSize != 40 {
		t.Errorf("x[1][2] lies at element %d of %v", off, s)
	}
}

// figure is the tensor of source 5: N 2, C 64, H 3, W 3, its elements numbered in NCHW order. The digits' strides
// follow the order in which a layout stores them.
func figure(t *testing.T, n, c, h, w Dim) []int {
	t.Helper()
	l := mustNew(t, []Dim{n, c, h, w}, 0, Unbounded)
	numbers := make([]int, l.Numel())
	for i := range numbers {
		numbers[i] = i
	}
	if !l.Packed() {
		t.Errorf("%s is not packed", l)
	}
	return stored(l, -1, numbers)
}

func whole(name string, size, stride int) Dim {
	return digitsOf(name, size, []int{size}, []int{stride})
}

// wantOrder compares the numbers that a storage begins with.
func wantOrder(t *testing.T, storage []int, want ...int) {
	t.Helper()
	if got := storage[:len(want)]; !slices.Equal(got, want) {
		t.Errorf("the storage begins %v, the source says %v", got, want)
	}
}

// NCHW stores 0000 to 1151 in turn.
func TestSource5NCHW(t *testing.T) {
	storage := figure(t, whole("N", 2, 576), whole("C", 64, 9), whole("H", 3, 3), whole("W", 3, 1))
	if len(storage) != 1152 || !counts(storage) {
		t.Errorf("%d numbers, from %v", len(storage), storage[:9])
	}
}

// NCHWX of X channels: X channels of a pixel, then the next pixel along W, H, the next X channels, N.
func nchwx(t *testing.T, x int) []int {
	t.Helper()
	return figure(t, whole("N", 2, 576), digitsOf("C", 64, []int{x, 64 / x}, []int{1, 9 * x}), whole("H", 3, 3*x), whole("W", 3, x))
}

// NCHW4 stores 4 channels, 0000 0009 0018 0027, then 0001 0010.
func TestSource5NCHW4(t *testing.T) {
	wantOrder(t, nchwx(t, 4), 0, 9, 18, 27, 1, 10, 19, 28)
}

// NCHW32 stores 32 channels, the last of them 0279, then 0001.
func TestSource5NCHW32(t *testing.T) {
	if s := nchwx(t, 32); s[0] != 0 || s[1] != 9 || s[31] != 279 || s[32] != 1 {
		t.Errorf("the storage begins %v", s[:33])
	}
}

// NCHW64 stores all 64 channels of a pixel: here the same as NHWC.
func TestSource5NCHW64IsNHWC(t *testing.T) {
	nhwc := figure(t, whole("N", 2, 576), whole("C", 64, 1), whole("H", 3, 192), whole("W", 3, 64))
	if !slices.Equal(nchwx(t, 64), nhwc) {
		t.Error("they differ")
	}
}

// CHWN4 stores 4 channels, then the same 4 of the next image, 0576 to 0603, then 0001 0010.
func TestSource5CHWN4(t *testing.T) {
	storage := figure(t, whole("N", 2, 4), digitsOf("C", 64, []int{4, 16}, []int{1, 72}), whole("H", 3, 24), whole("W", 3, 8))
	wantOrder(t, storage, 0, 9, 18, 27, 576, 585, 594, 603, 1, 10)
}
