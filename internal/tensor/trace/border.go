package trace

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tlayout/tlayout/internal/tensor"
)

// border lies between two neighbours, dims of size 1 skipped, of which the outer one does not go on where the inner one
// ends. No view can have a dim across it.
type border struct {
	outer, inner    int
	within          int // elements further in: the product of the sizes from the inner one on
	expected, found int // stride of the outer one
}

// borders lists them, the outermost first.
func (s State) borders() []border {
	var all []border
	dims := wide(s.Shape)
	within := 1
	for k := len(dims) - 1; k > 0; k-- {
		outer, inner := dims[k-1], dims[k]
		within *= s.Shape[inner]
		if expected := s.Shape[inner] * s.Strides[inner]; expected != s.Strides[outer] {
			all = append(all, border{outer, inner, within, expected, s.Strides[outer]})
		}
	}
	slices.Reverse(all)
	return all
}

// straddled returns the outermost border that a dim of the shape lies across: one where no dims from some place on hold
// just the elements further in.
func (s State) straddled(shape []int) (border, bool) {
	ends := map[int]bool{}
	run := 1
	for _, n := range slices.Backward(shape) {
		run *= n
		ends[run] = true
	}
	for _, b := range s.borders() {
		if !ends[b.within] {
			return b, true
		}
	}
	return border{}, false
}

// obstacle says why the shape cannot be had without a copy; empty where it can.
func (s State) obstacle(shape []int) string {
	b, ok := s.straddled(shape)
	if !ok {
		return ""
	}
	both, inner, outer := s.calledAll([]int{b.outer, b.inner}), s.short(b.inner), s.short(b.outer)
	return fmt.Sprintf("%s cannot become one: to go on where %s ends, %s would need stride %d·%d = %d, but has %d",
		both, inner, outer, s.Shape[b.inner], s.Strides[b.inner], b.expected, b.found)
}

// cannotView is the refusal of a view that lies across a border.
func (s State) cannotView(text string, shape []int, reshape string) error {
	b, _ := s.straddled(shape)
	r := &Refusal{Text: text, Why: s.obstacle(shape), Dims: []int{b.outer, b.inner}, Expected: b.expected, Found: b.found,
		Hint: fmt.Sprintf("%s or contiguous() first: copies %s", reshape, s.price())}
	if near, ok := s.possible(shape); ok {
		r.Why += "; view can make " + tensor.Tuple(near)
	}
	if order, ok := s.untangled(shape); ok {
		r.Hint += fmt.Sprintf("; without a copy, where the order of elements does not matter: permute(%s) first", spelled(order))
	}
	return r
}

// possible is the shape cut at the borders that its dims lie across, or else the old one with all dims merged that can
// be. It is false where that is the old shape.
func (s State) possible(shape []int) ([]int, bool) {
	near, ok := s.cut(shape)
	if !ok {
		near = s.merged()
	}
	_, err := s.View(near)
	return near, err == nil && !slices.Equal(near, s.Shape)
}

// cut splits the dims that lie across a border there. It is false where a border is not at a multiple of a dim's start.
func (s State) cut(shape []int) ([]int, bool) {
	borders := s.borders()
	slices.Reverse(borders)
	var parts []int
	run := 1
	for _, n := range slices.Backward(shape) {
		end := run * n
		for len(borders) > 0 && borders[0].within <= end {
			within := borders[0].within
			borders = borders[1:]
			if within == run || within == end {
				continue
			}
			if within%run != 0 || end%within != 0 {
				return nil, false
			}
			parts = append(parts, within/run)
			run = within
		}
		parts = append(parts, end/run)
		run = end
	}
	slices.Reverse(parts)
	return parts, true
}

// merged is the old shape with all dims in one that run on, without those of size 1.
func (s State) merged() []int {
	var shape []int
	run, outer := 1, s.Numel()
	for _, b := range s.borders() {
		shape, outer = append(shape, outer/b.within), b.within
	}
	return append(shape, outer/run)
}

// untangled is the order of falling strides, if a view can make the shape of the tensor in that order. Dims of size 1
// stay where they are.
func (s State) untangled(shape []int) ([]int, bool) {
	dims := wide(s.Shape)
	falling := slices.Clone(dims)
	slices.SortStableFunc(falling, func(a, b int) int { return cmp.Compare(s.Strides[b], s.Strides[a]) })
	order := s.inOrder()
	for k, d := range dims {
		order[d] = falling[k]
	}
	step, err := s.reorder(order)
	if err != nil || slices.Equal(order, s.inOrder()) {
		return nil, false
	}
	_, err = step.State.View(shape)
	return order, err == nil
}
