package trace

import (
	"fmt"
	"slices"

	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/words"
)

// expand is broadcast_to too, which PyTorch defines by it.
func (s State) expand(a arguments) (Step, error) {
	target := a.numbers("size")
	if r := s.cannotExpand(target); r != nil {
		return Step{}, r
	}
	to, err := s.Expand(target)
	if err != nil {
		return Step{}, err
	}
	return s.grown(to)
}

// grown tells how each dim has come about.
func (s State) grown(to tensor.Strided) (Step, error) {
	skip := to.Rank() - s.Rank()
	names := append(make([]string, skip), s.Names...)
	var why []string
	for d, size := range to.Shape {
		switch {
		case d < skip && size == 1:
			why = append(why, fmt.Sprintf("new dim %d: size 1, stride %d, never used", d, to.Strides[d]))
		case d < skip:
			why = append(why, fmt.Sprintf("new dim %d: size %d, stride 0: every index reads the same elements", d, size))
		case size != s.Shape[d-skip]:
			why = append(why, fmt.Sprintf("%s: size 1 → %d, stride 0: every index reads the same elements", s.called(d-skip), size))
		}
	}
	return s.look(to, names, why...)
}

// cannotExpand says why not, walking the dims from the last as PyTorch does; nil where it can.
func (s State) cannotExpand(target []int) *Refusal {
	skip := len(target) - s.Rank()
	if skip < 0 {
		return refuse("expand(torch.Tensor{%s}, size=%s): the number of sizes provided (%d) must be greater or equal to the number "+
			"of dimensions in the tensor (%d)", tensor.List(s.Shape), tensor.List(target), len(target), s.Rank()).
			because("the tensor has %s, (%s) has %d", words.Count(s.Rank(), "dim"), words.Ints(target, ","), len(target)).
			withHint("expand adds dims in front, it takes none away")
	}
	var negative *Refusal
	for i, want := range slices.Backward(target) {
		switch d := i - skip; {
		case d < 0 && want < 0 && s.Rank() > 0:
			return refuse("The expanded size of the tensor (%d) isn't allowed in a leading, non-existing dimension %d", want, i).
				because("-1 keeps the size of an old dim; dim %d is new", i)
		case d >= 0 && want != -1 && want != s.Shape[d] && s.Shape[d] != 1:
			return refuse("The expanded size of the tensor (%d) must match the existing size (%d) at non-singleton dimension %d.  "+
				"Target sizes: %s.  Tensor sizes: %s", want, s.Shape[d], i, tensor.List(target), tensor.List(s.Shape)).
				because("%s", s.whyNotGrow(d, want)).withHint("%s", s.roomFor(target, "unsqueeze"))
		case want < -1 || d < 0 && want < 0:
			negative = refuse("numel: integer multiplication overflow").because("size %d of dim %d is negative", want, i)
		}
	}
	return negative
}

func (s State) whyNotGrow(d, want int) string {
	return fmt.Sprintf("%s has size %d, and only a dim of size 1 can become one of %d", s.called(d), s.Shape[d], want)
}

// roomFor looks for dims of size 1 to insert, so that the old dims, in their order, meet sizes that they can take: (3,)
// can become (3,4) once it is (3,1). Empty where there is no such place.
func (s State) roomFor(target []int, insert string) string {
	var places []int
	i, shape := len(target)-1, []int{}
	for d := s.Rank() - 1; d >= 0; d-- {
		for i >= 0 && target[i] != s.Shape[d] && s.Shape[d] != 1 {
			places, shape = append(places, i), append(shape, 1)
			i--
		}
		shape = append(shape, s.Shape[d])
		i--
	}
	slices.Reverse(shape)
	wide := tensor.Strided{Shape: shape, Strides: make([]int, len(shape))}
	if len(shape) > len(target) || len(places) == 0 || len(places) > 2 {
		return ""
	}
	if _, err := wide.Expand(target); err != nil {
		return ""
	}
	skip := len(target) - len(shape)
	slices.Sort(places)
	named := make([]string, len(places))
	for k, p := range places {
		named[k] = fmt.Sprintf("%s(%d)", insert, p-skip)
	}
	return words.And(named) + " first, then it fits"
}

// npBroadcastTo gives every dim of size 1 the stride 0, even where it stays so.
func (s State) npBroadcastTo(a arguments) (Step, error) {
	target := a.numbers("shape")
	if r := s.npCannotBroadcast(target); r != nil {
		return Step{}, r
	}
	skip := len(target) - s.Rank()
	to := tensor.Strided{Shape: target, Strides: make([]int, len(target)), Offset: s.Offset}
	for d, n := range s.Shape {
		if n != 1 {
			to.Strides[skip+d] = s.Strides[d]
		}
	}
	return s.grown(to)
}

func (s State) npCannotBroadcast(target []int) *Refusal {
	skip := len(target) - s.Rank()
	short := fmt.Sprintf("the array has %s, %s has %d", words.Count(s.Rank(), "dim"), tensor.Tuple(target), len(target))
	switch {
	case len(target) == 0 && s.Rank() > 0:
		return refuse("cannot broadcast a non-scalar to a scalar array").because("%s", short)
	case slices.ContainsFunc(target, func(n int) bool { return n < 0 }):
		return refuse("all elements of broadcast shape must be non-negative")
	case skip < 0:
		return refuse("input operand has more dimensions than allowed by the axis remapping").because("%s", short).
			withHint("broadcast_to adds dims in front, it takes none away")
	}
	for d, n := range s.Shape {
		if n != 1 && n != target[skip+d] {
			return refuse("operands could not be broadcast together with remapped shapes [original->remapped]: %s  and requested shape %s",
				npShape(s.Shape), npShape(target)).
				because("%s", s.whyNotGrow(d, target[skip+d])).withHint("%s", s.roomFor(target, "expand_dims"))
		}
	}
	return nil
}
