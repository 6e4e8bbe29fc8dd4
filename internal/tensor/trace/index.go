package trace

import (
	"fmt"
	"slices"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
)

// indexer applies the entries of an index one after the other, as both frameworks do.
type indexer struct {
	State         // so far
	dim     int   // of State: the next to be indexed
	from    State // before the index
	old     int   // of from: the next to be indexed
	offset  string
	why     []string
	entries []Arg
}

// index is x[…]: an int takes one index of a dim, which goes; a slice a range of it; None inserts a dim of size 1; the
// ellipsis stands for as many ":" as are missing.
func (s State) index(a arguments) (Step, error) {
	x := &indexer{State: s, from: s, offset: fmt.Sprintf("offset = %d", s.Offset), entries: a.call.Args}
	x.Shape, x.Strides, x.Names = slices.Clone(s.Shape), slices.Clone(s.Strides), slices.Clone(s.Names)
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
	return s.look(x.Strided, x.Names, x.why...)
}

// check refuses what is wrong with the index as a whole.
func (x *indexer) check() error {
	dims, ellipses := 0, 0
	for _, e := range x.entries {
		switch e.Kind {
		case Int, Range:
			dims++
		case Ellipsis:
			ellipses++
		case None:
		default:
			return fault.New(fault.Usage, "an index has ints, slices, ... and None").
				WithHint("lists and masks make copies of single elements, which have no layout to explain")
		}
	}
	rank := x.Rank()
	single := len(x.entries) == 1 && x.Rules == PyTorch
	switch {
	case x.Rules == NumPy && ellipses > 1:
		return refuse("an index can only have a single ellipsis ('...')")
	case dims <= rank || single && rank == 0:
		return nil
	case x.Rules == NumPy:
		return x.tooMany(dims, "too many indices for array: array is %d-dimensional, but %d were indexed", rank, dims)
	}
	return x.tooMany(dims, "too many indices for tensor of dimension %d", rank)
}

const scalarTakes = "a scalar takes only [...] and [None]"

func (x *indexer) tooMany(dims int, format string, args ...any) error {
	r := refuse(format, args...).because("%d dims are indexed, the tensor has %d", dims, x.Rank())
	if x.Rank() == 0 {
		r.Hint = scalarTakes
	}
	return r
}

func (x *indexer) takesOne() bool {
	return len(x.entries) == x.from.Rank() && !slices.ContainsFunc(x.entries, func(e Arg) bool { return e.Kind != Int })
}

// scalar is what NumPy returns where every dim has an int: not an array that looks at the element, but its value.
func (s State) scalar(x *indexer) (Step, error) {
	s.Strided = tensor.Strided{Offset: x.Offset}
	s.Names = nil
	return s.copied(tensor.Strided{}, tensor.Strided{}, nil, append(x.why,
		"with an int for every dim NumPy returns the value, not a view; with ... behind them it is a view")...)
}

// entry applies entry i of the index.
func (x *indexer) entry(i int, e Arg) error {
	switch e.Kind {
	case Ellipsis:
		return x.ellipsis()
	case None:
		return x.newAxis()
	}
	single := len(x.entries) == 1
	switch {
	case x.from.Rank() == 0 && single && e.Kind == Range && !stepsBack(e):
		return refuse("slice() cannot be applied to a 0-dim tensor.").withHint(scalarTakes)
	case x.from.Rank() == 0 && single && e.Kind == Int:
		return x.scalarIndex(e.Int)
	case e.Kind == Int:
		return x.take(i, e.Int)
	}
	return x.slice(e)
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

// ellipsis skips the dims that no entry speaks of. PyTorch lets a second one skip as many again.
func (x *indexer) ellipsis() error {
	skip := x.from.Rank()
	for _, e := range x.entries {
		if e.Kind == Int || e.Kind == Range {
			skip--
		}
	}
	x.dim, x.old = x.dim+skip, x.old+skip
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

// take is an int: offset += index·stride, and the dim goes.
func (x *indexer) take(place, i int) error {
	if err := x.reachable(); err != nil {
		return err
	}
	n, stride := x.Shape[x.dim], x.Strides[x.dim]
	if i < -n || i >= n {
		return x.outOfBounds(place, i)
	}
	was := i
	if i < 0 {
		i += n
	}
	if err := x.move(i, stride); err != nil {
		return err
	}
	line := fmt.Sprintf("%s: index %d, the dim goes", x.from.called(x.old), i)
	if was < 0 {
		line = fmt.Sprintf("%s: index %d = %d - %d, the dim goes", x.from.called(x.old), i, n, -was)
	}
	x.why = append(x.why, line)
	x.Strided, x.Names = x.without([]int{x.dim})
	x.old++
	return nil
}

// reachable refuses a dim that a second ellipsis has skipped to.
func (x *indexer) reachable() error {
	_, err := x.axis(x.dim, x.Rank(), "")
	return err
}

func (x *indexer) outOfBounds(place, i int) error {
	n := x.Shape[x.dim]
	r := refuse("index %d is out of bounds for dimension %d with size %d", i, place, n)
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
	x.Offset, err = x.past(i, stride)
	return err
}
