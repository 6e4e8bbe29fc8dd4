package explain

import (
	"math"
	"math/bits"
	"slices"
)

// Stride tells how the stride of an axis comes about from the axes that lie inside it.
type Stride struct {
	Axis
	Kind   StrideKind
	Inside Product // of the extents of all axes inside: the stride where nothing is padded
	Next   *Axis   // of the axes inside, the outermost one that moves the address; nil where none does
	Reach  int     // how far all steps of Next lead, Extent·|Stride| elements, at most math.MaxInt; 1 without Next
}

// StrideKind is how a stride relates to what lies inside it.
type StrideKind string

const (
	StrideUnused    StrideKind = "unused"    // size 1: the index is always 0, and the stride may be anything
	StrideBroadcast StrideKind = "broadcast" // 0: all indices lead to the same elements
	StridePacked    StrideKind = "packed"    // ± the product of the extents inside
	StrideNested    StrideKind = "nested"    // ± the reach, which is not that product: padding or a broadcast lies further in
	StridePadded    StrideKind = "padded"    // larger than the reach: padding lies behind each step
	StrideWithin    StrideKind = "within"    // smaller than the reach: steps fall among those of Next
)

// NewStrides tells of each axis how its stride comes about. axes lie outermost first. An extent of 0 counts as 1 in the
// strides around it.
func NewStrides(axes []Axis) []Stride {
	strides := make([]Stride, len(axes))
	for i, p := range axes {
		strides[i] = newStride(p, axes[i+1:])
	}
	return strides
}

func newStride(p Axis, inner []Axis) Stride {
	s := Stride{Axis: p, Inside: newProduct(inner), Reach: 1}
	if i := slices.IndexFunc(inner, func(q Axis) bool { return q.Extent > 1 && q.Stride != 0 }); i >= 0 {
		s.Next = &inner[i]
		s.Reach = saturating(s.Next.Extent, absolute(s.Next.Stride))
	}
	switch gap := absolute(p.Stride) - s.Reach; {
	case p.Extent == 1:
		s.Kind = StrideUnused
	case p.Stride == 0:
		s.Kind = StrideBroadcast
	case absolute(p.Stride) == s.Inside.Value:
		s.Kind = StridePacked
	case gap == 0:
		s.Kind = StrideNested
	case gap > 0:
		s.Kind = StridePadded
	default:
		s.Kind = StrideWithin
	}
	return s
}

// Padding is how many elements of padding lie behind each step; 0 for other kinds than StridePadded.
func (s Stride) Padding() int {
	if s.Kind != StridePadded {
		return 0
	}
	return absolute(s.Stride) - s.Reach
}

// Backwards reports whether index 0 lies last: the stride is used and negative.
func (s Stride) Backwards() bool { return s.Stride < 0 && s.Kind != StrideUnused }

// saturating is a·b of numbers that are not negative, at most math.MaxInt.
func saturating(a, b int) int {
	if high, low := bits.Mul(uint(a), uint(b)); high != 0 || low > math.MaxInt {
		return math.MaxInt
	}
	return a * b
}
