// Package layout reads layouts of tensors in any spelling, locates elements, moves tensors from one layout to another, with conversion of their
// types, and finds the layout mistake between two tensors, with the engine of the program tlayout. It reads and writes memory only; package
// tensorio, below it, reads and writes .npy and .safetensors files.
//
// # Layouts
//
// A [Layout] maps the coordinates of a tensor to offsets in its storage. Coordinates, shapes and strides are in the logical order of the dims,
// N, C, H, W for images in every memory order; offsets, strides and sizes count elements. [Parse] reads these spellings, and every other one
// that the program reads:
//
//	nhwc  channels_last  OHWI         memory order of named dims
//	NCHW16c  kCHW32  OIhw4i16o4i      blocks, in the spellings of DirectML, TensorRT and oneDNN
//	c  fortran  0,2,3,1               row-major, column-major, a permutation
//	(2,3):(5,1)@4                     shape, strides and offset
//	Sw<3,3,3> o 0 o (8,64):(64,1)     CuTe
//	bf16[8,4]{0,1:T(8,128)}           XLA, MLIR, Inductor
//
// [Strided] makes one of a shape and strides, such as those of an image's pixels or of a view in PyTorch or NumPy; [Layout.Permute],
// [Layout.Slice] and [Layout.Index] make views, and [Layout.All] walks the elements.
//
// # Conversions
//
// [Convert] moves the elements of typed slices from one layout into another, on all cores, and converts their types and values on the way:
//
//	err := layout.Convert(input, nchw, img.Pix, pixels, layout.Scale(1.0/255, 0), layout.Normalize(1, mean, std))
//
// Each storage comes with its layout, the destination first. [NewPlan] plans a conversion for many storages. A [Tensor] has elements of a dtype
// that is known at run time, as read from a file; [Values] and [Float32s] return them as Go's numbers.
package layout

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/framework"
	"github.com/tlayout/tlayout/internal/framework/printed"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// Layout maps coordinates to offsets. It is immutable; the zero Layout has no element.
type Layout struct{ l tensor.Layout }

// Parse reads a layout in any spelling that the command tlayout help layouts lists, for the sizes of its dims in logical order:
//
//	Parse("nhwc", 8, 64, 56, 56)                 a name: also NCHW16c, kCHW32, channels_last, aBcd16b, c, fortran
//	Parse("0,2,3,1", 8, 64, 56, 56)              a permutation
//	Parse("(2,3):(5,1)@4")                       shape, strides and offset, with sizes of its own, as are all below
//	Parse("Sw<3,3,3> o 0 o (8,64):(64,1)")       CuTe's, nested and swizzled
//	Parse("bf16[8,4]{0,1:T(8,128)}")             a type that XLA, MLIR or Inductor prints
//	Parse("(10):(1) in 1024")                    over a storage of 1024 elements, as String writes it
func Parse(spelling string, sizes ...int) (Layout, error) {
	function, storage, stored := strings.Cut(spelling, inStorage)
	l, err := parse(function, sizes)
	if err != nil || !stored {
		return l, err
	}
	n, err := strconv.Atoi(storage)
	if err != nil || n < l.Size() {
		return Layout{}, fmt.Errorf("layout %s needs a storage of at least %d elements, not %q", l, l.Size(), storage)
	}
	grown, err := l.l.Renamed(l.l.Names(), n)
	return Layout{grown}, err
}

// MustParse is Parse for a spelling and sizes that are known to fit; it panics if they do not.
func MustParse(spelling string, sizes ...int) Layout {
	l, err := Parse(spelling, sizes...)
	if err != nil {
		panic("layout: " + err.Error())
	}
	return l
}

// inStorage precedes the number of elements of a storage that is larger than the last element needs.
const inStorage = " in "

func parse(spelling string, sizes []int) (Layout, error) {
	n, _, err := printed.ParseLayout(spelling)
	if err != nil {
		return Layout{}, err
	}
	n, err = n.ForElements(0)
	if err != nil {
		return Layout{}, err
	}
	n = n.ForRank(len(sizes))
	if n.Exact != nil {
		return sized(*n.Exact, sizes, nil)
	}
	if n.Sized != nil {
		l, err := n.Sized(sizes)
		return sized(l, sizes, err)
	}
	switch n.Own {
	case notation.OwnC:
		return strided(tensor.Packed(sizes))
	case notation.OwnFortran:
		return strided(tensor.ColumnMajor(sizes))
	}
	if len(sizes) != n.Format.Rank() {
		return Layout{}, fmt.Errorf("layout %s has dims %s: %d sizes for them", n.Format, strings.Join(n.Format.Names(), ","), len(sizes))
	}
	l, err := n.Format.Bind(sizes)
	return Layout{l}, err
}

// sized returns a layout with sizes of its own, which those given must be.
func sized(l tensor.Layout, sizes []int, err error) (Layout, error) {
	if err == nil && len(sizes) > 0 && !slices.Equal(sizes, l.Shape()) {
		return Layout{}, fmt.Errorf("layout %s has the sizes %s", l, tensor.Tuple(l.Shape()))
	}
	return Layout{l}, err
}

// Strided returns the layout of a tensor of PyTorch or NumPy: the element at coordinate i is at offset + Σ i[d]·strides[d]. Strides may be
// 0 or negative.
func Strided(shape, strides []int, offset int) (Layout, error) {
	return strided(tensor.NewStrided(shape, strides, offset))
}

func strided(s tensor.Strided, err error) (Layout, error) {
	if err != nil {
		return Layout{}, err
	}
	l, err := s.Layout(nil, tensor.Unbounded)
	return Layout{l}, err
}

// isZero reports whether it is the zero Layout: no dims, and yet no element.
func (l Layout) isZero() bool { return l.l.Rank() == 0 && l.l.Numel() == 0 }

// Shape returns the sizes of the dims.
func (l Layout) Shape() []int { return l.l.Shape() }

// Dims returns the names of the dims, as many as there are sizes; d0, d1, … if they have none.
func (l Layout) Dims() []string { return l.l.Names() }

// Strides returns one stride for each dim; ok is false if dims are in blocks, or swizzled.
func (l Layout) Strides() (strides []int, ok bool) {
	s, ok := l.l.Strided()
	return s.Strides, ok
}

// Offset returns the offset of the element at a coordinate: the first one, of zeros, without arguments. It panics if the coordinate is
// outside of the shape, and so for a layout without elements.
func (l Layout) Offset(coord ...int) int {
	shape := l.l.Shape()
	if l.Len() == 0 {
		panic(fmt.Sprintf("layout: shape %v has no element", shape))
	}
	if len(coord) == 0 {
		coord = make([]int, len(shape))
	}
	if len(coord) != len(shape) {
		panic(fmt.Sprintf("layout: coordinate %v of a tensor of rank %d", coord, len(shape)))
	}
	for d, i := range coord {
		if i < 0 || i >= shape[d] {
			panic(fmt.Sprintf("layout: coordinate %v is outside of shape %v", coord, shape))
		}
	}
	return l.l.At(coord...)
}

// Find returns a coordinate of the element at an offset; ok is false for padding and outside of the tensor.
func (l Layout) Find(offset int) (coord []int, ok bool) {
	found, _ := l.l.Find(offset, 1)
	if len(found) == 0 {
		return nil, false
	}
	return found[0], true
}

// Len returns the number of elements.
func (l Layout) Len() int { return l.l.Numel() }

// Size returns the number of elements of the smallest storage from offset 0 on: all offsets are less. It includes the padding that
// the layout's name implies.
func (l Layout) Size() int {
	_, high, ok := l.l.Span()
	if !ok {
		return max(l.l.Alloc(), 0)
	}
	return max(l.l.Alloc(), high+1)
}

// String returns the layout as CuTe writes it, with the sizes: (2,(4,1)<3,4,5):(80,(1,80),20,4) in 160. " in " and the size of the storage
// follow where padding ends it. Parse reads it.
func (l Layout) String() string {
	_, last, ok := l.l.Span()
	if !ok || l.Size() == last+1 {
		return l.l.String()
	}
	return l.l.String() + inStorage + strconv.Itoa(l.Size())
}

// Names returns what frameworks call this memory order, by framework: {"oneDNN": ["nhwc"], …}. It is empty if strides leave gaps, for an
// order that none names, and for the zero Layout.
func (l Layout) Names() map[string][]string {
	names := map[string][]string{}
	order, ok := notation.Of(l.l)
	if l.isZero() || !ok {
		return names
	}
	for _, f := range framework.All() {
		if of := f.NamesOf(order); len(of) > 0 {
			names[f.Name] = of
		}
	}
	return names
}

// stored returns the layout as a side of a conversion of elements of itemSize bytes, with dims of these names.
func (l Layout) stored(itemSize int, names []string) (s storage, err error) {
	if l.isZero() {
		return s, errors.New("the zero Layout has no dims: use Parse or Strided")
	}
	low, last, ok := l.l.Span()
	if ok && low < 0 {
		return s, fmt.Errorf("layout %s: an element is at offset %d", l, low)
	}
	size := l.Size()
	if size > math.MaxInt/itemSize {
		return s, fmt.Errorf("layout %s: %d elements of %d bytes exceed the address space", l, size, itemSize)
	}
	s = storage{itemSize: itemSize, size: size, low: low}
	if ok {
		s.high = last + 1
	}
	if len(names) == l.l.Rank() {
		s.layout, err = l.l.Renamed(names, size)
	}
	return s, err
}
