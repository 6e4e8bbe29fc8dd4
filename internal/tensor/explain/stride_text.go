package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/words"
)

// String tells of the stride in a sentence: "C-stride = H · W = 5 · 4 = 20".
func (s Stride) String() string { return s.Name() + "-stride = " + s.sentence() }

func (s Stride) sentence() string {
	packed := s.Inside.In(" · ")
	switch {
	case s.Kind == StrideUnused && s.Stride == s.Inside.Value:
		return packed + ", never used: its index is always 0"
	case s.Kind == StrideUnused:
		return fmt.Sprintf("%d, never used: its index is always 0; packed it would be %s", s.Stride, packed)
	case s.Kind == StrideBroadcast:
		return fmt.Sprintf("0: broadcast, all %d indices lead to the same elements", s.Extent)
	case s.Kind == StridePacked && s.Stride > 0 && len(s.Inside.Factors) > 0:
		return packed
	case s.Next == nil && s.Reach == absolute(s.Stride):
		return fmt.Sprintf("%d: neighbours lie side by side", s.Stride) + s.backwards()
	case s.Next == nil && s.Kind == StridePadded:
		return fmt.Sprintf("%d: neighbours lie %d apart, with %s of padding between", s.Stride, absolute(s.Stride),
			words.Count(s.Padding(), "element")) + s.backwards()
	case s.Kind == StridePacked:
		return fmt.Sprintf("%d: %s", s.Stride, packed) + s.backwards()
	}
	return s.apart()
}

// apart compares a stride that is not the packed one with the reach of the next axis inside.
func (s Stride) apart() string {
	inside := s.inside()
	switch s.Kind {
	case StrideNested:
		if s.Stride > 0 {
			return inside
		}
		return fmt.Sprintf("%d: %s", s.Stride, inside) + s.backwards()
	case StridePadded:
		return fmt.Sprintf("%d: %s and %s of padding", s.Stride, inside, words.Count(s.Padding(), "element")) + s.backwards()
	}
	return fmt.Sprintf("%d: less than %s, so its steps fall among those of %s", s.Stride, inside, s.Next.Name()) + s.backwards()
}

// inside writes the reach: "H · H-stride = 3 · 16 = 48", "W · 1 = 3".
func (s Stride) inside() string {
	n, stride := s.Next.Extent, absolute(s.Next.Stride)
	if stride == 1 {
		return fmt.Sprintf("%s · 1 = %d", s.Next.Symbol(), n)
	}
	return fmt.Sprintf("%s · %s-stride = %d · %d = %s", s.Next.Symbol(), s.Next.Name(), n, stride, times(n, stride))
}

func (s Stride) backwards() string {
	if s.Backwards() {
		return ", run backwards: index 0 lies last"
	}
	return ""
}

// Short tells of the stride in a cell of a table: "H·W = 5·4 = 20", "innermost", "W = 3; here 5".
func (s Stride) Short() string {
	text, packed := "innermost", s.Inside.Value
	if len(s.Inside.Factors) > 0 {
		text = s.Inside.In("·")
	}
	switch {
	case slices.Contains(s.Inside.Factors, 0):
		return text + ", where 0 counts as 1"
	case s.Stride == packed || s.Extent == 0:
		return text
	case s.Extent == 1:
		return fmt.Sprintf("%s; size 1 never uses its %d", text, s.Stride)
	}
	return fmt.Sprintf("%s; here %d", text, s.Stride)
}

// Symbolic tells of the packed stride in letters alone, where sizes are not known: "⌈C/16⌉·H·W·16", "innermost".
func (s Stride) Symbolic() string { return cmp.Or(strings.Join(s.Inside.Symbols, "·"), "innermost") }
