package trace

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/scan"
	"github.com/tlayout/tlayout/internal/tensor"
)

// axis is an axis of an einops pattern. Anonymous axes differ from each other even if their lengths do not.
type axis struct {
	name   string // "" for an anonymous axis, and for an unnamed dim of an ellipsis
	length int    // of an anonymous axis; 0 for others
	at     int    // tells apart anonymous axes, and the dims of an ellipsis; 0 for others
}

// anonymous reports whether the axis has a length instead of a name.
func (a axis) anonymous() bool { return a.length > 0 }

// dots is the ellipsis, before spread.
var dots = axis{name: "…"}

// axes are the axes of a dim, none for 1 and (), or of all dims of a side.
type axes []axis

func (x axes) without(others axes) axes {
	return slices.DeleteFunc(slices.Clone(x), func(a axis) bool { return slices.Contains(others, a) })
}

// names returns the names of dims that are these axes.
func (x axes) names() []string {
	names := make([]string, len(x))
	for d, a := range x {
		names[d] = a.name
	}
	return names
}

// String returns the axes as Python prints a set, in alphabetical order.
func (x axes) String() string {
	var words []string
	for _, a := range x {
		word := "'" + a.name + "'"
		if a.length > 0 {
			word = fmt.Sprintf("%d-axis", a.length)
		}
		words = append(words, word)
	}
	slices.Sort(words)
	return "{" + strings.Join(words, ", ") + "}"
}

// side is one side of a pattern: the axes of each dim. An ellipsis is an axis of a dim of its own, unless nested in brackets.
type side struct {
	dims   []axes
	nested bool
}

func (s side) axes() axes { return slices.Concat(s.dims...) }

// parseSide reads a side of a pattern; sign is -1 for the right one. Refusals have the text of einops. (ParsedExpression in
// einops/parsing.py, 0.8.2)
//
//	side = { axis | "(" { axis } ")" }
//	axis = name | number | "..."
func parseSide(expression string, sign int) (side, error) {
	var s side
	n := strings.Count(expression, ".")
	if n > 0 && !strings.Contains(expression, "...") {
		return s, refuse("Expression may contain dots only inside ellipsis (...)")
	}
	if n > 0 && n != 3 {
		return s, refuse("Expression may contain dots only inside ellipsis (...); only one ellipsis for tensor ")
	}
	p := scan.Scanner{Text: strings.Replace(expression, "...", dots.name, 1)}
	open := false
	for p.At < len(p.Text) {
		word := p.While(func(c byte) bool { return scan.IsLetter(c) || scan.IsDigit(c) || c >= 0x80 })
		next := p.Char()
		if !strings.Contains("() ", next) {
			return s, refuse("Unknown character '%s'", next)
		}
		if next == "" && open {
			return s, refuse(`Imbalanced parentheses in expression: "%s"`, p.Text)
		}
		if err := s.add(word, open, sign*p.At); err != nil {
			return s, err
		}
		switch next {
		case "(":
			if open {
				return s, refuse("Axis composition is one-level (brackets inside brackets not allowed)")
			}
			s.dims = append(s.dims, nil)
			open = true
		case ")":
			if !open {
				return s, refuse("Brackets are not balanced")
			}
			open = false
		}
		p.At += len(next)
	}
	if open {
		return s, refuse(`Imbalanced parentheses in expression: "%s"`, p.Text)
	}
	return s, nil
}

// add adds the axis of a word, if any, to the last dim inside of brackets, else as a dim. An axis of length 1 is a dim without axes.
func (s *side) add(word string, inside bool, at int) error {
	if word == "" {
		return nil
	}
	if slices.Contains(s.axes(), axis{name: word}) {
		return refuse(`Indexing expression contains duplicate dimension "%s"`, word)
	}
	a, err := newAxis(word, at)
	if err != nil {
		return err
	}
	if !inside {
		s.dims = append(s.dims, nil)
	}
	if a.length != 1 {
		last := &s.dims[len(s.dims)-1]
		*last = append(*last, a)
	}
	s.nested = s.nested || a == dots && inside
	return nil
}

// newAxis reads a word of a pattern: a length, the ellipsis or a name.
func newAxis(word string, at int) (axis, error) {
	if strings.Trim(word, "0123456789") == "" {
		n, err := strconv.Atoi(word)
		if err != nil {
			return axis{}, overflow("axis length %s", word)
		}
		if n == 0 {
			return axis{}, refuse("Anonymous axis should have positive length, not 0")
		}
		return axis{length: n, at: at}, nil
	}
	if word != dots.name && !isAxisName(word) {
		return axis{}, refuse("Invalid axis identifier: %s", word).because("an axis name is a Python identifier without _ at its start and end")
	}
	return axis{name: word}, nil
}

func isAxisName(word string) bool {
	return scan.NameLength(word) == len(word) && !strings.HasPrefix(word, "_") && !strings.HasSuffix(word, "_")
}

// pattern is both sides of a pattern, without an ellipsis, and the lengths of all axes.
type pattern struct {
	left, right []axes
	lengths     map[axis]int // 0: unknown
}

// parse reads the pattern for a tensor. It makes einops' checks in their order, which decides the text of a refusal.
// (_prepare_transformation_recipe in einops/einops.py, 0.8.2)
func (e einops) parse(s State) (pattern, error) {
	before, after, _ := strings.Cut(e.pattern, "->")
	left, err := parseSide(before, 1)
	if err != nil {
		return pattern{}, err
	}
	right, err := parseSide(after, -1)
	if err != nil {
		return pattern{}, err
	}
	if err := e.agree(left, right); err != nil {
		return pattern{}, err
	}
	dotted := slices.Contains(left.axes(), dots)
	var each axes // that the ellipsis stands for
	n := s.Rank() - len(left.dims)
	if dotted && n+1 < 0 {
		return pattern{}, refuse("Wrong shape: expected >=%d dims. Received %d-dim tensor.", len(left.dims)-1, s.Rank())
	}
	if !dotted && n != 0 {
		return pattern{}, refuse("Wrong shape: expected %d dims. Received %d-dim tensor.", len(left.dims), s.Rank())
	}
	if dotted {
		first := slices.IndexFunc(left.dims, func(dim axes) bool { return slices.Contains(dim, dots) })
		for d := first; d <= first+n; d++ {
			each = append(each, axis{name: s.shownNames()[d], at: d + 1})
		}
	}
	p := pattern{left.spread(each), right.spread(each), map[axis]int{}}
	return p, e.solve(p, s.Shape)
}

// agree refuses axes that are on one side only, unless the operation removes or adds them.
func (e einops) agree(left, right side) error {
	removed := left.axes().without(right.axes())
	added := right.axes().without(left.axes())
	if slices.Contains(added, dots) {
		return refuse("Ellipsis found in right side, but not left side of a pattern %s", e.pattern)
	}
	if left.nested {
		return refuse("Ellipsis inside parenthesis in the left side is not allowed: %s", e.pattern)
	}
	switch e.operation {
	case "rearrange":
		return cannotRearrange(slices.Concat(removed, added))
	case "repeat":
		return e.cannotRepeat(removed, added)
	}
	if len(added) > 0 {
		return refuse("Unexpected identifiers on the right side of reduce %s: %s", e.operation, added).withHint("repeat adds axes")
	}
	return nil
}

// cannotRearrange refuses axes that are on one side only.
func cannotRearrange(oneSided axes) error {
	if slices.ContainsFunc(oneSided, axis.anonymous) {
		return refuse("Non-unitary anonymous axes are not supported in rearrange (exception is length 1)").
			withHint("name the axis, and add its length, h=2")
	}
	if len(oneSided) > 0 {
		return refuse("Identifiers only on one side of expression (should be on both): %s", oneSided).
			withHint("reduce removes axes, repeat adds them")
	}
	return nil
}

// cannotRepeat refuses to remove axes, and to add axes without lengths.
func (e einops) cannotRepeat(removed, added axes) error {
	if len(removed) > 0 {
		return refuse("Unexpected identifiers on the left side of repeat: %s", removed).withHint("reduce removes axes")
	}
	unsized := slices.DeleteFunc(slices.Clone(added), func(a axis) bool {
		_, given := e.lengths[a.name]
		return given || a.anonymous()
	})
	if len(unsized) > 0 {
		return refuse("Specify sizes for new axes in repeat: %s", unsized)
	}
	return nil
}

// spread returns the dims with an ellipsis replaced.
func (s side) spread(each axes) []axes {
	var dims []axes
	for _, dim := range s.dims {
		k := slices.Index(dim, dots)
		if k < 0 {
			dims = append(dims, dim)
			continue
		}
		if s.nested {
			dims = append(dims, slices.Replace(slices.Clone(dim), k, k+1, each...))
			continue
		}
		dims = append(dims, singles(each)...)
	}
	return dims
}

// solve fills the lengths: those of the call, those in the pattern, and of one axis in each dim of the shape.
// (_reconstruct_from_shape_uncached in einops/einops.py, 0.8.2)
func (e einops) solve(p pattern, shape []int) error {
	all := slices.Concat(slices.Concat(p.left...), slices.Concat(p.right...))
	for _, a := range all {
		if a.length > 0 {
			p.lengths[a] = a.length
			continue
		}
		if a.at == 0 {
			p.lengths[a] = e.lengths[a.name]
		}
	}
	for _, name := range slices.Sorted(maps.Keys(e.lengths)) {
		if !isAxisName(name) {
			return refuse("('Invalid name for an axis', '%s')", name)
		}
		if !slices.Contains(all, axis{name: name}) {
			return refuse("Axis %s is not used in transform", name)
		}
	}
	free := func(dim axes) axes {
		return slices.DeleteFunc(slices.Clone(dim), func(a axis) bool { return p.lengths[a] > 0 })
	}
	for _, dim := range p.left {
		if unknown := free(dim); len(unknown) > 1 {
			return refuse("Could not infer sizes for %s", unknown).withHint("give all but one: %s=2", unknown[0].name)
		}
	}
	for d, dim := range p.left {
		unknown := free(dim)
		known, ok := p.product(dim.without(unknown))
		if !ok {
			return overflow("the product of the lengths of %s", dim)
		}
		if len(unknown) == 0 && known != shape[d] {
			return refuse("Shape mismatch, %d != %d", shape[d], known)
		}
		if shape[d]%known != 0 {
			return refuse("Shape mismatch, can't divide axis of length %d in chunks of %d", shape[d], known)
		}
		if len(unknown) > 0 {
			p.lengths[unknown[0]] = shape[d] / known
		}
	}
	if _, ok := p.product(slices.Concat(p.right...)); !ok {
		return overflow("the number of elements of the result")
	}
	return nil
}

// product returns the product of the lengths of axes, and whether an int can hold it.
func (p pattern) product(x axes) (n int, ok bool) {
	n = 1
	ok = true
	for _, a := range x {
		if ok {
			n, ok = tensor.Mul(n, p.lengths[a])
		}
	}
	return n, ok
}

// sizes returns the sizes of dims.
func (p pattern) sizes(dims []axes) []int {
	sizes := make([]int, len(dims))
	for d, dim := range dims {
		sizes[d], _ = p.product(dim)
	}
	return sizes
}

// isComposed reports whether some dim is not exactly one axis, so that einops reshapes.
func isComposed(dims []axes) bool {
	return slices.ContainsFunc(dims, func(dim axes) bool { return len(dim) != 1 })
}

// singles returns a dim for each axis.
func singles(all axes) []axes {
	var dims []axes
	for _, a := range all {
		dims = append(dims, axes{a})
	}
	return dims
}
