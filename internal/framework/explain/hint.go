package explain

import (
	"fmt"

	"github.com/tlayout/tlayout/internal/tensor"
)

// Hint is how PyTorch decides suggest_memory_format for rank 4 and 5. It walks outwards in the order of channels_last too, but
// includes size-1 dims, and a stride need only be as large as the span of the dim inside it:
//
//	need = 0; for d in order: size_d ≠ 0 and stride_d ≥ need, and not (d = N and need = stride_C); need = span_d
//
// The two implementations share the loop and differ in the rule for the span.
type Hint struct {
	Rule   HintRule
	Reason HintReason
	Steps  []HintStep // up to the deciding dim
	Dim    int        // the deciding one; -1: none
	Name   string     // the dim's
	Stride int        // the dim's, in elements
	Min    int        // minimum of the stride
	Format string     // channels_last or channels_last_3d
}

// HintRule is how large a dim's span is.
type HintRule string

const (
	// Eager spans stride · size: is_channels_last_strides_2d_s4 and is_channels_last_strides_3d_s5 in c10/core/MemoryFormat.h,
	// behind suggest_memory_format in aten/src/ATen/core/TensorBase.h; the same in PyTorch 1.13 and 2.x.
	Eager HintRule = "C++"
	// Traced spans 1 where the stride is 1: are_strides_like_channels_last in torch/_prims_common/__init__.py, PyTorch 1.13 to
	// 2.10 (see tensor.Strided.PrimsLikeChannelsLast).
	Traced HintRule = "Python"
)

// HintStep is one dim of a Hint. Strides are elements.
type HintStep struct {
	Name   string
	Size   int
	Stride int
	Min    int // span of the dim inside it
	Span   int
}

// HintReason is the reason of a Hint.
type HintReason string

const (
	HintNested    HintReason = "nested"    // every stride is large enough: the hint is channels_last
	HintBroadcast HintReason = "broadcast" // the stride of C is 0
	HintEmpty     HintReason = "empty"     // a size is 0
	HintLess      HintReason = "less"      // a stride is less than the span inside it
	HintSingle    HintReason = "single"    // the dims inside N span the stride of C
)

// NewHint returns the hint of a tensor of rank 4 or 5.
//
// Post: Reason is HintNested if and only if s.LikeChannelsLast, or by Traced s.PrimsLikeChannelsLast.
func NewHint(s tensor.Strided, names []string, rule HintRule) Hint {
	h := Hint{Rule: rule, Format: "channels_last"}
	if s.Rank() == 5 {
		h.Format = "channels_last_3d"
	}
	decide := func(why HintReason, d, need int) Hint {
		h.Reason = why
		h.Dim = d
		h.Name = names[d]
		h.Stride = s.Strides[d]
		h.Min = need
		return h
	}
	if s.Strides[1] == 0 {
		return decide(HintBroadcast, 1, 1)
	}
	need := 0
	for _, d := range ChannelsLast(s.Rank()) {
		step := HintStep{Name: names[d], Size: s.Shape[d], Stride: s.Strides[d], Min: need, Span: s.Strides[d]}
		if rule == Eager || step.Stride > 1 {
			step.Span *= step.Size
		}
		h.Steps = append(h.Steps, step)
		if s.Shape[d] == 0 {
			return decide(HintEmpty, d, need)
		}
		if s.Strides[d] < need {
			return decide(HintLess, d, need)
		}
		if d == 0 && need == s.Strides[1] {
			return decide(HintSingle, d, need)
		}
		need = step.Span
	}
	h.Reason = HintNested
	h.Dim = -1
	return h
}

// String returns the reason in one line.
func (h Hint) String() string {
	switch h.Reason {
	case HintBroadcast:
		return fmt.Sprintf("the stride of %s is 0", h.Name)
	case HintEmpty:
		return fmt.Sprintf("%s has size 0", h.Name)
	case HintLess:
		return fmt.Sprintf("the stride of %s is %d, less than %d, the span of the dims inside it in %s order", h.Name, h.Stride, h.Min, h.Format)
	case HintSingle:
		if h.Rule == Traced {
			return fmt.Sprintf("the dims inside %s span %d, the stride of C, and such tensors stay %s", h.Name, h.Min, tensor.ContiguousFormat)
		}
		return fmt.Sprintf("only %s has a size over 1, and such tensors stay %s", h.Name, tensor.ContiguousFormat)
	}
	return fmt.Sprintf("every stride spans the dims inside it in %s order, size-1 dims included", h.Format)
}

// Lines returns the steps: "W: stride 3 ≥ 3, spans 3 · 4 = 12".
func (h Hint) Lines() []string {
	if h.Reason == HintBroadcast {
		return []string{h.String()}
	}
	var lines []string
	last := len(h.Steps) - 1
	for i, s := range h.Steps {
		if i == last {
			lines = append(lines, h.decision(s))
			continue
		}
		span := fmt.Sprintf("spans %d: a stride of 1 is not multiplied by the size, %d", s.Span, s.Size)
		if s.Span == s.Stride*s.Size {
			span = fmt.Sprintf("spans %d · %d = %d", s.Stride, s.Size, s.Span)
		}
		lines = append(lines, s.nested()+", "+span)
	}
	return lines
}

// decision returns the comparison of the last step, and the answer.
func (h Hint) decision(s HintStep) string {
	switch h.Reason {
	case HintNested:
		return fmt.Sprintf("%s, and %d is not the stride of C: yes", s.nested(), s.Min)
	case HintEmpty:
		return s.Name + ": size 0: no"
	case HintLess:
		return fmt.Sprintf("%s: stride %d < %d: no", s.Name, s.Stride, s.Min)
	}
	return fmt.Sprintf("%s, but %d is the stride of C: no", s.nested(), s.Min)
}

func (s HintStep) nested() string {
	return fmt.Sprintf("%s: stride %d ≥ %d", s.Name, s.Stride, s.Min)
}
