package trace

import (
	"fmt"
	"slices"

	"github.com/tlayout/tlayout/internal/words"
)

// axis counts a negative dim from the end. rank is the number of places that there are, which is one more than dims
// where a dim is to be inserted. PyTorch lets a scalar have a dim 0 here. (maybe_wrap_dim in c10/core/WrapDimMinimal.h,
// normalize_axis_index in numpy)
//
// where goes in front of NumPy's message: "source: ".
func (s State) axis(d, rank int, where string) (int, error) {
	reach := rank
	if s.Rules == PyTorch {
		reach = max(rank, 1)
	}
	switch {
	case d >= -reach && d < 0:
		return d + reach, nil
	case d >= 0 && d < reach:
		return d, nil
	case s.Rules == NumPy:
		return 0, s.outside(reach, "%saxis %d is out of bounds for array of dimension %d", where, d, rank)
	}
	return 0, s.outside(reach, "Dimension out of range (expected to be in range of [%d, %d], but got %d)", -reach, reach-1, d)
}

func (s State) outside(reach int, format string, args ...any) *Refusal {
	r := refuse(format, args...).because("the tensor is a scalar, without dims")
	if s.Rank() > 0 {
		r.because("the tensor has %s", s.calledAll(s.inOrder()))
	}
	return r.withHint("%s", valid(reach))
}

// valid says which of n places there are.
func valid(n int) string {
	switch n {
	case 0:
		return ""
	case 1:
		return "only 0 and -1 are valid here"
	}
	return fmt.Sprintf("0 to %d, or -%d to -1 from the end, are valid here", n-1, n)
}

// axes is axis for several dims, one after the other. A dim that is named twice is refused with twice, which NumPy and
// PyTorch word anew for each call; nil allows it.
func (s State) axes(ds []int, rank int, where string, twice func(d int) string) ([]int, error) {
	out := make([]int, len(ds))
	for i, d := range ds {
		var err error
		if out[i], err = s.axis(d, rank, where); err != nil {
			return nil, err
		}
		if twice != nil && slices.Contains(out[:i], out[i]) {
			return nil, refuse("%s", twice(out[i])).because("dim %d is named twice in (%s)", out[i], spelled(ds))
		}
	}
	return out, nil
}

// axisTuple is axes, but looks for dims out of range in all of them before it looks for repeated ones, as
// normalize_axis_tuple in numpy does.
func (s State) axisTuple(ds []int, rank int, where string, twice func(d int) string) ([]int, error) {
	if _, err := s.axes(ds, rank, where, nil); err != nil {
		return nil, err
	}
	return s.axes(ds, rank, where, twice)
}

// quote names a word of the user.
func quote(s string) string { return "'" + words.Quote(s) + "'" }
