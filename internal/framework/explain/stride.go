package explain

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/text"
)

// Stride derives the stride of an axis from the axes inside it.
type Stride struct {
	Axis
	Kind   StrideKind
	Inside Product // of the extents of all axes inside: the dense stride
	Next   *Axis   // the outermost axis inside with more than one step and a nonzero stride; nil: none
	Reach  int     // Extent·|Stride| of Next, in elements, at most math.MaxInt; 1 without Next
}

// StrideKind is how a stride relates to the axes inside it.
type StrideKind string

const (
	StrideUnused    StrideKind = "unused"    // size 1: the index is always 0, and the stride can be anything
	StrideBroadcast StrideKind = "broadcast" // 0: all indices share the same elements
	StridePacked    StrideKind = "packed"    // ± the product of the extents inside
	StrideNested    StrideKind = "nested"    // ± the reach, which is not that product: there is padding or a broadcast further in
	StridePadded    StrideKind = "padded"    // larger than the reach: padding after each step
	StrideWithin    StrideKind = "within"    // smaller than the reach: steps interleave with those of Next
)

// NewStrides derives the stride of every axis; axes are outermost first. An extent of 0 counts as 1 in the strides around it.
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
		s.Reach = saturating(s.Next.Extent, ints.Abs(s.Next.Stride))
	}
	s.Kind = s.kind()
	return s
}

func (s Stride) kind() StrideKind {
	if s.Extent == 1 {
		return StrideUnused
	}
	if s.Stride == 0 {
		return StrideBroadcast
	}
	step := ints.Abs(s.Stride)
	if step == s.Inside.Value {
		return StridePacked
	}
	switch cmp.Compare(step, s.Reach) {
	case 0:
		return StrideNested
	case 1:
		return StridePadded
	}
	return StrideWithin
}

// Padding returns the number of padding elements after each step; 0 unless the kind is StridePadded.
func (s Stride) Padding() int {
	if s.Kind != StridePadded {
		return 0
	}
	return ints.Abs(s.Stride) - s.Reach
}

// reversed reports whether index 0 is last in memory: the stride is used and negative.
func (s Stride) reversed() bool { return s.Stride < 0 && s.Kind != StrideUnused }

// saturating returns a·b for a, b ≥ 0, at most math.MaxInt.
func saturating(a, b int) int {
	if high, low := bits.Mul(uint(a), uint(b)); high != 0 || low > math.MaxInt {
		return math.MaxInt
	}
	return a * b
}

// String returns the stride with its derivation: "C-stride = H · W = 5 · 4 = 20".
func (s Stride) String() string { return s.Name() + "-stride = " + s.sentence() }

func (s Stride) sentence() string {
	packed := s.Inside.In(" · ")
	switch s.Kind {
	case StrideUnused:
		if s.Stride == s.Inside.Value {
			return packed + ", never used: its index is always 0"
		}
		return fmt.Sprintf("%d, never used: its index is always 0; dense it would be %s", s.Stride, packed)
	case StrideBroadcast:
		return fmt.Sprintf("0: broadcast, all %d indices share the same elements", s.Extent)
	case StridePacked:
		if s.Stride > 0 && len(s.Inside.Factors) > 0 {
			return packed
		}
	}
	if s.Next == nil && s.Reach == ints.Abs(s.Stride) {
		return fmt.Sprintf("%d: neighbors are adjacent", s.Stride) + s.backwards()
	}
	if s.Next == nil && s.Kind == StridePadded {
		return fmt.Sprintf("%d: neighbors are %d apart, with %s of padding between", s.Stride, ints.Abs(s.Stride),
			text.Count(s.Padding(), "element")) + s.backwards()
	}
	if s.Kind == StridePacked {
		return fmt.Sprintf("%d: %s", s.Stride, packed) + s.backwards()
	}
	return s.compared()
}

// compared compares a stride that is not dense with the reach of the next axis inside.
func (s Stride) compared() string {
	inside := s.inside()
	switch s.Kind {
	case StrideNested:
		if s.Stride > 0 {
			return inside
		}
		return fmt.Sprintf("%d: %s", s.Stride, inside) + s.backwards()
	case StridePadded:
		return fmt.Sprintf("%d: %s and %s of padding", s.Stride, inside, text.Count(s.Padding(), "element")) + s.backwards()
	}
	return fmt.Sprintf("%d: less than %s, so its steps interleave with those of %s", s.Stride, inside, s.Next.Name()) + s.backwards()
}

// inside returns the reach: "H · H-stride = 3 · 16 = 48", "W · 1 = 3".
func (s Stride) inside() string {
	n := s.Next.Extent
	stride := ints.Abs(s.Next.Stride)
	if stride == 1 {
		return fmt.Sprintf("%s · 1 = %d", s.Next.Symbol(), n)
	}
	return fmt.Sprintf("%s · %s-stride = %d · %d = %s", s.Next.Symbol(), s.Next.Name(), n, stride, times(n, stride))
}

func (s Stride) backwards() string {
	if s.reversed() {
		return ", reversed: index 0 is last"
	}
	return ""
}

// Short returns the derivation for a table cell: "H·W = 5·4 = 20", "innermost", "W = 3; here 5".
func (s Stride) Short() string {
	text := "innermost"
	packed := s.Inside.Value
	if len(s.Inside.Factors) > 0 {
		text = s.Inside.In("·")
	}
	if slices.Contains(s.Inside.Factors, 0) {
		return text + ", where 0 counts as 1"
	}
	if s.Stride == packed || s.Extent == 0 {
		return text
	}
	if s.Extent == 1 {
		return fmt.Sprintf("%s; size 1 never uses its %d", text, s.Stride)
	}
	return fmt.Sprintf("%s; here %d", text, s.Stride)
}

// Symbolic returns the dense stride without numbers, for unknown sizes: "⌈C/16⌉·H·W·16", "innermost".
func (s Stride) Symbolic() string { return cmp.Or(strings.Join(s.Inside.Symbols, "·"), "innermost") }
