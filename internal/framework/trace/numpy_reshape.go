package trace

import (
	"fmt"
	"slices"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/tensor"
)

func (s State) npReshape(a arguments) (Step, error) {
	order, err := s.npOrder(a, "C")
	if err != nil {
		return Step{}, err
	}
	if order == "K" {
		return Step{}, refuse("order 'K' is not permitted for reshaping")
	}
	return s.npReshaped(a.numbers("shape"), order == "F")
}

// npReshaped is PyArray_Newshape (numpy/_core/src/multiarray/shape.c): a view if strides can give the new shape, else a copy in
// the order. Any negative size is computed from the others.
func (s State) npReshaped(shape []int, fortran bool) (Step, error) {
	if slices.Equal(shape, s.Shape) {
		return s.view(s.Strided, s.Names, "the same shape")
	}
	want, err := s.npWhole(shape)
	if err != nil {
		return Step{}, err
	}
	fresh := npPacked(want, fortran)
	contiguous := s.CContiguous().OK
	if fortran {
		contiguous = s.FContiguous().OK
	}
	strides := fresh
	if !contiguous {
		var ok bool
		strides, ok = s.noCopy(want, fortran)
		if !ok {
			return s.npCopied(tensor.Strided{Shape: want, Strides: fresh}, npPacked(s.Shape, fortran), s.npObstacle(want, fortran))
		}
	}
	to := tensor.Strided{Shape: want, Strides: strides, Offset: s.Offset}
	if fortran {
		return s.view(to, s.namesIn(want), "in Fortran order: the first index varies fastest, before and after")
	}
	return s.viewed(to)
}

func (s State) npObstacle(want []int, fortran bool) string {
	if fortran {
		return "no strides give this shape: copies the elements in Fortran order"
	}
	return s.obstacle(want)
}

// npWhole replaces a negative size.
func (s State) npWhole(shape []int) ([]int, error) {
	e := shapeError{s, shape}
	if e.unknowns() > 1 {
		return nil, e.refusal("can only specify one unknown dimension", "reshape")
	}
	if e.misfit() {
		return nil, e.refusal(fmt.Sprintf("cannot reshape array of size %d into shape %s", s.Numel(), npShape(shape)), "reshape")
	}
	whole := slices.Clone(shape)
	for i, n := range whole {
		if n < 0 {
			whole[i] = s.Numel() / ints.Product(e.known())
		}
	}
	_, err := tensor.Numel(whole)
	return whole, err
}

// npShape returns a shape as NumPy's messages print it: "(7,newaxis)". Leading negative sizes are left out.
func npShape(shape []int) string {
	first := slices.IndexFunc(shape, func(n int) bool { return n >= 0 })
	if first < 0 {
		return "()"
	}
	text := fmt.Sprintf("(%d", shape[first])
	for _, n := range shape[first+1:] {
		if n < 0 {
			text += ",newaxis"
			continue
		}
		text += fmt.Sprintf(",%d", n)
	}
	if len(shape) == 1 {
		text += ","
	}
	return text + ")"
}

// noCopy returns the strides of a view with the new shape. Old and new dims are matched in groups with equally many elements, and the
// old dims of a group must merge. (_attempt_nocopy_reshape in numpy/_core/src/multiarray/shape.c)
func (s State) noCopy(shape []int, fortran bool) ([]int, bool) {
	strides := make([]int, len(shape))
	next := 0
	last := 1 // of shape: the dim after the last group, and the stride of the dims after it
	for _, g := range npGroups(s.Shape, shape) {
		for k, d := range g.old[:len(g.old)-1] {
			outer := d
			inner := g.old[k+1]
			if fortran {
				outer, inner = inner, outer
			}
			if s.Strides[outer] != s.Shape[inner]*s.Strides[inner] {
				return nil, false
			}
		}
		from := g.new[0]
		to := g.new[len(g.new)-1]
		run := s.Strides[g.old[len(g.old)-1]]
		if fortran {
			run = s.Strides[g.old[0]]
		}
		for k := range to - from + 1 {
			d := to - k
			if fortran {
				d = from + k
			}
			strides[d] = run
			run *= shape[d]
		}
		next = to + 1
		last = strides[to]
		if fortran {
			last *= shape[to]
		}
	}
	for d := next; d < len(shape); d++ {
		strides[d] = last
	}
	return strides, true
}

// npGroups is groups, but a new dim of size 1 belongs to the group after it, so that the new dims of a group are consecutive. Sizes of
// 1 after the last group belong to none.
func npGroups(old, shape []int) []group {
	var all []group
	next := 0
	for _, g := range groups(old, shape) {
		last := g.new[len(g.new)-1]
		all = append(all, group{g.old, ints.Range(last + 1)[next:]})
		next = last + 1
	}
	return all
}

// npView has no shape argument, unlike PyTorch's view.
func (s State) npView(a arguments) (Step, error) {
	g := a.given["dtype"]
	if !a.has("dtype") {
		return s.view(s.Strided, s.Names, "a new array object on the same memory")
	}
	if g.ints() {
		return Step{}, fault.New(fault.Usage, "view: NumPy's view changes the dtype, not the shape").
			WithHint("reshape(%s) returns a view if possible", spelled(a.numbers("dtype")))
	}
	return Step{}, fault.New(fault.Usage, "view: changing the dtype is not supported").
		WithHint("view without arguments is a new view of the same data")
}
