package relate

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/framework/explain"
	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// describe makes a Relation of a numeral.
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
	if dims := f.dims(); dims != nil {
		r.tellOrder(f, dims, a, b)
	} else {
		r.Kind, r.Sentence = r.loopsKind(f)
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
		n := f.turns(k)
		step := ints.Abs(l.Step)
		sign := cmp.Compare(l.Step, 0)
		for stride := span; n > 1; {
			d := slices.IndexFunc(axes, func(x axis) bool { return x.step <= step })
			if step == 0 || d < 0 || step%axes[d].step != 0 {
				return nil
			}
			x := axes[d]
			g := tensor.Digit{Div: step / x.step, Extent: n, Stride: sign * stride}
			if rest := x.n / g.Div; rest*g.Div == x.n && n > rest && n%rest == 0 && d > 0 { // the loop goes on in the next dim
				g.Extent = rest
			}
			dims[x.dim].Digits = append(dims[x.dim].Digits, g)
			n = n / g.Extent
			step = step * g.Extent
			stride = stride * g.Extent
		}
		span *= l.N
	}
	base := 0
	for _, x := range axes {
		digits := dims[x.dim].Digits
		slices.SortFunc(digits, func(g, h tensor.Digit) int { return cmp.Compare(g.Div, h.Div) })
		div := 1
		for _, g := range digits {
			if g.Div != div || g.Stride < 0 != (digits[0].Stride < 0) {
				return nil
			}
			div *= g.Extent
		}
		if div < x.n {
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

// turns returns how often loop k runs before it meets the next larger step; what is beyond is padding. Of a part of A, the outermost loop
// would go on.
func (f *found) turns(k int) int {
	n := f.loops[k].N
	step := ints.Abs(f.loops[k].Step)
	if inner := f.numeral.count() / n; k == len(f.loops)-1 && f.total < f.a.n && f.a.n%inner == 0 {
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
func (r *Relation) tellOrder(f *found, dims []tensor.Dim, a, b Values) {
	r.Layout, r.IsLayout = f.layout(dims)
	type digit struct {
		tensor.Digit
		dim  int
		name string
	}
	var digits []digit
	blocked := false
	padded := f.elements < f.total
	for d, x := range dims {
		for k, g := range x.Digits {
			digits = append(digits, digit{g, d, explain.DigitName(x, k)})
			blocked = blocked || k > 0
			padded = padded || g.Extent > ints.CeilDiv(x.Size, g.Div)
		}
		switch {
		case len(x.Digits) == 0:
			r.Order = append(r.Order, x.Name)
		case x.Digits[0].Stride < 0:
			r.Reversed = append(r.Reversed, x.Name)
		}
	}
	slices.SortFunc(digits, func(g, h digit) int { return cmp.Compare(ints.Abs(h.Stride), ints.Abs(g.Stride)) })
	if len(r.Order) > 0 && r.Why == "" {
		r.Why = "a dim of size 1 may be anywhere in the order"
	}
	var order []int // A's dims, outermost in B first
	for _, g := range digits {
		order = append(order, g.dim)
		r.Order = append(r.Order, g.name)
	}
	if !blocked {
		order = placed(order, a.Shape, b.Shape)
		r.Order = nil
		for _, d := range order {
			r.Order = append(r.Order, dims[d].Name)
		}
	}
	r.Kind, r.Sentence = r.orderKind(f, order, blocked, padded, a, b)
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
	ones := singles
	others := order
	for _, n := range b {
		switch {
		case n == 1 && len(ones) > 0:
			all = append(all, ones[0])
			ones = ones[1:]
		case n > 1 && len(others) > 0:
			all = append(all, others[0])
			others = others[1:]
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

// orderKind returns the kind and the sentence of an order of A's dims, outermost first, and sets how it may have come about.
func (r *Relation) orderKind(f *found, order []int, blocked, padded bool, a, b Values) (Kind, string) {
	const all, same = "holds a's elements", "holds a's elements in the same order"
	sorted := slices.IsSorted(order)
	shape := ", under the shape " + tensor.Tuple(b.Shape)
	inOrder := " in memory order " + strings.Join(r.Order, " ")
	transposed := "as if written by transpose" + tuple(order)
	switch first := fmt.Sprintf("holds the first %d of a's elements", f.total); {
	case f.skip > 0 && sorted:
		return Shifted, all + " after " + text.Count(f.skip, "other")
	case f.skip > 0:
		return Shifted, all + " after " + text.Count(f.skip, "other") + "," + inOrder
	case f.total < f.a.n && sorted && !blocked:
		return Part, first
	case f.total < f.a.n:
		return Part, first + inOrder
	case blocked:
		return Blocked, all + inOrder
	case f.elements < f.total && f.begins() && sorted:
		return Followed, followed(all, f)
	case f.elements < f.total && f.begins():
		return Followed, followed(all+inOrder, f)
	case padded:
		return Pitched, all + inOrder + ", with padding between them"
	case !sorted && slices.Equal(sizes(a.Shape, order), b.Shape):
		r.As = transposed
		return Permuted, all + inOrder
	case !sorted:
		r.As = transposed + " and read as " + tensor.Tuple(b.Shape)
		return Relabeled, all + inOrder + shape
	case len(r.Reversed) > 0:
		return Reversed, all
	case !slices.Equal(a.Shape, b.Shape):
		return Reshaped, same + shape
	case r.DType == "" && r.Scale == nil && !r.Swapped:
		return Same, same
	}
	return Converted, same
}

// tuple prints dims as arguments: (0,2,3,1).
func tuple(order []int) string { return "(" + text.Ints(order, ",") + ")" }

// loopsKind returns the kind and the sentence of loops that do not make an order of A's dims, and sets how they may have come about.
func (r *Relation) loopsKind(f *found) (Kind, string) {
	const all = "holds a's elements"
	shape, order := f.under()
	switch stretch := len(f.loops) == 1 && f.loops[0].Step == 1; {
	case stretch && f.base > 0 && f.skip == 0:
		return Shifted, fmt.Sprintf("%s from element %d on", all, f.base)
	case stretch && (f.base != 0 || f.skip != 0):
		return Shifted, all + " after " + text.Count(f.skip-f.base, "other")
	case slices.ContainsFunc(f.loops, func(l Loop) bool { return l.Step == 0 }):
		return Repeated, "repeats a's elements"
	case shape != nil && !slices.IsSorted(order):
		r.As = "as if a's memory was read as " + tensor.Tuple(shape) + " and written by transpose" + tuple(order)
		return Reread, "holds a's memory as read under the shape " + tensor.Tuple(shape) + " and then permuted"
	case len(f.loops) == 2 && f.loops[0].Step == 1 && f.loops[1] == Loop{2, -f.loops[0].N}:
		return Reread, all + " with the halves exchanged"
	case f.elements < f.total && f.begins():
		return Followed, followed(all, f)
	case f.elements < f.total:
		return Pitched, all + " with padding between them"
	case f.elements < f.a.n:
		return Part, fmt.Sprintf("holds %d of a's %d elements", f.elements, f.a.n)
	}
	return Reread, all + " in another order"
}

// followed returns the sentence of elements that others follow.
func followed(holds string, f *found) string {
	if f.elements < f.a.n {
		holds = strings.Replace(holds, "a's", strconv.Itoa(f.elements)+" of a's", 1)
	}
	return strings.Replace(holds, "holds", "begins with", 1) + ", then " + text.Count(f.total-f.elements, "other")
}

// begins reports whether all elements of A that B has come first in B: others only follow them.
func (f *found) begins() bool {
	end := 0 // of the first positions without a gap
	const piece = 1 << 12
	for from := 0; from == end && from < f.total; from += piece {
		f.numeral.runs(from, min(from+piece, f.total), func(r run) {
			if r.from == end {
				end = r.to
			}
		})
	}
	return end == f.elements
}

// under returns the shape that makes the loops a permutation of dense dims, and that permutation; nil without one.
func (f *found) under() (shape, order []int) {
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

// tellValues adds to the sentence how values were changed.
func (r *Relation) tellValues() {
	switch {
	case r.Viewed:
		r.Sentence += ", their bits read as " + r.DType
	case r.DType != "":
		r.Sentence += ", as " + r.DType
	}
	if r.Swapped {
		r.Sentence += ", byte-swapped"
	}
	if s := r.Scale; s != nil {
		r.Sentence += ", times " + strconv.FormatFloat(s.Factor, 'g', 6, 64)
		if s.Offset != 0 {
			r.Sentence += " plus " + strconv.FormatFloat(s.Offset, 'g', 6, 64)
		}
	}
}
