package trace

import (
	"fmt"
	"slices"

	"github.com/tlayout/tlayout/internal/tensor"
)

// unfold makes windows of a dim: the dim counts them, and a new last dim the elements in each.
//
//	size = (n - size)/step + 1, stride·step; last dim: size, stride
func (s State) unfold(a arguments) (Step, error) {
	d, err := s.axis(a.number("dimension", 0), s.Rank(), "")
	if err != nil {
		return Step{}, err
	}
	size, step := a.number("size", 0), a.number("step", 0)
	n, stride := 1, 1
	if s.Rank() > 0 {
		n, stride = s.Shape[d], s.Strides[d]
	}
	switch {
	case size < 0:
		return Step{}, refuse("size is %d but must be >= 0", size)
	case size > n:
		return Step{}, refuse("maximum size for tensor at dimension %d is %d but size is %d", d, n, size).
			because("a window of %d does not fit into %d", size, n).withHint("a window of at most %d", n)
	case step <= 0:
		return Step{}, refuse("step is %d but must be > 0", step)
	}
	far, err := stretched(stride, step)
	if err != nil {
		return Step{}, err
	}
	to := tensor.Strided{Offset: s.Offset}
	to.Shape, to.Strides = append(slices.Clone(s.Shape), size), append(slices.Clone(s.Strides), stride)
	names := append(slices.Clone(s.Names), "")
	why := []string{fmt.Sprintf("new dim %d: the %d elements of a window, stride %d", s.Rank(), size, stride)}
	if s.Rank() > 0 {
		to.Shape[d], to.Strides[d] = (n-size)/step+1, far
		why = append(why, fmt.Sprintf("%s: size = ⌊(%d-%d)/%d⌋+1 = %d, stride = %d·%d = %d",
			s.called(d), n, size, step, to.Shape[d], stride, step, to.Strides[d]))
	}
	if step < size && size > 1 {
		why = append(why, fmt.Sprintf("windows overlap by %d, in the same elements", size-step))
	}
	return s.look(to, names, why...)
}

// npWindows is sliding_window_view: for each axis a new last dim with the elements of a window.
func (s State) npWindows(a arguments) (Step, error) {
	window := a.numbers("window_shape")
	if slices.ContainsFunc(window, func(n int) bool { return n < 0 }) {
		return Step{}, refuse("`window_shape` cannot contain negative values")
	}
	axes, err := s.windowAxes(a, window)
	if err != nil {
		return Step{}, err
	}
	to := tensor.Strided{Shape: slices.Clone(s.Shape), Strides: slices.Clone(s.Strides), Offset: s.Offset}
	names := append(slices.Clone(s.Names), make([]string, len(window))...)
	var why []string
	for k, d := range axes {
		if to.Shape[d] < window[k] {
			return Step{}, refuse("window shape cannot be larger than input array shape").
				because("a window of %d does not fit into %s of %d", window[k], s.called(d), to.Shape[d])
		}
		was := to.Shape[d]
		to.Shape[d] -= window[k] - 1
		why = append(why, fmt.Sprintf("%s: size = %d-%d+1 = %d", s.called(d), was, window[k], to.Shape[d]),
			fmt.Sprintf("new dim %d: the %d elements of a window, stride %d", s.Rank()+k, window[k], s.Strides[d]))
	}
	for k, d := range axes {
		to.Shape, to.Strides = append(to.Shape, window[k]), append(to.Strides, s.Strides[d])
	}
	return s.look(to, names, why...)
}

func (s State) windowAxes(a arguments, window []int) ([]int, error) {
	if !a.has("axis") {
		if len(window) != s.Rank() {
			return nil, refuse("Since axis is `None`, must provide window_shape for all dimensions of `x`; got %d window_shape "+
				"elements and `x.ndim` is %d.", len(window), s.Rank()).
				withHint("name the axes: sliding_window_view(%s, axis)", bracketed(window))
		}
		return s.inOrder(), nil
	}
	axes, err := s.axes(a.numbers("axis"), s.Rank(), "", nil)
	if err == nil && len(axes) != len(window) {
		return nil, refuse("Must provide matching length window_shape and axis; got %d window_shape elements and %d axes elements.",
			len(window), len(axes))
	}
	return axes, err
}

// bracketed is "(2,3)", or "2".
func bracketed(sizes []int) string {
	if len(sizes) == 1 {
		return spelled(sizes)
	}
	return "(" + spelled(sizes) + ")"
}
