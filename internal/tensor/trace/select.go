package trace

import (
	"fmt"
	"slices"

	"github.com/tlayout/tlayout/internal/tensor"
)

// selectIndex is x[…, index] of one dim.
func (s State) selectIndex(a arguments) (Step, error) {
	if s.Rank() == 0 {
		return Step{}, refuse("select() cannot be applied to a 0-dim tensor.")
	}
	d, err := s.axis(a.number("dim", 0), s.Rank(), "")
	if err != nil {
		return Step{}, err
	}
	i, n := a.number("index", 0), s.Shape[d]
	if i < -n || i >= n {
		return Step{}, refuse("select(): index %d out of range for tensor of size %s at dimension %d", i, tensor.List(s.Shape), d).
			because("%s has size %d", s.called(d), n).withHint("%s", valid(n))
	}
	return s.only(d, Arg{Kind: Int, Int: i})
}

// only is the index that has e for dim d and ":" for the dims before it.
func (s State) only(d int, e Arg) (Step, error) {
	entries := slices.Repeat([]Arg{{Kind: Range}}, d)
	return s.index(arguments{call: Call{Name: Index, Args: append(entries, e)}})
}

// narrow is the slice start : start+length. A start equal to the size is allowed, and empty.
func (s State) narrow(a arguments) (Step, error) {
	if s.Rank() == 0 {
		return Step{}, refuse("narrow() cannot be applied to a 0-dim tensor.")
	}
	d, err := s.axis(a.number("dim", 0), s.Rank(), "")
	if err != nil {
		return Step{}, err
	}
	start, length, n := a.number("start", 0), a.number("length", 0), s.Shape[d]
	if start != n {
		if start, err = s.axis(start, n, ""); err != nil {
			err.(*Refusal).Why = fmt.Sprintf("%s has size %d", s.called(d), n)
			return Step{}, err
		}
	}
	if length < 0 || start > n-length {
		return Step{}, refuse("start (%d) + length (%d) exceeds dimension size (%d).", start, length, n).
			because("%s has size %d", s.called(d), n).withHint("from %d on there are %d", start, n-start)
	}
	stop := start + length
	return s.only(d, Arg{Kind: Range, Start: &start, Stop: &stop})
}
