package relate

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/framework/explain"
	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/sorting"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// describe makes a Relation of a nest.
func describe(f *found, a, b Values) *Relation {
	r := &Relation{
		Base: f.base, Skip: f.skip, Loops: append([]Loop{}, f.loops...), Count: f.total, Padding: f.total - f.elements, Differ: f.differ,
		Explained: 1 - float64(f.differ)/float64(f.elements), Viewed: f.viewed, Swapped: f.swapped, Ambiguous: f.rivals > 0, Counted: f.by,
	}
	if !a.Type.LittleEndian().Equal(b.Type.LittleEndian()) {
		r.DType = b.Type.String()
	}
	if f.scale != nil && (f.scale.factor != 1 || f.scale.offset != 0) {
		r.Scale = &Affine{f.scale.factor, f.scale.offset}
	}
	if f.rivals > 0 {
		r.Why = "values repeat: " + text.Count(f.rivals, "other map") + text.Plural(f.rivals, " explains", " explain") + " as much"
	}
	if f.noisy {
		r.Differ = f.changed
		r.Explained = 1 - float64(f.changed)/float64(f.elements)
		r.Tolerance = &Tolerance{math.Sqrt(f.squares / f.norm), f.largest, indexOf(f.largestAt, a.Shape)}
	}
	x := &facts{found: f, Relation: r, b: b}
	if dims := f.dims(); dims != nil {
		x.tellOrder(dims)
	} else {
		x.read, x.order = f.rereadShape()
		x.classify(loopMistakes)
	}
	r.tellValues()
	return r
}

// dims returns A's dims with their digits in B's memory, if the loops are an order of A's dims; nil otherwise. The digits of a dim are all of
// its index, least significant first, and run in one direction from the dim's beginning or end. A dim of size 1 has none. The last digit of
// a padded dim has its padded extent.
func (f *found) dims() []tensor.Dim {
	dims := make([]tensor.Dim, len(f.a.Shape))
	for d, n := range f.a.Shape {
		dims[d] = tensor.Dim{Name: f.a.name(d), Size: n}
	}
	axes := axesOf(f.a.Shape)
	span := 1
	for k, l := range f.loops {
		if !addDigits(dims, axes, Loop{f.turns(k), l.Step}, span) {
			return nil
		}
		span *= l.N
	}
	base := 0
	for _, x := range axes {
		digits := dims[x.dim].Digits
		sorting.By(digits, func(g, h tensor.Digit) int { return cmp.Compare(g.Div, h.Div) })
		if !areWhole(digits, x.n) {
			return nil
		}
		if digits[0].Stride < 0 {
			base += x.last
		}
	}
	if base != f.base {
		return nil
	}
	return dims
}

// addDigits adds the digits that a loop is, whose turns are span elements of B from each other: one, or several of successive dims. It returns
// false if its step is none of the axes.
func addDigits(dims []tensor.Dim, axes []axis, l Loop, span int) bool {
	step := ints.Abs(l.Step)
	stride := cmp.Compare(l.Step, 0) * span
	for n := l.N; n > 1; {
		d := slices.IndexFunc(axes, func(x axis) bool { return x.step <= step })
		if step == 0 || d < 0 || step%axes[d].step != 0 {
			return false
		}
		x := axes[d]
		g := tensor.Digit{Div: step / x.step, Extent: n, Stride: stride}
		if outermost := d == 0; !outermost {
			g.Extent = x.turnsWithin(g.Div, n)
		}
		dims[x.dim].Digits = append(dims[x.dim].Digits, g)
		n = n / g.Extent
		step = step * g.Extent
		stride = stride * g.Extent
	}
	return true
}

// turnsWithin returns how many of n turns, div indices each, are in the dim: as many as it has if the others are whole turns of the next dim,
// and otherwise all, of which the last ones are padding.
func (x axis) turnsWithin(div, n int) int {
	whole := x.n / div
	if whole*div != x.n || n <= whole || n%whole != 0 {
		return n
	}
	return whole
}

// areWhole reports whether digits, least significant first, are all of an index below n, and run in one direction.
func areWhole(digits []tensor.Digit, n int) bool {
	div := 1
	for _, g := range digits {
		if g.Div != div || g.Stride < 0 != (digits[0].Stride < 0) {
			return false
		}
		div *= g.Extent
	}
	return div >= n
}

// turns returns how often loop k runs before it meets the next larger step; what is beyond is padding. Of a part of A, the outermost loop
// would go on.
func (f *found) turns(k int) int {
	n := f.loops[k].N
	step := ints.Abs(f.loops[k].Step)
	if inner := f.nest.count() / n; k == len(f.loops)-1 && f.total < f.a.n && f.a.n%inner == 0 {
		n = f.a.n / inner
	}
	for _, other := range f.loops {
		if larger := ints.Abs(other.Step); step > 0 && larger > step && larger%step == 0 {
			n = min(n, larger/step)
		}
	}
	return n
}

// name returns the name of a dim.
func (v Values) name(d int) string {
	if len(v.Names) == 0 {
		return "d" + strconv.Itoa(d)
	}
	return v.Names[d]
}

// layout returns B's memory as a layout of A's dims, if B holds all of them. A dim of several digits that runs backwards must be whole
// blocks.
func (f *found) layout(dims []tensor.Dim) (tensor.Layout, bool) {
	offset := f.skip
	all := slices.Clone(dims)
	for d, x := range all {
		x.Digits = slices.Clone(x.Digits)
		if len(x.Digits) == 0 {
			x.Digits = []tensor.Digit{{Div: 1, Extent: x.Size, Stride: f.total}}
		}
		last := &x.Digits[len(x.Digits)-1]
		last.Extent = ints.CeilDiv(x.Size, last.Div)
		for _, g := range x.Digits {
			offset -= min(0, (g.Extent-1)*g.Stride)
		}
		if len(x.Digits) > 1 && last.Stride < 0 && last.Div*last.Extent != x.Size {
			return tensor.Layout{}, false
		}
		all[d] = x
	}
	l, err := tensor.New(all, offset, f.total)
	return l, dims != nil && err == nil && l.InBounds()
}

// tellOrder tells of loops that are an order of A's dims.
func (x *facts) tellOrder(dims []tensor.Dim) {
	r := x.Relation
	r.Layout, r.IsLayout = x.layout(dims)
	type digit struct {
		tensor.Digit
		dim  int
		name string
	}
	var digits []digit
	x.padded = x.leavesGaps()
	for d, dim := range dims {
		for k, g := range dim.Digits {
			digits = append(digits, digit{g, d, explain.DigitName(dim, k)})
			x.blocked = x.blocked || k > 0
			x.padded = x.padded || g.Extent > ints.CeilDiv(dim.Size, g.Div)
		}
		if len(dim.Digits) == 0 {
			r.Order = append(r.Order, dim.Name)
		} else if dim.Digits[0].Stride < 0 {
			r.Reversed = append(r.Reversed, dim.Name)
		}
	}
	sorting.By(digits, func(g, h digit) int { return cmp.Compare(ints.Abs(h.Stride), ints.Abs(g.Stride)) })
	if len(r.Order) > 0 && r.Why == "" {
		r.Why = "a dim of size 1 may be anywhere in the order"
	}
	for _, g := range digits {
		x.order = append(x.order, g.dim)
		r.Order = append(r.Order, g.name)
	}
	if !x.blocked {
		x.order = placed(x.order, x.a.Shape, x.b.Shape)
		r.Order = nil
		for _, d := range x.order {
			r.Order = append(r.Order, dims[d].Name)
		}
	}
	x.classify(orderMistakes)
	if len(r.Reversed) > 0 {
		r.Sentence += ", " + strings.Join(r.Reversed, " and ") + " reversed"
	}
}

// placed puts A's dims of size 1 into an order of the others: as B's shape says, or else where they are in A.
func placed(order, a, b []int) []int {
	var singles, all []int
	for d, n := range a {
		if n == 1 {
			singles = append(singles, d)
		}
	}
	ofSize1 := singles
	larger := order
	for _, n := range b {
		from := &larger
		if n == 1 {
			from = &ofSize1
		}
		if len(*from) > 0 {
			all = append(all, (*from)[0])
			*from = (*from)[1:]
		}
	}
	if len(all) == len(a) && slices.Equal(sizes(a, all), b) {
		return all
	}
	for _, d := range singles {
		order = slices.Insert(order, slices.Index(order, d-1)+1, d)
	}
	return order
}

// sizes returns the sizes of dims of a shape.
func sizes(shape, dims []int) (all []int) {
	for _, d := range dims {
		all = append(all, shape[d])
	}
	return all
}

// comeFirst reports whether all elements of A that B has come first in B: others only follow them.
func (f *found) comeFirst() bool {
	end := 0 // of the first positions without a gap
	const piece = 1 << 12
	for from := 0; from == end && from < f.total; from += piece {
		f.nest.runs(from, min(from+piece, f.total), func(r run) {
			if r.from == end {
				end = r.to
			}
		})
	}
	return end == f.elements
}

// rereadShape returns the shape that makes the loops a permutation of dense dims, and that permutation; nil without one.
func (f *found) rereadShape() (shape, order []int) {
	order = make([]int, len(f.loops))
	step := 1
	for d, k := range f.rising {
		if f.loops[k].Step != step {
			return nil, nil
		}
		step *= f.loops[k].N
		shape = append(shape, f.loops[k].N)
		order[len(order)-1-k] = len(order) - 1 - d
	}
	if step != f.a.n || f.base != 0 {
		return nil, nil
	}
	slices.Reverse(shape)
	return shape, order
}

// indexOf returns the index of an element in row-major order of a shape.
func indexOf(element int, shape []int) []int {
	index := make([]int, len(shape))
	for d, n := range slices.Backward(shape) {
		index[d] = element % n
		element /= n
	}
	return index
}

// withinTolerance says how near elements are: after the word, or else at the end.
func withinTolerance(sentence, percent string) string {
	const word = "elements"
	before, after, found := strings.Cut(sentence, word)
	if !found {
		return sentence + ", within " + percent
	}
	return before + word + " within " + percent + after
}

// TellSameOrder makes the sentence that of elements in A's order of A's dims: B's memory is in another order, as A's own is.
func (r *Relation) TellSameOrder() {
	r.Sentence = "holds a's elements in the same order"
	r.As = ""
	r.tellValues()
}

// tellValues adds to the sentence how values were changed.
func (r *Relation) tellValues() {
	r.Values = r.valuesText()
	r.Sentence += r.Values
	if t := r.Tolerance; t != nil {
		r.Sentence = withinTolerance(r.Sentence, t.Percent())
		r.Values += ", within " + t.Percent()
	}
}

// valuesText says how values were changed, but for a tolerance, each change after a comma.
func (r *Relation) valuesText() (changes string) {
	if r.Viewed {
		changes = ", their bits read as " + r.DType
	} else if r.DType != "" {
		changes = ", as " + r.DType
	}
	if r.Swapped {
		changes += ", byte-swapped"
	}
	if r.Scale == nil {
		return changes
	}
	digits := 6
	if r.Tolerance != nil {
		digits = 3
	}
	terms := ""
	if r.Scale.Factor != 1 {
		terms = " times " + strconv.FormatFloat(r.Scale.Factor, 'g', digits, 64)
	}
	if r.Scale.Offset != 0 {
		terms += " plus " + strconv.FormatFloat(r.Scale.Offset, 'g', digits, 64)
	}
	return changes + "," + terms
}
