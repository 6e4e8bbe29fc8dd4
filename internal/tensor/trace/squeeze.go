package trace

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/tensor"
)

// without leaves dims out.
func (s State) without(gone []int) (tensor.Strided, []string) {
	to, names := tensor.Strided{Offset: s.Offset}, []string(nil)
	for d := range s.Rank() {
		if !slices.Contains(gone, d) {
			to.Shape, to.Strides, names = append(to.Shape, s.Shape[d]), append(to.Strides, s.Strides[d]), append(names, s.Names[d])
		}
	}
	return to, names
}

// singles lists the dims of size 1.
func (s State) singles() []int {
	return slices.DeleteFunc(s.inOrder(), func(d int) bool { return s.Shape[d] != 1 })
}

// squeeze leaves out dims of size 1; one of another size that is named stays.
func (s State) squeeze(a arguments) (Step, error) {
	if !a.has("dim") {
		return s.drop(s.singles())
	}
	named, err := s.axes(a.numbers("dim"), s.Rank(), "", func(d int) string {
		return fmt.Sprintf("dim %d appears multiple times in the list of dims", d)
	})
	if err != nil {
		return Step{}, err
	}
	var why []string
	for _, d := range named {
		if s.Rank() > 0 && s.Shape[d] != 1 {
			why = append(why, fmt.Sprintf("%s has size %d, so it stays", s.called(d), s.Shape[d]))
		}
	}
	one := func(d int) bool { return slices.Contains(named, d) }
	step, err := s.drop(slices.DeleteFunc(s.singles(), func(d int) bool { return !one(d) }))
	if len(why) > 0 {
		step.Why = why
	}
	return step, err
}

func (s State) drop(gone []int) (Step, error) {
	to, names := s.without(gone)
	why := "no dim has size 1"
	if len(gone) > 0 {
		why = fmt.Sprintf("%s, of size 1, %s: an index that is always 0 never used the stride", s.calledAll(gone), goes(len(gone)))
	}
	return s.look(to, names, why)
}

func goes(n int) string {
	if n == 1 {
		return "goes"
	}
	return "go"
}

// npSqueeze refuses to leave out a dim of another size, and returns the array itself where there is nothing to do. A
// scalar lets an axis 0 or -1 pass, if it does not stand in a tuple.
func (s State) npSqueeze(a arguments) (Step, error) {
	gone := s.singles()
	g := a.given["axis"]
	if a.has("axis") && (s.Rank() > 0 || g.Kind == List || g.Int != 0 && g.Int != -1) {
		var err error
		if gone, err = s.axes(a.numbers("axis"), s.Rank(), "", func(int) string { return "duplicate value in 'axis'" }); err != nil {
			return Step{}, err
		}
	}
	slices.Sort(gone)
	for _, d := range gone {
		if s.Shape[d] != 1 {
			return Step{}, refuse("cannot select an axis to squeeze out which has size not equal to one").
				because("%s has size %d", s.called(d), s.Shape[d]).
				withHint("to take one of its indices, write [%s0]", strings.Repeat(":, ", d))
		}
	}
	if len(gone) == 0 {
		return s.itself("no dim of size 1 to leave out: itself")
	}
	return s.drop(gone)
}

// unsqueeze gives the new dim the stride that a dim there would have that goes on where the next one ends.
func (s State) unsqueeze(a arguments) (Step, error) {
	d, err := s.axis(a.number("dim", 0), s.Rank()+1, "")
	if err != nil {
		return Step{}, err
	}
	to, names, why := s.inserted(d)
	return s.look(to, names, why)
}

// inserted puts a dim of size 1 before dim d. PyTorch gives it the stride size·stride of the dim after it, 1 at the end;
// NumPy's newaxis 0. (inferUnsqueezeGeometry in aten/src/ATen/native/TensorShape.h)
func (s State) inserted(d int) (to tensor.Strided, names []string, why string) {
	stride, term := 1, "1"
	switch {
	case s.Rules == NumPy:
		stride, term = 0, "0"
	case d < s.Rank():
		stride = s.Shape[d] * s.Strides[d]
		term = fmt.Sprintf("%d·%d = %d", s.Shape[d], s.Strides[d], stride)
	}
	to = tensor.Strided{Shape: slices.Insert(slices.Clone(s.Shape), d, 1), Offset: s.Offset,
		Strides: slices.Insert(slices.Clone(s.Strides), d, stride)}
	return to, slices.Insert(slices.Clone(s.Names), d, ""), fmt.Sprintf("new dim %d: size 1, stride %s, never used", d, term)
}

// npExpandDims is a reshape in NumPy, so that a new dim has the stride of a reshape, not the 0 of newaxis.
func (s State) npExpandDims(a arguments) (Step, error) {
	axis := a.numbers("axis")
	rank := s.Rank() + len(axis)
	places, err := s.axisTuple(axis, rank, "", func(int) string { return "repeated axis" })
	if err != nil {
		return Step{}, err
	}
	var shape []int
	old := s.Shape
	for d := range rank {
		if slices.Contains(places, d) {
			shape = append(shape, 1)
			continue
		}
		shape, old = append(shape, old[0]), old[1:]
	}
	step, err := s.npReshaped(shape, false)
	if err != nil {
		return Step{}, err
	}
	step.Why, step.State.Names = nil, make([]string, rank)
	k := 0
	for d := range rank {
		if slices.Contains(places, d) {
			step.Why = append(step.Why, fmt.Sprintf("new dim %d: size 1, stride %d, never used", d, step.State.Strides[d]))
			continue
		}
		step.State.Names[d] = s.Names[k]
		k++
	}
	return step, nil
}
