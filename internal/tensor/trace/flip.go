package trace

import (
	"fmt"
	"slices"

	"github.com/tlayout/tlayout/internal/tensor"
)

// flip copies in PyTorch, into the strides of empty_like.
func (s State) flip(a arguments) (Step, error) {
	dims, err := s.axes(a.numbers("dims"), s.Rank(), "", func(d int) string {
		return fmt.Sprintf("dim %d appears multiple times in the list of dims", d)
	})
	if err != nil {
		return Step{}, err
	}
	strides := s.CloneStrides()
	placed := tensor.Strided{Shape: s.Shape, Strides: slices.Clone(strides)}
	why := []string{"PyTorch has no negative strides, so flip copies"}
	for _, d := range dims {
		if s.Rank() == 0 || s.Empty() {
			break
		}
		placed.Offset += (s.Shape[d] - 1) * strides[d]
		placed.Strides[d] = -strides[d]
		why = append(why, fmt.Sprintf("%s: index i has what was at %d-i", s.called(d), s.Shape[d]-1))
	}
	return s.copied(tensor.Strided{Shape: s.Shape, Strides: strides}, placed, s.Names, append(why, s.whyPreserved())...)
}

// npFlip gives dims the negative stride, and starts at their end.
func (s State) npFlip(a arguments) (Step, error) {
	dims := s.inOrder()
	if a.has("axis") {
		var err error
		if dims, err = s.axisTuple(a.numbers("axis"), s.Rank(), "", func(int) string { return "repeated axis" }); err != nil {
			return Step{}, err
		}
	}
	entries := make([]Arg, s.Rank())
	back := -1
	for d := range entries {
		entries[d] = Arg{Kind: Range}
	}
	for _, d := range dims {
		entries[d].Step = &back
	}
	return s.index(arguments{call: Call{Name: Index, Args: entries}})
}
