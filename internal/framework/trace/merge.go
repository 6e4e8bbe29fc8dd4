package trace

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// group is a run of old dims and the run of new dims with the same elements. Dims of size 1 belong to no group.
type group struct{ old, new []int }

// groups splits two shapes of the same number of elements into the smallest groups, outermost first.
//
//	(2,3,4,5), (6,2,10) → {0,1}{0}, {2,3}{1,2}
func groups(old, new []int) []group {
	var all []group
	from := nonUnit(old)
	to := nonUnit(new)
	for len(from) > 0 && len(to) > 0 {
		i := 1
		j := 1
		a := old[from[0]]
		b := new[to[0]]
		for a != b {
			if a < b {
				a *= old[from[i]]
				i++
			} else {
				b *= new[to[j]]
				j++
			}
		}
		all = append(all, group{from[:i], to[:j]})
		from = from[i:]
		to = to[j:]
	}
	return all
}

// nonUnit returns the dims whose size is not 1.
func nonUnit(shape []int) []int {
	var dims []int
	for d, n := range shape {
		if n != 1 {
			dims = append(dims, d)
		}
	}
	return dims
}

// oldDims maps each dim of another shape to the old dim that it is, or -1: dims before and after the changed ones, and dims alone in their
// group.
func (s State) oldDims(shape []int) []int {
	from := slices.Repeat([]int{-1}, len(shape))
	n := min(len(shape), s.Rank())
	front := 0
	for ; front < n && shape[front] == s.Shape[front]; front++ {
		from[front] = front
	}
	for k := 1; k <= n-front && shape[len(shape)-k] == s.Shape[s.Rank()-k]; k++ {
		from[len(shape)-k] = s.Rank() - k
	}
	if s.Empty() {
		return from
	}
	for _, g := range groups(s.Shape, shape) {
		if len(g.old) == 1 && len(g.new) == 1 {
			from[g.new[0]] = g.old[0]
		}
	}
	return from
}

// namesIn names the dims of another shape after the old dims that they are.
func (s State) namesIn(shape []int) []string {
	names := make([]string, len(shape))
	for d, old := range s.oldDims(shape) {
		if old >= 0 {
			names[d] = s.Names[old]
		}
	}
	return names
}

// whyView returns, for each group of dims that changes, the equations of the new strides.
func (s State) whyView(to tensor.Strided) []string {
	if s.Empty() {
		return []string{"the tensor is empty: its strides are never used"}
	}
	var why []string
	for _, g := range groups(s.Shape, to.Shape) {
		if len(g.old) > 1 {
			why = append(why, s.merges(g))
		}
		if len(g.new) > 1 {
			why = append(why, s.splits(g, to))
		}
	}
	return append(why, s.unused(to)...)
}

// merges returns "dims 2 (H) and 3 (W) merge into one of size 5·4 = 20, stride 1, because stride[H] = 4·1 = 4".
func (s State) merges(g group) string {
	var sizes []int
	for _, d := range g.old {
		sizes = append(sizes, s.Shape[d])
	}
	text := fmt.Sprintf("%s merge into one of size %s", s.calledAll(g.old), equals(sizes, ints.Product(sizes)))
	last := g.old[len(g.old)-1]
	if len(g.new) == 1 {
		text += fmt.Sprintf(", stride %d", s.Strides[last])
	}
	for k, d := range g.old[:len(g.old)-1] {
		inner := g.old[k+1]
		text += []string{", because ", " and "}[min(k, 1)]
		text += fmt.Sprintf("stride[%s] = %d·%d = %d", s.label(d), s.Shape[inner], s.Strides[inner], s.Strides[d])
	}
	return text
}

// splits returns "dim 1 (C) splits into 8·8: strides 8·20 = 160 and 20".
func (s State) splits(g group, to tensor.Strided) string {
	var sizes []int
	strides := make([]string, len(g.new))
	for k, d := range g.new {
		sizes = append(sizes, to.Shape[d])
		strides[k] = fmt.Sprint(to.Strides[d])
		if k+1 < len(g.new) {
			inner := g.new[k+1]
			strides[k] = fmt.Sprintf("%d·%d = %d", to.Shape[inner], to.Strides[inner], to.Strides[d])
		}
	}
	subject := "it splits"
	if len(g.old) == 1 {
		subject = s.called(g.old[0]) + " splits"
	}
	return fmt.Sprintf("%s into %s: strides %s", subject, text.Product(sizes), text.And(strides))
}

// unused returns lines about dims of size 1 that are new, are removed, or change their stride.
func (s State) unused(to tensor.Strided) []string {
	var why []string
	from := s.oldDims(to.Shape)
	for d, n := range to.Shape {
		if n != 1 {
			continue
		}
		old := from[d]
		if old < 0 {
			why = append(why, fmt.Sprintf("new dim %d: size 1, stride %s, never used", d, unusedStride(to, d)))
			continue
		}
		if s.Strides[old] != to.Strides[d] {
			why = append(why, fmt.Sprintf("%s: size 1, stride %d → %s, never used",
				s.called(old), s.Strides[old], unusedStride(to, d)))
		}
	}
	removed := slices.DeleteFunc(s.singles(), func(d int) bool { return slices.Contains(from, d) })
	if len(removed) > 0 {
		why = append(why, fmt.Sprintf("%s, of size 1, %s", s.calledAll(removed), areRemoved(len(removed))))
	}
	return why
}

// unusedStride returns the stride of a dim of size 1, as size·stride of the next dim if it equals that.
func unusedStride(to tensor.Strided, d int) string {
	if d+1 < to.Rank() && to.Strides[d] == to.Shape[d+1]*to.Strides[d+1] {
		return fmt.Sprintf("%d·%d = %d (size·stride of the next dim)", to.Shape[d+1], to.Strides[d+1], to.Strides[d])
	}
	return fmt.Sprint(to.Strides[d])
}

// packedLines returns the strides of a copy as products of the inner sizes: "C-stride = H·W = 5·4 = 20". order lists the dims from the
// outermost to the innermost.
func packedLines(to tensor.Strided, names []string, order []int) []string {
	if to.Empty() {
		return nil
	}
	named := !slices.Contains(names, "")
	var lines []string
	for k, d := range order {
		label := fmt.Sprintf("stride of dim %d", d)
		letters := ""
		var sizes []int
		for _, inner := range order[k+1:] {
			sizes = append(sizes, to.Shape[inner])
			letters += "·" + names[inner]
		}
		line := equals(sizes, ints.Product(sizes))
		if named {
			label = names[d] + "-stride"
			if letters != "" {
				line = letters[len("·"):] + " = " + line
			}
		}
		if ints.Product(sizes) != to.Strides[d] {
			line = fmt.Sprintf("%d, never used", to.Strides[d])
		}
		lines = append(lines, label+" = "+line)
	}
	return lines
}

// border is between two neighboring dims, not counting those of size 1, that a view cannot merge:
//
//	stride[outer] ≠ size[inner]·stride[inner]
type border struct {
	outer, inner    int
	within          int // product of the sizes from inner on
	expected, found int // stride of outer
}

// borders returns the borders, outermost first.
func (s State) borders() []border {
	var all []border
	dims := nonUnit(s.Shape)
	within := 1
	for k := len(dims) - 1; k > 0; k-- {
		outer := dims[k-1]
		inner := dims[k]
		within *= s.Shape[inner]
		if expected := s.Shape[inner] * s.Strides[inner]; expected != s.Strides[outer] {
			all = append(all, border{outer: outer, inner: inner, within: within, expected: expected, found: s.Strides[outer]})
		}
	}
	slices.Reverse(all)
	return all
}

// straddled returns the outermost border that a dim of the shape crosses: its within is not a product of last sizes of the shape.
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

// obstacle returns why a view cannot have the shape; empty if it can.
func (s State) obstacle(shape []int) string {
	brief, numbers := s.obstacleParts(shape)
	return joined(brief, numbers)
}

func joined(brief, numbers string) string {
	if brief == "" {
		return ""
	}
	return brief + ": " + numbers
}

// obstacleParts returns the dims that cannot be merged, and the stride that merging requires; empty if the shape is possible.
func (s State) obstacleParts(shape []int) (brief, numbers string) {
	b, ok := s.straddled(shape)
	if !ok {
		return "", ""
	}
	inner := s.label(b.inner)
	outer := s.label(b.outer)
	return s.calledAll([]int{b.outer, b.inner}) + " cannot be merged", fmt.Sprintf("that needs stride[%s] = size[%s]·stride[%s] = %d·%d = %d, got %d",
		outer, inner, inner, s.Shape[b.inner], s.Strides[b.inner], b.expected, b.found)
}

// cannotView returns the refusal of a view with a dim across a border.
func (s State) cannotView(text string, shape []int, reshape string) error {
	b, _ := s.straddled(shape)
	r := &Refusal{Text: text, Dims: []int{b.outer, b.inner}, Expected: b.expected, Found: b.found,
		Hint: fmt.Sprintf("%s, or contiguous() first, copies %s", reshape, s.copySize())}
	r.Brief, r.Numbers = s.obstacleParts(shape)
	if near, ok := s.possible(shape); ok {
		r.Numbers += "; a view of shape " + tensor.Tuple(near) + " is possible"
	}
	r.Why = joined(r.Brief, r.Numbers)
	if order, ok := s.untangled(shape); ok {
		r.Hint += fmt.Sprintf("; if the order of elements does not matter, permute(%s) first avoids the copy", spelled(order))
	}
	return r
}

// possible returns a shape that a view can have: the requested one, split at the borders that its dims cross, or else the old one with
// as many dims merged as possible. ok is false if that is the old shape.
func (s State) possible(shape []int) ([]int, bool) {
	near, ok := s.cut(shape)
	if !ok {
		near = s.merged()
	}
	_, err := s.View(near)
	return near, err == nil && !slices.Equal(near, s.Shape)
}

// cut splits the dims that cross a border at the border. ok is false if a part's size would not be an integer.
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

// merged returns the old shape with all dims merged that have no border between them, without dims of size 1.
func (s State) merged() []int {
	var shape []int
	rest := s.Numel()
	for _, b := range s.borders() {
		shape = append(shape, rest/b.within)
		rest = b.within
	}
	return append(shape, rest)
}

// untangled returns the dims by falling stride, if a view of the tensor permuted this way can have the shape. Dims of size 1 keep their
// positions.
func (s State) untangled(shape []int) ([]int, bool) {
	dims := nonUnit(s.Shape)
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
