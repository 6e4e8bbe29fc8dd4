package trace

import (
	"fmt"
	"math"
	"slices"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// indexer applies the entries of an index one after the other, as both frameworks do.
type indexer struct {
	State         // result so far
	dim     int   // State's dim to be indexed next
	from    State // before the index
	old     int   // from's dim to be indexed next
	offset  string
	why     []string
	entries []Arg
}

// index is x[…]: an int selects an index and removes the dim; a slice selects a range; None inserts a dim of size 1; an ellipsis stands
// for the missing ":".
func (s State) index(a arguments) (Step, error) {
	a.call.Args = slices.Clone(a.call.Args)
	isUnknown := false
	for i, g := range a.call.Args {
		if s.Rules == PyTorch && g.selects() {
			a.call.Args[i] = Arg{Kind: Int}
			isUnknown = true
		}
	}
	if slices.ContainsFunc(a.call.Args, Arg.isIndices) {
		return s.gathered(a)
	}
	if isUnknown {
		_, err := s.index(a)
		if err != nil {
			return Step{}, err
		}
		return Step{}, stop("an index by a tensor without dims", "its offset depends on the data")
	}
	x := &indexer{State: s, from: s, offset: fmt.Sprintf("offset = %d", s.Offset), entries: a.call.Args}
	x.Shape = slices.Clone(s.Shape)
	x.Strides = slices.Clone(s.Strides)
	x.Names = slices.Clone(s.Names)
	if err := x.check(); err != nil {
		return Step{}, err
	}
	for i, e := range x.entries {
		if err := x.entry(i, e); err != nil {
			return Step{}, err
		}
	}
	if x.Offset != s.Offset {
		x.why = append([]string{fmt.Sprintf("%s = %d", x.offset, x.Offset)}, x.why...)
	}
	if s.Rules == NumPy && x.takesOne() {
		return s.scalar(x)
	}
	return s.view(x.Strided, x.Names, x.why...)
}

// selects reports whether an entry is a tensor without dims that selects one index, as an int does; one of uint8 or bool is a mask.
// (applySlicing in PyTorch's torch/csrc/autograd/python_variable_indexing.cpp)
func (g Arg) selects() bool {
	if g.Of == nil || g.Of.Rank() > 0 {
		return false
	}
	return g.Of.DType.Kind() == dtype.Int
}

// check checks the index as a whole.
func (x *indexer) check() error {
	dims := 0
	ellipses := 0
	for _, e := range x.entries {
		switch e.Kind {
		case Int, Range:
			dims++
		case Ellipsis:
			ellipses++
		case None:
		default:
			if e.Kind == Word && isName(e.Word) {
				return unknownNumber(e.Word)
			}
			return fault.New(fault.Usage, "an index by %s is not followed", e).WithHint("ints, slices, ..., None and lists of ints: [0], [0:4:2], [..., None], [[0, 1]]")
		}
	}
	rank := x.Rank()
	single := len(x.entries) == 1 && x.Rules == PyTorch
	if x.Rules == NumPy && ellipses > 1 {
		return refuse("an index can only have a single ellipsis ('...')")
	}
	if dims <= rank || single && rank == 0 {
		return nil
	}
	if x.Rules == NumPy {
		return x.tooMany(dims, "too many indices for array: array is %d-dimensional, but %d were indexed", rank, dims)
	}
	return x.tooMany(dims, "too many indices for tensor of dimension %d", rank)
}

const scalarTakes = "a scalar accepts only [...] and [None]"

func (x *indexer) tooMany(dims int, format string, args ...any) error {
	r := refuse(format, args...).because("the index has %d dims, the tensor %d", dims, x.Rank())
	if x.Rank() == 0 {
		r.Hint = scalarTakes
	}
	return r
}

func (x *indexer) takesOne() bool {
	return len(x.entries) == x.from.Rank() && !slices.ContainsFunc(x.entries, func(e Arg) bool { return e.Kind != Int })
}

// scalar is NumPy's result if every dim has an int: the element's value, not a view.
func (s State) scalar(x *indexer) (Step, error) {
	s.Strided = tensor.Strided{Offset: x.Offset}
	s.Names = nil
	return s.copied(tensor.Strided{}, tensor.Strided{}, nil, "an int for every dim: NumPy returns the value, not a view; add ... for a view",
		x.why...)
}

// entry applies entry i of the index.
func (x *indexer) entry(i int, e Arg) error {
	switch e.Kind {
	case Ellipsis:
		return x.ellipsis()
	case None:
		return x.newAxis()
	}
	if x.from.Rank() == 0 && len(x.entries) == 1 {
		return x.scalarEntry(e)
	}
	if e.Kind == Int {
		return x.take(i, e.Int)
	}
	return x.slice(e)
}

// scalarEntry refuses the only entry, an int or a slice, of an index into a scalar.
func (x *indexer) scalarEntry(e Arg) error {
	if e.Kind == Int {
		return x.scalarIndex(e.Int)
	}
	if stepsBack(e) {
		return x.slice(e)
	}
	return refuse("slice() cannot be applied to a 0-dim tensor.").withHint(scalarTakes)
}

func stepsBack(e Arg) bool { return e.Step != nil && *e.Step <= 0 }

func (x *indexer) scalarIndex(i int) error {
	r := refuse("index %d is out of bounds for dimension 0 with size 0", i)
	if i == 0 {
		r = refuse("invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert a 0-dim " +
			"tensor to a number")
	}
	return r.withHint(scalarTakes)
}

// ellipsis skips the dims that have no entry. PyTorch lets a second ellipsis skip as many again.
func (x *indexer) ellipsis() error {
	skip := x.from.Rank()
	for _, e := range x.entries {
		if e.Kind == Int || e.Kind == Range {
			skip--
		}
	}
	x.dim = x.dim + skip
	x.old = x.old + skip
	return nil
}

func (x *indexer) newAxis() error {
	if _, err := x.axis(x.dim, x.Rank()+1, ""); err != nil {
		return err
	}
	var why string
	x.Strided, x.Names, why = x.inserted(x.dim)
	x.why = append(x.why, why)
	x.dim++
	return nil
}

// take is an int: offset += index·stride, and the dim is removed.
func (x *indexer) take(entry, i int) error {
	if err := x.reachable(); err != nil {
		return err
	}
	n := x.Shape[x.dim]
	stride := x.Strides[x.dim]
	if i < -n || i >= n {
		return x.outOfBounds(entry, i)
	}
	was := i
	if i < 0 {
		i += n
	}
	if err := x.move(i, stride); err != nil {
		return err
	}
	line := fmt.Sprintf("%s: index %d, the dim is removed", x.from.called(x.old), i)
	if was < 0 {
		line = fmt.Sprintf("%s: index %d = %d - %d, the dim is removed", x.from.called(x.old), i, n, -was)
	}
	x.why = append(x.why, line)
	x.Strided, x.Names = x.without([]int{x.dim})
	x.old++
	return nil
}

// reachable refuses a dim that a second ellipsis skips past the last.
func (x *indexer) reachable() error {
	_, err := x.axis(x.dim, x.Rank(), "")
	return err
}

func (x *indexer) outOfBounds(entry, i int) error {
	n := x.Shape[x.dim]
	r := refuse("index %d is out of bounds for dimension %d with size %d", i, entry, n)
	if x.Rules == NumPy {
		r = refuse("index %d is out of bounds for axis %d with size %d", i, x.old, n)
	}
	return r.because("%s has size %d", x.from.called(x.old), n).withHint("%s", valid(n))
}

// move adds i·stride to the offset.
func (x *indexer) move(i, stride int) (err error) {
	if i == 0 {
		return nil
	}
	x.offset += fmt.Sprintf(" + %d·%d", i, stride)
	x.Offset, err = x.offsetBy(i, stride)
	return err
}

// slice is start:stop:step: offset += start·stride, size = ⌈(stop-start)/step⌉, stride·step.
func (x *indexer) slice(e Arg) error {
	step := 1
	if e.Step != nil {
		step = max(*e.Step, -math.MaxInt) // as in Python; -step cannot overflow
	}
	if step == 0 {
		return refuse("slice step cannot be zero")
	}
	if step < 0 && x.Rules == PyTorch {
		return x.backwards(step)
	}
	if err := x.reachable(); err != nil {
		return err
	}
	size := x.Shape[x.dim]
	stride := x.Strides[x.dim]
	start, stop, n := sliceRange(e.Start, e.Stop, step, size)
	if n == 0 && x.Rules == NumPy {
		start = 0
		stop = 0
		step = 1
	}
	newStride, err := strideTimes(stride, step)
	if err != nil {
		return err
	}
	if err := x.move(start, stride); err != nil {
		return err
	}
	if n != size || step != 1 {
		x.why = append(x.why, fmt.Sprintf("%s: size = %s, stride = %d·%d = %d", x.from.called(x.old), sliceSize(start, stop, step, n),
			stride, step, newStride))
	}
	x.Shape[x.dim] = n
	x.Strides[x.dim] = newStride
	x.dim = x.dim + 1
	x.old = x.old + 1
	return nil
}

// sliceSize returns the number of indices as an equation: "⌈(5-1)/2⌉ = 2".
func sliceSize(start, stop, step, n int) string {
	run := fmt.Sprint(stop)
	if start > 0 {
		run = fmt.Sprintf("%d-%d", stop, start)
	}
	if start > 0 && step > 1 {
		run = "(" + run + ")"
	}
	if step < 0 {
		run = fmt.Sprint(start - stop)
		step = -step
	}
	if step > 1 {
		run = fmt.Sprintf("⌈%s/%d⌉", run, step)
	}
	if count := fmt.Sprint(n); run != count {
		return run + " = " + count
	}
	return run
}

// sliceRange is Python's slice.indices: start and stop inside the size, and the number of indices. PyTorch has no steps below
// 1.
func sliceRange(from, to *int, step, size int) (start, stop, n int) {
	low := 0
	high := size
	if step < 0 {
		low = -1
		high = size - 1
	}
	start = low
	stop = high
	if step < 0 {
		start = high
		stop = low
	}
	if from != nil {
		start = clamp(*from, size, low, high)
	}
	if to != nil {
		stop = clamp(*to, size, low, high)
	}
	if step > 0 && stop > start {
		return start, stop, (stop-start-1)/step + 1
	}
	if step < 0 && start > stop {
		return start, stop, (start-stop-1)/-step + 1
	}
	return start, start, 0
}

func clamp(i, size, low, high int) int {
	if i < 0 {
		i += size
	}
	return min(max(i, low), high)
}

func magnitude(n int) uint64 {
	if n < 0 {
		return -uint64(n)
	}
	return uint64(n)
}

// backwards refuses a negative step, which PyTorch does not have.
func (x *indexer) backwards(step int) error {
	r := refuse("step must be greater than zero").because("PyTorch has no negative strides")
	if x.old < x.from.Rank() {
		r.Hint = fmt.Sprintf("flip(%d), which copies %s", x.old, x.from.copySize())
		if step < -1 {
			r.Hint += fmt.Sprintf(", then step %d", -step)
		}
	}
	return r
}

// selectIndex is x[…, index] of one dim.
func (s State) selectIndex(a arguments) (Step, error) {
	if s.Rank() == 0 {
		return Step{}, refuse("select() cannot be applied to a 0-dim tensor.")
	}
	d, err := s.axis(a.number("dim", 0), s.Rank(), "")
	if err != nil {
		return Step{}, err
	}
	i := a.number("index", 0)
	n := s.Shape[d]
	if i < -n || i >= n {
		return Step{}, refuse("select(): index %d out of range for tensor of size %s at dimension %d", i, tensor.List(s.Shape), d).
			because("%s has size %d", s.called(d), n).withHint("%s", valid(n))
	}
	return s.only(d, Arg{Kind: Int, Int: i})
}

// only returns the index with e for dim d and ":" for the dims before it.
func (s State) only(d int, e Arg) (Step, error) {
	entries := slices.Repeat([]Arg{{Kind: Range}}, d)
	return s.index(arguments{call: Call{Name: Index, Args: append(entries, e)}})
}

// narrow is the slice start : start+length. A start equal to the size is allowed, and empty.
func (s State) narrow(a arguments) (Step, error) {
	if s.Rank() == 0 {
		return Step{}, refuse("narrow() cannot be applied to a 0-dim tensor.")
	}
	start := a.number("start", 0)
	length := a.number("length", 0)
	if length < 0 {
		return Step{}, refuse("narrow(): length must be non-negative.")
	}
	d, err := s.axis(a.number("dim", 0), s.Rank(), "")
	if err != nil {
		return Step{}, err
	}
	n := s.Shape[d]
	if start < -n || start > n {
		return Step{}, refuse("start out of range (expected to be in range of [%d, %d], but got %d)", -n, n, start).
			because("%s has size %d", s.called(d), n)
	}
	if start < 0 {
		start += n
	}
	if start > n-length {
		return Step{}, refuse("start (%d) + length (%d) exceeds dimension size (%d).", start, length, n).
			because("%s has size %d", s.called(d), n).withHint("%d remain from index %d", n-start, start)
	}
	stop := start + length
	return s.only(d, Arg{Kind: Range, Start: &start, Stop: &stop})
}
