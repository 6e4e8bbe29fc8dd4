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
