package trace

import (
	"fmt"
	"slices"

	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// reorder moves dim order[k] to position k, with its stride.
func (s State) reorder(order []int, why ...string) (Step, error) {
	to := tensor.Strided{Shape: make([]int, len(order)), Strides: make([]int, len(order)), Offset: s.Offset}
	names := make([]string, len(order))
	for k, d := range order {
		to.Shape[k] = s.Shape[d]
		to.Strides[k] = s.Strides[d]
		names[k] = s.Names[d]
	}
	return s.view(to, names, why...)
}

// ordered is reorder with a line for each dim that moves.
func (s State) ordered(order []int) (Step, error) {
	var why []string
	for k, d := range order {
		if k != d {
			why = append(why, fmt.Sprintf("dim %d is the old %s, with stride %d", k, s.called(d), s.Strides[d]))
		}
	}
	return s.reorder(order, why...)
}

func (s State) inOrder() []int { return ints.Range(s.Rank()) }

// swap swaps two dims. A scalar has none.
func (s State) swap(a, b int) (Step, error) {
	if a == b || s.Rank() == 0 {
		return s.reorder(s.inOrder())
	}
	order := s.inOrder()
	order[a], order[b] = b, a
	return s.reorder(order, fmt.Sprintf("%s are swapped: dim %d has stride %d, dim %d has stride %d",
		s.calledAll([]int{a, b}), a, s.Strides[b], b, s.Strides[a]))
}

func (s State) transpose(a arguments) (Step, error) {
	dims, err := s.axes([]int{a.number("dim0", 0), a.number("dim1", 0)}, s.Rank(), "", nil)
	if err != nil {
		return Step{}, err
	}
	return s.swap(dims[0], dims[1])
}

func (s State) npSwapaxes(a arguments) (Step, error) {
	first, err := s.axis(a.number("axis1", 0), s.Rank(), "axis1: ")
	if err != nil {
		return Step{}, err
	}
	second, err := s.axis(a.number("axis2", 0), s.Rank(), "axis2: ")
	if err != nil {
		return Step{}, err
	}
	return s.swap(first, second)
}

func (s State) reverse(arguments) (Step, error) {
	order := s.inOrder()
	slices.Reverse(order)
	step, err := s.ordered(order)
	if s.Rules == PyTorch && s.Rank() != 2 && err == nil {
		step.Why = append(step.Why, fmt.Sprintf("PyTorch warns: T is for 2 dims, not %d", s.Rank()))
	}
	return step, err
}

func (s State) matrixTranspose(arguments) (Step, error) {
	switch n := s.Rank(); n {
	case 0:
		return s.itself("a scalar has no dims to swap")
	case 1:
		return Step{}, refuse("tensor.mT is only supported on matrices or batches of matrices. Got 1-D tensor.").
			withHint("unsqueeze(0) first makes a matrix with one row")
	default:
		return s.swap(n-2, n-1)
	}
}

func (s State) t(arguments) (Step, error) {
	if n := s.Rank(); n > 2 {
		return Step{}, refuse("t() expects a tensor with <= 2 dimensions, but self is %dD", n).
			withHint("mT or transpose(%d,%d) swaps the last two dims", n-2, n-1)
	}
	return s.swap(0, s.Rank()-1)
}

func (s State) permute(a arguments) (Step, error) {
	dims := a.numbers("dims")
	if len(dims) != s.Rank() {
		return Step{}, s.notAll(dims, "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the "+
			"desired ordering of dimensions i.e. input.dim() = %d is not equal to len(dims) = %d", s.Rank(), len(dims))
	}
	order, err := s.axes(dims, s.Rank(), "", func(int) string { return "permute(): duplicate dims are not allowed." })
	if err != nil {
		return Step{}, err
	}
	return s.ordered(order)
}

func (s State) npTranspose(a arguments) (Step, error) {
	if !a.has("axes") {
		return s.reverse(a)
	}
	axes := a.numbers("axes")
	if len(axes) != s.Rank() {
		return Step{}, s.notAll(axes, "axes don't match array")
	}
	order, err := s.axes(axes, s.Rank(), "", func(int) string { return "repeated axis in transpose" })
	if err != nil {
		return Step{}, err
	}
	return s.ordered(order)
}

// notAll refuses an order with the wrong number of dims.
func (s State) notAll(dims []int, format string, args ...any) error {
	r := refuse(format, args...).
		because("the tensor has %s, but (%s) names %d", text.Count(s.Rank(), "dim"), text.Ints(dims, ","), len(dims))
	if s.Rank() == 0 {
		return r.withHint("a scalar has no dims to permute")
	}
	if len(dims) == 2 && s.Rank() > 2 {
		swap := map[Rules]string{PyTorch: "transpose", NumPy: "swapaxes"}[s.Rules]
		return r.withHint("%s(%s) swaps two dims", swap, spelled(dims))
	}
	return r.withHint("name every dim once: (%s) in some order", spelled(s.inOrder()))
}

// movedim is also moveaxis: dim source[k] moves to position destination[k], the others keep their order in the remaining positions.
func (s State) movedim(a arguments) (Step, error) {
	source := a.numbers("source")
	destination := a.numbers("destination")
	uneven := len(source) != len(destination)
	why := fmt.Sprintf("%s cannot move to %s", text.Count(len(source), "dim"), text.Count(len(destination), "position"))
	if uneven && s.Rules == PyTorch {
		return Step{}, refuse("movedim: Invalid source or destination dims: source (%s dims) should contain the same number of dims "+
			"as destination (%s dims)", tensor.List(source), tensor.List(destination)).because("%s", why)
	}
	from, to, err := s.sourceDestination(source, destination)
	if err != nil {
		return Step{}, err
	}
	if uneven {
		return Step{}, refuse("`source` and `destination` arguments must have the same number of elements").because("%s", why)
	}
	if s.Rank() == 0 {
		return s.reorder(nil, "a scalar has no dims to move")
	}
	return s.ordered(s.moved(from, to))
}

// moved returns the order with dim from[k] at position to[k], and the others, in their order, in the remaining positions.
func (s State) moved(from, to []int) []int {
	order := make([]int, s.Rank())
	rest := slices.DeleteFunc(s.inOrder(), func(d int) bool { return slices.Contains(from, d) })
	for at := range order {
		if k := slices.Index(to, at); k >= 0 {
			order[at] = from[k]
			continue
		}
		order[at] = rest[0]
		rest = rest[1:]
	}
	return order
}

// sourceDestination checks both in the order of each framework: NumPy checks the source before the destination, PyTorch checks
// the range of both before it checks for repeated dims.
func (s State) sourceDestination(source, destination []int) (from, to []int, err error) {
	once := func(where string, dims []int) func(int) string {
		if s.Rules == NumPy {
			return func(int) string { return "repeated axis in `" + where + "` argument" }
		}
		return func(int) string { return fmt.Sprintf("movedim: repeated dim in `%s` (%s)", where, tensor.List(dims)) }
	}
	if s.Rules == PyTorch {
		_, err = s.axes(slices.Concat(source, destination), s.Rank(), "", nil)
		if err != nil {
			return nil, nil, err
		}
	}
	from, err = s.axisTuple(source, s.Rank(), "source: ", once("source", source))
	if err != nil {
		return nil, nil, err
	}
	to, err = s.axisTuple(destination, s.Rank(), "destination: ", once("destination", destination))
	return from, to, err
}

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
	var why []string
	for _, d := range dims {
		if s.Rank() == 0 || s.Empty() {
			break
		}
		placed.Offset += (s.Shape[d] - 1) * strides[d]
		placed.Strides[d] = -strides[d]
		why = append(why, fmt.Sprintf("%s: index i was index %d-i", s.called(d), s.Shape[d]-1))
	}
	return s.copied(tensor.Strided{Shape: s.Shape, Strides: strides}, placed, s.Names, "PyTorch has no negative strides, so flip copies",
		append(why, s.whyPreserved())...)
}

// npFlip gives dims the negative stride, and starts at their end.
func (s State) npFlip(a arguments) (Step, error) {
	dims := s.inOrder()
	if a.has("axis") {
		var err error
		dims, err = s.axisTuple(a.numbers("axis"), s.Rank(), "", func(int) string { return "repeated axis" })
		if err != nil {
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
