package notation

import (
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
)

var nchw = []string{"N", "C", "H", "W"}

// TestDescribed: a descriptor's layout, by blocks alone and by whole tags, with letters and positions; gaps and an offset stay.
func TestDescribed(t *testing.T) {
	for _, c := range []struct {
		blocks, want, dims string
		s                  tensor.Strided
	}{
		{"16c", "(2,(16,2)<20,5,4):(640,(1,320),64,16)", "NCHW", tensor.Strided{Shape: []int{2, 20, 5, 4}, Strides: []int{640, 320, 64, 16}}},
		{"16b", "(2,(16,2)<20,5,4):(640,(1,320),64,16)", "NCHW", tensor.Strided{Shape: []int{2, 20, 5, 4}, Strides: []int{640, 320, 64, 16}}},
		{"aBcd16b", "(2,(16,2)<20,5,4):(640,(1,320),64,16)@5", "NCHW", tensor.Strided{Shape: []int{2, 20, 5, 4}, Strides: []int{640, 320, 64, 16}, Offset: 5}},
		{"nChw16c", "(2,(16,2),5,4):(912,(1,400),80,16)", "NCHW", tensor.Strided{Shape: []int{2, 32, 5, 4}, Strides: []int{912, 400, 80, 16}}},
		{"8i16o2i", "((16,2),(2,8,2),3,3):((2,4608),(1,32,2304),768,256)", "OIHW", tensor.Strided{Shape: []int{32, 32, 3, 3}, Strides: []int{4608, 2304, 768, 256}}},
		{"16n16c", "((16,2),(16,2),3,3):((16,4608),(1,2304),768,256)", "NCHW", tensor.Strided{Shape: []int{32, 32, 3, 3}, Strides: []int{4608, 2304, 768, 256}}},
		{"4c", "(2,(4,1)<3,1,1):(4,(1,99),7,0)", "NCHW", tensor.Strided{Shape: []int{2, 3, 1, 1}, Strides: []int{4, 99, 7, 0}}},
		{"16c", "(2,(16,0),5,4):(640,(1,320),64,16)@7", "NCHW", tensor.Strided{Shape: []int{2, 0, 5, 4}, Strides: []int{640, 320, 64, 16}, Offset: 7}},
	} {
		l, err := FromDescriptor(c.blocks, nchw, c.s)
		if err != nil || l.String() != c.want || strings.Join(l.Names(), "") != c.dims || !l.InBounds() {
			t.Errorf("%s of %v:%v: %s %v, %v; expected %s", c.blocks, c.s.Shape, c.s.Strides, l, l.Names(), err, c.want)
		}
		// The storage ends with the last block; without elements there is none after offset0.
		storage := c.s.Offset
		if l.Numel() > 0 {
			whole := must(tensor.New(wholeBlocks(l), c.s.Offset, tensor.Unbounded))
			storage = whole.Alloc()
		}
		if l.Alloc() != storage {
			t.Errorf("%s of %v:%v: a storage of %d elements, expected %d", c.blocks, c.s.Shape, c.s.Strides, l.Alloc(), storage)
		}
	}
}

// wholeBlocks are the dims of a layout with their sizes rounded up to whole blocks.
func wholeBlocks(l tensor.Layout) (dims []tensor.Dim) {
	for d, size := range l.PaddedShape() {
		dim := l.Dim(d)
		dim.Size = size
		dims = append(dims, dim)
	}
	return dims
}

// TestDescribedErrors: what no descriptor holds is refused with a reason and a way out.
func TestDescribedErrors(t *testing.T) {
	shape, strides := []int{2, 20, 5, 4}, []int{640, 320, 64, 16}
	for _, c := range []struct {
		blocks, text, hint string
		s                  tensor.Strided
	}{
		{"16x", "no dim X; the dims are N, C, H, W", "", tensor.Strided{Shape: shape, Strides: strides}},
		{"0c", "block 0 is outside 1 to", "", tensor.Strided{Shape: shape, Strides: strides}},
		{"99999999999999999999c", "is outside 1 to", "", tensor.Strided{Shape: shape, Strides: strides}},
		{"1048576c2c", "multiply to more than", "", tensor.Strided{Shape: shape, Strides: strides}},
		{"c16", "want the form", "16c", tensor.Strided{Shape: shape, Strides: strides}},
		{"\x1b", "want the form", "16c", tensor.Strided{Shape: shape, Strides: strides}},
		{"aBc16b", "the tag has 3 dims, --shape has 4", "", tensor.Strided{Shape: shape, Strides: strides}},
		{"nhwC16c", "have the order N C//16 H W C%16", "--inner-blocks 16c", tensor.Strided{Shape: shape, Strides: strides}},
		{"16c", "stride 8 of W is less than the inner block, 16c, of 16 elements", "remove --inner-blocks", tensor.Strided{Shape: shape, Strides: []int{640, 320, 64, 8}}},
		{"16c", "stride 24 of W is not a multiple of the inner block", "", tensor.Strided{Shape: shape, Strides: []int{640, 320, 64, 24}}},
		{"16c", "stride -16 of W is negative", "", tensor.Strided{Shape: shape, Strides: []int{640, 320, 64, -16}}},
		{"16c", "stride 0 of N is less", "", tensor.Strided{Shape: shape, Strides: []int{0, 320, 64, 16}}},
		{"16i16o", "O,I,D,H,W or G,O,I,H,W", "OIdhw16i16o or gOIhw16i16o", tensor.Strided{Shape: []int{2, 2, 2, 2, 2}, Strides: []int{1, 1, 1, 1, 1}}},
	} {
		names := []string{"N", "C", "D", "H", "W"}
		if len(c.s.Shape) == 4 {
			names = nchw
		}
		l, err := FromDescriptor(c.blocks, names[:len(c.s.Shape)], c.s)
		e, ok := err.(*fault.Error)
		if !ok || !strings.Contains(e.Text, c.text) || !strings.Contains(e.Hint, c.hint) {
			t.Errorf("%q: %s, %v; expected %q with hint %q", c.blocks, l, err, c.text, c.hint)
		}
	}
}
