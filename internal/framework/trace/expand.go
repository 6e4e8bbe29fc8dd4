package trace

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// expand is also broadcast_to, which PyTorch defines by it.
func (s State) expand(a arguments) (Step, error) {
	target := a.numbers("size")
	if r := s.cannotExpand(target); r != nil {
		return Step{}, r
	}
	to, err := s.Expand(target)
	if err != nil {
		return Step{}, err
	}
	return s.expanded(to)
}

// expanded returns a view with more dims, or larger ones.
func (s State) expanded(to tensor.Strided) (Step, error) {
	skip := to.Rank() - s.Rank()
	names := append(make([]string, skip), s.Names...)
	var why []string
	for d, size := range to.Shape[:skip] {
		if size == 1 {
			why = append(why, fmt.Sprintf("new dim %d: size 1, stride %d, never used", d, to.Strides[d]))
			continue
		}
		why = append(why, fmt.Sprintf("new dim %d: size %d, stride 0: every index reads the same elements", d, size))
	}
	for d, size := range to.Shape[skip:] {
		if size != s.Shape[d] {
			why = append(why, fmt.Sprintf("%s: size 1 → %d, stride 0: every index reads the same elements", s.called(d), size))
		}
	}
	return s.view(to, names, why...)
}

// cannotExpand returns why the tensor cannot expand, checking dims from the last to the first as PyTorch does; nil if it can.
// (inferExpandGeometry in PyTorch's aten/src/ATen/ExpandUtils.cpp)
func (s State) cannotExpand(target []int) *Refusal {
	skip := len(target) - s.Rank()
	if skip < 0 {
		return refuse("expand(torch.Tensor{%s}, size=%s): the number of sizes provided (%d) must be greater or equal to the number "+
			"of dimensions in the tensor (%d)", tensor.List(s.Shape), tensor.List(target), len(target), s.Rank()).
			because("the tensor has %s, (%s) has %d", text.Count(s.Rank(), "dim"), text.Ints(target, ","), len(target)).
			withHint("expand adds leading dims and never removes dims")
	}
	var negative *Refusal
	for i, want := range slices.Backward(target) {
		d := i - skip
		if d < 0 && want < 0 && s.Rank() > 0 {
			return refuse("The expanded size of the tensor (%d) isn't allowed in a leading, non-existing dimension %d", want, i).
				because("-1 keeps the size of an old dim; dim %d is new", i)
		}
		changes := d >= 0 && want != -1 && want != s.Shape[d]
		if changes && s.Shape[d] != 1 {
			return refuse("The expanded size of the tensor (%d) must match the existing size (%d) at non-singleton dimension %d.  "+
				"Target sizes: %s.  Tensor sizes: %s", want, s.Shape[d], i, tensor.List(target), tensor.List(s.Shape)).
				because("%s", s.whyNotGrow(d, want)).withHint("%s", s.roomFor(target, "unsqueeze"))
		}
		if want < -1 || d < 0 && want < 0 {
			negative = refuse("numel: integer multiplication overflow").because("size %d of dim %d is negative", want, i)
		}
	}
	return negative
}

func (s State) whyNotGrow(d, want int) string {
	return fmt.Sprintf("%s has size %d; only a dim of size 1 can expand to %d", s.called(d), s.Shape[d], want)
}

// roomFor returns the call that inserts the dims of size 1 that expand needs: (3,) expands to (3,4) once it is (3,1). It is empty if
// that does not help.
func (s State) roomFor(target []int, insert string) string {
	var inserted []int
	i := len(target) - 1
	shape := []int{}
	for d := s.Rank() - 1; d >= 0; d-- {
		for i >= 0 && target[i] != s.Shape[d] && s.Shape[d] != 1 {
			inserted = append(inserted, i)
			shape = append(shape, 1)
			i--
		}
		shape = append(shape, s.Shape[d])
		i--
	}
	slices.Reverse(shape)
	wide := tensor.Strided{Shape: shape, Strides: make([]int, len(shape))}
	if len(shape) > len(target) || len(inserted) == 0 || len(inserted) > 2 {
		return ""
	}
	if _, err := wide.Expand(target); err != nil {
		return ""
	}
	skip := len(target) - len(shape)
	slices.Sort(inserted)
	named := make([]string, len(inserted))
	for k, i := range inserted {
		named[k] = fmt.Sprintf("%s(%d)", insert, i-skip)
	}
	return text.And(named) + " first"
}

// npBroadcastTo gives every dim of size 1 stride 0, even if it is not expanded.
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
	return s.expanded(to)
}

func (s State) npCannotBroadcast(target []int) *Refusal {
	skip := len(target) - s.Rank()
	short := fmt.Sprintf("the array has %s, %s has %d", text.Count(s.Rank(), "dim"), tensor.Tuple(target), len(target))
	if len(target) == 0 && s.Rank() > 0 {
		return refuse("cannot broadcast a non-scalar to a scalar array").because("%s", short)
	}
	if slices.ContainsFunc(target, isNegative) {
		return refuse("all elements of broadcast shape must be non-negative")
	}
	if skip < 0 {
		return refuse("input operand has more dimensions than allowed by the axis remapping").because("%s", short).
			withHint("broadcast_to adds leading dims and never removes dims")
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

// without removes dims.
func (s State) without(removed []int) (tensor.Strided, []string) {
	to := tensor.Strided{Offset: s.Offset}
	names := []string(nil)
	for d := range s.Rank() {
		if !slices.Contains(removed, d) {
			to.Shape = append(to.Shape, s.Shape[d])
			to.Strides = append(to.Strides, s.Strides[d])
			names = append(names, s.Names[d])
		}
	}
	return to, names
}

// singles returns the dims of size 1.
func (s State) singles() []int {
	return slices.DeleteFunc(s.inOrder(), func(d int) bool { return s.Shape[d] != 1 })
}

// squeeze removes dims of size 1; a named dim of another size stays.
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
			why = append(why, fmt.Sprintf("%s has size %d and stays", s.called(d), s.Shape[d]))
		}
	}
	isNamed := func(d int) bool { return slices.Contains(named, d) }
	step, err := s.drop(slices.DeleteFunc(s.singles(), func(d int) bool { return !isNamed(d) }))
	if len(why) > 0 {
		step.Why = why
	}
	return step, err
}

func (s State) drop(removed []int) (Step, error) {
	to, names := s.without(removed)
	why := "no dim has size 1"
	if len(removed) > 0 {
		why = fmt.Sprintf("%s, of size 1, %s: strides of size-1 dims are never used", s.calledAll(removed), areRemoved(len(removed)))
	}
	return s.view(to, names, why)
}

func areRemoved(n int) string {
	return text.Plural(n, "is removed", "are removed")
}

// npSqueeze refuses to remove a dim of another size, and returns the array itself if there is nothing to remove. A scalar accepts axis
// 0 or -1, but not in a tuple.
func (s State) npSqueeze(a arguments) (Step, error) {
	removed := s.singles()
	ofScalar := s.Rank() == 0 && isFirstOrLast(a.given["axis"])
	if a.has("axis") && !ofScalar {
		var err error
		removed, err = s.axes(a.numbers("axis"), s.Rank(), "", func(int) string { return "duplicate value in 'axis'" })
		if err != nil {
			return Step{}, err
		}
	}
	slices.Sort(removed)
	for _, d := range removed {
		if s.Shape[d] == 1 {
			continue
		}
		r := refuse("cannot select an axis to squeeze out which has size not equal to one").because("%s has size %d", s.called(d), s.Shape[d])
		if s.Shape[d] > 1 {
			r.Hint = fmt.Sprintf("[%s0] selects one index", strings.Repeat(":, ", d))
		}
		return Step{}, r
	}
	if len(removed) == 0 {
		return s.itself("no dim of size 1 to remove: returns the array itself")
	}
	return s.drop(removed)
}

func isFirstOrLast(axis Arg) bool {
	return axis.Kind != List && (axis.Int == 0 || axis.Int == -1)
}

// unsqueeze gives the new dim the stride size·stride of the next dim.
func (s State) unsqueeze(a arguments) (Step, error) {
	d, err := s.axis(a.number("dim", 0), s.Rank()+1, "")
	if err != nil {
		return Step{}, err
	}
	to, names, why := s.inserted(d)
	return s.view(to, names, why)
}

// inserted puts a dim of size 1 before dim d. PyTorch gives it the stride size·stride of the dim after it, 1 at the end;
// NumPy's newaxis 0. (inferUnsqueezeGeometry in aten/src/ATen/native/TensorShape.h)
func (s State) inserted(d int) (to tensor.Strided, names []string, why string) {
	stride := 1
	term := "1"
	if d < s.Rank() {
		stride = s.Shape[d] * s.Strides[d]
		term = fmt.Sprintf("%d·%d = %d", s.Shape[d], s.Strides[d], stride)
	}
	if s.Rules == NumPy {
		stride = 0
		term = "0"
	}
	to = tensor.Strided{Shape: slices.Insert(slices.Clone(s.Shape), d, 1), Offset: s.Offset,
		Strides: slices.Insert(slices.Clone(s.Strides), d, stride)}
	return to, slices.Insert(slices.Clone(s.Names), d, ""), fmt.Sprintf("new dim %d: size 1, stride %s, never used", d, term)
}

// npExpandDims is a reshape in NumPy, so a new dim has the stride of a reshape, not newaxis's 0.
func (s State) npExpandDims(a arguments) (Step, error) {
	axis := a.numbers("axis")
	rank := s.Rank() + len(axis)
	added, err := s.axisTuple(axis, rank, "", func(int) string { return "repeated axis" })
	if err != nil {
		return Step{}, err
	}
	var shape []int
	old := s.Shape
	for d := range rank {
		if slices.Contains(added, d) {
			shape = append(shape, 1)
			continue
		}
		shape = append(shape, old[0])
		old = old[1:]
	}
	step, err := s.npReshaped(shape, false)
	if err != nil {
		return Step{}, err
	}
	step.Why = nil
	step.State.Names = make([]string, rank)
	k := 0
	for d := range rank {
		if slices.Contains(added, d) {
			step.Why = append(step.Why, fmt.Sprintf("new dim %d: size 1, stride %d, never used", d, step.State.Strides[d]))
			continue
		}
		step.State.Names[d] = s.Names[k]
		k++
	}
	return step, nil
}

// meshGrid views each vector in the shape of the grid. (meshgrid in PyTorch's aten/src/ATen/native/TensorShape.cpp)
func (s State) meshGrid(a arguments) ([]Step, error) {
	all := []State{s}
	for _, g := range a.given["tensors"].List {
		x, err := s.operand("meshgrid", g)
		if err != nil {
			return nil, err
		}
		next := s
		if g.Of != nil {
			next = *g.Of
		}
		next.Strided = x
		all = append(all, next)
	}
	swaps := a.word("indexing", "ij") == "xy" && len(all) > 1
	if swaps {
		all[0], all[1] = all[1], all[0]
	}
	shape := make([]int, len(all))
	for d, x := range all {
		if x.Rank() > 1 {
			return nil, refuse("torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: %dD", x.Rank())
		}
		shape[d] = x.Numel()
	}
	var steps []Step
	for d, x := range all {
		one := slices.Repeat([]int{1}, len(all))
		one[d] = shape[d]
		row, err := x.View(one)
		if err != nil {
			return nil, err
		}
		grid, err := row.Expand(shape)
		if err != nil {
			return nil, err
		}
		step, err := x.view(grid, make([]string, len(all)), "a view of the vector in the shape of the grid, with stride 0 along the other dims")
		if err != nil {
			return nil, err
		}
		steps = append(steps, step)
	}
	if swaps {
		steps[0], steps[1] = steps[1], steps[0]
	}
	return steps, nil
}
