package explain

import (
	"fmt"

	"github.com/tlayout/tlayout/internal/tensor"
)

// Walk decides whether a tensor is contiguous in an order of dims: from the innermost out, every dim needs the dense stride, up to the
// first that lacks it.
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
	Expected Product // of the sizes inside, outermost first, omitting size 1
	Skipped  bool    // size 1: its stride is never used
	OK       bool
}

// Packed returns the dim order of a C-contiguous tensor, innermost first.
func Packed(rank int) []int {
	order := make([]int, rank)
	for i := range order {
		order[i] = rank - 1 - i
	}
	return order
}

// ChannelsLast returns the dim order of channels_last and channels_last_3d, innermost first; nil for other ranks.
func ChannelsLast(rank int) []int {
	return map[int][]int{4: {1, 3, 2, 0}, 5: {1, 4, 3, 2, 0}}[rank]
}

// NewWalk walks the dims in order, innermost first; names are the dims' names.
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

// within returns the product with another outer factor. A size of 0 counts as 0 here, unlike in a layout's strides.
func (p Product) within(symbol string, size int) Product {
	return Product{append([]string{symbol}, p.Symbols...), append([]int{size}, p.Factors...), p.Value * size}
}

// String returns the step: "C: expected H · W = 5 · 4 = 20, found 20".
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
