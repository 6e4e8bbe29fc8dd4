package tensor

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/text"
)

// Digit is one digit of a dim's index in mixed radix, (i / Div) mod Extent. A step of 1 moves the address by Stride
// elements. The last digit of a dim never wraps: its extent is ⌈size/Div⌉.
type Digit struct {
	Div    int `json:"div"`    // divisor of the digit's index
	Extent int `json:"extent"` // values of the digit
	Stride int `json:"stride"` // stride of a digit or axis
}

// Dim is a logical axis. Its digits are ordered least significant first and must not be changed.
type Dim struct {
	Name   string
	Size   int
	Digits []Digit
}

// Layout maps every coordinate of a tensor to a storage offset. It is immutable. The zero Layout has no element; New
// without dims makes a scalar.
type Layout struct {
	dims    []Dim
	offset  int // storage offset of coordinate (0, …, 0), before the swizzle
	swizzle Swizzle
	alloc   int // size of the storage in elements
	numel   int
	low     int // the lowest and the highest plain offset in use, relative to offset
	high    int
	first   int // the lowest and the highest offset in use
	last    int
	rough   bool // first and last are bounds
}

// New returns a layout after checking its parts.
//
// Each dim's digits must cover it: the first Div is 1, each next Div is Div·Extent of the one before, and the last
// extent is ⌈size/Div⌉. alloc is the storage size in elements, or Unbounded. Addresses may be outside of the storage;
// see InBounds.
func New(dims []Dim, offset, alloc int) (Layout, error) {
	return newLayout(dims, offset, alloc, Swizzle{})
}

func newLayout(dims []Dim, offset, alloc int, z Swizzle) (Layout, error) {
	if alloc < Unbounded {
		return Layout{}, fault.New(fault.Usage, "storage size %d is negative", alloc)
	}
	l := Layout{dims: make([]Dim, len(dims)), offset: offset, alloc: alloc, swizzle: z}
	for i, d := range dims {
		if err := d.check(); err != nil {
			return Layout{}, err
		}
		l.dims[i] = Dim{d.Name, d.Size, slices.Clone(d.Digits)}
	}
	var err error
	l.numel, err = Numel(l.Shape())
	if err != nil {
		return Layout{}, err
	}
	if err := l.measure(); err != nil {
		return Layout{}, err
	}
	if alloc == Unbounded {
		l.alloc = 0
		if l.numel > 0 {
			l.alloc = max(0, l.last+1)
		}
	}
	return l, nil
}

// Unbounded is a storage size: the storage ends with the last element.
const Unbounded = -1

func (d Dim) check() error {
	if d.Size < 0 {
		return fault.New(fault.Usage, "size %d of dim %s is negative", d.Size, d.Name)
	}
	if len(d.Digits) == 0 {
		return fault.New(fault.Usage, "dim %s has no digits", d.Name)
	}
	div := 1
	for k, g := range d.Digits {
		if g.Div != div {
			return fault.New(fault.Usage, "digit %d of dim %s divides by %d, expected %d", k, d.Name, g.Div, div)
		}
		if k == len(d.Digits)-1 {
			if want := ints.CeilDiv(d.Size, div); g.Extent != want {
				return fault.New(fault.Usage, "dim %s of size %d needs a last digit of extent %d, found %d",
					d.Name, d.Size, want, g.Extent)
			}
			if _, ok := Mul(div, g.Extent); !ok {
				return fault.New(fault.Unsupported, "dim %s is too large once padded", d.Name)
			}
			continue
		}
		var ok bool
		div, ok = Mul(div, g.Extent)
		if !ok || g.Extent < 1 {
			return fault.New(fault.Usage, "block of %d in dim %s is out of range", g.Extent, d.Name)
		}
	}
	return nil
}

// measure sets low and high, first and last. It fails if an address, even one in padding, does not fit an int.
func (l *Layout) measure() error {
	if l.numel == 0 {
		return nil
	}
	low := l.offset
	high := l.offset
	fits := true
	sum := func(a, b int) int {
		c, ok := Add(a, b)
		fits = fits && ok
		return c
	}
	for _, d := range l.dims {
		for _, g := range d.Digits {
			reach, ok := Mul(g.Extent-1, g.Stride)
			low = sum(low, min(reach, 0))
			high = sum(high, max(reach, 0))
			fits = fits && ok
		}
	}
	inBlock := l.swizzle.block() - 1
	low = low &^ inBlock
	high = high | inBlock
	sum(sum(high, 1), -low)
	if !fits || low == math.MinInt {
		return fault.New(fault.Unsupported, "layout %s overflows a 64-bit address", l)
	}
	for _, d := range l.dims {
		lo, hi := d.span()
		l.low = l.low + lo
		l.high = l.high + hi
	}
	l.first = l.offset + l.low
	l.last = l.offset + l.high
	if !l.swizzle.IsZero() {
		l.permuted()
	}
	return nil
}

// Rank returns the number of dims.
func (l Layout) Rank() int { return len(l.dims) }

// Dim returns dim i; its Digits must not be changed.
func (l Layout) Dim(i int) Dim { return l.dims[i] }

// Offset returns the storage offset of coordinate (0, …, 0), before any swizzle.
func (l Layout) Offset() int { return l.offset }

// Alloc returns the storage size in elements.
func (l Layout) Alloc() int { return l.alloc }

// Numel returns the number of logical elements.
func (l Layout) Numel() int { return l.numel }

// Shape returns the sizes in logical order.
func (l Layout) Shape() []int {
	shape := make([]int, len(l.dims))
	for i, d := range l.dims {
		shape[i] = d.Size
	}
	return shape
}

// Names returns the dims' names in logical order.
func (l Layout) Names() []string {
	names := make([]string, len(l.dims))
	for i, d := range l.dims {
		names[i] = d.Name
	}
	return names
}

// Strided returns the layout as one stride per dim; false if a dim has more than one digit of extent over 1. A digit of extent 1 is
// always 0 and is dropped: a block with the whole dim is a plain stride. A swizzled layout has no strides.
//
// Post: if true, every coordinate has the same address in both.
func (l Layout) Strided() (Strided, bool) {
	if !l.swizzle.IsZero() {
		return Strided{}, false
	}
	s := Strided{Shape: l.Shape(), Strides: make([]int, len(l.dims)), Offset: l.offset}
	for i, d := range l.dims {
		g, ok := d.soleDigit()
		if !ok {
			return Strided{}, false
		}
		s.Strides[i] = g.Stride
	}
	return s, true
}

// soleDigit returns the only digit of extent over 1, the first digit if there is none; ok is false if there are several.
func (d Dim) soleDigit() (g Digit, ok bool) {
	sole := d.Digits[0]
	if d.Size <= 1 {
		return sole, true
	}
	for _, g := range d.Digits[1:] {
		if g.Extent == 1 {
			continue
		}
		if sole.Extent != 1 {
			return Digit{}, false
		}
		sole = g
	}
	return sole, true
}

// String returns the layout as shape:strides@offset in elements, outermost dim first. A dim of several digits is a nested tuple, least
// significant first, as in CuTe, followed by "<size" if its last digit is padded:
//
//	(2,64,3,3):(576,9,3,1)
//	(2,(4,2)<5,2,3):(48,(1,24),12,4)
//
// A swizzled layout is printed as CuTe prints it, with the offset in the middle: Sw<3,3,3> o 0 o (8,64):(64,1).
func (l Layout) String() string {
	shape, strides := make([]string, len(l.dims)), make([]string, len(l.dims))
	for i, d := range l.dims {
		var xs, ss []int
		for _, g := range d.Digits {
			xs = append(xs, g.Extent)
			ss = append(ss, g.Stride)
		}
		if len(d.Digits) == 1 {
			shape[i], strides[i] = strconv.Itoa(d.Size), strconv.Itoa(ss[0])
			continue
		}
		shape[i], strides[i] = "("+text.Ints(xs, ",")+")", "("+text.Ints(ss, ",")+")"
		if ints.Product(xs) != d.Size {
			shape[i] += "<" + strconv.Itoa(d.Size)
		}
	}
	s := fmt.Sprintf("(%s):(%s)", strings.Join(shape, ","), strings.Join(strides, ","))
	if !l.swizzle.IsZero() {
		return fmt.Sprintf("%s o %d o %s", l.swizzle, l.offset, s)
	}
	if l.offset != 0 {
		s += "@" + strconv.Itoa(l.offset)
	}
	return s
}

// Moved returns the layout at another offset, in a storage that grows by the difference. A swizzle also permutes the new offsets.
func (l Layout) Moved(offset int) (Layout, error) {
	by, fits := Add(offset, -l.offset)
	alloc, allocFits := Add(l.alloc, by)
	if offset < 0 || !fits || !allocFits {
		return Layout{}, fault.New(fault.Usage, "offset %d is out of range", offset)
	}
	return newLayout(l.dims, offset, max(alloc, 0), l.swizzle)
}

// Span returns the lowest and the highest storage offset in use; ok is false for an empty tensor. If a swizzle permutes blocks of more
// than 2¹⁶ elements, they are the ends of its blocks.
func (l Layout) Span() (low, high int, ok bool) { return l.first, l.last, l.numel > 0 }

// Extent returns the number of storage elements from the lowest to the highest in use, inclusive: Σ (size−1)·|stride| + 1 for a strided
// tensor, 0 for an empty one.
func (l Layout) Extent() int {
	if l.numel == 0 {
		return 0
	}
	return l.last - l.first + 1
}

// InBounds reports whether every element is inside the storage.
func (l Layout) InBounds() bool {
	return l.numel == 0 || l.first >= 0 && l.last < l.alloc
}

// Slack returns the unused storage elements before the lowest and after the highest in use. For an empty tensor the whole storage is
// trailing.
func (l Layout) Slack() (leading, trailing int) {
	if l.numel == 0 {
		return 0, l.alloc
	}
	return l.first, l.alloc - (l.last + 1)
}

// BroadcastDims returns the dims along which the address does not move: size over 1 and stride 0, for at least one digit. An empty
// tensor has none.
func (l Layout) BroadcastDims() []int {
	dims := []int{}
	for i, d := range l.dims {
		if l.numel > 0 && d.repeats() {
			dims = append(dims, i)
		}
	}
	return dims
}

func (d Dim) repeats() bool {
	for _, g := range d.Digits {
		if g.Extent > 1 && d.Size > g.Div && g.Stride == 0 {
			return true
		}
	}
	return false
}

// PaddedShape returns each dim's size rounded up to the end of its last digit.
func (l Layout) PaddedShape() []int {
	shape := make([]int, len(l.dims))
	for i, d := range l.dims {
		g := d.Digits[len(d.Digits)-1]
		shape[i] = g.Div * g.Extent
	}
	return shape
}
