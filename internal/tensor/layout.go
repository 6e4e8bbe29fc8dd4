package tensor

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/words"
)

// Digit is one place of a dim's index, written in mixed radix: (i / Div) mod Extent, which moves the address by
// Stride elements per step. The last digit of a dim is never wrapped: its extent is ⌈size/Div⌉.
type Digit struct {
	Div    int `json:"div"`
	Extent int `json:"extent"`
	Stride int `json:"stride"`
}

// Dim is a logical axis. Its digits are ordered least significant first and must not be changed.
type Dim struct {
	Name   string
	Size   int
	Digits []Digit
}

// Layout says where every element of a tensor lies in its storage. It is immutable. The zero Layout holds no element;
// New makes the scalar.
type Layout struct {
	dims   []Dim
	offset int // storage offset of coordinate (0, …, 0)
	alloc  int // elements of the storage
	numel  int
	low    int // the lowest and the highest move of the address away from offset
	high   int
}

// New checks the parts and makes a layout.
//
// Each dim's digits must cover it: the first Div is 1, each next Div is Div·Extent of the one before, and the last
// extent is ⌈size/Div⌉. alloc is the storage's number of elements; Unbounded stands for "just enough".
// The addresses may lie outside the storage: InBounds tells.
func New(dims []Dim, offset, alloc int) (Layout, error) {
	if alloc < Unbounded {
		return Layout{}, fault.New(fault.Usage, "a storage of %d elements", alloc)
	}
	l := Layout{dims: make([]Dim, len(dims)), offset: offset, alloc: alloc}
	for i, d := range dims {
		if err := d.check(); err != nil {
			return Layout{}, err
		}
		l.dims[i] = Dim{d.Name, d.Size, slices.Clone(d.Digits)}
	}
	var err error
	if l.numel, err = Numel(l.Shape()); err != nil {
		return Layout{}, err
	}
	if err := l.measure(); err != nil {
		return Layout{}, err
	}
	if alloc == Unbounded {
		l.alloc = 0
		if l.numel > 0 {
			l.alloc = max(0, l.offset+l.high+1)
		}
	}
	return l, nil
}

// Unbounded, given to New as the storage size, stands for a storage that ends with the last element.
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
		if last := k == len(d.Digits)-1; last {
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
		if div, ok = Mul(div, g.Extent); !ok || g.Extent < 1 {
			return fault.New(fault.Usage, "block of %d in dim %s is out of range", g.Extent, d.Name)
		}
	}
	return nil
}

// measure fills low and high, and fails where an address, even one in padding, would not fit an int.
func (l *Layout) measure() error {
	if l.numel == 0 {
		return nil
	}
	low, high, fits := l.offset, l.offset, true
	sum := func(a, b int) int {
		c, ok := Add(a, b)
		fits = fits && ok
		return c
	}
	for _, d := range l.dims {
		for _, g := range d.Digits {
			reach, ok := Mul(g.Extent-1, g.Stride)
			low, high, fits = sum(low, min(reach, 0)), sum(high, max(reach, 0)), fits && ok
		}
	}
	sum(sum(high, 1), -low)
	if !fits || low == math.MinInt {
		return fault.New(fault.Unsupported, "layout %s reaches past what an address can count", l)
	}
	for _, d := range l.dims {
		lo, hi := d.span()
		l.low, l.high = l.low+lo, l.high+hi
	}
	return nil
}

// Rank is the number of dims.
func (l Layout) Rank() int { return len(l.dims) }

// Dim returns dim i; its Digits must not be changed.
func (l Layout) Dim(i int) Dim { return l.dims[i] }

// Offset is where coordinate (0, …, 0) lies.
func (l Layout) Offset() int { return l.offset }

// Alloc is the storage's number of elements.
func (l Layout) Alloc() int { return l.alloc }

// Numel is the number of logical elements.
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

// Strided returns the layout as one stride per dim; false where a dim has more than one digit of extent over 1.
// A digit of extent 1 never moves, so it is dropped: a block that holds the whole dim is a plain stride.
//
// Post: where true, every coordinate has the same address in both.
func (l Layout) Strided() (Strided, bool) {
	s := Strided{Shape: l.Shape(), Strides: make([]int, len(l.dims)), Offset: l.offset}
	for i, d := range l.dims {
		moving := d.Digits[0]
		for k, g := range d.Digits[1:] {
			switch {
			case g.Extent == 1 || d.Size <= 1:
			case allStill(d.Digits[:k+1]):
				moving = g
			default:
				return Strided{}, false
			}
		}
		s.Strides[i] = moving.Stride
	}
	return s, true
}

func allStill(gs []Digit) bool {
	return !slices.ContainsFunc(gs, func(g Digit) bool { return g.Extent != 1 })
}

// String prints the layout as shape:strides@offset, elements, outermost dim first. A dim of several digits is a
// nested tuple, least significant first, as in CuTe, and "<size" where its digits run past its size:
//
//	(2,64,3,3):(576,9,3,1)
//	(2,(4,2)<5,2,3):(48,(1,24),12,4)
func (l Layout) String() string {
	shape, strides := make([]string, len(l.dims)), make([]string, len(l.dims))
	for i, d := range l.dims {
		var xs, ss []int
		for _, g := range d.Digits {
			xs, ss = append(xs, g.Extent), append(ss, g.Stride)
		}
		if len(d.Digits) == 1 {
			shape[i], strides[i] = strconv.Itoa(d.Size), strconv.Itoa(ss[0])
			continue
		}
		shape[i], strides[i] = "("+words.Ints(xs, ",")+")", "("+words.Ints(ss, ",")+")"
		if ints.Product(xs) != d.Size {
			shape[i] += "<" + strconv.Itoa(d.Size)
		}
	}
	s := fmt.Sprintf("(%s):(%s)", strings.Join(shape, ","), strings.Join(strides, ","))
	if l.offset != 0 {
		s += "@" + strconv.Itoa(l.offset)
	}
	return s
}

// Moved returns the layout moved to another offset, in a storage that is larger by as much.
func (l Layout) Moved(offset int) (Layout, error) {
	by, near := Add(offset, -l.offset)
	alloc, fits := Add(l.alloc, by)
	if offset < 0 || !near || !fits {
		return Layout{}, fault.New(fault.Usage, "offset %d is out of range", offset)
	}
	return New(l.dims, offset, max(alloc, 0))
}
