package trace

import (
	"errors"
	"fmt"
	"slices"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// unfold slides windows along a dim: the dim becomes the window's index, and a new last dim the index inside the window.
//
//	size = (n - size)/step + 1, stride·step; last dim: size, stride
func (s State) unfold(a arguments) (Step, error) {
	d, err := s.axis(a.number("dimension", 0), s.Rank(), "")
	if err != nil {
		return Step{}, err
	}
	size := a.number("size", 0)
	step := a.number("step", 0)
	n := 1
	stride := 1
	if s.Rank() > 0 {
		n = s.Shape[d]
		stride = s.Strides[d]
	}
	if size < 0 {
		return Step{}, refuse("size is %d but must be >= 0", size)
	}
	if size > n {
		return Step{}, refuse("maximum size for tensor at dimension %d is %d but size is %d", d, n, size).
			because("a window of %d exceeds the size %d", size, n).withHint("use at most %d", n)
	}
	if step <= 0 {
		return Step{}, refuse("step is %d but must be > 0", step)
	}
	newStride, err := strideTimes(stride, step)
	if err != nil {
		return Step{}, err
	}
	to := tensor.Strided{Offset: s.Offset}
	to.Shape = append(slices.Clone(s.Shape), size)
	to.Strides = append(slices.Clone(s.Strides), stride)
	names := append(slices.Clone(s.Names), "")
	why := []string{fmt.Sprintf("new dim %d: the %d elements of a window, stride %d", s.Rank(), size, stride)}
	if s.Rank() > 0 {
		to.Shape[d] = (n-size)/step + 1
		to.Strides[d] = newStride
		why = append(why, fmt.Sprintf("%s: size = ⌊(%d-%d)/%d⌋+1 = %d, stride = %d·%d = %d",
			s.called(d), n, size, step, to.Shape[d], stride, step, to.Strides[d]))
	}
	if step < size && size > 1 {
		why = append(why, fmt.Sprintf("windows overlap by %s", text.Count(size-step, "element")))
	}
	return s.view(to, names, why...)
}

// npWindows is sliding_window_view: each axis gets a new last dim with the index inside the window.
func (s State) npWindows(a arguments) (Step, error) {
	window := a.numbers("window_shape")
	if slices.ContainsFunc(window, isNegative) {
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
				because("a window of %d exceeds %s of %d", window[k], s.called(d), to.Shape[d])
		}
		was := to.Shape[d]
		to.Shape[d] -= window[k] - 1
		why = append(why, fmt.Sprintf("%s: size = %d-%d+1 = %d", s.called(d), was, window[k], to.Shape[d]),
			fmt.Sprintf("new dim %d: the %d elements of a window, stride %d", s.Rank()+k, window[k], s.Strides[d]))
	}
	for k, d := range axes {
		to.Shape = append(to.Shape, window[k])
		to.Strides = append(to.Strides, s.Strides[d])
	}
	return s.view(to, names, why...)
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

// bracketed returns "(2,3)", or "2".
func bracketed(sizes []int) string {
	if len(sizes) == 1 {
		return spelled(sizes)
	}
	return "(" + spelled(sizes) + ")"
}

// diagonal uses one index for two dims: both are removed, and a last dim with the sum of their strides is added. A positive
// offset skips the first indices of the second dim, a negative one those of the first.
func (s State) diagonal(a arguments) (Step, error) {
	offset := a.number("offset", 0)
	d1, d2, err := s.diagonalDims(a)
	if err != nil {
		return Step{}, err
	}
	rows := s.Shape[d1] + min(offset, 0)
	columns := s.Shape[d2] - max(offset, 0)
	n := max(min(rows, columns), 0)
	to, names := s.without([]int{d1, d2})
	stride, ok := tensor.Add(s.Strides[d1], s.Strides[d2])
	if !ok {
		return Step{}, overflow("stride %d + %d", s.Strides[d1], s.Strides[d2])
	}
	why := []string{s.calledAll([]int{d1, d2}) + " are removed", fmt.Sprintf("new dim %d: size = min(%d, %d) = %d, stride = %d+%d = %d",
		s.Rank()-2, max(rows, 0), max(columns, 0), n, s.Strides[d1], s.Strides[d2], stride)}
	reaches := n > 0 || s.Rules == NumPy && min(rows, columns) == 0
	skipped := offset
	by := s.Strides[d2]
	if offset < 0 {
		skipped = -offset
		by = s.Strides[d1]
	}
	if reaches && skipped != 0 && by != 0 {
		to.Offset, err = s.offsetBy(skipped, by)
		if err != nil {
			return Step{}, err
		}
		why = append(why, fmt.Sprintf("offset = %d + %d·%d = %d", s.Offset, skipped, by, to.Offset))
	}
	to.Shape = append(to.Shape, n)
	to.Strides = append(to.Strides, stride)
	return s.view(to, append(names, ""), why...)
}

func (s State) diagonalDims(a arguments) (d1, d2 int, err error) {
	first := a.number("dim1", 0)
	second := a.number("dim2", 1)
	if s.Rules == NumPy {
		if s.Rank() < 2 {
			return 0, 0, refuse("diag requires an array of at least two dimensions").because("the array has %s", text.Count(s.Rank(), "dim"))
		}
		first = a.number("axis1", 0)
		second = a.number("axis2", 1)
	}
	d1, err = s.axis(first, s.Rank(), "axis1: ")
	if err != nil {
		return 0, 0, err
	}
	d2, err = s.axis(second, s.Rank(), "axis2: ")
	if err != nil {
		return 0, 0, err
	}
	if d1 == d2 && s.Rules == NumPy {
		return 0, 0, refuse("axis1 and axis2 cannot be the same")
	}
	if d1 == d2 {
		return 0, 0, refuse("diagonal dimensions cannot be identical %d, %d", first, second)
	}
	return d1, d2, nil
}

// asStrided is any view inside the storage.
func (s State) asStrided(a arguments) (Step, error) {
	shape := a.numbers("size")
	strides := a.numbers("stride")
	offset := a.number("storage_offset", s.Offset)
	if r := s.negativeSize(shape, strides); r != nil {
		return Step{}, r
	}
	to, err := tensor.AsStrided(s.Storage.Elems, s.ItemSize, shape, strides, offset)
	var trouble *fault.Error
	if errors.As(err, &trouble) && trouble.Class == fault.Negative {
		return Step{}, s.outOfStorage(trouble.Text, tensor.Strided{Shape: shape, Strides: strides, Offset: offset})
	}
	if err != nil {
		return Step{}, err
	}
	return s.asGiven(to)
}

// negativeSize refuses a negative size with PyTorch's message, which treats it as a very large size.
func (s State) negativeSize(shape, strides []int) *Refusal {
	if len(shape) != len(strides) || slices.ContainsFunc(strides, isNegative) || !slices.ContainsFunc(shape, isNegative) {
		return nil
	}
	r := refuse("numel: integer multiplication overflow")
	for d, n := range shape {
		if n < 0 && strides[d] != 0 && !slices.Contains(shape, 0) {
			r = refuse("Storage size calculation overflowed with sizes=%s and strides=%s", tensor.List(shape), tensor.List(strides))
		}
	}
	return r.because("a size is negative")
}

// asGiven returns a view whose dims are unrelated to the earlier ones.
func (s State) asGiven(to tensor.Strided) (Step, error) {
	why := fmt.Sprintf("as given: highest offset = %s of %s", reach(to), text.Count(s.Storage.Elems, "element"))
	if to.Empty() {
		why = "as given: empty"
	}
	return s.view(to, make([]string, to.Rank()), why)
}

// reach returns the highest offset as a sum: "3 + 1·1 + 1·2 = 6".
func reach(to tensor.Strided) string {
	text := fmt.Sprint(to.Offset)
	high := to.Offset
	for d, n := range to.Shape {
		if n > 1 && to.Strides[d] > 0 {
			text += fmt.Sprintf(" + %d·%d", n-1, to.Strides[d])
			high += (n - 1) * to.Strides[d]
		}
	}
	if high == to.Offset {
		return text
	}
	return fmt.Sprintf("%s = %d", text, high)
}

func (s State) outOfStorage(words string, to tensor.Strided) *Refusal {
	r := refuse("%s", words)
	if len(to.Shape) != len(to.Strides) {
		r.Why = fmt.Sprintf("%s, %s", text.Count(len(to.Shape), "size"), text.Count(len(to.Strides), "stride"))
		return r
	}
	checked, err := tensor.NewStrided(to.Shape, to.Strides, to.Offset)
	if err != nil || checked.Empty() {
		return r
	}
	if to.Negative() {
		r.Hint = "use flip, which copies " + s.copySize()
		return r
	}
	if to.Offset >= 0 {
		r.Why = fmt.Sprintf("the highest offset is %s, the storage has %s", reach(checked), text.Count(s.Storage.Elems, "element"))
	}
	return r
}

// npAsStrided has strides in bytes. NumPy does not check that they stay inside the storage; here they must.
func (s State) npAsStrided(a arguments) (Step, error) {
	shape := s.Shape
	if a.has("shape") {
		shape = a.numbers("shape")
	}
	strides, err := s.npWindowStrides(a, shape)
	if err != nil {
		return Step{}, err
	}
	return s.npBounded(tensor.Strided{Shape: shape, Strides: strides, Offset: s.Offset})
}

// npWindowStrides returns the strides of as_strided in elements: given in bytes, or, by default, the array's own; if it is contiguous,
// those of a contiguous array of the new shape.
func (s State) npWindowStrides(a arguments, shape []int) ([]int, error) {
	if a.has("strides") {
		return s.inElements(a.numbers("strides"))
	}
	if !s.CContiguous().OK || slices.ContainsFunc(shape, isNegative) {
		return s.Strides, nil
	}
	packed, err := tensor.Packed(shape)
	return packed.Strides, err
}

// inElements converts strides from bytes.
func (s State) inElements(strides []int) ([]int, error) {
	if s.ItemSize == 0 {
		return nil, fault.New(fault.Unsupported, "strides in bytes are undefined for elements of 0 bytes")
	}
	elements := make([]int, len(strides))
	for i, bytes := range strides {
		if bytes%s.ItemSize != 0 {
			return nil, refuse("stride %d is not a multiple of the itemsize, %d bytes", bytes, s.ItemSize).
				because("NumPy does not check, and would read across elements").withHint("as_strided takes strides in bytes")
		}
		elements[i] = bytes / s.ItemSize
	}
	return elements, nil
}

func isNegative(n int) bool { return n < 0 }

func (s State) npBounded(to tensor.Strided) (Step, error) {
	if slices.ContainsFunc(to.Shape, isNegative) {
		return Step{}, refuse("negative dimensions are not allowed")
	}
	if len(to.Shape) != len(to.Strides) {
		return Step{}, refuse("mismatch in length of strides and shape").
			because("%s, %s", text.Count(len(to.Shape), "size"), text.Count(len(to.Strides), "stride"))
	}
	l, err := to.Layout(nil, s.Storage.Elems)
	if err != nil {
		return Step{}, err
	}
	if low, high, _ := l.Span(); !l.InBounds() {
		return Step{}, refuse("the view spans offsets %d to %d, outside the storage of %s", low, high,
			text.Count(s.Storage.Elems, "element")).
			because("NumPy does not check, and would read outside the array").
			withHint("strides are in bytes, %d per element; offsets 0 to %d are inside", s.ItemSize, s.Storage.Elems-1)
	}
	return s.asGiven(to)
}
