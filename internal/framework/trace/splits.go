package trace

import (
	"fmt"
	"slices"
	"sync"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// pieces are the parts of a dim that an operation returns, each a tensor.
type pieces struct {
	dim     int
	all     []piece
	removed bool // the dim, of which each part has one index
}

// piece is a range of indices.
type piece struct{ start, size int }

// splits are the operations that return several tensors.
var splits = sync.OnceValue(func() map[Rules][]operation {
	return map[Rules][]operation{
		PyTorch: {
			{
				Usage:  Usage{Name: "chunk", Also: []string{"unsafe_chunk"}, Example: "chunk(2,1)[0]"}, // split a dim into that many parts or fewer
				params: []param{{name: "chunks"}, {name: "dim", optional: true}},
				pieces: State.chunk,
			},
			{
				Usage:  Usage{Name: "split", Also: []string{"unsafe_split", "split_with_sizes"}, Example: "split(2,1)[0]"}, // split a dim into parts of a size, or of these sizes
				params: []param{{name: "split_size", kind: integers, alias: "split_sizes"}, {name: "dim", optional: true}},
				pieces: State.split,
			},
			{
				Usage:  Usage{Name: "tensor_split", Example: "tensor_split(3,1)[0]"}, // split a dim into that many parts, or at these indices
				params: []param{{name: "indices_or_sections", kind: integers, alias: "sections"}, {name: "dim", optional: true}},
				pieces: State.tensorSplit,
			},
			{
				Usage:  Usage{Name: "hsplit", Also: []string{"vsplit", "dsplit"}, Example: "hsplit(2)[0]"}, // split dim 1, 0 or 2 into equal parts
				params: []param{{name: "indices_or_sections", kind: integers, alias: "sections"}},
				pieces: State.equalSplit,
			},
			{
				Usage:  Usage{Name: "unbind", Example: "unbind(0)[0]"}, // select each index of a dim
				params: []param{{name: "dim", optional: true}},
				pieces: State.unbind,
			},
		},
		NumPy: {
			{
				Usage:  Usage{Name: "array_split", Example: "array_split(3,1)[0]"}, // split an axis into that many parts, or at these indices
				params: []param{{name: "indices_or_sections", kind: integers}, {name: "axis", optional: true}},
				pieces: State.npSplit,
			},
			{
				Usage:  Usage{Name: "split", Example: "split(2,1)[0]"}, // the same into equal parts
				params: []param{{name: "indices_or_sections", kind: integers}, {name: "axis", optional: true}},
				pieces: State.npSplit,
			},
			{
				Usage:  Usage{Name: "hsplit", Also: []string{"vsplit", "dsplit"}, Example: "hsplit(2)[0]"}, // split axis 1, 0 or 2 into equal parts
				params: []param{{name: "indices_or_sections", kind: integers}},
				pieces: State.npSplit,
			},
		},
	}
})

// isSplit reports whether an operation of that name returns several tensors.
func isSplit(name string) bool {
	return slices.ContainsFunc(slices.Concat(splits()[PyTorch], splits()[NumPy]), func(o operation) bool { return o.is(name) })
}

// maxParts limits the parts of a dim, maxShown those that are steps if no index selects one.
const maxParts, maxShown = 1 << 16, 64

// everyPart returns a step for each tensor that a call returns.
func (s State) everyPart(op operation, c Call) ([]Step, error) {
	a, err := op.bind(c)
	if err != nil {
		return nil, err
	}
	p, err := op.pieces(s, a)
	if err != nil {
		return nil, err
	}
	n := len(p.all)
	if n == 0 || n > maxShown {
		return nil, fault.New(fault.Usage, "%s returns %s; trace shows 1 to %d", c.Text, text.Count(n, "tensor"), maxShown).
			WithHint("%s[0] is the first", c.Text)
	}
	var steps []Step
	for k := range p.all {
		selected := c
		selected.Part = &k
		selected.Text = fmt.Sprintf("%s[%d]", c.Text, k)
		step, err := s.apply(op, selected)
		if err != nil {
			return nil, err
		}
		step.Parts = n
		steps = append(steps, step)
	}
	return steps, nil
}

// everyOf returns a step for each tensor of a tuple that a call returns.
func (s State) everyOf(op operation, c Call) ([]Step, error) {
	first, err := s.apply(op, c)
	if err != nil {
		return nil, err
	}
	a, err := op.bind(c)
	if err != nil {
		return nil, err
	}
	all, err := op.tuple(s, a)
	if err != nil || len(all) == 1 {
		return []Step{first}, err
	}
	for k := range all {
		selected := c
		selected.Part = &k
		selected.Text = fmt.Sprintf("%s[%d]", c.Text, k)
		all[k].Call = selected
		all[k].Parts = len(all)
	}
	return all, nil
}

// onePart returns the tensor that the call's index selects, from the end if it is negative.
func (s State) onePart(p pieces, c Call) (Step, error) {
	n := len(p.all)
	if c.Part == nil {
		return Step{}, fault.New(fault.Usage, "%s returns %s, of which a step needs one", c.Text, text.Count(n, "tensor")).
			WithHint("%s[0] is the first", c.Text)
	}
	k := *c.Part
	if k < -n || k >= n {
		return Step{}, refuse("tuple index out of range").because("the tuple has %s", text.Count(n, "tensor"))
	}
	k = (k + n) % n
	part := p.all[k]
	stride := s.Strides[p.dim]
	if part.size == 0 && s.Rules == NumPy { // an empty slice begins at the array's first element (get_view_from_index in NumPy's mapping.c)
		part.start = 0
	}
	to := tensor.Strided{Shape: slices.Clone(s.Shape), Strides: s.Strides, Offset: s.Offset}
	names := s.Names
	to.Shape[p.dim] = part.size
	if p.removed {
		to, names = s.without([]int{p.dim})
	}
	var err error
	to.Offset, err = s.offsetBy(part.start, stride)
	if err != nil {
		return Step{}, err
	}
	return s.view(to, names, fmt.Sprintf("part %d of %d: %s from index %d, offset %d + %d·%d = %d", k, n, s.called(p.dim), part.start, s.Offset,
		part.start, stride, to.Offset))
}

// withParts makes an index that follows a call of several tensors, as a step of its own, the one that selects a tensor.
func withParts(all []Statement) []Statement {
	var out []Statement
	for _, s := range all {
		last := len(out) - 1
		if last < 0 || len(s.targets) > 0 || !out[last].isWhole() {
			out = append(out, s)
			continue
		}
		grafted, ok := s.value.graft(out[last].value)
		if !ok {
			out = append(out, s)
			continue
		}
		s.value = grafted
		out[last] = s
	}
	return out
}

// isWhole reports whether a statement is a call that returns several tensors, of which none is selected.
func (s Statement) isWhole() bool {
	return len(s.targets) == 0 && s.value.kind == called && isSplit(s.value.of[0].name)
}

// isPart reports whether an index has one int, as that of a tuple.
func (n node) isPart() bool {
	if n.kind != indexed || len(n.args) != 1 {
		return false
	}
	return n.args[0].kind == literal && n.args[0].value.Kind == Int
}

// graft puts a call where an index by an int stands behind the tensor of the step before.
func (n node) graft(call node) (node, bool) {
	if len(n.of) == 0 || n.kind == listed {
		return n, false
	}
	n.of = slices.Clone(n.of)
	if n.of[0].kind == current {
		if !n.isPart() {
			return n, false
		}
		n.of[0] = call
		return n, true
	}
	var ok bool
	n.of[0], ok = n.of[0].graft(call)
	return n, ok
}

// severalThen refuses a step after several tensors.
func severalThen(c Call, n int) error {
	return fault.New(fault.Usage, "%s returns %s, and the next step needs one", c.Text, text.Count(n, "tensor")).WithHint("%s[0] is the first", c.Text)
}

// inParts returns consecutive pieces of a dim.
func inParts(dim int, sizes []int) pieces {
	p := pieces{dim: dim}
	start := 0
	for _, n := range sizes {
		p.all = append(p.all, piece{start, n})
		start = start + n
	}
	return p
}

// chunk splits into equal parts, of which the last may be smaller, and there may be fewer than asked. (chunk in PyTorch's
// aten/src/ATen/native/TensorShape.cpp)
func (s State) chunk(a arguments) (pieces, error) {
	n := a.number("chunks", 1)
	if s.Rank() == 0 {
		return pieces{}, refuse("chunk expects at least a 1-dimensional tensor")
	}
	if n < 1 {
		return pieces{}, refuse("chunk expects `chunks` to be greater than 0, got: %d", n)
	}
	d, err := s.axis(a.number("dim", 0), s.Rank(), "")
	if err != nil {
		return pieces{}, err
	}
	each := s.Shape[d]/n + min(1, s.Shape[d]%n)
	if each == 0 {
		return equalParts(d, 0, n)
	}
	return partsOf(d, s.Shape[d], each)
}

// split is by a size, or by a list of sizes. (split and split_with_sizes in PyTorch's aten/src/ATen/native/TensorShape.cpp)
func (s State) split(a arguments) (pieces, error) {
	sizes := a.numbers("split_size")
	each := a.number("split_size", 0)
	if s.Rank() == 0 {
		return pieces{}, refuse("split expects at least a 1-dimensional tensor")
	}
	if each < 0 {
		return pieces{}, refuse("split expects split_size be non-negative, but got split_size=%d", each)
	}
	d, err := s.axis(a.number("dim", 0), s.Rank(), "")
	if err != nil {
		return pieces{}, err
	}
	if a.given["split_size"].Kind == List {
		return s.partsLike(d, a.number("dim", 0), sizes)
	}
	if each == 0 && s.Shape[d] != 0 {
		return pieces{}, refuse("split_size can only be 0 if dimension size is 0, but got dimension size of %d", s.Shape[d])
	}
	if each == 0 {
		return equalParts(d, 0, 1)
	}
	return partsOf(d, s.Shape[d], each)
}

// partsLike returns parts of these sizes, which must sum up to that of the dim.
func (s State) partsLike(d, dim int, sizes []int) (pieces, error) {
	left := s.Shape[d]
	for _, n := range sizes {
		if n < 0 {
			return pieces{}, refuse("split_with_sizes expects split_sizes have only non-negative entries, but got split_sizes=%s", tensor.List(sizes))
		}
		left -= min(n, left+1)
	}
	if left != 0 {
		return pieces{}, refuse("split_with_sizes expects split_sizes to sum exactly to %d (input tensor's size at dimension %d), "+
			"but got split_sizes=%s", s.Shape[d], dim, tensor.List(sizes))
	}
	return inParts(d, sizes), nil
}

// partsOf returns parts of a size, of which the last may be smaller; one of an empty dim.
func partsOf(d, size, each int) (pieces, error) {
	n := max(1, size/each+min(1, size%each))
	if n > maxParts {
		return pieces{}, tooMany(n)
	}
	sizes := slices.Repeat([]int{each}, n)
	sizes[n-1] = size - each*(n-1)
	return inParts(d, sizes), nil
}

// equalParts returns that many parts of the dim, the first ones larger by one if it is not a multiple.
func equalParts(d, size, n int) (pieces, error) {
	if n > maxParts {
		return pieces{}, tooMany(n)
	}
	sizes := slices.Repeat([]int{size / n}, n)
	for k := range size % n {
		sizes[k]++
	}
	return inParts(d, sizes), nil
}

func tooMany(n int) error {
	return fault.New(fault.Unsupported, "%d parts: the limit is %d", n, maxParts)
}

// between returns the parts of a dim that Python's slices have between indices, which may be negative or too large.
func (s State) between(d int, indices []int) pieces {
	size := s.Shape[d]
	p := pieces{dim: d}
	bound := func(i int) int {
		if i < 0 {
			i += size
		}
		return min(max(i, 0), size)
	}
	for k, start := range append([]int{0}, indices...) {
		stop := size
		if k < len(indices) {
			stop = bound(indices[k])
		}
		p.all = append(p.all, piece{bound(start), max(stop-bound(start), 0)})
	}
	return p
}

// tensorSplit is by a number of parts, or at indices. (tensor_split in PyTorch's aten/src/ATen/native/TensorShape.cpp)
func (s State) tensorSplit(a arguments) (pieces, error) {
	if s.Rank() == 0 {
		return pieces{}, refuse("tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims")
	}
	d, err := s.axis(a.number("dim", 0), s.Rank(), "")
	if err != nil {
		return pieces{}, err
	}
	g := a.given["indices_or_sections"]
	if g.Kind == List {
		return s.between(d, g.all()), nil
	}
	if g.Int < 1 {
		return pieces{}, refuse("number of sections must be larger than 0, got %d", g.Int)
	}
	return equalParts(d, s.Shape[d], g.Int)
}

// leastRank is the rank that a split along a fixed dim requires.
var leastRank = map[string]int{"hsplit": 1, "vsplit": 2, "dsplit": 3}

// equalSplit is hsplit, vsplit and dsplit. (PyTorch's aten/src/ATen/native/TensorShape.cpp)
func (s State) equalSplit(a arguments) (pieces, error) {
	name := a.call.Name
	if minRank := leastRank[name]; s.Rank() < minRank {
		return pieces{}, refuse("torch.%s requires a tensor with at least %d dimension, but got a tensor with %d dimensions!", name, minRank, s.Rank())
	}
	d := s.splitAxis(name)
	g := a.given["indices_or_sections"]
	if g.Kind == List {
		return s.between(d, g.all()), nil
	}
	if g.Int == 0 || s.Shape[d]%g.Int != 0 {
		return pieces{}, refuse("torch.%s attempted to split along dimension %d, but the size of the dimension %d is not divisible by the split_size %d!",
			name, d, s.Shape[d], g.Int)
	}
	if g.Int < 0 {
		return pieces{}, refuse("number of sections must be larger than 0, got %d", g.Int)
	}
	return equalParts(d, s.Shape[d], g.Int)
}

// splitAxis returns the dim of hsplit, vsplit and dsplit; hsplit of one dim splits that.
func (s State) splitAxis(name string) int {
	if name == "dsplit" {
		return 2
	}
	if name == "vsplit" || s.Rank() < 2 {
		return 0
	}
	return 1
}

// unbind selects each index.
func (s State) unbind(a arguments) (pieces, error) {
	d, err := s.axis(a.number("dim", 0), s.Rank(), "")
	if err != nil {
		return pieces{}, err
	}
	if s.Rank() == 0 {
		return pieces{}, refuse("Dimension specified as %d but tensor has no dimensions", d)
	}
	if s.Shape[d] > maxParts {
		return pieces{}, tooMany(s.Shape[d])
	}
	p := pieces{dim: d, removed: true}
	for _, k := range ints.Range(s.Shape[d]) {
		p.all = append(p.all, piece{k, 1})
	}
	return p, nil
}

// npSplit is array_split, and split, hsplit, vsplit and dsplit, whose parts are equal. (numpy/lib/_shape_base_impl.py in NumPy 2.5)
func (s State) npSplit(a arguments) (pieces, error) {
	name := a.call.Name
	minRank, fixed := leastRank[name]
	d := s.splitAxis(name)
	g := a.given["indices_or_sections"]
	if !fixed {
		d = a.number("axis", 0)
	}
	if d < 0 {
		d += s.Rank()
	}
	if s.Rank() < minRank {
		return pieces{}, refuse("%s only works on arrays of %d or more dimensions", name, minRank)
	}
	if d < 0 || d >= s.Rank() {
		return pieces{}, refuse("tuple index out of range").because("the array has %s", text.Count(s.Rank(), "dim"))
	}
	if g.Kind == List {
		return s.between(d, g.all()), nil
	}
	if name != "array_split" {
		if g.Int == 0 {
			return pieces{}, refuse("integer modulo by zero")
		}
		if s.Shape[d]%g.Int != 0 {
			return pieces{}, refuse("array split does not result in an equal division").
				because("%s has size %d, not a multiple of %d", s.called(d), s.Shape[d], g.Int).withHint("array_split allows unequal parts")
		}
	}
	if g.Int < 1 {
		return pieces{}, refuse("number sections must be larger than 0.")
	}
	return equalParts(d, s.Shape[d], g.Int)
}
