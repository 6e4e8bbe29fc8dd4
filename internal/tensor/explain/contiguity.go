package explain

import (
	"fmt"

	"github.com/tlayout/tlayout/internal/tensor"
)

// Walk is how it is decided whether a tensor is contiguous in an order of dims: each dim is asked for the packed stride,
// from the innermost one out, up to the first no.
//
//	expected = 1; for d in order: if size_d ≠ 1 { need stride_d = expected; expected *= size_d }
type Walk struct {
	Steps []WalkStep
	OK    bool
}

// WalkStep is one dim of a walk. Strides are elements.
type WalkStep struct {
	Dim      int
	Name     string
	Size     int
	Found    int
	Expected Product // of the sizes walked so far, those of 1 left out, outermost first
	Skipped  bool    // size 1: its stride is never used
	OK       bool
}

// Packed is the order of dims of a C-contiguous tensor, innermost first.
func Packed(rank int) []int {
	order := make([]int, rank)
	for i := range order {
		order[i] = rank - 1 - i
	}
	return order
}

// ChannelsLast is the order of dims of channels_last and channels_last_3d, innermost first; nil for other ranks.
func ChannelsLast(rank int) []int {
	return map[int][]int{4: {1, 3, 2, 0}, 5: {1, 4, 3, 2, 0}}[rank]
}

// NewWalk walks the dims in order, innermost first; names are those of the dims.
//
// Post: for a tensor with elements, OK is CContiguous().OK in the order Packed, and ChannelsLast().OK or
// ChannelsLast3D().OK in that of ChannelsLast, which hold for an empty tensor too.
func NewWalk(s tensor.Strided, names []string, order []int) Walk {
	w := Walk{Steps: []WalkStep{}, OK: true}
	expected := Product{Value: 1}
	for _, d := range order {
		step := WalkStep{Dim: d, Name: names[d], Size: s.Shape[d], Found: s.Strides[d], Expected: expected}
		step.Skipped = step.Size == 1
		step.OK = step.Skipped || step.Found == expected.Value
		w.Steps = append(w.Steps, step)
		if !step.OK {
			w.OK = false
			break
		}
		if !step.Skipped {
			expected = expected.within(step.Name, step.Size)
		}
	}
	return w
}

// within is the product with one more factor in front. Unlike in the strides of a layout, a size of 0 is 0.
func (p Product) within(symbol string, size int) Product {
	return Product{append([]string{symbol}, p.Symbols...), append([]int{size}, p.Factors...), p.Value * size}
}

// String writes the step: "C: expected H · W = 5 · 4 = 20, found 20".
func (s WalkStep) String() string {
	if s.Skipped {
		return fmt.Sprintf("%s: size 1, skipped: its stride of %d is never used", s.Name, s.Found)
	}
	text := fmt.Sprintf("%s: expected %s, found %d", s.Name, s.Expected.In(" · "), s.Found)
	if !s.OK {
		text += ": no"
	}
	return text
}

// Hint is how PyTorch's suggest_memory_format is decided for rank 4 and 5: it walks outwards in the order of channels_last
// too, but looks at size-1 dims, and wants no packed stride, only one of at least what lies inside:
//
//	least = 0; for d in order: need size_d ≠ 0 and stride_d ≥ least; least = stride_d · size_d
//	and not: stride_N reached with least = stride_C
//
// (c10/core/MemoryFormat.h, is_channels_last_strides_2d)
type Hint struct {
	Reason HintReason
	Dim    int    // that decided; -1 where none did
	Name   string // of the dim
	Stride int    // of the dim, elements
	Least  int    // what it would have to be
	Format string // channels_last or channels_last_3d
}

// HintReason is what decides a Hint.
type HintReason string

const (
	HintNested    HintReason = "nested"    // the one that says channels_last: no stride is less than what lies inside it
	HintBroadcast HintReason = "broadcast" // the stride of C is 0
	HintEmpty     HintReason = "empty"     // a size is 0
	HintLess      HintReason = "less"      // a stride is less than what lies inside it
	HintSingle    HintReason = "single"    // all dims but N have size 1
)

// NewHint decides the hint of a tensor of rank 4 or 5.
//
// Post: Reason is HintNested if and only if s.SuggestMemoryFormat() is not tensor.ContiguousFormat.
func NewHint(s tensor.Strided, names []string) Hint {
	format := "channels_last"
	if s.Rank() == 5 {
		format = "channels_last_3d"
	}
	decide := func(why HintReason, d, least int) Hint { return Hint{why, d, names[d], s.Strides[d], least, format} }
	if s.Strides[1] == 0 {
		return decide(HintBroadcast, 1, 1)
	}
	least := 0
	for _, d := range ChannelsLast(s.Rank()) {
		switch {
		case s.Shape[d] == 0:
			return decide(HintEmpty, d, least)
		case s.Strides[d] < least:
			return decide(HintLess, d, least)
		case d == 0 && least == s.Strides[1]:
			return decide(HintSingle, d, least)
		}
		least = s.Strides[d] * s.Shape[d]
	}
	return Hint{Reason: HintNested, Dim: -1, Format: format}
}

func (h Hint) String() string {
	switch h.Reason {
	case HintBroadcast:
		return fmt.Sprintf("the stride of %s is 0", h.Name)
	case HintEmpty:
		return fmt.Sprintf("%s has size 0", h.Name)
	case HintLess:
		return fmt.Sprintf("the stride of %s, %d, is less than %d, what lies inside it in %s order", h.Name, h.Stride, h.Least, h.Format)
	case HintSingle:
		return fmt.Sprintf("no dim besides %s has a size over 1, and such tensors stay %s", h.Name, tensor.ContiguousFormat)
	}
	return fmt.Sprintf("no stride is less than what lies inside it in %s order, size-1 dims included", h.Format)
}
