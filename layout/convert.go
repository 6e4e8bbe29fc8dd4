package layout

import (
	"errors"
	"fmt"
	"slices"

	"github.com/tlayout/tlayout/internal/convert"
	"github.com/tlayout/tlayout/internal/convert/cast"
	"github.com/tlayout/tlayout/internal/convert/kernel"
	"github.com/tlayout/tlayout/internal/tensor"
)

// Number is the types whose values are converted. Types of other modules that hold the bits of a number, such as a float16 in a uint16, do not
// satisfy it, so that their bits are not taken for integers: move them as []uint16, or read them with [Float32s].
type Number interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64
}

// Convert copies a tensor from one layout into another, and converts its values from S to D, in one pass over memory on all cores:
//
//	dst[to.Offset(i…)] = D(src[from.Offset(i…)]·scale + shift)    for each coordinate i
//
// Maps state scale and shift; several apply one after the other, and without any the values are kept. dst and src are the storages, of at least
// to.Size() and from.Size() elements. Dims are matched by name if both layouts have the same names, otherwise by position, and have the same
// sizes.
//
// Maps are computed in float64, and the result is rounded to D: to nearest, ties to even. An integer D saturates: numbers beyond its range become
// its lowest or highest value, and NaN becomes 0. Integers without a map are converted exactly, without float64 between.
//
// Positions of dst that hold no element keep their values: the alpha of an image of which R, G and B are written, or the rest of a batch of
// which one image is. Only the padding of blocks, and of a storage that a layout states, becomes 0.
//
// Errors are [ErrOverlap], [ErrShort] and [ErrShape], or say that elements of to overlap or have negative offsets, or that swizzles and strides
// have no small common period.
func Convert[D, S Number](dst []D, to Layout, src []S, from Layout, maps ...Map) error {
	p, err := NewPlan[D, S](to, from, maps...)
	if err != nil {
		return err
	}
	return p.Convert(dst, src)
}

// Plan is a conversion that was planned once, by NewPlan, for many storages. It may be used by several goroutines.
type Plan[D, S Number] struct {
	to, from storage
	move     *convert.Plan // of elements that keep their type and values; nil for others
	retyping *convert.Retyping
	caster   convert.Caster
}

// NewPlan plans a conversion; see Convert.
func NewPlan[D, S Number](to, from Layout, maps ...Map) (*Plan[D, S], error) {
	dstItem := kernel.SizeOf[D]()
	srcItem := kernel.SizeOf[S]()
	p := &Plan[D, S]{}
	var err error
	p.to, p.from, err = newStorages(to, from, dstItem, srcItem)
	if err != nil {
		return nil, err
	}
	channels, dim, err := combine(maps, to.Shape())
	if err != nil {
		return nil, err
	}
	var zero D
	_, same := any(zero).(S)
	if same && len(channels) == 0 {
		p.move, err = p.to.plan(p.from.layout, srcItem)
		return p, err
	}
	p.retyping, err = convert.NewRetyping(p.to.layout, p.from.layout, dstItem, srcItem, dim)
	if err != nil {
		return nil, err
	}
	p.caster = cast.New[D, S](channels, to.Len())
	return p, nil
}

// Convert copies from src to dst, on all cores; see the function Convert.
func (p *Plan[D, S]) Convert(dst []D, src []S) error {
	if p.move == nil && p.retyping == nil {
		return errors.New("the zero Plan plans no conversion: use NewPlan")
	}
	to, from, err := memories(p.to, kernel.BytesOf(dst), p.from, kernel.BytesOf(src))
	if err != nil {
		return err
	}
	if p.move != nil {
		return p.to.run(p.move, to, from)
	}
	if err := p.to.clear(to); err != nil {
		return err
	}
	return p.retyping.Run(to, from, p.caster, convert.Options{})
}

// storage is a side of a conversion.
type storage struct {
	layout    tensor.Layout
	itemSize  int // bytes
	size      int // elements, from 0 on
	low, high int // elements that are read or written: low ≤ offset < high

	// Of a destination:
	filled  bool          // every position up to size is an element or padding
	padded  bool          // some are padding
	padding *convert.Plan // copies one element to all positions of elements and padding; nil if there is no padding, or filled
	tail    int           // positions from here to size are padding; size if none are
}

// newStorages returns both sides of a conversion, with dims of the same names, and checks that their sizes are equal.
func newStorages(to, from Layout, dstItem, srcItem int) (dst, src storage, err error) {
	names := to.Dims()
	if !sameNames(names, from.Dims()) {
		names = from.Dims()
	}
	src, err = from.stored(srcItem, from.Dims())
	if err != nil {
		return dst, src, err
	}
	dst, err = to.stored(dstItem, names)
	if err != nil {
		return dst, src, err
	}
	if len(names) != to.l.Rank() {
		return dst, src, fmt.Errorf("%w: %s has %d dims, %s has %d", ErrShape, to, to.l.Rank(), from, from.l.Rank())
	}
	for i, name := range dst.layout.Names() {
		other := slices.Index(src.layout.Names(), name)
		have := dst.layout.Dim(i).Size
		if want := src.layout.Dim(other).Size; want != have {
			return dst, src, fmt.Errorf("%w: dim %s has size %d in %s and %d in %s", ErrShape, name, have, to, want, from)
		}
	}
	return dst, src, dst.asTarget()
}

// sameNames reports whether dims have the same names in any order.
func sameNames(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// asTarget finds the padding of a destination: positions that the indices of blocks reach beyond a dim's size, and those from the last one to the end
// of the storage.
func (s *storage) asTarget() error {
	l := s.layout
	if l.Numel() == s.size { // or elements overlap, which planning refuses
		s.filled = true
		s.tail = s.size
		return nil
	}
	whole, err := wholeBlocks(l)
	if err != nil {
		return err
	}
	low, last, ok := whole.Span()
	s.tail = 0
	if ok {
		s.tail = min(last+1, s.size)
	}
	s.padded = whole.Numel() > l.Numel() || s.tail < s.size
	s.filled = !ok || low == 0 && whole.Gaps() == 0
	if s.filled || whole.Numel() == l.Numel() {
		return nil
	}
	s.low = min(s.low, low)
	s.high = max(s.high, s.tail)
	dims := make([]tensor.Dim, l.Rank())
	for i := range dims {
		dims[i] = whole.Dim(i)
		dims[i].Digits = []tensor.Digit{{Div: 1, Extent: dims[i].Size}}
	}
	one, err := tensor.New(dims, 0, 1)
	if err != nil {
		return err
	}
	s.padding, err = convert.NewPlan(whole, one, s.itemSize)
	if err == nil {
		s.padding.KeepGaps()
	}
	return err
}

// wholeBlocks returns the layout of the elements and of the padding in the blocks of dims.
func wholeBlocks(l tensor.Layout) (tensor.Layout, error) {
	dims := make([]tensor.Dim, l.Rank())
	for i, size := range l.PaddedShape() {
		dims[i] = l.Dim(i)
		dims[i].Size = size
	}
	return l.With(dims, l.Offset(), tensor.Unbounded)
}

// plan plans to move elements of a source to the destination.
func (s *storage) plan(from tensor.Layout, itemSize int) (*convert.Plan, error) {
	p, err := convert.NewPlan(s.layout, from, itemSize)
	if err == nil && !s.filled {
		p.KeepGaps()
	}
	return p, err
}

// run moves elements, and fills the padding.
func (s *storage) run(p *convert.Plan, dst, src []byte) error {
	if !s.filled {
		if err := s.clear(dst); err != nil {
			return err
		}
	}
	return p.Run(dst, src, nil, convert.Options{})
}

// clear fills the padding, and perhaps elements, with zeros.
func (s *storage) clear(dst []byte) error {
	if !s.padded {
		return nil
	}
	if s.filled {
		clear(dst)
		return nil
	}
	clear(dst[s.tail*s.itemSize:])
	if s.padding == nil {
		return nil
	}
	return s.padding.Run(dst, make([]byte, s.itemSize), nil, convert.Options{})
}

// memories returns the bytes of both storages, and checks their lengths, and that the elements do not overlap.
func memories(to storage, dst []byte, from storage, src []byte) (d, s []byte, err error) {
	if len(dst) < to.size*to.itemSize {
		return nil, nil, fmt.Errorf("%w: dst has %d elements, its layout needs %d", ErrShort, len(dst)/to.itemSize, to.size)
	}
	if len(src) < from.size*from.itemSize {
		return nil, nil, fmt.Errorf("%w: src has %d elements, its layout needs %d", ErrShort, len(src)/from.itemSize, from.size)
	}
	if kernel.Overlap(dst[to.low*to.itemSize:to.high*to.itemSize], src[from.low*from.itemSize:from.high*from.itemSize]) {
		return nil, nil, fmt.Errorf("%w: a conversion needs another storage", ErrOverlap)
	}
	return dst[:to.size*to.itemSize], src[:from.size*from.itemSize], nil
}
