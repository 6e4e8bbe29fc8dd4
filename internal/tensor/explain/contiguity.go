package explain

import (
	"fmt"

	"github.com/tlayout/tlayout/internal/tensor"
)

// Walk decides whether a tensor is contiguous in an order of dims: every dim needs the packed stride, from the innermost out, up to
// the first that does not have it.
//
//	expected = 1; for d in order: if size_d ≠ 1 { need stride_d = expected; expected *= size_d }
//
// (_compute_contiguous and _compute_channels_last_contiguous_2d in PyTorch 2.1's c10/core/Contiguity.h; TensorImpl.cpp in 1.13)
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
	Expected Product // of the sizes inside, outermost first, without sizes of 1
	Skipped  bool    // size 1: its stride is never used
	OK       bool
}

// Packed is the dim order of a C-contiguous tensor, innermost first.
func Packed(rank int) []int {
	order := make([]int, rank)
	for i := range order {
		order[i] = rank - 1 - i
	}
	return order
}

// ChannelsLast is the dim order of channels_last and channels_last_3d, innermost first; nil for other ranks.
func ChannelsLast(rank int) []int {
	return map[int][]int{4: {1, 3, 2, 0}, 5: {1, 4, 3, 2, 0}}[rank]
}

// NewWalk walks the dims in order, innermost first; names are those of the dims.
//
// Post: for a tensor with elements, OK is CContiguous().OK in the order Packed, and ChannelsLast().OK or ChannelsLast3D().OK in
// the order ChannelsLast. Those also hold for every empty tensor.
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

// within is the product with one more factor in front. A size of 0 counts as 0 here, unlike in a layout's strides.
func (p Product) within(symbol string, size int) Product {
	return Product{append([]string{symbol}, p.Symbols...), append([]int{size}, p.Factors...), p.Value * size}
}

// String is the step: "C: expected H · W = 5 · 4 = 20, found 20".
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

// Hint is how PyTorch decides suggest_memory_format for rank 4 and 5. It walks outwards in the order of channels_last too, but
// includes size-1 dims, and a stride need only be as large as the extent inside it:
//
//	need = 0; for d in order: size_d ≠ 0 and stride_d ≥ need, and not (d = N and need = stride_C); need = stride_d · size_d
//
// (is_channels_last_strides_2d_s4 and is_channels_last_strides_3d_s5 in c10/core/MemoryFormat.h, suggest_memory_format in
// aten/src/ATen/core/TensorBase.h; the same in PyTorch 1.13 and 2.x)
type Hint struct {
	Reason HintReason
	Dim    int    // that decided; -1 for none
	Name   string // of the dim
	Stride int    // of the dim, elements
	Min    int    // that its stride has to be at least
	Format string // channels_last or channels_last_3d
}

// HintReason is what decides a Hint.
type HintReason string

const (
	HintNested    HintReason = "nested"    // every stride is large enough: the hint is channels_last
	HintBroadcast HintReason = "broadcast" // the stride of C is 0
	HintEmpty     HintReason = "empty"     // a size is 0
	HintLess      HintReason = "less"      // a stride is less than the extent inside it
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
	decide := func(why HintReason, d, need int) Hint {
		return Hint{Reason: why, Dim: d, Name: names[d], Stride: s.Strides[d], Min: need, Format: format}
	}
	if s.Strides[1] == 0 {
		return decide(HintBroadcast, 1, 1)
	}
	need := 0
	for _, d := range ChannelsLast(s.Rank()) {
		switch {
		case s.Shape[d] == 0:
			return decide(HintEmpty, d, need)
		case s.Strides[d] < need:
			return decide(HintLess, d, need)
		case d == 0 && need == s.Strides[1]:
			return decide(HintSingle, d, need)
		}
		need = s.Strides[d] * s.Shape[d]
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
		return fmt.Sprintf("the stride of %s is %d, less than %d, the span of the dims inside it in %s order", h.Name, h.Stride, h.Min, h.Format)
	case HintSingle:
		return fmt.Sprintf("no dim but %s has a size over 1, and such tensors stay %s", h.Name, tensor.ContiguousFormat)
	}
	return fmt.Sprintf("every stride spans the dims inside it in %s order, size-1 dims included", h.Format)
}
